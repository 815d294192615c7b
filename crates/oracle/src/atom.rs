// SPDX-License-Identifier: MIT OR Apache-2.0
//! Atoms: some event of the position matches one of the atom's patterns.
// RULE K2

use gnomon_core::value::{Comparison, Value};
use gnomon_ir::core::AtomDefinition;
use gnomon_ir::pattern::{Condition, Pattern};

use crate::trace::OracleEvent;

/// Whether the atom is true of these events together.
pub(crate) fn holds(atom: &AtomDefinition, events: &[OracleEvent]) -> bool {
    events.iter().any(|event| matches(atom, event))
}

/// Whether one of the atom's patterns matches the event.
pub(crate) fn matches(atom: &AtomDefinition, event: &OracleEvent) -> bool {
    atom.patterns.iter().any(|pattern| pattern_matches(pattern, event))
}

fn pattern_matches(pattern: &Pattern, event: &OracleEvent) -> bool {
    let parameters = event.parameters();
    event.name == pattern.event
        && pattern.arity.is_none_or(|arity| parameters.len() == arity)
        && pattern.positional.iter().all(|(index, literal)| {
            let value = parameters.get(*index).unwrap_or(&Value::Null);
            Comparison::Equal.holds(value, literal)
        })
        && pattern.present.iter().all(|path| event.at_path(path).is_some())
        && pattern.condition.as_ref().is_none_or(|condition| condition_holds(condition, event))
}

/// A condition is two-valued: a comparison on an absent field is false, its negation true.
// RULE T8
pub(crate) fn condition_holds(condition: &Condition, event: &OracleEvent) -> bool {
    match condition {
        Condition::Compare(path, comparison, literal) => {
            event.at_path(path).is_some_and(|value| comparison.holds(value, literal))
        }
        Condition::Not(of) => !condition_holds(of, event),
        Condition::And(left, right) => condition_holds(left, event) && condition_holds(right, event),
        Condition::Or(left, right) => condition_holds(left, event) || condition_holds(right, event),
    }
}
