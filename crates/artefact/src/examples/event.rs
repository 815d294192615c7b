// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generates events that match an atom, with values for its parameters and the fields of its condition.

use std::borrow::Cow;

use gnomon_core::{Number, Span, Value};
use gnomon_ir::{Argument, Atom, ExampleArguments, ExampleEvent, Path};

use super::solve::{other, solve};
use crate::prepared_pattern::PreparedPattern;

/// Generates events of one binding.
pub(super) struct EventBuilder<'c, 's> {
    prepared: &'c PreparedPattern<'s>,
    /// The value of each variable.
    values: Vec<(String, Value<'static>)>,
}

impl<'c, 's> EventBuilder<'c, 's> {
    pub(super) fn of(prepared: &'c PreparedPattern<'s>) -> Self {
        let mut events = EventBuilder { prepared, values: vec![] };
        for (variable, number) in prepared.variables.iter().zip(1..) {
            // The condition on a parameter determines the value of a variable at its place.
            let asked = prepared.atoms().into_iter().find_map(|atom| events.asked(atom, &variable.name));
            events.values.push((variable.name.clone(), asked.unwrap_or(Value::Number(Number::Int(number)))));
        }
        events
    }

    /// Returns the declared names of an atom's parameters.
    fn parameters(&self, atom: &Atom) -> Option<&'c [String]> {
        let declaration = self.prepared.spec.event(&atom.name)?;
        Some(declaration.parameters.as_deref().unwrap_or_default())
    }

    fn asked(&self, atom: &Atom, variable: &str) -> Option<Value<'static>> {
        let fields = solve(atom.condition.as_ref()?, true)?;
        let mut places = self.parameters(atom)?.iter().zip(atom.arguments.iter().flatten());
        let is_it = |argument: &Argument| matches!(argument, Argument::Variable(known) if known.name == variable);
        let (name, _) = places.find(|(_, argument)| is_it(argument))?;
        fields.into_iter().find(|(path, _)| path.field == *name && path.steps.is_empty()).map(|(_, value)| value)
    }

    /// Returns an event that the pattern does not mention.
    pub(super) fn unrelated(&self) -> ExampleEvent {
        let taken = |name: &str| {
            let concrete = self.prepared.spec.events.iter().flat_map(|event| &event.alternatives);
            self.prepared.atoms().iter().any(|atom| atom.name == name)
                || self.prepared.spec.event(name).is_some()
                || concrete.into_iter().any(|alternative| alternative.event == name)
        };
        let names = (1..).map(|number| if number == 1 { "other".to_owned() } else { format!("other{number}") });
        let name = names.into_iter().find(|name| !taken(name)).unwrap_or_default();
        bare(name)
    }

    /// Returns an event that matches the atom.
    pub(super) fn like(&self, atom: &Atom) -> ExampleEvent {
        self.event(atom, &self.arguments(atom))
    }

    /// Returns an event of the same name that does not match the atom; `None` if all do.
    pub(super) fn unlike(&self, atom: &Atom) -> Option<ExampleEvent> {
        let written = atom.arguments.as_deref().unwrap_or_default();
        let mut values = self.arguments(atom);
        // A different literal shows the mismatch best; a different value of a variable is one of another binding.
        let rank = |argument: &Argument| match argument {
            Argument::Literal(_) => 0,
            Argument::Variable(_) => 1,
            Argument::Any => 2,
        };
        let place = written.iter().enumerate().min_by_key(|(_, argument)| rank(argument));
        let Some((place, _)) = place.filter(|(_, argument)| rank(argument) < 2) else {
            let fields = solve(atom.condition.as_ref()?, false)?;
            return Some(self.event_with(atom, &values, &fields));
        };
        values[place] = other(&values[place]);
        Some(self.event(atom, &values))
    }

    fn arguments(&self, atom: &Atom) -> Vec<Value<'static>> {
        let value = |argument: &Argument| match argument {
            Argument::Literal(value) => value.clone(),
            Argument::Any => Value::Number(Number::Int(0)),
            Argument::Variable(variable) => {
                let known = self.values.iter().find(|(name, _)| *name == variable.name);
                known.map_or(Value::Null, |(_, value)| value.clone())
            }
        };
        atom.arguments.iter().flatten().map(value).collect()
    }

    fn event(&self, atom: &Atom, values: &[Value<'static>]) -> ExampleEvent {
        let fields = atom.condition.as_ref().and_then(|condition| solve(condition, true)).unwrap_or_default();
        self.event_with(atom, values, &fields)
    }

    fn event_with(&self, atom: &Atom, values: &[Value<'static>], fields: &[(Path, Value<'static>)]) -> ExampleEvent {
        let positional = |values: &[Value<'static>]| ExampleArguments::Positional(values.to_vec());
        let arguments = if fields.is_empty() {
            positional(values)
        } else {
            ExampleArguments::Named(self.named(atom, values, fields))
        };
        ExampleEvent { arguments, ..bare(atom.name.clone()) }
    }

    /// Returns the parameters and the fields of a condition, by name.
    fn named(
        &self,
        atom: &Atom,
        values: &[Value<'static>],
        fields: &[(Path, Value<'static>)],
    ) -> Vec<(String, Value<'static>)> {
        let mut rest: Vec<(String, Value<'static>)> = Vec::new();
        for (path, value) in fields {
            put(&mut rest, path, value.clone());
        }
        let mut named: Vec<(String, Value<'static>)> = Vec::new();
        let written = atom.arguments.as_deref().unwrap_or_default();
        match self.parameters(atom) {
            Some(parameters) => {
                for (name, value) in parameters.iter().zip(values) {
                    let asked = rest.iter().position(|(known, _)| known == name).map(|place| rest.remove(place));
                    named.push(asked.unwrap_or_else(|| (name.clone(), value.clone())));
                }
            }
            // The parameters of an event that is not declared are its fields: those of the condition are among them.
            None => {
                for (index, (argument, value)) in written.iter().zip(values).enumerate() {
                    let is_free = matches!(argument, Argument::Any) && !rest.is_empty();
                    let field = if is_free { rest.remove(0) } else { (format!("a{}", index + 1), value.clone()) };
                    named.push(field);
                }
            }
        }
        named.extend(rest);
        named
    }
}

fn bare(name: String) -> ExampleEvent {
    ExampleEvent { name, arguments: ExampleArguments::Positional(vec![]), time: None, span: Span::default() }
}

/// Sets a field, or a part of one.
fn put(fields: &mut Vec<(String, Value<'static>)>, path: &Path, value: Value<'static>) {
    let mut steps = path.steps.iter().rev();
    let nest = |value, step: &String| Value::Map(vec![(Cow::Owned(step.clone()), value)]);
    match fields.iter_mut().find(|(name, _)| *name == path.field) {
        Some((_, Value::Map(entries))) if path.steps.len() == 1 => {
            entries.extend(steps.next().map(|step| (Cow::Owned(step.clone()), value)));
        }
        Some((_, known)) => *known = steps.fold(value, nest),
        None => fields.push((path.field.clone(), steps.fold(value, nest))),
    }
}
