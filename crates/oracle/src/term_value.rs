// SPDX-License-Identifier: MIT OR Apache-2.0
//! Value of a term in a state: a number or another value.

use gnomon_core::{Comparison, Fraction, Value};
use gnomon_ir::{Fold, Operation};

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum TermValue {
    Number(Fraction),
    Other(Value<'static>),
}

impl TermValue {
    /// Returns the value at the end of a path.
    pub(crate) fn at(value: &Value<'static>, steps: &[String]) -> Option<TermValue> {
        let found = steps.iter().try_fold(value, |value, step| value.step(step))?;
        Some(TermValue::from(found))
    }

    pub(crate) fn number(&self) -> Option<Fraction> {
        match self {
            TermValue::Number(number) => Some(*number),
            TermValue::Other(_) => None,
        }
    }

    /// The elements, if it is a list.
    pub(crate) fn elements(&self) -> Option<&[Value<'static>]> {
        match self {
            TermValue::Other(Value::List(elements)) => Some(elements),
            _ => None,
        }
    }
}

impl From<&Value<'static>> for TermValue {
    fn from(value: &Value<'static>) -> TermValue {
        match value {
            Value::Number(number) => TermValue::Number(Fraction::from(*number)),
            other => TermValue::Other(other.clone()),
        }
    }
}

/// Two sides compared; one that has no value makes it false, whatever the comparison.
// RULE B5
pub(crate) fn compares(left: Option<&TermValue>, comparison: Comparison, right: Option<&TermValue>) -> bool {
    match (left, right) {
        (None, _) | (_, None) => false,
        (Some(TermValue::Number(left)), Some(TermValue::Number(right))) => comparison.accepts(left.compare(*right)),
        (Some(TermValue::Other(left)), Some(TermValue::Other(right))) => comparison.holds(left, right),
        (Some(_), Some(_)) => comparison == Comparison::NotEqual,
    }
}

/// Applies an operation to two numbers; undefined for other values, for division by zero and where the result does not fit.
// RULE B3
pub(crate) fn operate(operation: Operation, left: Option<&TermValue>, right: Option<&TermValue>) -> Option<TermValue> {
    let (left, right) = (left?.number()?, right?.number()?);
    let result = match operation {
        Operation::Add => left.plus(right),
        Operation::Subtract => left.minus(right),
        Operation::Multiply => left.times(right),
        Operation::Divide => left.over(right),
    };
    result.map(TermValue::Number)
}

/// Aggregates the numbers of a window, oldest first; undefined for none.
// RULE B7
pub(crate) fn fold(fold: Fold, numbers: &[Fraction]) -> Option<TermValue> {
    let first = numbers.first()?;
    let result = match fold {
        Fold::Sum => Fraction::sum(numbers.iter().copied())?,
        Fold::Mean => Fraction::sum(numbers.iter().copied())?.over(Fraction::whole(numbers.len() as i128))?,
        Fold::Least => {
            numbers.iter().fold(*first, |least, next| if next.compare(least).is_lt() { *next } else { least })
        }
        Fold::Greatest => {
            numbers.iter().fold(*first, |most, next| if next.compare(most).is_gt() { *next } else { most })
        }
    };
    Some(TermValue::Number(result))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_core::number::Number;

    fn numbers(texts: &[&str]) -> Vec<Fraction> {
        texts.iter().map(|text| Fraction::from(Number::parse(text).unwrap())).collect()
    }

    fn folded(kind: Fold, texts: &[&str]) -> Option<Fraction> {
        fold(kind, &numbers(texts)).and_then(|value| value.number())
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
        let one = TermValue::Number(Fraction::whole(1));
        assert!(!compares(Some(&one), Comparison::NotEqual, None) && !compares(None, Comparison::NotEqual, None));
        let text = TermValue::from(&Value::Text("1".into()));
        assert!(compares(Some(&one), Comparison::NotEqual, Some(&text)));
        assert!(!compares(Some(&one), Comparison::AtMost, Some(&text)));
    }
}
