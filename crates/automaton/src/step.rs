// SPDX-License-Identifier: MIT OR Apache-2.0
//! The transition function: what a copy turns into when it reads a symbol.
//!
//! After the standard semantics of section 3.2 of the paper. Departures: the time of a symbol is the gap before it, so the
//! counter is compared after the gap has been added to it; `InFuture` whose counter is exactly K reads the symbol at hand, not
//! the next one; what holds in the symbol before may itself leave copies behind, which read the symbol at hand at once.

use gnomon_core::time::Duration;

use crate::automaton::{Automaton, Expression, State, StateId};
use crate::positive::{Copy, Positive};
use crate::word::Word;

/// An automaton with the word that it reads.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a> {
    pub(crate) automaton: &'a Automaton,
    pub(crate) word: &'a dyn Word,
    /// The place of the symbol that is read.
    pub(crate) now: usize,
}

impl Step<'_> {
    /// What the invariant demands of the symbol, besides itself.
    pub(crate) fn body(self) -> Positive {
        self.enter(&self.automaton.body, self.now)
    }

    /// What a copy turns into when it reads the symbol.
    pub(crate) fn read(self, copy: Copy) -> Positive {
        self.read_at(copy, self.now)
    }

    /// Whether a copy accepts if the word ends with the symbol that it has just read.
    pub(crate) fn finish(self, copy: Copy) -> bool {
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

    /// What an expression at the symbol `at`, which is not after the one that is read, comes to.
    fn enter(self, expression: &Expression, at: usize) -> Positive {
        match expression {
            Expression::Constant(value) => Positive::Constant(*value),
            Expression::Literal { proposition, negated } => {
                Positive::Constant(self.word.holds(at, *proposition) != *negated)
            }
            Expression::And(parts) => {
                parts.iter().fold(Positive::Constant(true), |all, part| all.and(self.enter(part, at)))
            }
            Expression::Or(parts) => {
                parts.iter().fold(Positive::Constant(false), |any, part| any.or(self.enter(part, at)))
            }
            Expression::Temporal(id) => self.begin(*id, at),
            Expression::Previous { weak, .. } if at == 0 => Positive::Constant(*weak),
            Expression::Previous { of, .. } => self.enter(of, at - 1),
        }
    }

    fn begin(self, id: StateId, at: usize) -> Positive {
        self.go(Copy { state: id, counter: Duration::ZERO }, at)
    }

    fn read_at(self, copy: Copy, at: usize) -> Positive {
        let gap = self.word.time(at) - self.word.time(at - 1);
        let counter = Duration::from_ticks(copy.counter.ticks().saturating_add(gap.ticks()));
        match self.automaton.state(copy.state) {
            State::Until { .. } | State::Release { .. } => self.go(copy, at),
            State::Within { reach, .. } if counter > *reach => Positive::Constant(false),
            State::Throughout { reach, .. } if counter > *reach => Positive::Constant(true),
            State::InFuture { reach, of, .. } if counter > *reach => self.enter(of, at - 1),
            State::Within { .. } | State::Throughout { .. } | State::InFuture { .. } => {
                self.go(Copy { counter, ..copy }, at)
            }
            State::Next { of, .. } => self.enter(of, at),
        }
    }

    /// A copy that has read the symbol `at` goes on: with the symbols up to the one that is read, then as a copy.
    fn resume(self, copy: Copy, at: usize) -> Positive {
        if at == self.now { Positive::Copy(copy) } else { self.read_at(copy, at + 1) }
    }

    /// What a state demands of the symbol `at`, its counter being brought up to that symbol and within its reach.
    fn go(self, copy: Copy, at: usize) -> Positive {
        // No later state can be within reach of one that is exactly at its end.
        let goes_on = |reach: Duration| copy.counter < reach || self.automaton.ties();
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

impl Positive {
    fn or_else(self, other: impl FnOnce() -> Positive) -> Positive {
        if self == Positive::Constant(true) { self } else { self.or(other()) }
    }

    fn and_then(self, other: impl FnOnce() -> Positive) -> Positive {
        if self == Positive::Constant(false) { self } else { self.and(other()) }
    }
}
