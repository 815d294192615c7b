// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sum, mean, least or greatest of the numbers in a window of the past, compared with a bound.
// RULE K10

use std::cmp::Ordering;

use gnomon_core::number::MAX_PLACES;
use gnomon_core::wide_integer::WideInteger;
use gnomon_core::{Comparison, Duration, Fraction, Number, Value};
use gnomon_ir::{AtomDefinition, Fold, Measure, Ratio};

use crate::atom;
use crate::known_prefix::KnownPrefix;
use crate::trace::OracleEvent;
use crate::truth::Truth;

/// Returns the values of a field of the events of a position, in their order.
pub(crate) fn values(
    measure: &Measure,
    atom: &AtomDefinition,
    events: &[OracleEvent],
    binding: &[Value<'static>],
) -> Vec<Value<'static>> {
    let value = |event: &OracleEvent| {
        let field = measure.fields.get(atom::matching(atom, event, binding)?)?;
        event.at_path(field).cloned()
    };
    events.iter().filter_map(value).collect()
}

/// Returns the values of the positions at most `reach` back. `values` has those of every position.
pub(crate) fn in_window<'v>(
    view: &KnownPrefix<'_>,
    reach: Duration,
    values: &'v [Vec<Value<'static>>],
    at: usize,
) -> Vec<&'v Value<'static>> {
    (0..=at).filter(|&earlier| view.distance(earlier, at) <= reach).flat_map(|position| &values[position]).collect()
}

/// Returns the numbers among the values of [`in_window`].
pub(crate) fn numbers_in_window(
    view: &KnownPrefix<'_>,
    reach: Duration,
    values: &[Vec<Value<'static>>],
    at: usize,
) -> Vec<Number> {
    let number = |value: &Value<'_>| if let Value::Number(number) = value { Some(*number) } else { None };
    in_window(view, reach, values, at).into_iter().filter_map(number).collect()
}

/// Returns the truth value of the comparison at a position. `values` has those of every position.
pub(crate) fn truth(
    view: &KnownPrefix<'_>,
    reach: Duration,
    (fold, values): (Fold, &[Vec<Value<'static>>]),
    comparison: Comparison,
    bound: Ratio,
    at: usize,
) -> Truth {
    let numbers = numbers_in_window(view, reach, values, at);
    let ordering = match fold {
        Fold::Sum => compare_sum(&numbers, 1, bound),
        Fold::Mean if numbers.is_empty() => None,
        Fold::Mean => compare_sum(&numbers, numbers.len() as i128, bound),
        Fold::Least => numbers.iter().min().and_then(|number| compare_sum(&[*number], 1, bound)),
        Fold::Greatest => numbers.iter().max().and_then(|number| compare_sum(&[*number], 1, bound)),
    };
    Truth::from(ordering.is_some_and(|ordering| comparison.accepts(ordering)))
}

/// Compares the sum of the numbers divided by `count` with the bound: exactly, unless there are floats among them. `None` if the sum
/// is not a number.
pub(crate) fn compare_sum(numbers: &[Number], count: i128, bound: Ratio) -> Option<Ordering> {
    let unit = 10_i128.pow(MAX_PLACES);
    let exact =
        numbers.iter().filter_map(|number| number.parts()).fold(WideInteger::default(), |sum, (mantissa, scale)| {
            sum.plus(WideInteger::from(mantissa).times(10_i128.pow(MAX_PLACES - scale)))
        });
    let floats = numbers.iter().filter(|number| matches!(number, Number::Float(_))).map(|number| number.to_f64());
    match floats.reduce(|sum, value| sum + value) {
        None => Some(exact.times(bound.denominator).cmp(&WideInteger::from(bound.numerator).times(count).times(unit))),
        Some(floats) => {
            let exact: f64 = format!("{exact}e-{MAX_PLACES}").parse().ok()?;
            let mean = Number::from_f64((exact + floats) / count as f64)?;
            Some(Fraction::from(mean).compare(Fraction::new(bound.numerator, bound.denominator)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(numbers: &[&str], count: i128, billionths: i128) -> Ordering {
        let numbers: Vec<Number> = numbers.iter().map(|text| Number::parse(text).unwrap()).collect();
        compare_sum(&numbers, count, Ratio { numerator: billionths, denominator: 1_000_000_000 }).unwrap()
    }

    #[test]
    fn sums_keep_every_digit() {
        assert_eq!(compare(&["0.1", "0.2"], 1, 300_000_000), Ordering::Equal);
        assert_eq!(compare(&["-0.1", "-0.2"], 1, -300_000_000), Ordering::Equal);
        assert_eq!(compare(&["-1.5", "0.25"], 2, -625_000_000), Ordering::Equal);
        assert_eq!(compare(&["0.000000000000000001"], 1, 0), Ordering::Greater);
        assert_eq!(compare(&["-0.000000000000000001"], 1, 0), Ordering::Less);
        assert_eq!(compare(&["1", "1", "1"], 2, 1_500_000_000), Ordering::Equal);
        for most in [i128::from(i64::MAX), i128::MAX].map(|most| most.to_string()) {
            let least = format!("-{most}");
            assert_eq!(compare(&[&most, &most, &least, "0.5", &least], 1, 500_000_000), Ordering::Equal);
        }
        let most = i64::MAX.to_string();
        assert_eq!(compare(&[&most, &most, &format!("-{most}"), &format!("-{most}")], 1, 0), Ordering::Equal);
    }

    #[test]
    fn floats_make_it_a_float() {
        assert_eq!(compare(&["1e0", "0.5"], 1, 1_500_000_000), Ordering::Equal);
        assert_eq!(compare(&["1e300", "-1e300"], 1, 0), Ordering::Equal);
        let infinite = [f64::INFINITY, f64::NEG_INFINITY].map(|value| Number::from_f64(value).unwrap());
        assert_eq!(compare_sum(&infinite, 1, Ratio { numerator: 0, denominator: 1 }), None);
    }
}
