// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the property from a draft.

use gnomon_core::list::unique;
use gnomon_core::{Comparison, Quantity, Span, Unit};
use gnomon_ir::atom::{Argument, Atom, Path};
use gnomon_ir::formula::{Aggregate, Bounds, Connective, Fold, Formula, FormulaKind, Percent, Unary};
use gnomon_ir::pattern::{Behaviour, CountBound, Pattern, Scope, ScopeKind};
use gnomon_ir::spec::{Body, EventDeclaration, Language, Options, Property, Quantifier, QuantifierKind, Variable};

use super::{DataConstraint, Draft, EventSlot};
use crate::context::SessionContext;
use crate::tree::{AnswerEffect, BehaviourKind, EventRole, StatisticKind};
use crate::typed_event;

/// The result of building a draft.
pub(crate) struct BuiltProperty {
    pub(crate) property: Property,
    /// The declarations that the property needs.
    pub(crate) events: Vec<EventDeclaration>,
    /// The unit of numeric times in the log, if it was asked for.
    pub(crate) unit: Option<Unit>,
}

const NOWHERE: Span = Span { start: 0, end: 0 };

impl Draft {
    /// Builds the property; `None` if an answer that it needs is missing.
    pub(crate) fn build(&self, context: &SessionContext) -> Option<BuiltProperty> {
        let names = unique(self.slots.iter().map(|slot| slot.atom.name.as_str()));
        let parameters: Vec<(&str, Vec<String>)> =
            names.into_iter().map(|name| (name, self.parameters(name, context))).collect();
        let mut atoms: Vec<(EventRole, Atom)> =
            self.slots.iter().map(|slot| (slot.role, with_data(slot, &parameters))).collect();
        number_wildcards(atoms.iter_mut().map(|(_, atom)| atom));
        let variables = typed_event::variables(atoms.iter().map(|(_, atom)| atom));
        let (language, body) = if let Some(statistic) = self.statistic() {
            (Language::Mtl, Body::Formula(self.limit(statistic, &atoms)?))
        } else {
            let (scope, behaviour) = (self.scope(&atoms), self.behaviour(&atoms)?);
            (Language::Pattern, Body::Pattern(Pattern { scope, behaviour, behaviour_span: NOWHERE }))
        };
        let variables = variables.into_iter().map(|name| Variable { name, span: NOWHERE }).collect::<Vec<_>>();
        let quantifier =
            |variables| Quantifier { kind: QuantifierKind::Forall, threshold: None, variables, span: NOWHERE };
        let property = Property {
            name: self.name.clone()?,
            name_span: NOWHERE,
            title: None,
            language,
            options: Options::default(),
            prefix: if variables.is_empty() { vec![] } else { vec![quantifier(variables)] },
            body,
            body_span: NOWHERE,
        };
        let events = parameters.iter().filter_map(|(name, parameters)| context.declaration(name, parameters)).collect();
        Some(BuiltProperty { property, events, unit: self.unit() })
    }

    /// Returns the parameters of an event in this property: the declared ones; else those of the catalogue if the user typed
    /// parentheses; else the fields that have constraints.
    fn parameters(&self, name: &str, context: &SessionContext) -> Vec<String> {
        if let Some(declared) = context.declared(name) {
            return declared.to_vec();
        }
        let slots = || self.slots.iter().filter(|slot| slot.atom.name == name);
        if slots().any(|slot| slot.atom.arguments.is_some()) {
            return context.parameters(name);
        }
        unique(slots().flat_map(|slot| &slot.data).map(|(field, _)| field.clone()))
    }

    fn scope(&self, atoms: &[(EventRole, Atom)]) -> Scope {
        let (last, needed) = (self.has_effect(&AnswerEffect::LastStart), self.has_effect(&AnswerEffect::EndNeeded));
        let kind = match (self.has_effect(&AnswerEffect::Starts), self.has_effect(&AnswerEffect::Ends)) {
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
        let one = |role| all(atoms, role).into_iter().next();
        Scope { kind, opens: one(EventRole::Start), closes: one(EventRole::End), span: NOWHERE }
    }

    fn behaviour(&self, atoms: &[(EventRole, Atom)]) -> Option<Behaviour> {
        let event = || all(atoms, EventRole::Event).into_iter().next();
        let (first, then) = (all(atoms, EventRole::First), all(atoms, EventRole::Then));
        let count = |amount| Some(Behaviour::Count { amount, number: self.number?, event: event()? });
        let (required, within) = (self.has_effect(&AnswerEffect::Required), self.within());
        match self.behaviour_kind()? {
            BehaviourKind::Absence => event().map(Behaviour::Absence),
            BehaviourKind::Existence => Some(Behaviour::Existence { event: event()?, within }),
            BehaviourKind::AtMost => count(CountBound::AtMost),
            BehaviourKind::AtLeast => count(CountBound::AtLeast),
            BehaviourKind::Exactly => count(CountBound::Exactly),
            BehaviourKind::Rate => Some(Behaviour::Rate { number: self.number?, event: event()?, window: self.span? }),
            BehaviourKind::Recurrence => {
                Some(Behaviour::Recurrence { event: event()?, every: self.span?, every_span: NOWHERE })
            }
            BehaviourKind::Universality => event().map(Behaviour::Universality),
            BehaviourKind::Only => Some(Behaviour::Only(all(atoms, EventRole::Event))).filter(|_| event().is_some()),
            BehaviourKind::Precedence if !first.is_empty() && !then.is_empty() => {
                Some(Behaviour::Precedence { causes: first, effects: then, required, within })
            }
            BehaviourKind::Response if !first.is_empty() && !then.is_empty() => Some(Behaviour::Response {
                stimuli: first,
                responses: then,
                without: all(atoms, EventRole::Exception).into_iter().next(),
                required,
                within,
            }),
            BehaviourKind::Precedence | BehaviourKind::Response | BehaviourKind::Measured => None,
        }
    }

    /// Builds `G(request -> p95[5m](request.ms) <= 200)`.
    fn limit(&self, statistic: StatisticKind, atoms: &[(EventRole, Atom)]) -> Option<Formula> {
        let event = all(atoms, EventRole::Event).into_iter().next()?;
        let (of, window, closed) = (event.clone(), self.span?, true);
        let mut steps = self.field.split('/').map(str::to_owned);
        let field = Path { field: steps.next()?, steps: steps.collect() };
        let fold = |fold| Some(Aggregate::Fold { fold, window, of: of.clone(), field: field.clone() });
        let percentile = |percent: u64| {
            let (percent, of, field) = (Percent::new(percent * 1_000_000_000)?, of.clone(), field.clone());
            Some(Aggregate::Percentile { percent, window, closed, of, field })
        };
        let aggregate = match statistic {
            StatisticKind::Median => percentile(50),
            StatisticKind::P95 => percentile(95),
            StatisticKind::P99 => percentile(99),
            StatisticKind::Mean => fold(Fold::Mean),
            StatisticKind::Greatest => fold(Fold::Greatest),
            StatisticKind::Sum => fold(Fold::Sum),
            StatisticKind::Distinct => {
                Some(Aggregate::Distinct { window, closed, of: of.clone(), field: field.clone() })
            }
        }?;
        let is_lower = self.has_effect(&AnswerEffect::LowerLimit);
        let comparison = if is_lower { Comparison::AtLeast } else { Comparison::AtMost };
        let formula = |kind| Formula { kind, span: NOWHERE };
        let limit = formula(FormulaKind::Aggregate {
            aggregate: Box::new(aggregate),
            comparison,
            bound: self.bound?,
            full_window: false,
        });
        let event = formula(FormulaKind::Atom(event));
        let body = formula(FormulaKind::Connective(Connective::Implies, Box::new(event), Box::new(limit)));
        Some(formula(FormulaKind::Unary {
            operator: Unary::Always,
            strict: false,
            times: 1,
            interval: Bounds::ANY,
            of: Box::new(body),
        }))
    }

    fn within(&self) -> Option<Bounds> {
        if self.least.is_none() && self.most.is_none() {
            return None;
        }
        let lo = self.least.unwrap_or(Quantity::whole(0));
        Some(Bounds { lo, lo_closed: true, hi: self.most, hi_closed: self.most.is_some(), span: Some(NOWHERE) })
    }
}

/// Returns the events with this role.
fn all(atoms: &[(EventRole, Atom)], wanted: EventRole) -> Vec<Atom> {
    atoms.iter().filter(|(role, _)| *role == wanted).map(|(_, atom)| atom.clone()).collect()
}

/// Returns the atom of a slot with arguments for the constraints on its fields.
fn with_data(slot: &EventSlot, parameters: &[(&str, Vec<String>)]) -> Atom {
    if slot.data.is_empty() {
        return slot.atom.clone();
    }
    let own = parameters.iter().find(|(name, _)| *name == slot.atom.name).map_or(&[][..], |(_, fields)| fields);
    let variable = |name: &str| Argument::Variable(Variable { name: name.to_owned(), span: NOWHERE });
    let argument = |field: &String| match slot.data.iter().find(|(about, _)| about == field) {
        None => Argument::Any,
        Some((_, DataConstraint::Constant(value))) => Argument::Literal(value.clone()),
        Some((_, DataConstraint::Variable(name))) => variable(name),
        Some((_, DataConstraint::Each)) => variable("*"),
    };
    Atom { arguments: Some(own.iter().map(argument).collect()), ..slot.atom.clone() }
}

/// Names the wildcards, each a variable of its own: `*` if there is one, else `*1`, `*2`, …
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
