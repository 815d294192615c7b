// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae about one state: events, variables, comparisons and elements of lists.
// RULE B1, B2, B4, B6

use gnomon_core::{Clock, Value};
use gnomon_ir::{ActivityPhase, Atom, ExternDeclaration, Formula, FormulaKind, Occurrence, Path, Reference, Spec};

use super::atom::{self, VariableValues};
use crate::term_value::{TermValue, compares};
use crate::trace::{Position, Trace};

/// The states of a trace.
pub(super) struct States<'a> {
    pub(super) spec: &'a Spec,
    pub(super) trace: &'a Trace,
    pub(super) positions: &'a [Position],
    pub(super) clock: Clock,
    pub(super) bound: &'a VariableValues,
    /// Values of other formulae at every position.
    pub(super) row: &'a dyn Fn(&Formula) -> Vec<bool>,
}

/// A state, where the quantifiers around stand at elements of their lists, innermost last.
pub(super) struct StateContext<'s> {
    pub(super) at: usize,
    pub(super) elements: Vec<(&'s str, Value<'static>)>,
}

impl StateContext<'_> {
    /// A state outside all quantifiers.
    pub(super) fn new(at: usize) -> Self {
        StateContext { at, elements: vec![] }
    }
}

impl States<'_> {
    /// Returns true if an event or a comparison holds in a state, which depends on the elements of lists that it is about,
    /// or any other formula that mentions no element.
    pub(super) fn holds(&self, formula: &Formula, here: &StateContext<'_>) -> bool {
        match &formula.kind {
            FormulaKind::OnEvent(occurrence) => self.occurs(occurrence, here.at),
            FormulaKind::Compare(left, comparison, right) => {
                compares(self.term(left, here).as_ref(), *comparison, self.term(right, here).as_ref())
            }
            _ => (self.row)(formula)[here.at],
        }
    }

    /// Returns true if an event, or an end of an activity, is in a state. The start of an activity is in the state
    /// before its event.
    pub(super) fn occurs(&self, occurrence: &Occurrence, at: usize) -> bool {
        let literally = || self.has(&occurrence.event, at);
        match &occurrence.activity {
            Some((ActivityPhase::Start, event)) if starts_before(self.spec, self.trace, occurrence) => {
                at + 1 < self.positions.len() && self.has(event, at + 1)
            }
            Some((ActivityPhase::End, event)) if !self.is_declared(occurrence) => literally() || self.has(event, at),
            _ => literally(),
        }
    }

    fn is_declared(&self, occurrence: &Occurrence) -> bool {
        self.spec.event(&occurrence.event.name).is_some()
    }

    fn has(&self, atom: &Atom, at: usize) -> bool {
        let events = &self.trace.events()[self.positions[at].events.clone()];
        events.iter().any(|event| atom::matches(self.spec, atom, event, self.bound))
    }

    /// Returns the value of a reference: an element of a list, or the latest field of that name.
    pub(super) fn reference(&self, reference: &Reference, here: &StateContext<'_>) -> Option<TermValue> {
        let Reference { name, steps, .. } = reference;
        if let Some((_, element)) = here.elements.iter().rev().find(|(element, _)| element == name) {
            return TermValue::at(element, steps);
        }
        let field = self.spec.external(name).map_or_else(|| name.clone(), ExternDeclaration::field);
        let path = Path { field, steps: vec![] };
        let so_far = &self.trace.events()[..self.positions[here.at].events.end];
        TermValue::at(so_far.iter().rev().find_map(|event| event.at_path(&path))?, steps)
    }
}

/// Returns true if `start_X` stands for the state before an X: it is neither declared nor the name of an event of the
/// trace.
pub(super) fn starts_before(spec: &Spec, trace: &Trace, occurrence: &Occurrence) -> bool {
    let name = &occurrence.event.name;
    let is_start = matches!(occurrence.activity, Some((ActivityPhase::Start, _)));
    is_start && spec.event(name).is_none() && trace.events().iter().all(|event| event.name != *name)
}
