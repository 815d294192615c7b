// SPDX-License-Identifier: MIT OR Apache-2.0
//! Atoms as written, looked up in the declarations of the spec.
// RULE T5, T6, T7, T8, Q7, Q8

use std::collections::BTreeMap;

use gnomon_core::value::{Comparison, Value};
use gnomon_ir::{Alternative, Argument, Atom, Condition, EventDeclaration, Path, Spec, TimeDeclaration};

use crate::trace::OracleEvent;

/// The values of variables, by name.
pub(super) type VariableValues = BTreeMap<String, Value<'static>>;

/// One of the patterns under which an event matches an atom.
pub(super) struct AtomMatch<'a> {
    /// Values of the atom's variables.
    pub(super) values: VariableValues,
    source: FieldMapping<'a>,
}

/// Mapping of names in the atom's brackets to fields.
#[derive(Clone, Copy)]
enum FieldMapping<'a> {
    Own,
    Declared(&'a EventDeclaration, &'a Alternative),
}

/// Returns true if an event matches the atom, where variables have these values.
pub(super) fn matches(spec: &Spec, atom: &Atom, event: &OracleEvent, bound: &VariableValues) -> bool {
    atom_match(spec, atom, event, bound).is_some()
}

/// Returns the first match of the event that agrees with these values of variables.
pub(super) fn atom_match<'a>(
    spec: &'a Spec,
    atom: &Atom,
    event: &OracleEvent,
    bound: &VariableValues,
) -> Option<AtomMatch<'a>> {
    atom_matches(spec, atom, event).into_iter().find(|atom_match| atom_match.agrees(bound))
}

/// Returns every match of the event, one for each alternative of the declaration that it satisfies.
pub(super) fn atom_matches<'a>(spec: &'a Spec, atom: &Atom, event: &OracleEvent) -> Vec<AtomMatch<'a>> {
    let sources: Vec<FieldMapping<'a>> = match spec.event(&atom.name) {
        None => vec![FieldMapping::Own],
        Some(declaration) => declaration
            .alternatives
            .iter()
            .map(|alternative| FieldMapping::Declared(declaration, alternative))
            .collect(),
    };
    let atom_match = |source: FieldMapping<'a>| {
        let values = source.values(&spec.time, atom, event)?;
        let condition_holds =
            |condition: &Condition| condition.resolved(&spec.time).holds(event.time, &|path| source.field(event, path));
        let is_match = atom.condition.as_ref().is_none_or(condition_holds);
        is_match.then_some(AtomMatch { values, source })
    };
    sources.into_iter().filter_map(atom_match).collect()
}

impl AtomMatch<'_> {
    /// Returns true if the match agrees with these values of variables.
    pub(super) fn agrees(&self, bound: &VariableValues) -> bool {
        let agrees = |(name, value): (&String, &Value<'static>)| {
            bound.get(name).is_none_or(|bound| Comparison::Equal.holds(value, bound))
        };
        self.values.iter().all(agrees)
    }

    /// Returns the field that the atom's brackets name by this path.
    pub(super) fn field<'e>(&self, event: &'e OracleEvent, path: &Path) -> Option<&'e Value<'static>> {
        self.source.field(event, path)
    }

    /// Returns true if a condition of the atom or of the declaration concerns this field of the trace.
    pub(super) fn asks_for(&self, atom: &Atom, field: &str) -> bool {
        let mut found = false;
        if let FieldMapping::Declared(_, Alternative { condition: Some(condition), .. }) = self.source {
            condition.compared(&mut |path, _| found |= path.field == field);
        }
        if let Some(condition) = &atom.condition {
            condition.compared(&mut |path, _| found |= self.source.renamed(path).unwrap_or(path).field == field);
        }
        found
    }
}

impl<'a> FieldMapping<'a> {
    /// Matches the atom's arguments against the event; returns the values of its variables.
    fn values(self, time: &TimeDeclaration, atom: &Atom, event: &OracleEvent) -> Option<VariableValues> {
        let arguments = atom.arguments.as_ref();
        match self {
            FieldMapping::Own if event.name != atom.name => None,
            FieldMapping::Own => arguments.map_or(Some(VariableValues::new()), |arguments| {
                let parameters: Vec<Option<Value<'static>>> = event.parameters().into_iter().map(Some).collect();
                if arguments.len() == parameters.len() { fit(arguments, parameters) } else { None }
            }),
            FieldMapping::Declared(declaration, alternative) => {
                let counts = alternative.condition.as_ref();
                if event.name != alternative.event
                    || !counts
                        .is_none_or(|condition| condition.resolved(time).holds(event.time, &|path| event.at_path(path)))
                {
                    return None;
                }
                let Some(arguments) = arguments else { return Some(VariableValues::new()) };
                let names = declaration.parameters.iter().flatten();
                let paths = names.map(|name| Path { field: name.clone(), steps: vec![] });
                fit(arguments, paths.map(|path| self.field(event, &path).cloned()).collect())
            }
        }
    }

    /// Returns the field that a declared parameter renames; any other path is a field of the event itself.
    fn field<'e>(self, event: &'e OracleEvent, path: &Path) -> Option<&'e Value<'static>> {
        match self.renamed(path) {
            Some(source) => {
                let value = event.at_path(source)?;
                path.steps.iter().try_fold(value, |value, step| value.step(step))
            }
            None => event.at_path(path),
        }
    }

    /// Returns the path of the field that a declared parameter renames, if the path begins with one.
    fn renamed(self, path: &Path) -> Option<&'a Path> {
        let FieldMapping::Declared(declaration, alternative) = self else { return None };
        let is_parameter = declaration.parameters.iter().flatten().any(|name| *name == path.field);
        let mut renames = alternative.renames.iter().filter(|(_, parameter)| is_parameter && *parameter == path.field);
        renames.next().map(|(source, _)| source)
    }
}

/// Matches arguments with the values at their places; returns the values of the variables. Every value must be present, a literal must
/// equal its value, and so must two values of one variable.
fn fit(arguments: &[Argument], values: Vec<Option<Value<'static>>>) -> Option<VariableValues> {
    let mut bound = VariableValues::new();
    for (argument, value) in arguments.iter().zip(values) {
        let value = value?;
        match argument {
            Argument::Any => {}
            Argument::Literal(literal) if Comparison::Equal.holds(&value, literal) => {}
            Argument::Literal(_) => return None,
            Argument::Variable(variable) => {
                let known = bound.entry(variable.name.clone()).or_insert_with(|| value.clone());
                if !Comparison::Equal.holds(known, &value) {
                    return None;
                }
            }
        }
    }
    Some(bound)
}
