// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of a state: variables, arithmetic, and functions of the past, each at every position.
// RULE B3

use gnomon_core::{Fraction, Value};
use gnomon_ir::{AtomId, OccurrenceCore, TermCore, TermId};

use crate::known_prefix::KnownPrefix;
use crate::term_value::{self, TermValue};
use crate::truth::Truth;
use crate::truth_table::{Facts, TruthTable};

/// Value of a term at each position.
pub(crate) type TermRow = Vec<Option<TermValue>>;

/// The value of a term at every known position, given those of its parts. Of what stands at an element of a list there is
/// none yet.
pub(crate) fn row(term: &TermCore, table: &TruthTable, facts: &Facts, view: &KnownPrefix<'_>) -> TermRow {
    let positions = 0..view.times.len();
    let part = |id: TermId| &table.terms[id.0 as usize];
    match term {
        TermCore::Number(number) => positions.map(|_| Some(TermValue::Number(*number))).collect(),
        TermCore::Value(value) => positions.map(|_| Some(TermValue::from(value))).collect(),
        TermCore::Variable { variable, steps } => {
            let values = &facts.states[*variable];
            positions.map(|at| values[at].as_ref().and_then(|value| TermValue::at(value, steps))).collect()
        }
        TermCore::Element { .. } => positions.map(|_| None).collect(),
        TermCore::Operation(operation, left, right) => {
            let (left, right) = (part(*left), part(*right));
            positions.map(|at| term_value::operate(*operation, left[at].as_ref(), right[at].as_ref())).collect()
        }
        TermCore::Past { of, event, back } => {
            let of = part(*of);
            let place = |at| happened(facts, *event, at).nth(usize::try_from(back - 1).unwrap_or(usize::MAX));
            positions.map(|at| place(at).and_then(|then| of[then].clone())).collect()
        }
        TermCore::Elapsed { event, ticks } => {
            let since =
                |at: usize, then: usize| TermValue::Number(Fraction::new(view.distance(then, at).ticks(), *ticks));
            positions.map(|at| happened(facts, *event, at).next().map(|then| since(at, then))).collect()
        }
        TermCore::Count { of, reach } => {
            let holds = |at: &usize| table.truth(*of, *at) == Truth::True;
            let in_window = |at: usize| (0..=at).filter(move |&then| view.distance(then, at) <= *reach);
            let count = |at| Fraction::whole(in_window(at).filter(holds).count() as i128);
            positions.map(|at| Some(TermValue::Number(count(at)))).collect()
        }
        TermCore::Fold { fold, of, reach } => {
            let of = part(*of);
            let in_window = |at: usize| (0..=at).filter(move |&then| view.distance(then, at) <= *reach);
            let numbers = |at| in_window(at).filter_map(|then| of[then].as_ref()?.number()).collect::<Vec<_>>();
            positions.map(|at| term_value::fold(*fold, &numbers(at))).collect()
        }
    }
}

/// The positions strictly before this one where an event happened, or where an activity started because the next
/// position, which may be this one, has its event. The latest comes first.
pub(crate) fn happened(facts: &Facts, event: OccurrenceCore, at: usize) -> impl Iterator<Item = usize> {
    let OccurrenceCore { atom: AtomId(atom), starts } = event;
    let atoms = &facts.atoms[atom as usize];
    (0..at).rev().filter(move |&then| atoms[then + usize::from(starts)] == Truth::True)
}

/// The value of a term at a position, where the quantifiers around stand at these elements, the outermost first.
// RULE B6
pub(crate) fn value(
    terms: &[TermCore],
    id: TermId,
    table: &TruthTable,
    at: usize,
    elements: &[Value<'static>],
) -> Option<TermValue> {
    let part = |id| value(terms, id, table, at, elements);
    match &terms[id.0 as usize] {
        TermCore::Element { depth, steps } => TermValue::at(elements.get(*depth)?, steps),
        TermCore::Operation(operation, left, right) => {
            term_value::operate(*operation, part(*left).as_ref(), part(*right).as_ref())
        }
        _ => table.terms[id.0 as usize][at].clone(),
    }
}
