// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns: segments and what they are asked depend on the events of the atoms alone, but for `only`.

use super::{Reason, ReasonKind, Told, Variable, binds, unseen};
use crate::core::{AtomId, BehaviourCore, RequirementCore};
use crate::requirement::Amount;

pub(super) fn told(core: &RequirementCore, of: Variable<'_>, others: &[Variable<'_>]) -> Result<Told, Reason> {
    if let BehaviourCore::Only(_) = core.behaviour {
        let text = format!("it forbids every other event, also those of other values of `{}`", of.name);
        return Err(Reason { kind: ReasonKind::EveryEvent, text, span: core.behaviour_span });
    }
    match others.iter().find(|other| !holds_without(core, **other)) {
        Some(other) => Err(unseen(of, *other, core.span)),
        // A segment that nothing opens is opened by the trace's first event, and reported there. RULE R1, R14
        None => Ok(Told { first: !core.scope.opens(), last: true }),
    }
}

/// Whether every segment answers yes if no event has a value of this variable.
fn holds_without(core: &RequirementCore, variable: Variable<'_>) -> bool {
    let never = |atom: AtomId| binds(&core.atoms[atom.0 as usize], variable.id);
    let never_opens = core.opens.is_some_and(never);
    let never_closes = core.scope.needs_end() && core.closes.is_some_and(never);
    never_opens || never_closes || answers_yes(&core.behaviour, &never)
}

fn answers_yes(behaviour: &BehaviourCore, never: &dyn Fn(AtomId) -> bool) -> bool {
    match behaviour {
        BehaviourCore::Absence(event) | BehaviourCore::Rate { event, .. } => never(*event),
        BehaviourCore::Count { amount, number, event } => match amount {
            Amount::AtMost => never(*event),
            Amount::AtLeast => *number == 0,
            Amount::Exactly => never(*event) && *number == 0,
        },
        BehaviourCore::Precedence { effects, required, .. } => !required && effects.iter().any(|atom| never(*atom)),
        BehaviourCore::Response { stimuli, required, .. } => !required && stimuli.iter().any(|atom| never(*atom)),
        BehaviourCore::Existence { .. }
        | BehaviourCore::Universality { .. }
        | BehaviourCore::Only(_)
        | BehaviourCore::Recurrence { .. } => false,
    }
}
