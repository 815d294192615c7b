// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pattern made ready for translation: its variables have names that every notation can write.

use std::collections::BTreeMap;

use gnomon_core::diagnostic::Span;
use gnomon_ir::pattern::{Argument, Atom};
use gnomon_ir::requirement::{Behaviour, Requirement, Scope, ScopeKind};
use gnomon_ir::spec::{Body, Property, Quantifier, Spec, Variable};

use crate::refusal::Refusal;

/// A cell of the table of scopes and behaviours, with its events.
pub(crate) struct Cell<'s> {
    /// Where events are declared.
    pub(crate) spec: &'s Spec,
    /// The scope.
    pub(crate) scope: ScopeKind,
    /// Q
    pub(crate) opens: Option<Atom>,
    /// R
    pub(crate) closes: Option<Atom>,
    /// What a segment must be like.
    pub(crate) behaviour: Behaviour,
    /// The variables that it holds for each value of.
    pub(crate) variables: Vec<Variable>,
}

impl<'s> Cell<'s> {
    /// The cell of a `pattern` property; `what` it was to become otherwise.
    pub(crate) fn of(spec: &'s Spec, property: &Property, what: &str) -> Result<Self, Refusal> {
        let Body::Requirement(requirement) = &property.body else { return Err(Refusal::language(property, what)) };
        let names = Names::of(requirement, &property.prefix);
        let mut behaviour = requirement.behaviour.clone();
        for atom in atoms_mut(&mut behaviour) {
            names.rename(atom);
        }
        let renamed = |atom: &Option<Atom>| {
            atom.clone().map(|mut atom| {
                names.rename(&mut atom);
                atom
            })
        };
        let variables = property.prefix.iter().flat_map(|quantifier| &quantifier.variables);
        Ok(Cell {
            spec,
            scope: requirement.scope.kind,
            opens: renamed(&requirement.scope.opens),
            closes: renamed(&requirement.scope.closes),
            behaviour,
            variables: variables.map(|variable| names.renamed(variable)).collect(),
        })
    }

    /// The pattern with those names.
    pub(crate) fn requirement(&self) -> Requirement {
        let span = Span::default();
        let scope = Scope { kind: self.scope, opens: self.opens.clone(), closes: self.closes.clone(), span };
        Requirement { scope, behaviour: self.behaviour.clone(), behaviour_span: span }
    }

    /// Every atom, those of the scope first.
    pub(crate) fn atoms(&self) -> Vec<&Atom> {
        self.opens.iter().chain(&self.closes).chain(self.behaviour.atoms()).collect()
    }

    /// Whether no event can match both atoms. `false` where that is not plain to see.
    pub(crate) fn apart(&self, left: &Atom, right: &Atom) -> bool {
        self.spec.apart(left, right)
    }
}

/// The events of a name, whatever they carry.
pub(crate) fn named(atom: &Atom) -> Atom {
    Atom { arguments: None, condition: None, ..atom.clone() }
}

fn atoms_mut(behaviour: &mut Behaviour) -> Vec<&mut Atom> {
    match behaviour {
        Behaviour::Absence(event)
        | Behaviour::Universality(event)
        | Behaviour::Existence { event, .. }
        | Behaviour::Count { event, .. }
        | Behaviour::Rate { event, .. }
        | Behaviour::Recurrence { event, .. } => vec![event],
        Behaviour::Only(events) => events.iter_mut().collect(),
        Behaviour::Precedence { causes, effects, .. } => causes.iter_mut().chain(effects).collect(),
        Behaviour::Response { stimuli, responses, without, .. } => {
            stimuli.iter_mut().chain(responses).chain(without).collect()
        }
    }
}

/// New names for the variables that wildcards are.
struct Names(BTreeMap<String, String>);

impl Names {
    fn of(requirement: &Requirement, prefix: &[Quantifier]) -> Self {
        let variables = || prefix.iter().flat_map(|quantifier| &quantifier.variables);
        let events: Vec<&str> = requirement.atoms().iter().map(|atom| atom.name.as_str()).collect();
        let mut names = BTreeMap::new();
        for variable in variables().filter(|variable| variable.name.starts_with('*')) {
            let taken = |name: &str| {
                events.contains(&name)
                    || variables().any(|known| known.name == name)
                    || names.values().any(|known| known == name)
            };
            let candidates = (0..).map(|number| if number == 0 { "x".to_owned() } else { format!("x{number}") });
            if let Some(fresh) = candidates.into_iter().find(|name| !taken(name)) {
                names.insert(variable.name.clone(), fresh);
            }
        }
        Names(names)
    }

    fn renamed(&self, variable: &Variable) -> Variable {
        let name = self.0.get(&variable.name).unwrap_or(&variable.name);
        Variable { name: name.clone(), span: Span::default() }
    }

    /// Where an atom is written does not matter any more: two that ask the same are the same.
    fn rename(&self, atom: &mut Atom) {
        (atom.span, atom.name_span) = (Span::default(), Span::default());
        for argument in atom.arguments.iter_mut().flatten() {
            if let Argument::Variable(variable) = argument {
                *variable = self.renamed(variable);
            }
        }
    }
}
