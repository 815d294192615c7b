// SPDX-License-Identifier: MIT OR Apache-2.0
//! Positive Boolean formulae over copies of the automaton: what a copy turns into when it reads a symbol.

use gnomon_core::time::Duration;

use crate::automaton::StateId;

/// A copy of the automaton: the state that it is in, and its counter of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Copy {
    /// The state.
    pub state: StateId,
    /// How long ago it was entered; 0 where time does not matter.
    pub counter: Duration,
}

/// A positive Boolean formula over copies. `And` is universal branching, `Or` existential.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Positive {
    /// Acceptance or rejection.
    Constant(bool),
    /// A copy that goes on with the next symbol.
    Copy(Copy),
    /// All of these accept.
    And(Vec<Positive>),
    /// One of these accepts.
    Or(Vec<Positive>),
}

impl Positive {
    /// Both accept.
    #[must_use]
    pub(crate) fn and(self, other: Positive) -> Positive {
        match (self, other) {
            (Positive::Constant(false), _) | (_, Positive::Constant(false)) => Positive::Constant(false),
            (Positive::Constant(true), kept) | (kept, Positive::Constant(true)) => kept,
            (Positive::And(mut parts), other) => {
                parts.push(other);
                Positive::And(parts)
            }
            (left, right) => Positive::And(vec![left, right]),
        }
    }

    /// One of the two accepts.
    #[must_use]
    pub(crate) fn or(self, other: Positive) -> Positive {
        match (self, other) {
            (Positive::Constant(true), _) | (_, Positive::Constant(true)) => Positive::Constant(true),
            (Positive::Constant(false), kept) | (kept, Positive::Constant(false)) => kept,
            (Positive::Or(mut parts), other) => {
                parts.push(other);
                Positive::Or(parts)
            }
            (left, right) => Positive::Or(vec![left, right]),
        }
    }

    /// Calls `visit` on every copy, in the order of the formula.
    pub(crate) fn copies(&self, visit: &mut dyn FnMut(Copy)) {
        match self {
            Positive::Constant(_) => {}
            Positive::Copy(copy) => visit(*copy),
            Positive::And(parts) | Positive::Or(parts) => parts.iter().for_each(|part| part.copies(visit)),
        }
    }

    /// Its value, given that of each copy.
    pub(crate) fn value(&self, of: &dyn Fn(Copy) -> bool) -> bool {
        match self {
            Positive::Constant(value) => *value,
            Positive::Copy(copy) => of(*copy),
            Positive::And(parts) => parts.iter().all(|part| part.value(of)),
            Positive::Or(parts) => parts.iter().any(|part| part.value(of)),
        }
    }
}
