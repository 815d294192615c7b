// SPDX-License-Identifier: MIT OR Apache-2.0
//! The value of a term at a position.

use std::borrow::Cow;
use std::fmt;

use gnomon_core::fraction::Fraction;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::term::Operation;
use serde::{Deserialize, Serialize};

/// A number, computed as a fraction, or any other value, borrowed where possible.
#[derive(Clone, Debug)]
pub(crate) enum TermValue<'v> {
    Number(Fraction),
    Other(Cow<'v, Value<'static>>),
}

/// The value of a term, stored beyond its position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum StoredValue {
    Number(Fraction),
    Other(Value<'static>),
}

impl<'v> TermValue<'v> {
    /// Returns the value at the end of a path into a stored value.
    #[inline]
    pub(crate) fn at(stored: &'v StoredValue, steps: &[String]) -> Option<TermValue<'v>> {
        match stored {
            StoredValue::Number(number) => steps.is_empty().then_some(TermValue::Number(*number)),
            StoredValue::Other(value) => TermValue::inside(value, steps),
        }
    }

    /// Returns the value at the end of a path into a value.
    pub(crate) fn inside(value: &'v Value<'static>, steps: &[String]) -> Option<TermValue<'v>> {
        let found = steps.iter().try_fold(value, |value, step| value.step(step))?;
        Some(TermValue::of(found))
    }

    #[inline]
    pub(crate) fn of(value: &'v Value<'static>) -> TermValue<'v> {
        match value {
            Value::Number(number) => TermValue::Number(Fraction::from(*number)),
            other => TermValue::Other(Cow::Borrowed(other)),
        }
    }

    pub(crate) fn number(&self) -> Option<Fraction> {
        match self {
            TermValue::Number(number) => Some(*number),
            TermValue::Other(_) => None,
        }
    }

    pub(crate) fn store(&self) -> StoredValue {
        match self {
            TermValue::Number(number) => StoredValue::Number(*number),
            TermValue::Other(value) => StoredValue::Other(value.as_ref().clone()),
        }
    }

    /// RULE B5. Compares numbers by value; a number and a value that is not one are unequal and not ordered.
    pub(crate) fn compares(&self, comparison: Comparison, other: &TermValue<'_>) -> bool {
        match (self, other) {
            (TermValue::Number(left), TermValue::Number(right)) => comparison.accepts(left.compare(*right)),
            (TermValue::Other(left), TermValue::Other(right)) => comparison.holds(left, right),
            _ => comparison == Comparison::NotEqual,
        }
    }
}

impl fmt::Display for TermValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TermValue::Number(number) => number.fmt(f),
            TermValue::Other(value) => value.fmt(f),
        }
    }
}

impl StoredValue {
    #[inline]
    pub(crate) fn of(value: Value<'_>) -> StoredValue {
        match value {
            Value::Number(number) => StoredValue::Number(Fraction::from(number)),
            other => StoredValue::Other(other.into_owned()),
        }
    }

    /// Returns a copy of the value.
    pub(crate) fn read(&self) -> TermValue<'static> {
        match self {
            StoredValue::Number(number) => TermValue::Number(*number),
            StoredValue::Other(value) => TermValue::Other(Cow::Owned(value.clone())),
        }
    }
}

/// RULE B3. Computes an operation on two numbers; `None` for a division by zero and a result that does not fit.
pub(crate) fn operate(operation: Operation, left: Fraction, right: Fraction) -> Option<Fraction> {
    match operation {
        Operation::Add => left.plus(right),
        Operation::Subtract => left.minus(right),
        Operation::Multiply => left.times(right),
        Operation::Divide => left.over(right),
    }
}
