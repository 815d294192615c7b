// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers atoms to patterns over the trace's own events, using the declarations.

use gnomon_core::diagnostic::Diagnostic;
use gnomon_core::value::Comparison;

use super::{Checker, intern};
use crate::atom::{Argument, Atom, Condition, EventPattern, Path, ValueLocation, VariableId};
use crate::core::{AtomDefinition, AtomId};
use crate::spec::{Alternative, EventDeclaration};

impl Checker<'_> {
    pub(super) fn atom(&mut self, atom: &Atom) -> AtomId {
        let patterns = self.patterns(atom);
        self.define(AtomDefinition { name: atom.name.clone(), patterns })
    }

    pub(super) fn define(&mut self, atom: AtomDefinition) -> AtomId {
        AtomId(intern(&mut self.atoms, atom))
    }

    /// Returns the patterns of the trace's events that make an atom true.
    pub(super) fn patterns(&mut self, atom: &Atom) -> Vec<EventPattern> {
        let variables = self.variables_of(atom);
        let mut patterns = match self.spec.event(&atom.name) {
            Some(declaration) => self.declared(atom, declaration, &variables),
            None => vec![undeclared(atom, &variables)],
        };
        for condition in patterns.iter_mut().filter_map(|pattern| pattern.condition.as_mut()) {
            *condition = condition.resolved(&self.spec.time);
            self.times(condition, atom);
        }
        patterns
    }

    /// Checks the comparisons of the time in a condition of an atom.
    fn times(&mut self, condition: &Condition, atom: &Atom) {
        condition.times(&mut |comparison| {
            if comparison.needs_unit() && self.clock.unit.is_none() {
                self.needs_unit.get_or_insert(atom.span);
            }
            if !comparison.is_resolved() {
                let message = format!("`{}` is not a whole number of nanoseconds", comparison.literal);
                self.diagnostics.push(
                    Diagnostic::error("G0402", atom.span, message)
                        .label("time is exact down to the nanosecond")
                        .help("round the time"),
                );
            }
        });
    }

    /// Returns index and number of each parameter that is a variable.
    fn variables_of(&mut self, atom: &Atom) -> Vec<(usize, VariableId)> {
        let arguments = atom.arguments.as_deref().unwrap_or_default().iter().enumerate();
        let mut variables = Vec::new();
        for (index, argument) in arguments {
            if let Argument::Variable(variable) = argument {
                variables.extend(self.variable(variable).map(|id| (index, id)));
            }
        }
        variables
    }

    /// Returns the path of a field in the events of each of the atom's patterns.
    pub(super) fn fields_of(&self, atom: &Atom, field: &Path) -> Vec<Path> {
        match self.spec.event(&atom.name) {
            None => vec![field.clone()],
            Some(declaration) => {
                let parameters = declaration.parameters.as_deref().unwrap_or_default();
                let alternatives = declaration.alternatives.iter();
                alternatives.map(|alternative| behind(field, parameters, alternative)).collect()
            }
        }
    }

    fn declared(
        &mut self,
        atom: &Atom,
        declaration: &EventDeclaration,
        variables: &[(usize, VariableId)],
    ) -> Vec<EventPattern> {
        let parameters: &[String] = declaration.parameters.as_deref().unwrap_or_default();
        if let Some(arguments) = &atom.arguments
            && arguments.len() != parameters.len()
        {
            let (want, got) = (parameters.len(), arguments.len());
            let plural = if want == 1 { "" } else { "s" };
            let message = format!("`{}` has {want} parameter{plural}, not {got}", atom.name);
            self.diagnostics.push(
                Diagnostic::error("G0204", atom.span, message).also(declaration.name_span, "declared here").help(
                    format!(
                        "write `{}` for any parameters, or `{}({})`",
                        atom.name,
                        atom.name,
                        vec!["_"; want].join(", ")
                    ),
                ),
            );
        }
        declaration.alternatives.iter().map(|alternative| through(atom, parameters, alternative, variables)).collect()
    }
}

/// An event that no declaration mentions: its parameters are its fields, in order.
fn undeclared(atom: &Atom, variables: &[(usize, VariableId)]) -> EventPattern {
    let arguments = atom.arguments.as_deref();
    let literals = arguments.unwrap_or_default().iter().enumerate();
    EventPattern {
        event: atom.name.clone(),
        arity: arguments.map(<[Argument]>::len),
        positional: literals
            .filter_map(|(index, argument)| match argument {
                Argument::Any | Argument::Variable(_) => None,
                Argument::Literal(value) => Some((index, value.clone())),
            })
            .collect(),
        present: vec![],
        condition: atom.condition.clone(),
        variables: variables.iter().map(|(index, id)| (ValueLocation::Parameter(*index), *id)).collect(),
    }
}

/// The field behind a declared parameter; any other field is itself.
fn behind(path: &Path, parameters: &[String], alternative: &Alternative) -> Path {
    if !parameters.contains(&path.field) {
        return path.clone();
    }
    let renamed = alternative.renames.iter().find(|(_, name)| *name == path.field).map(|(path, _)| path.clone());
    let mut field = renamed.unwrap_or_else(|| Path { field: path.field.clone(), steps: vec![] });
    field.steps.extend(path.steps.iter().cloned());
    field
}

/// One alternative of a declared event: its parameters are the fields that the declaration names.
fn through(
    atom: &Atom,
    parameters: &[String],
    alternative: &Alternative,
    variables: &[(usize, VariableId)],
) -> EventPattern {
    let field_of =
        |parameter: &str| behind(&Path { field: parameter.to_owned(), steps: vec![] }, parameters, alternative);
    let arguments = atom.arguments.as_deref().unwrap_or_default();
    let equal = parameters.iter().zip(arguments).filter_map(|(parameter, argument)| match argument {
        Argument::Any | Argument::Variable(_) => None,
        Argument::Literal(value) => Some(Condition::Compare(field_of(parameter), Comparison::Equal, value.clone())),
    });
    // A condition of the atom may refer to the declared parameters: they are renamed to the fields behind them.
    let condition =
        atom.condition.as_ref().map(|condition| condition.map_paths(&|path| behind(path, parameters, alternative)));
    let present =
        if atom.arguments.is_some() { parameters.iter().map(|name| field_of(name)).collect() } else { vec![] };
    let place = |(index, id): &(usize, VariableId)| {
        parameters.get(*index).map(|parameter| (ValueLocation::Field(field_of(parameter)), *id))
    };
    EventPattern {
        event: alternative.event.clone(),
        arity: None,
        positional: vec![],
        present,
        condition: Condition::all(alternative.condition.iter().cloned().chain(equal).chain(condition)),
        variables: variables.iter().filter_map(place).collect(),
    }
}
