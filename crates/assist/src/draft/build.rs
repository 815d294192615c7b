// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a draft to a property.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::{Quantity, Unit};
use gnomon_ir::formula::Bounds;
use gnomon_ir::pattern::{Argument, Atom};
use gnomon_ir::requirement::{Amount, Behaviour, Requirement, Scope, ScopeKind};
use gnomon_ir::spec::{Body, EventDeclaration, Language, Options, Property, Quantifier, QuantifierKind, Variable};

use super::{Datum, Draft, Slot};
use crate::event;
use crate::known::Known;
use crate::tree::{Fill, Part, Shape};

/// What a draft came to.
pub(crate) struct Built {
    pub(crate) property: Property,
    /// The events that have to be declared for it.
    pub(crate) events: Vec<EventDeclaration>,
    /// What numbers in the log count, if that was asked.
    pub(crate) unit: Option<Unit>,
}

const NOWHERE: Span = Span { start: 0, end: 0 };

impl Draft {
    /// The property, if everything that it needs was answered.
    pub(crate) fn build(&self, known: &Known) -> Option<Built> {
        let mut names: Vec<&str> = Vec::new();
        for slot in &self.slots {
            if !names.contains(&slot.atom.name.as_str()) {
                names.push(&slot.atom.name);
            }
        }
        let parameters: Vec<(&str, Vec<String>)> =
            names.into_iter().map(|name| (name, self.parameters(name, known))).collect();
        let mut atoms: Vec<(Part, Atom)> =
            self.slots.iter().map(|slot| (slot.part, with_data(slot, &parameters))).collect();
        number_wildcards(atoms.iter_mut().map(|(_, atom)| atom));
        let variables = event::variables(atoms.iter().map(|(_, atom)| atom));
        let requirement =
            Requirement { scope: self.scope(&atoms), behaviour: self.behaviour(&atoms)?, behaviour_span: NOWHERE };
        let variables = variables.into_iter().map(|name| Variable { name, span: NOWHERE }).collect::<Vec<_>>();
        let quantifier =
            |variables| Quantifier { kind: QuantifierKind::Forall, threshold: None, variables, span: NOWHERE };
        let property = Property {
            name: self.name.clone()?,
            name_span: NOWHERE,
            title: None,
            language: Language::Pattern,
            options: Options::default(),
            prefix: if variables.is_empty() { vec![] } else { vec![quantifier(variables)] },
            body: Body::Requirement(requirement),
            body_span: NOWHERE,
        };
        let events = parameters.iter().filter_map(|(name, parameters)| known.declaration(name, parameters)).collect();
        Some(Built { property, events, unit: self.unit() })
    }

    /// The parameters that an event has in this property: those declared already, or those of a catalogue where somebody
    /// typed parentheses, or those that were asked for.
    fn parameters(&self, name: &str, known: &Known) -> Vec<String> {
        if let Some(declared) = known.declared(name) {
            return declared.to_vec();
        }
        let slots = || self.slots.iter().filter(|slot| slot.atom.name == name);
        if slots().any(|slot| slot.atom.arguments.is_some()) {
            return known.parameters(name);
        }
        let mut fields: Vec<String> = Vec::new();
        for (field, _) in slots().flat_map(|slot| &slot.data) {
            if !fields.contains(field) {
                fields.push(field.clone());
            }
        }
        fields
    }

    fn scope(&self, atoms: &[(Part, Atom)]) -> Scope {
        let (last, needed) = (self.has(Fill::LastStart), self.has(Fill::EndNeeded));
        let kind = match (self.has(Fill::Starts), self.has(Fill::Ends)) {
            (false, false) => ScopeKind::Globally,
            (false, true) if needed => ScopeKind::Before,
            (false, true) => ScopeKind::Until,
            (true, false) if last => ScopeKind::AfterLast,
            (true, false) => ScopeKind::After,
            (true, true) => match (last, needed) {
                (false, true) => ScopeKind::Between,
                (true, true) => ScopeKind::BetweenLast,
                (false, false) => ScopeKind::AfterUntil,
                (true, false) => ScopeKind::AfterLastUntil,
            },
        };
        let one = |part| all(atoms, part).into_iter().next();
        Scope { kind, opens: one(Part::Start), closes: one(Part::End), span: NOWHERE }
    }

    fn behaviour(&self, atoms: &[(Part, Atom)]) -> Option<Behaviour> {
        let event = || all(atoms, Part::Event).into_iter().next();
        let (first, then) = (all(atoms, Part::First), all(atoms, Part::Then));
        let count = |amount| Some(Behaviour::Count { amount, number: self.number?, event: event()? });
        let (required, within) = (self.has(Fill::Required), self.within());
        match self.shape()? {
            Shape::Absence => event().map(Behaviour::Absence),
            Shape::Existence => Some(Behaviour::Existence { event: event()?, within }),
            Shape::AtMost => count(Amount::AtMost),
            Shape::AtLeast => count(Amount::AtLeast),
            Shape::Exactly => count(Amount::Exactly),
            Shape::Rate => Some(Behaviour::Rate { number: self.number?, event: event()?, window: self.span? }),
            Shape::Recurrence => {
                Some(Behaviour::Recurrence { event: event()?, every: self.span?, every_span: NOWHERE })
            }
            Shape::Universality => event().map(Behaviour::Universality),
            Shape::Only => Some(Behaviour::Only(all(atoms, Part::Event))).filter(|_| event().is_some()),
            Shape::Precedence if !first.is_empty() && !then.is_empty() => {
                Some(Behaviour::Precedence { causes: first, effects: then, required, within })
            }
            Shape::Response if !first.is_empty() && !then.is_empty() => Some(Behaviour::Response {
                stimuli: first,
                responses: then,
                without: all(atoms, Part::Exception).into_iter().next(),
                required,
                within,
            }),
            Shape::Precedence | Shape::Response => None,
        }
    }

    fn within(&self) -> Option<Bounds> {
        if self.least.is_none() && self.most.is_none() {
            return None;
        }
        let lo = self.least.unwrap_or(Quantity::whole(0));
        Some(Bounds { lo, lo_closed: true, hi: self.most, hi_closed: self.most.is_some(), span: Some(NOWHERE) })
    }
}

fn all(atoms: &[(Part, Atom)], wanted: Part) -> Vec<Atom> {
    atoms.iter().filter(|(part, _)| *part == wanted).map(|(_, atom)| atom.clone()).collect()
}

/// The atom with what was answered about its data.
fn with_data(slot: &Slot, parameters: &[(&str, Vec<String>)]) -> Atom {
    if slot.data.is_empty() {
        return slot.atom.clone();
    }
    let own = parameters.iter().find(|(name, _)| *name == slot.atom.name).map_or(&[][..], |(_, fields)| fields);
    let variable = |name: &str| Argument::Variable(Variable { name: name.to_owned(), span: NOWHERE });
    let argument = |field: &String| match slot.data.iter().find(|(about, _)| about == field) {
        None => Argument::Any,
        Some((_, Datum::Fixed(value))) => Argument::Literal(value.clone()),
        Some((_, Datum::Same(name))) => variable(name),
        Some((_, Datum::Each)) => variable("*"),
    };
    Atom { arguments: Some(own.iter().map(argument).collect()), ..slot.atom.clone() }
}

/// Each `*` is a variable of its own: `*` if there is one, else `*1`, `*2`, …
fn number_wildcards<'a>(atoms: impl Iterator<Item = &'a mut Atom>) {
    let arguments = atoms.filter_map(|atom| atom.arguments.as_mut()).flatten();
    let mut wildcards: Vec<&mut Variable> = arguments
        .filter_map(|argument| match argument {
            Argument::Variable(variable) if variable.name.starts_with('*') => Some(variable),
            _ => None,
        })
        .collect();
    let several = wildcards.len() > 1;
    for (index, variable) in wildcards.iter_mut().enumerate() {
        variable.name = if several { format!("*{}", index + 1) } else { "*".to_owned() };
    }
}
