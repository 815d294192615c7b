// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of a state in kernel form.

use gnomon_core::{Duration, Fraction, Value};

use super::{AtomId, Edge};
use crate::{Fold, Operation};

/// A term's number. A term's parts have smaller numbers than the term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(pub u32);

/// A value of the present state, or none. RULE B3
#[derive(Clone, PartialEq, Debug)]
pub enum TermCore {
    /// A constant number.
    Number(Fraction),
    /// A constant that is not a number.
    Value(Value<'static>),
    /// The latest value of a field, whatever event had it: the field of this number in [`super::FormulaCore::variables`].
    Variable {
        /// The field.
        variable: usize,
        /// The steps into its value.
        steps: Vec<String>,
    },
    /// The current element of an enclosing quantifier; enclosing quantifiers are numbered from the outermost.
    Element {
        /// Nesting depth of the quantifier.
        depth: usize,
        /// The steps into the element.
        steps: Vec<String>,
    },
    /// Arithmetic on two numbers; undefined for other values and for division by zero.
    Operation(Operation, TermId, TermId),
    /// Value of `of` at the `back`-th latest position strictly before this one where the event happened.
    Past {
        /// Term whose earlier value is taken.
        of: TermId,
        /// Event that selects the positions.
        event: OccurrenceCore,
        /// Number of occurrences to go back; at least 1.
        back: u64,
    },
    /// Number of positions at most `reach` back (the present one included) where `of` holds.
    Count {
        /// Counted formula: known immediately, or with the next position.
        of: Edge,
        /// The greatest distance that counts.
        reach: Duration,
    },
    /// Aggregate of the numbers that `of` has at the positions at most `reach` back (the present one included).
    /// Positions where `of` is not a number are skipped. Without numbers there is no value, not even a sum.
    Fold {
        /// Aggregate function.
        fold: Fold,
        /// Term that yields the numbers.
        of: TermId,
        /// The greatest distance that counts.
        reach: Duration,
    },
    /// The time since the latest position strictly before this one where the event happened, in units of the trace.
    Elapsed {
        /// Event from which time is measured.
        event: OccurrenceCore,
        /// Ticks in one unit.
        ticks: i128,
    },
}

impl TermCore {
    /// The terms that it is made of.
    pub fn parts(&self) -> Vec<TermId> {
        match self {
            TermCore::Operation(_, left, right) => vec![*left, *right],
            TermCore::Past { of, .. } | TermCore::Fold { of, .. } => vec![*of],
            TermCore::Number(_)
            | TermCore::Value(_)
            | TermCore::Variable { .. }
            | TermCore::Element { .. }
            | TermCore::Count { .. }
            | TermCore::Elapsed { .. } => vec![],
        }
    }
}

/// Positions where an event happens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OccurrenceCore {
    /// The event.
    pub atom: AtomId,
    /// True for the position before the event, where its activity starts.
    pub starts: bool,
}
