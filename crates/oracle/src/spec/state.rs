// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is written of one state: events, variables, comparisons, and the elements of lists.
// RULE B1, B2, B4, B6

use gnomon_core::time::Clock;
use gnomon_core::value::Value;
use gnomon_ir::formula::{Formula, Kind};
use gnomon_ir::pattern::{Atom, Path};
use gnomon_ir::spec::{ExternDeclaration, QuantifierKind, Spec};
use gnomon_ir::term::{Moment, Occurrence, Reference};

use super::boolean::connect;
use super::declared::{self, Bound};
use crate::datum::{Datum, compares};
use crate::trace::{Position, Trace};

/// The states of a trace.
pub(super) struct States<'a> {
    pub(super) spec: &'a Spec,
    pub(super) trace: &'a Trace,
    pub(super) positions: &'a [Position],
    pub(super) clock: Clock,
    pub(super) bound: &'a Bound,
    /// What else a formula may be, at every position.
    pub(super) row: &'a dyn Fn(&Formula) -> Vec<bool>,
}

/// A state, where the quantifiers around stand at elements of their lists, innermost last.
pub(super) struct Here<'s> {
    pub(super) at: usize,
    pub(super) elements: Vec<(&'s str, Value<'static>)>,
}

impl Here<'_> {
    /// A state outside all quantifiers.
    pub(super) fn new(at: usize) -> Self {
        Here { at, elements: vec![] }
    }
}

impl States<'_> {
    /// Whether a formula about one state holds in it.
    pub(super) fn holds(&self, formula: &Formula, here: &Here<'_>) -> bool {
        match &formula.kind {
            Kind::Constant(value) => *value,
            Kind::Atom(atom) => self.has(atom, here.at),
            Kind::Not(of) => !self.holds(of, here),
            Kind::Connective(connective, left, right) => {
                connect(*connective, self.holds(left, here), self.holds(right, here))
            }
            Kind::OnEvent(occurrence) => self.occurs(occurrence, here.at),
            Kind::Compare(left, comparison, right) => {
                compares(self.term(left, here).as_ref(), *comparison, self.term(right, here).as_ref())
            }
            Kind::Each { kind, variable, list, of } => {
                let list = self.reference(list, here);
                let items = list.as_ref().and_then(Datum::elements).unwrap_or_default();
                let mut each = items.iter().map(|item| {
                    let mut elements = here.elements.clone();
                    elements.push((variable.name.as_str(), item.clone()));
                    self.holds(of, &Here { at: here.at, elements })
                });
                match kind {
                    QuantifierKind::Forall => each.all(|holds| holds),
                    QuantifierKind::Exists => each.any(|holds| holds),
                }
            }
            Kind::Unary { .. } | Kind::Binary { .. } | Kind::Aggregate { .. } | Kind::InFuture { .. } => {
                (self.row)(formula)[here.at]
            }
        }
    }

    /// Whether an event, or an end of an activity, is in a state. The start of one is in the state before its event.
    pub(super) fn occurs(&self, occurrence: &Occurrence, at: usize) -> bool {
        let literally = || self.has(&occurrence.event, at);
        match &occurrence.activity {
            Some((Moment::Start, event)) if starts_before(self.spec, self.trace, occurrence) => {
                at + 1 < self.positions.len() && self.has(event, at + 1)
            }
            Some((Moment::End, event)) if !self.is_declared(occurrence) => literally() || self.has(event, at),
            _ => literally(),
        }
    }

    fn is_declared(&self, occurrence: &Occurrence) -> bool {
        self.spec.event(&occurrence.event.name).is_some()
    }

    fn has(&self, atom: &Atom, at: usize) -> bool {
        let events = &self.trace.events()[self.positions[at].events.clone()];
        events.iter().any(|event| declared::matches(self.spec, atom, event, self.bound))
    }

    /// What a name with steps stands for: an element of a list, or the latest field of that name.
    pub(super) fn reference(&self, reference: &Reference, here: &Here<'_>) -> Option<Datum> {
        let Reference { name, steps, .. } = reference;
        if let Some((_, element)) = here.elements.iter().rev().find(|(element, _)| element == name) {
            return Datum::at(element, steps);
        }
        let field = self.spec.external(name).map_or_else(|| name.clone(), ExternDeclaration::field);
        let path = Path { field, steps: vec![] };
        let so_far = &self.trace.events()[..self.positions[here.at].events.end];
        Datum::at(so_far.iter().rev().find_map(|event| event.at_path(&path))?, steps)
    }
}

/// Whether `start_X` stands for the state before an X: not if it is declared, nor if the trace has an event of that name.
pub(super) fn starts_before(spec: &Spec, trace: &Trace, occurrence: &Occurrence) -> bool {
    let name = &occurrence.event.name;
    let is_start = matches!(occurrence.activity, Some((Moment::Start, _)));
    is_start && spec.event(name).is_none() && trace.events().iter().all(|event| event.name != *name)
}
