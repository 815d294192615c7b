// SPDX-License-Identifier: MIT OR Apache-2.0
//! Partition analysis of automata. Events outside a binding's slice do not exist for it (A1), so only bindings without
//! events can differ.

use std::collections::BTreeSet;

use gnomon_core::list::reachable;

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
            first: !reachable_states(core, |_| true).iter().any(|state| core.states[*state].accepting),
            last: true,
        }),
    }
}

/// Returns true if every word without an event that binds this variable is accepted.
fn accepts_without(core: &AutomatonCore, variable: KeyCandidate<'_>) -> bool {
    let occurs = |atom: usize| !binds(&core.atoms[atom], variable.id);
    let any = (0..core.atoms.len()).any(occurs);
    // Guards are not looked into, so a state that dies of an event may die.
    reachable_states(core, occurs).into_iter().all(|state| {
        let state = &core.states[state];
        state.accepting && !(any && state.otherwise == DefaultMove::Die)
    })
}

/// Returns the states that can be reached from the first one by events of some atoms.
fn reachable_states(core: &AutomatonCore, occurs: impl Fn(usize) -> bool) -> BTreeSet<usize> {
    reachable((0..core.states.len()).take(1), |state| {
        let chosen = core.states[state].transitions.iter().filter(|transition| occurs(transition.atom.0 as usize));
        chosen.flat_map(|transition| &transition.branches).map(|branch| branch.target)
    })
}
