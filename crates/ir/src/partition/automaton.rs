// SPDX-License-Identifier: MIT OR Apache-2.0
//! Partition analysis of automata. Events outside a binding's slice do not exist for it (A1), so only bindings without
//! events can differ.

use super::{KeyCandidate, PartitionReason, RequiredBounds, binds, unseen_combination};
use crate::{AutomatonCore, DefaultMove};

pub(super) fn required_bounds(
    core: &AutomatonCore,
    of: KeyCandidate<'_>,
    others: &[KeyCandidate<'_>],
) -> Result<RequiredBounds, PartitionReason> {
    match others.iter().find(|other| !accepts_without(core, **other)) {
        Some(other) => Err(unseen_combination(of, *other, core.span)),
        // RULE A10: what no binding can meet is violated at the first event of the trace.
        None => Ok(RequiredBounds {
            first: !reachable(core, |_| true).iter().any(|state| core.states[*state].accepting),
            last: true,
        }),
    }
}

/// Returns true if every word without an event that binds this variable is accepted.
fn accepts_without(core: &AutomatonCore, variable: KeyCandidate<'_>) -> bool {
    let occurs = |atom: usize| !binds(&core.atoms[atom], variable.id);
    let any = (0..core.atoms.len()).any(occurs);
    // Guards are not looked into, so a state that dies of an event may die.
    reachable(core, occurs).into_iter().all(|state| {
        let state = &core.states[state];
        state.accepting && !(any && state.otherwise == DefaultMove::Die)
    })
}

/// Returns the states that can be reached from the first one by events of some atoms.
fn reachable(core: &AutomatonCore, occurs: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut reached = Vec::new();
    let mut pending = vec![0];
    while let Some(number) = pending.pop() {
        let Some(state) = core.states.get(number).filter(|_| !reached.contains(&number)) else { continue };
        reached.push(number);
        let chosen = state.transitions.iter().filter(|transition| occurs(transition.atom.0 as usize));
        pending.extend(chosen.flat_map(|transition| &transition.branches).map(|branch| branch.target));
    }
    reached
}
