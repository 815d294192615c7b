// SPDX-License-Identifier: MIT OR Apache-2.0
//! Atoms: some event of the position matches one of the atom's patterns.
// RULE K2

use gnomon_core::value::{Comparison, Value};
use gnomon_ir::{AtomDefinition, EventPattern, ValueLocation, VariableId};

use crate::trace::OracleEvent;

/// Returns true if the atom is true of these events together, where the first variables have these values.
pub(crate) fn holds(atom: &AtomDefinition, events: &[OracleEvent], binding: &[Value<'static>]) -> bool {
    events.iter().any(|event| matches(atom, event, binding))
}

/// Returns true if one of the atom's patterns matches the event, where the first variables have these values.
pub(crate) fn matches(atom: &AtomDefinition, event: &OracleEvent, binding: &[Value<'static>]) -> bool {
    matching(atom, event, binding).is_some()
}

/// The first of the atom's patterns that matches the event, by its place among them.
pub(crate) fn matching(atom: &AtomDefinition, event: &OracleEvent, binding: &[Value<'static>]) -> Option<usize> {
    atom.patterns.iter().position(|pattern| values_under(pattern, event, binding).is_some())
}

/// The values that the event gives to the pattern's variables, if the first variables have these values there.
pub(crate) fn values_under(
    pattern: &EventPattern,
    event: &OracleEvent,
    binding: &[Value<'static>],
) -> Option<Vec<(VariableId, Value<'static>)>> {
    let agrees = |(VariableId(id), value): &(VariableId, Value<'static>)| {
        binding.get(*id as usize).is_none_or(|bound| Comparison::Equal.holds(value, bound))
    };
    values(pattern, event).filter(|values| values.iter().all(agrees))
}

/// The values that the event gives to the pattern's variables; `None` if it does not match, whatever values they have.
// RULE Q7, Q8
pub(crate) fn values(pattern: &EventPattern, event: &OracleEvent) -> Option<Vec<(VariableId, Value<'static>)>> {
    if !fits(pattern, event) {
        return None;
    }
    let mut values: Vec<(VariableId, Value<'static>)> = Vec::new();
    for (place, id) in &pattern.variables {
        let value = value_at(place, event)?;
        match values.iter().find(|(known, _)| known == id) {
            Some((_, before)) if !Comparison::Equal.holds(before, &value) => return None,
            Some(_) => {}
            None => values.push((*id, value)),
        }
    }
    Some(values)
}

fn value_at(place: &ValueLocation, event: &OracleEvent) -> Option<Value<'static>> {
    match place {
        ValueLocation::Parameter(index) => event.parameters().get(*index).cloned(),
        ValueLocation::Field(path) => event.at_path(path).cloned(),
    }
}

// RULE T8, T10
fn fits(pattern: &EventPattern, event: &OracleEvent) -> bool {
    let parameters = event.parameters();
    event.name == pattern.event
        && pattern.arity.is_none_or(|arity| parameters.len() == arity)
        && pattern.positional.iter().all(|(index, literal)| {
            let value = parameters.get(*index).unwrap_or(&Value::Null);
            Comparison::Equal.holds(value, literal)
        })
        && pattern.present.iter().all(|path| event.at_path(path).is_some())
        && pattern.condition.as_ref().is_none_or(|condition| condition.holds(event.time, &|path| event.at_path(path)))
}
