// SPDX-License-Identifier: MIT OR Apache-2.0
//! Atoms as written, looked up in the declarations of the spec.
// RULE T5, T6, T7, T8

use gnomon_core::value::{Comparison, Value};
use gnomon_ir::pattern::{Argument, Atom, Condition, Path};
use gnomon_ir::spec::{Alternative, EventDeclaration, Spec};

use crate::trace::OracleEvent;

/// Whether an event is one that the atom speaks of.
pub(super) fn matches(spec: &Spec, atom: &Atom, event: &OracleEvent) -> bool {
    match spec.event(&atom.name) {
        None => matches_own_name(atom, event),
        Some(declaration) => declaration
            .alternatives
            .iter()
            .any(|alternative| matches_alternative(atom, declaration, alternative, event)),
    }
}

fn matches_own_name(atom: &Atom, event: &OracleEvent) -> bool {
    event.name == atom.name
        && atom.arguments.as_ref().is_none_or(|arguments| {
            let parameters = event.parameters();
            arguments.len() == parameters.len()
                && arguments.iter().zip(&parameters).all(|(argument, value)| accepts(argument, value))
        })
        && atom.condition.as_ref().is_none_or(|condition| holds(condition, &|path| event.at_path(path)))
}

fn matches_alternative(
    atom: &Atom,
    declaration: &EventDeclaration,
    alternative: &Alternative,
    event: &OracleEvent,
) -> bool {
    let parameters = declaration.parameters.as_deref().unwrap_or_default();
    // The field behind a parameter, and for anything else the event's own field.
    let lookup = |path: &Path| {
        let renamed = alternative.renames.iter().find(|(_, parameter)| *parameter == path.field);
        match renamed {
            Some((source, parameter)) if parameters.contains(parameter) => {
                let value = event.at_path(source)?;
                path.steps.iter().try_fold(value, |value, step| value.step(step))
            }
            _ => event.at_path(path),
        }
    };
    let argument_fits = |(name, argument): (&String, &Argument)| {
        let path = Path { field: name.clone(), steps: vec![] };
        lookup(&path).is_some_and(|value| accepts(argument, value))
    };
    event.name == alternative.event
        && alternative.condition.as_ref().is_none_or(|condition| holds(condition, &|path| event.at_path(path)))
        && atom.arguments.as_ref().is_none_or(|arguments| parameters.iter().zip(arguments).all(argument_fits))
        && atom.condition.as_ref().is_none_or(|condition| holds(condition, &lookup))
}

fn accepts(argument: &Argument, value: &Value<'_>) -> bool {
    match argument {
        Argument::Any => true,
        Argument::Literal(literal) => Comparison::Equal.holds(value, literal),
    }
}

fn holds<'e>(condition: &Condition, lookup: &dyn Fn(&Path) -> Option<&'e Value<'static>>) -> bool {
    match condition {
        Condition::Compare(path, comparison, literal) => {
            lookup(path).is_some_and(|value| comparison.holds(value, literal))
        }
        Condition::Not(of) => !holds(of, lookup),
        Condition::And(left, right) => holds(left, lookup) && holds(right, lookup),
        Condition::Or(left, right) => holds(left, lookup) || holds(right, lookup),
    }
}
