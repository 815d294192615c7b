// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sum, mean, least or greatest of the numbers in the last K.

use std::cmp::Ordering;
use std::collections::VecDeque;

use gnomon_core::number::Number;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::value::Comparison;
use gnomon_core::verdict::Origin;
use gnomon_ir::core::Ratio;
use gnomon_ir::formula;
use serde::{Deserialize, Serialize};

/// RULE K10. Integers and decimals are summed exactly, whole parts and fractions apart, so that nothing can overflow.
/// For the least and the greatest only those numbers are kept that no later one beats.
///
/// COST: O(1) amortised; with floats in the window the floats are added up again at each question. Memory: the numbers
/// in the window.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Fold {
    reach: Duration,
    keep: Keep,
    entries: VecDeque<Entry>,
    exact: Exact,
    floats: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Keep {
    All,
    /// Numbers that some later one is at most, respectively at least, cannot matter any more.
    Rising,
    Falling,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) origin: Origin,
    pub(crate) number: Number,
}

/// A sum of integers and decimals.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Exact {
    whole: i128,
    /// In units of 10^-18.
    fraction: i128,
}

const FRACTION: i128 = 1_000_000_000_000_000_000;

impl Exact {
    fn add(&mut self, number: Number, sign: i128) {
        if let Some((mantissa, scale)) = number.parts() {
            let power = 10_i128.pow(scale);
            self.whole += sign * (mantissa / power);
            self.fraction += sign * (mantissa % power) * 10_i128.pow(18 - scale);
        }
    }

    fn to_f64(self) -> f64 {
        self.whole as f64 + self.fraction as f64 / FRACTION as f64
    }

    /// How the sum over `count` compares with a bound.
    fn compare(self, count: i128, bound: Ratio) -> Ordering {
        // (whole + fraction) / count against numerator / denominator, without rounding: whole parts first.
        let whole = (self.whole + self.fraction.div_euclid(FRACTION)).saturating_mul(bound.denominator);
        let rest = self.fraction.rem_euclid(FRACTION) * bound.denominator;
        let target = bound.numerator.saturating_mul(count);
        let difference = target.saturating_sub(whole);
        // rest / FRACTION lies in [0, denominator).
        match difference.checked_mul(FRACTION) {
            Some(difference) => rest.cmp(&difference),
            None => 0.cmp(&difference),
        }
    }
}

impl Fold {
    pub(crate) fn new(fold: formula::Fold, reach: Duration) -> Self {
        let keep = match fold {
            formula::Fold::Sum | formula::Fold::Mean => Keep::All,
            formula::Fold::Least => Keep::Rising,
            formula::Fold::Greatest => Keep::Falling,
        };
        Fold { reach, keep, entries: VecDeque::new(), exact: Exact::default(), floats: 0 }
    }

    /// Takes in a number of the present position: before the position is asked about.
    pub(crate) fn add(&mut self, origin: Origin, number: Number) {
        self.forget(origin.time);
        while self.entries.back().is_some_and(|last| self.keep.beaten(last.number, number)) {
            self.entries.pop_back();
        }
        self.entries.push_back(Entry { origin, number });
        if self.keep == Keep::All {
            self.exact.add(number, 1);
            self.floats += usize::from(matches!(number, Number::Float(_)));
        }
    }

    pub(crate) fn query(&mut self, time: Timestamp, fold: formula::Fold, comparison: Comparison, bound: Ratio) -> bool {
        self.forget(time);
        let count = self.entries.len();
        match fold {
            formula::Fold::Sum => self.sum_compares(1, comparison, bound),
            formula::Fold::Mean => count > 0 && self.sum_compares(count as i128, comparison, bound),
            formula::Fold::Least | formula::Fold::Greatest => {
                self.entries.front().is_some_and(|entry| comparison.accepts(compare(entry.number, bound)))
            }
        }
    }

    fn sum_compares(&self, count: i128, comparison: Comparison, bound: Ratio) -> bool {
        if self.floats == 0 {
            return comparison.accepts(self.exact.compare(count, bound));
        }
        let floats = self.entries.iter().filter_map(|entry| match entry.number {
            Number::Float(value) => Some(value),
            Number::Int(_) | Number::Decimal { .. } => None,
        });
        let sum = self.exact.to_f64() + floats.fold(0.0, |sum, value| sum + value);
        comparison.accepts((sum / count as f64).total_cmp(&bound_f64(bound)))
    }

    fn forget(&mut self, time: Timestamp) {
        while let Some(oldest) = self.entries.front().filter(|entry| time - entry.origin.time > self.reach) {
            let number = oldest.number;
            self.entries.pop_front();
            if self.keep == Keep::All {
                self.exact.add(number, -1);
                self.floats -= usize::from(matches!(number, Number::Float(_)));
            }
        }
    }

    /// What is in the window, oldest first.
    pub(crate) fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter()
    }

    /// The last time at which what it holds may matter.
    pub(crate) fn busy_until(&self) -> Timestamp {
        self.entries.back().map_or(Timestamp::MIN, |last| last.origin.time.saturating_add(self.reach))
    }
}

impl Keep {
    fn beaten(self, earlier: Number, later: Number) -> bool {
        let order = later.compare(earlier);
        match self {
            Keep::All => false,
            Keep::Rising => order.is_le(),
            Keep::Falling => order.is_ge(),
        }
    }
}

fn bound_f64(bound: Ratio) -> f64 {
    bound.numerator as f64 / bound.denominator as f64
}

fn compare(number: Number, bound: Ratio) -> Ordering {
    match number.parts() {
        Some((mantissa, scale)) => {
            let left = mantissa.saturating_mul(bound.denominator);
            left.cmp(&bound.numerator.saturating_mul(10_i128.pow(scale)))
        }
        None => number.to_f64().total_cmp(&bound_f64(bound)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact() {
        let mut exact = Exact::default();
        for text in ["0.1", "0.2", "-5.5", "9223372036854775807", "9223372036854775807"] {
            exact.add(Number::parse(text).unwrap(), 1);
        }
        let bound = |billionths| Ratio { numerator: billionths, denominator: 1_000_000_000 };
        let sum = 2 * 9_223_372_036_854_775_807_i128 * 1_000_000_000 - 5_200_000_000;
        assert_eq!(exact.compare(1, bound(sum)), Ordering::Equal);
        assert_eq!(exact.compare(1, bound(sum + 1)), Ordering::Less);
        assert_eq!(exact.compare(1, bound(sum - 1)), Ordering::Greater);
        assert_eq!(exact.compare(2, bound(sum / 2)), Ordering::Equal);
    }
}
