// SPDX-License-Identifier: MIT OR Apache-2.0
//! A value that a term has in a state: a number, or anything else.

use gnomon_core::fraction::Fraction;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::formula::Fold;
use gnomon_ir::term::Operation;

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Datum {
    Number(Fraction),
    Other(Value<'static>),
}

impl Datum {
    /// What stands at the end of a path into a value.
    pub(crate) fn at(value: &Value<'static>, steps: &[String]) -> Option<Datum> {
        let found = steps.iter().try_fold(value, |value, step| value.step(step))?;
        Some(Datum::from(found))
    }

    pub(crate) fn number(&self) -> Option<Fraction> {
        match self {
            Datum::Number(number) => Some(*number),
            Datum::Other(_) => None,
        }
    }

    /// The elements, if it is a list.
    pub(crate) fn elements(&self) -> Option<&[Value<'static>]> {
        match self {
            Datum::Other(Value::List(elements)) => Some(elements),
            _ => None,
        }
    }
}

impl From<&Value<'static>> for Datum {
    fn from(value: &Value<'static>) -> Datum {
        match value {
            Value::Number(number) => Datum::Number(Fraction::from(*number)),
            other => Datum::Other(other.clone()),
        }
    }
}

/// Two sides compared; one that has no value makes it false, whatever the comparison.
// RULE B5
pub(crate) fn compares(left: Option<&Datum>, comparison: Comparison, right: Option<&Datum>) -> bool {
    match (left, right) {
        (None, _) | (_, None) => false,
        (Some(Datum::Number(left)), Some(Datum::Number(right))) => comparison.accepts(left.compare(*right)),
        (Some(Datum::Other(left)), Some(Datum::Other(right))) => comparison.holds(left, right),
        (Some(_), Some(_)) => comparison == Comparison::NotEqual,
    }
}

/// Of two numbers; of anything else there is none, nor of a division by zero.
// RULE B3
pub(crate) fn operate(operation: Operation, left: Option<&Datum>, right: Option<&Datum>) -> Option<Datum> {
    let (left, right) = (left?.number()?, right?.number()?);
    let result = match operation {
        Operation::Add => Some(left.plus(right)),
        Operation::Subtract => Some(left.minus(right)),
        Operation::Multiply => Some(left.times(right)),
        Operation::Divide => left.over(right),
    };
    result.map(Datum::Number)
}

/// What the numbers of a window make, oldest first; of none there is nothing.
// RULE B7
pub(crate) fn fold(fold: Fold, numbers: &[Fraction]) -> Option<Datum> {
    let first = numbers.first()?;
    let result = match fold {
        Fold::Sum => sum(numbers),
        Fold::Mean => sum(numbers).over(Fraction::whole(numbers.len() as i128))?,
        Fold::Least => {
            numbers.iter().fold(*first, |least, next| if next.compare(least).is_lt() { *next } else { least })
        }
        Fold::Greatest => {
            numbers.iter().fold(*first, |most, next| if next.compare(most).is_gt() { *next } else { most })
        }
    };
    Some(Datum::Number(result))
}

/// What is exact is added up exactly; floats among themselves; then both.
fn sum(numbers: &[Fraction]) -> Fraction {
    let is_exact = |number: &&Fraction| matches!(number, Fraction::Exact { .. });
    let exact = numbers.iter().filter(is_exact).fold(Fraction::ZERO, |sum, number| sum.plus(*number));
    let floats = numbers.iter().filter(|number| !is_exact(number)).copied();
    match floats.reduce(Fraction::plus) {
        Some(floats) => exact.plus(floats),
        None => exact,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_core::number::Number;

    fn numbers(texts: &[&str]) -> Vec<Fraction> {
        texts.iter().map(|text| Fraction::from(Number::parse(text).unwrap())).collect()
    }

    fn folded(kind: Fold, texts: &[&str]) -> Option<Fraction> {
        fold(kind, &numbers(texts)).and_then(|datum| datum.number())
    }

    #[test]
    fn folds_are_exact_and_of_nothing_there_is_nothing() {
        assert_eq!(folded(Fold::Mean, &["1", "0", "0"]), Some(Fraction::new(1, 3)));
        assert_eq!(folded(Fold::Sum, &["0.1", "0.2"]), Some(Fraction::new(3, 10)));
        assert_eq!(folded(Fold::Least, &["2", "-1", "3"]), Some(Fraction::whole(-1)));
        assert_eq!(folded(Fold::Greatest, &["2", "-1", "3"]), Some(Fraction::whole(3)));
        for kind in [Fold::Sum, Fold::Mean, Fold::Least, Fold::Greatest] {
            assert!(folded(kind, &[]).is_none());
        }
    }

    #[test]
    fn nothing_compares_with_what_has_no_value() {
        let one = Datum::Number(Fraction::whole(1));
        assert!(!compares(Some(&one), Comparison::NotEqual, None) && !compares(None, Comparison::NotEqual, None));
        let text = Datum::from(&Value::Text("1".into()));
        assert!(compares(Some(&one), Comparison::NotEqual, Some(&text)));
        assert!(!compares(Some(&one), Comparison::AtMost, Some(&text)));
    }
}
