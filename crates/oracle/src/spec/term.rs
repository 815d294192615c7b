// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of a state as written.
// RULE B3, B7

use gnomon_core::{Fraction, Quantity, TICKS_PER_BARE_UNIT, Unit};
use gnomon_ir::{Occurrence, Term, TermKind};

use super::state::{StateContext, States};
use super::window::ticks;
use crate::term_value::{self, TermValue};

impl States<'_> {
    /// Returns the value of a term in a state.
    pub(super) fn term(&self, term: &Term, here: &StateContext<'_>) -> Option<TermValue> {
        let at = here.at;
        match &term.kind {
            TermKind::Literal(value) => Some(TermValue::from(value)),
            TermKind::Time(quantity) => Some(self.units(ticks(self.clock, *quantity))),
            TermKind::Variable(reference) => self.reference(reference, here),
            TermKind::Operation(operation, left, right) => {
                term_value::operate(*operation, self.term(left, here).as_ref(), self.term(right, here).as_ref())
            }
            TermKind::Past { of, event, back } => {
                let place = usize::try_from(back.checked_sub(1)?).ok()?;
                let then = self.earlier(event, at).into_iter().rev().nth(place)?;
                self.term(of, &StateContext::new(then))
            }
            TermKind::Elapsed(event) => {
                let then = *self.earlier(event, at).last()?;
                Some(self.units(self.distance(then, at)))
            }
            TermKind::Count { of, window } => {
                let holds = (self.row)(of);
                let count = self.window(*window, at).filter(|then| holds[*then]).count();
                Some(TermValue::Number(Fraction::whole(count as i128)))
            }
            TermKind::Fold { fold, of, window } => {
                let number = |then| self.term(of, &StateContext::new(then))?.number();
                term_value::fold(*fold, &self.window(*window, at).filter_map(number).collect::<Vec<_>>())
            }
        }
    }

    /// An amount of time in the trace's unit.
    fn units(&self, ticks: i128) -> TermValue {
        let unit = self.clock.unit.map_or(TICKS_PER_BARE_UNIT, Unit::nanoseconds);
        TermValue::Number(Fraction::new(ticks, unit))
    }

    /// The states before this one where the event, or the start or end of an activity, was.
    fn earlier(&self, event: &Occurrence, at: usize) -> Vec<usize> {
        (0..at).filter(|&then| self.occurs(event, then)).collect()
    }

    fn window(&self, window: Quantity, at: usize) -> impl Iterator<Item = usize> {
        let reach = ticks(self.clock, window);
        (0..=at).filter(move |&then| self.distance(then, at) <= reach)
    }

    fn distance(&self, from: usize, to: usize) -> i128 {
        (self.positions[to].time - self.positions[from].time).ticks()
    }
}
