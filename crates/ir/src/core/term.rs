// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of a state in kernel form.

use gnomon_core::fraction::Fraction;
use gnomon_core::time::Duration;
use gnomon_core::value::Value;

use super::{AtomId, Edge};
use crate::formula::Fold;
use crate::term::Operation;

/// A term's number. A term's parts have smaller numbers than the term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(pub u32);

/// A value of the present state, or none. RULE B3
#[derive(Clone, PartialEq, Debug)]
pub enum TermCore {
    /// This number.
    Number(Fraction),
    /// This value, which is no number.
    Value(Value<'static>),
    /// The latest value of a field, whatever event had it: the field of this number in [`super::FormulaCore::variables`].
    Variable {
        /// The field.
        variable: usize,
        /// The steps into its value.
        steps: Vec<String>,
    },
    /// The element that the quantifier around it stands at: the quantifiers around a term are numbered from the outermost.
    Element {
        /// Which quantifier.
        depth: usize,
        /// The steps into the element.
        steps: Vec<String>,
    },
    /// Of two numbers; of anything else, and over zero, there is none.
    Operation(Operation, TermId, TermId),
    /// What `of` was in the `back`-th latest position strictly before this one where the event happened.
    Past {
        /// Of what.
        of: TermId,
        /// Where.
        event: Occurrence,
        /// How far back; at least 1.
        back: u64,
    },
    /// At how many positions at most `reach` back, the present one included, `of` holds.
    Count {
        /// What is counted: known at once, or with the next position.
        of: Edge,
        /// The greatest distance that counts.
        reach: Duration,
    },
    /// What the numbers that `of` is at the positions at most `reach` back make, the present one included. Positions where it
    /// is no number are passed over; of no numbers there is no value, not even a sum.
    Fold {
        /// What is made of them.
        fold: Fold,
        /// Where they come from.
        of: TermId,
        /// The greatest distance that counts.
        reach: Duration,
    },
    /// The time since the latest position strictly before this one where the event happened, in units of the trace.
    Elapsed {
        /// What happened.
        event: Occurrence,
        /// How many ticks make a unit.
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

/// Where an event happens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Occurrence {
    /// The event.
    pub atom: AtomId,
    /// Whether the position before the one with the event is meant, where an activity starts.
    pub starts: bool,
}
