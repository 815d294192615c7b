// SPDX-License-Identifier: MIT OR Apache-2.0
//! The transition function: what a copy turns into when it reads a symbol.
//!
//! After the standard semantics of section 3.2 of the paper. Departures: the time of a symbol is the gap before it, so the
//! counter is compared after the gap has been added to it; `InFuture` whose counter is exactly K reads the symbol at hand, not
//! the next one; what holds in the symbol before may itself leave copies behind, which read the symbol at hand immediately.

use gnomon_core::time::Duration;

use crate::automaton::{AlternatingAutomaton, Expression, State, StateId};
use crate::positive::{PositiveFormula, StateCopy};
use crate::word::Word;

/// An automaton with the word that it reads.
#[derive(Clone, Copy)]
pub(crate) struct SymbolStep<'a> {
    pub(crate) automaton: &'a AlternatingAutomaton,
    pub(crate) word: &'a dyn Word,
    /// The place of the symbol that is read.
    pub(crate) now: usize,
}

impl SymbolStep<'_> {
    /// Returns the demand of the invariant on the symbol, apart from itself.
    pub(crate) fn body(self) -> PositiveFormula {
        self.enter(&self.automaton.body, self.now)
    }

    /// Returns the formula that a copy turns into when it reads the symbol.
    pub(crate) fn read(self, copy: StateCopy) -> PositiveFormula {
        self.read_at(copy, self.now)
    }

    /// Returns true if a copy accepts when the word ends with the symbol that it has just read.
    pub(crate) fn finish(self, copy: StateCopy) -> bool {
        match self.automaton.state(copy.state) {
            State::Until { .. } | State::Within { .. } => false,
            State::Release { .. } | State::Throughout { .. } => true,
            // With ties, the last of several states at exactly K is known only now.
            State::InFuture { reach, of, .. } if copy.counter == *reach => {
                self.enter(of, self.now).value(&|copy| self.finish(copy))
            }
            State::InFuture { weak, .. } | State::Next { weak, .. } => *weak,
        }
    }

    /// Evaluates an expression at the symbol `at`, which is not later than the current symbol.
    fn enter(self, expression: &Expression, at: usize) -> PositiveFormula {
        match expression {
            Expression::Constant(value) => PositiveFormula::Constant(*value),
            Expression::Literal { proposition, negated } => {
                PositiveFormula::Constant(self.word.holds(at, *proposition) != *negated)
            }
            Expression::And(parts) => {
                parts.iter().fold(PositiveFormula::Constant(true), |all, part| all.and(self.enter(part, at)))
            }
            Expression::Or(parts) => {
                parts.iter().fold(PositiveFormula::Constant(false), |any, part| any.or(self.enter(part, at)))
            }
            Expression::Temporal(id) => self.begin(*id, at),
            Expression::Previous { weak, .. } if at == 0 => PositiveFormula::Constant(*weak),
            Expression::Previous { of, .. } => self.enter(of, at - 1),
        }
    }

    fn begin(self, id: StateId, at: usize) -> PositiveFormula {
        self.go(StateCopy { state: id, counter: Duration::ZERO }, at)
    }

    fn read_at(self, copy: StateCopy, at: usize) -> PositiveFormula {
        let gap = self.word.time(at) - self.word.time(at - 1);
        let counter = Duration::from_ticks(copy.counter.ticks().saturating_add(gap.ticks()));
        match self.automaton.state(copy.state) {
            State::Until { .. } | State::Release { .. } => self.go(copy, at),
            State::Within { reach, .. } if counter > *reach => PositiveFormula::Constant(false),
            State::Throughout { reach, .. } if counter > *reach => PositiveFormula::Constant(true),
            State::InFuture { reach, of, .. } if counter > *reach => self.enter(of, at - 1),
            State::Within { .. } | State::Throughout { .. } | State::InFuture { .. } => {
                self.go(StateCopy { counter, ..copy }, at)
            }
            State::Next { of, .. } => self.enter(of, at),
        }
    }

    /// A copy that has read the symbol `at` continues: with the symbols up to the one that is read, then as a copy.
    fn resume(self, copy: StateCopy, at: usize) -> PositiveFormula {
        if at == self.now { PositiveFormula::Copy(copy) } else { self.read_at(copy, at + 1) }
    }

    /// Returns the demand of a state on the symbol `at`, with its counter advanced to that symbol and within its reach.
    fn go(self, copy: StateCopy, at: usize) -> PositiveFormula {
        // No later state can be within reach of one that is exactly at its end.
        let goes_on = |reach: Duration| copy.counter < reach || self.automaton.has_ties();
        match self.automaton.state(copy.state) {
            State::Until { left, right } => {
                self.enter(right, at).or_else(|| self.enter(left, at).and_then(|| self.resume(copy, at)))
            }
            State::Release { left, right } => {
                self.enter(right, at).and_then(|| self.enter(left, at).or_else(|| self.resume(copy, at)))
            }
            State::Within { of, reach } if goes_on(*reach) => self.enter(of, at).or_else(|| self.resume(copy, at)),
            State::Throughout { of, reach } if goes_on(*reach) => self.enter(of, at).and_then(|| self.resume(copy, at)),
            State::InFuture { reach, .. } if goes_on(*reach) => self.resume(copy, at),
            State::Within { of, .. } | State::Throughout { of, .. } | State::InFuture { of, .. } => self.enter(of, at),
            State::Next { .. } => self.resume(copy, at),
        }
    }
}

impl PositiveFormula {
    fn or_else(self, other: impl FnOnce() -> PositiveFormula) -> PositiveFormula {
        if self == PositiveFormula::Constant(true) { self } else { self.or(other()) }
    }

    fn and_then(self, other: impl FnOnce() -> PositiveFormula) -> PositiveFormula {
        if self == PositiveFormula::Constant(false) { self } else { self.and(other()) }
    }
}
