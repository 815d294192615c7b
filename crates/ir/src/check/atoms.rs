// SPDX-License-Identifier: MIT OR Apache-2.0
//! Atoms become patterns over the trace's own events, through the declarations.

use gnomon_core::diagnostic::Diagnostic;
use gnomon_core::value::Comparison;

use super::Checker;
use crate::core::{AtomDefinition, AtomId};
use crate::pattern::{Argument, Atom, Condition, Path, Pattern};
use crate::spec::{Alternative, EventDeclaration};

#[derive(Default)]
pub(super) struct Atoms {
    definitions: Vec<AtomDefinition>,
}

impl Atoms {
    fn add(&mut self, definition: AtomDefinition) -> AtomId {
        let found = self.definitions.iter().position(|known| *known == definition);
        let index = found.unwrap_or_else(|| {
            self.definitions.push(definition);
            self.definitions.len() - 1
        });
        AtomId(u32::try_from(index).expect("the parser bounds the size of a formula"))
    }

    pub(super) fn finish(self) -> Vec<AtomDefinition> {
        self.definitions
    }
}

impl Checker<'_> {
    pub(super) fn atom(&mut self, atom: &Atom) -> AtomId {
        let patterns = match self.spec.event(&atom.name) {
            Some(declaration) => self.declared(atom, declaration),
            None => vec![undeclared(atom)],
        };
        self.atoms.add(AtomDefinition { name: atom.name.clone(), patterns })
    }

    fn declared(&mut self, atom: &Atom, declaration: &EventDeclaration) -> Vec<Pattern> {
        let parameters: &[String] = declaration.parameters.as_deref().unwrap_or_default();
        if let Some(arguments) = &atom.arguments
            && arguments.len() != parameters.len()
        {
            let (want, got) = (parameters.len(), arguments.len());
            self.diagnostics.push(
                Diagnostic::error("G0204", atom.span, format!("`{}` has {want} parameters, not {got}", atom.name))
                    .also(declaration.name_span, "declared here")
                    .help(format!(
                        "write `{}` for any parameters, or `{}({})`",
                        atom.name,
                        atom.name,
                        vec!["_"; want].join(", ")
                    )),
            );
        }
        declaration.alternatives.iter().map(|alternative| through(atom, parameters, alternative)).collect()
    }
}

/// An event that no declaration mentions: its parameters are its fields, in order.
fn undeclared(atom: &Atom) -> Pattern {
    let arguments = atom.arguments.as_deref();
    let literals = arguments.unwrap_or_default().iter().enumerate();
    Pattern {
        event: atom.name.clone(),
        arity: arguments.map(<[Argument]>::len),
        positional: literals
            .filter_map(|(index, argument)| match argument {
                Argument::Any => None,
                Argument::Literal(value) => Some((index, value.clone())),
            })
            .collect(),
        present: vec![],
        condition: atom.condition.clone(),
    }
}

/// One alternative of a declared event: its parameters are the fields that the declaration names.
fn through(atom: &Atom, parameters: &[String], alternative: &Alternative) -> Pattern {
    let field_of = |parameter: &str| {
        let renamed = alternative.renames.iter().find(|(_, name)| name == parameter).map(|(path, _)| path.clone());
        renamed.unwrap_or_else(|| Path { field: parameter.to_owned(), steps: vec![] })
    };
    let arguments = atom.arguments.as_deref().unwrap_or_default();
    let equal = parameters.iter().zip(arguments).filter_map(|(parameter, argument)| match argument {
        Argument::Any => None,
        Argument::Literal(value) => Some(Condition::Compare(field_of(parameter), Comparison::Equal, value.clone())),
    });
    // A condition of the atom may speak of the declared parameters: they are renamed to the fields behind them.
    let condition = atom.condition.as_ref().map(|condition| {
        condition.map_paths(&|path| {
            if !parameters.contains(&path.field) {
                return path.clone();
            }
            let mut field = field_of(&path.field);
            field.steps.extend(path.steps.iter().cloned());
            field
        })
    });
    let present =
        if atom.arguments.is_some() { parameters.iter().map(|name| field_of(name)).collect() } else { vec![] };
    Pattern {
        event: alternative.event.clone(),
        arity: None,
        positional: vec![],
        present,
        condition: Condition::all(alternative.condition.iter().cloned().chain(equal).chain(condition)),
    }
}
