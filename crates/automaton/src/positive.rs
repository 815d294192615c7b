// SPDX-License-Identifier: MIT OR Apache-2.0
//! Positive Boolean formulae over copies: the result of reading a symbol.
//!
//! Example: a copy in the state of `a U b` reads a symbol with `a` and without `b`. The result is one copy of the same state, which reads
//! the next symbol. With `b` it is the constant true. A state that requires two things at once gives an `And` of two copies.

use gnomon_core::time::Duration;

use crate::automaton::StateId;

/// A copy of the automaton: the state that it is in, and its counter of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateCopy {
    /// The state.
    pub state: StateId,
    /// Time since the state was entered; 0 where time does not matter.
    pub counter: Duration,
}

/// A positive Boolean formula over copies. `And` is universal branching, `Or` existential.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PositiveFormula {
    /// Acceptance or rejection.
    Constant(bool),
    /// A copy that continues with the next symbol.
    Copy(StateCopy),
    /// All of these accept.
    And(Vec<PositiveFormula>),
    /// One of these accepts.
    Or(Vec<PositiveFormula>),
}

impl PositiveFormula {
    /// Returns the conjunction of two formulae.
    #[must_use]
    pub(crate) fn and(self, other: PositiveFormula) -> PositiveFormula {
        self.join(other, false)
    }

    /// Returns the disjunction of two formulae.
    #[must_use]
    pub(crate) fn or(self, other: PositiveFormula) -> PositiveFormula {
        self.join(other, true)
    }

    /// Joins two formulae. The constant `decisive` decides the result, the other constant is neutral.
    fn join(self, other: PositiveFormula, decisive: bool) -> PositiveFormula {
        let (mut parts, last) = match (self, other, decisive) {
            (PositiveFormula::Constant(value), kept, _) | (kept, PositiveFormula::Constant(value), _) => {
                return if value == decisive { PositiveFormula::Constant(value) } else { kept };
            }
            (PositiveFormula::And(parts), other, false) | (PositiveFormula::Or(parts), other, true) => (parts, other),
            (left, right, _) => (vec![left], right),
        };
        parts.push(last);
        if decisive { PositiveFormula::Or(parts) } else { PositiveFormula::And(parts) }
    }

    /// Calls `visit` on every copy, in the order of the formula.
    pub(crate) fn copies(&self, visit: &mut dyn FnMut(StateCopy)) {
        match self {
            PositiveFormula::Constant(_) => {}
            PositiveFormula::Copy(copy) => visit(*copy),
            PositiveFormula::And(parts) | PositiveFormula::Or(parts) => {
                for part in parts {
                    part.copies(visit);
                }
            }
        }
    }

    /// Returns the value of the formula, given the value of each copy.
    pub(crate) fn value(&self, of: &dyn Fn(StateCopy) -> bool) -> bool {
        match self {
            PositiveFormula::Constant(value) => *value,
            PositiveFormula::Copy(copy) => of(*copy),
            PositiveFormula::And(parts) => parts.iter().all(|part| part.value(of)),
            PositiveFormula::Or(parts) => parts.iter().any(|part| part.value(of)),
        }
    }
}
