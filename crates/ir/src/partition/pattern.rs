// SPDX-License-Identifier: MIT OR Apache-2.0
//! Partition analysis of patterns. Segments and behaviours depend on events of the atoms only, except for `only`.

use super::{KeyCandidate, PartitionReason, PartitionReasonKind, RequiredBounds, binds, unseen_combination};
use crate::{AtomId, BehaviourCore, CountBound, PatternCore};

pub(super) fn required_bounds(
    core: &PatternCore,
    of: KeyCandidate<'_>,
    others: &[KeyCandidate<'_>],
) -> Result<RequiredBounds, PartitionReason> {
    if let BehaviourCore::Only(_) = core.behaviour {
        let text = format!("it forbids every other event, also those of other values of `{}`", of.name);
        return Err(PartitionReason { kind: PartitionReasonKind::EveryEvent, text, span: core.behaviour_span });
    }
    match others.iter().find(|other| !holds_without(core, **other)) {
        Some(other) => Err(unseen_combination(of, *other, core.span)),
        // A segment that nothing opens is opened by the trace's first event, and reported there. RULE R1, R14
        None => Ok(RequiredBounds { first: !core.scope.opens(), last: true }),
    }
}

/// Returns true if every segment satisfies the behaviour when no event has a value of this variable.
fn holds_without(core: &PatternCore, variable: KeyCandidate<'_>) -> bool {
    let never = |atom: AtomId| binds(&core.atoms[atom.0 as usize], variable.id);
    let never_opens = core.opens.is_some_and(never);
    let never_closes = core.scope.needs_end() && core.closes.is_some_and(never);
    never_opens || never_closes || answers_yes(&core.behaviour, &never)
}

fn answers_yes(behaviour: &BehaviourCore, never: &dyn Fn(AtomId) -> bool) -> bool {
    match behaviour {
        BehaviourCore::Absence(event) | BehaviourCore::Rate { event, .. } => never(*event),
        BehaviourCore::Count { amount, number, event } => match amount {
            CountBound::AtMost => never(*event),
            CountBound::AtLeast => *number == 0,
            CountBound::Exactly => never(*event) && *number == 0,
        },
        BehaviourCore::Precedence { effects, required, .. } => !required && effects.iter().any(|atom| never(*atom)),
        BehaviourCore::Response { stimuli, required, .. } => !required && stimuli.iter().any(|atom| never(*atom)),
        BehaviourCore::Existence { .. }
        | BehaviourCore::Universality { .. }
        | BehaviourCore::Only(_)
        | BehaviourCore::Recurrence { .. } => false,
    }
}
