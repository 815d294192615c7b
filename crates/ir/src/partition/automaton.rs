// SPDX-License-Identifier: MIT OR Apache-2.0
//! Automata: events outside a binding's slice do not exist for it (A1), so only bindings without events can differ.

use super::{Reason, Told, Variable, binds, unseen};
use crate::automaton::Otherwise;
use crate::core::AutomatonCore;

pub(super) fn told(core: &AutomatonCore, of: Variable<'_>, others: &[Variable<'_>]) -> Result<Told, Reason> {
    match others.iter().find(|other| !accepts_without(core, **other)) {
        Some(other) => Err(unseen(of, *other, core.span)),
        None => Ok(Told { first: false, last: true }),
    }
}

/// Whether every word is accepted that has no event with this variable.
fn accepts_without(core: &AutomatonCore, variable: Variable<'_>) -> bool {
    let occurs = |atom: usize| !binds(&core.atoms[atom], variable.id);
    let any = (0..core.atoms.len()).any(occurs);
    let mut reached = vec![false; core.states.len()];
    let mut pending = vec![0];
    while let Some(number) = pending.pop() {
        let Some(state) = core.states.get(number) else { continue };
        if std::mem::replace(&mut reached[number], true) {
            continue;
        }
        // Guards are not looked into, so a state that dies of an event may die.
        if !state.accepting || any && state.otherwise == Otherwise::Die {
            return false;
        }
        let taken = state.transitions.iter().filter(|transition| occurs(transition.atom.0 as usize));
        pending.extend(taken.flat_map(|transition| &transition.branches).map(|branch| branch.target));
    }
    true
}
