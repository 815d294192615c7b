// SPDX-License-Identifier: MIT OR Apache-2.0
//! A value that a term has in a state.

use std::borrow::Cow;
use std::fmt;

use gnomon_core::fraction::Fraction;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::term::Operation;
use serde::{Deserialize, Serialize};

/// A number, or anything else.
#[derive(Clone, Debug)]
pub(crate) enum Reading<'v> {
    Number(Fraction),
    Other(Cow<'v, Value<'static>>),
}

/// A reading that is remembered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Kept {
    Number(Fraction),
    Other(Value<'static>),
}

impl<'v> Reading<'v> {
    /// The value at the end of a path.
    #[inline]
    pub(crate) fn at(kept: &'v Kept, steps: &[String]) -> Option<Reading<'v>> {
        match kept {
            Kept::Number(number) => steps.is_empty().then_some(Reading::Number(*number)),
            Kept::Other(value) => Reading::inside(value, steps),
        }
    }

    /// The part of a value at the end of a path.
    pub(crate) fn inside(value: &'v Value<'static>, steps: &[String]) -> Option<Reading<'v>> {
        let found = steps.iter().try_fold(value, |value, step| value.step(step))?;
        Some(Reading::of(found))
    }

    #[inline]
    pub(crate) fn of(value: &'v Value<'static>) -> Reading<'v> {
        match value {
            Value::Number(number) => Reading::Number(Fraction::from(*number)),
            other => Reading::Other(Cow::Borrowed(other)),
        }
    }

    pub(crate) fn number(&self) -> Option<Fraction> {
        match self {
            Reading::Number(number) => Some(*number),
            Reading::Other(_) => None,
        }
    }

    pub(crate) fn keep(&self) -> Kept {
        match self {
            Reading::Number(number) => Kept::Number(*number),
            Reading::Other(value) => Kept::Other(value.as_ref().clone()),
        }
    }

    /// RULE B5: numbers by value; a number and anything else are unequal and not ordered.
    pub(crate) fn compares(&self, comparison: Comparison, other: &Reading<'_>) -> bool {
        match (self, other) {
            (Reading::Number(left), Reading::Number(right)) => comparison.accepts(left.compare(*right)),
            (Reading::Other(left), Reading::Other(right)) => comparison.holds(left, right),
            _ => comparison == Comparison::NotEqual,
        }
    }
}

impl fmt::Display for Reading<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reading::Number(number) => number.fmt(f),
            Reading::Other(value) => value.fmt(f),
        }
    }
}

impl Kept {
    #[inline]
    pub(crate) fn of(value: Value<'_>) -> Kept {
        match value {
            Value::Number(number) => Kept::Number(Fraction::from(number)),
            other => Kept::Other(other.into_owned()),
        }
    }

    /// As it was; the state that it came from is gone.
    pub(crate) fn read(&self) -> Reading<'static> {
        match self {
            Kept::Number(number) => Reading::Number(*number),
            Kept::Other(value) => Reading::Other(Cow::Owned(value.clone())),
        }
    }
}

/// RULE B3: of two numbers; over zero there is none.
pub(crate) fn operate(operation: Operation, left: Fraction, right: Fraction) -> Option<Fraction> {
    match operation {
        Operation::Add => Some(left.plus(right)),
        Operation::Subtract => Some(left.minus(right)),
        Operation::Multiply => Some(left.times(right)),
        Operation::Divide => left.over(right),
    }
}
