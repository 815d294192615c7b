// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sum, mean, least or greatest of the numbers in a window of the past, compared with a bound.
// RULE K10

use std::cmp::Ordering;

use gnomon_core::number::Number;
use gnomon_core::time::Duration;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::core::{AtomDefinition, Measure, Ratio};
use gnomon_ir::formula::Fold;

use crate::atom;
use crate::trace::OracleEvent;
use crate::truth::Truth;
use crate::view::View;

/// The numbers that a position's events carry, in their order.
pub(crate) fn numbers(
    measure: &Measure,
    atom: &AtomDefinition,
    events: &[OracleEvent],
    binding: &[Value<'static>],
) -> Vec<Number> {
    let number = |event: &OracleEvent| {
        let field = measure.fields.get(atom::matching(atom, event, binding)?)?;
        match event.at_path(field)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    };
    events.iter().filter_map(number).collect()
}

/// `numbers` has those of every position.
pub(crate) fn truth(
    view: &View<'_>,
    reach: Duration,
    (fold, numbers): (Fold, &[Vec<Number>]),
    comparison: Comparison,
    bound: Ratio,
    at: usize,
) -> Truth {
    let in_window = (0..=at).filter(|&earlier| view.distance(earlier, at) <= reach);
    let numbers: Vec<Number> = in_window.flat_map(|position| numbers[position].iter().copied()).collect();
    let ordering = match fold {
        Fold::Sum => Some(compare_sum(&numbers, 1, bound)),
        Fold::Mean if numbers.is_empty() => None,
        Fold::Mean => Some(compare_sum(&numbers, numbers.len() as i128, bound)),
        Fold::Least => numbers.iter().copied().min_by(|left, right| left.compare(*right)).map(|it| alone(it, bound)),
        Fold::Greatest => numbers.iter().copied().max_by(|left, right| left.compare(*right)).map(|it| alone(it, bound)),
    };
    Truth::from(ordering.is_some_and(|ordering| comparison.accepts(ordering)))
}

fn alone(number: Number, bound: Ratio) -> Ordering {
    compare_sum(&[number], 1, bound)
}

/// How the sum of the numbers over `count` compares with the bound: exactly, unless there are floats among them.
fn compare_sum(numbers: &[Number], count: i128, bound: Ratio) -> Ordering {
    let exact = Decimal::sum(numbers);
    let floats = numbers.iter().filter_map(|number| match number {
        Number::Float(value) => Some(*value),
        Number::Int(_) | Number::Decimal { .. } => None,
    });
    match floats.reduce(|sum, value| sum + value) {
        None => exact.compare(count, bound),
        Some(floats) => {
            let mean = (exact.to_f64() + floats) / count as f64;
            // Infinities that cancel out leave no number: it counts as infinite.
            let bound = bound.numerator as f64 / bound.denominator as f64;
            mean.partial_cmp(&bound).unwrap_or(Ordering::Greater)
        }
    }
}

const UNIT: i128 = 1_000_000_000_000_000_000;

/// `whole + parts / 10^18` with `0 <= parts < 10^18`: every sum of integers and decimals fits.
struct Decimal {
    whole: i128,
    parts: i128,
}

impl Decimal {
    fn sum(numbers: &[Number]) -> Decimal {
        let (mut whole, mut parts) = (0, 0);
        for (mantissa, scale) in numbers.iter().filter_map(|number| number.parts()) {
            let one = 10_i128.pow(scale);
            whole += mantissa.div_euclid(one);
            parts += mantissa.rem_euclid(one) * (UNIT / one);
        }
        Decimal { whole: whole + parts.div_euclid(UNIT), parts: parts.rem_euclid(UNIT) }
    }

    fn to_f64(&self) -> f64 {
        self.whole as f64 + self.parts as f64 / UNIT as f64
    }

    /// `self / count` against `numerator / denominator`: the sign of `(whole + parts/10^18)·denominator - numerator·count`.
    fn compare(&self, count: i128, bound: Ratio) -> Ordering {
        let whole = self.whole.saturating_mul(bound.denominator).saturating_sub(bound.numerator.saturating_mul(count));
        // What the parts add is at least nothing and less than a denominator.
        if whole >= 0 {
            return (whole, self.parts).cmp(&(0, 0));
        }
        if whole <= -bound.denominator {
            return Ordering::Less;
        }
        (whole * UNIT + self.parts * bound.denominator).cmp(&0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(numbers: &[&str], count: i128, billionths: i128) -> Ordering {
        let numbers: Vec<Number> = numbers.iter().map(|text| Number::parse(text).unwrap()).collect();
        compare_sum(&numbers, count, Ratio { numerator: billionths, denominator: 1_000_000_000 })
    }

    #[test]
    fn sums_keep_every_digit() {
        assert_eq!(compare(&["0.1", "0.2"], 1, 300_000_000), Ordering::Equal);
        assert_eq!(compare(&["-0.1", "-0.2"], 1, -300_000_000), Ordering::Equal);
        assert_eq!(compare(&["-1.5", "0.25"], 2, -625_000_000), Ordering::Equal);
        assert_eq!(compare(&["0.000000000000000001"], 1, 0), Ordering::Greater);
        assert_eq!(compare(&["-0.000000000000000001"], 1, 0), Ordering::Less);
        assert_eq!(compare(&["1", "1", "1"], 2, 1_500_000_000), Ordering::Equal);
        let most = i64::MAX.to_string();
        assert_eq!(compare(&[&most, &most, &format!("-{most}"), &format!("-{most}")], 1, 0), Ordering::Equal);
    }

    #[test]
    fn floats_make_it_a_float() {
        assert_eq!(compare(&["1e0", "0.5"], 1, 1_500_000_000), Ordering::Equal);
        assert_eq!(compare(&["1e300", "-1e300"], 1, 0), Ordering::Equal);
        assert_eq!(compare(&["1e400", "-1e400", "1"], 1, 0), Ordering::Greater);
    }
}
