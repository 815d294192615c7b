// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums, means, least and greatest numbers, as long division does them.
// RULE M6

use std::cmp::Ordering;

use gnomon_core::number::Number;
use gnomon_core::time::{Quantity, TICKS_PER_BARE_UNIT};
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::formula::Fold;
use gnomon_ir::pattern::{Atom, Path};
use gnomon_ir::spec::Spec;

use super::declared::{Bound, sighting};
use crate::trace::OracleEvent;

/// The number that an event carries in a field, if it is one that the atom speaks of.
pub(super) fn number(spec: &Spec, of: &Atom, field: &Path, event: &OracleEvent, bound: &Bound) -> Option<Number> {
    match sighting(spec, of, event, bound)?.field(event, field)? {
        Value::Number(number) => Some(*number),
        _ => None,
    }
}

/// Whether what the fold makes of the numbers compares so with the bound.
pub(super) fn holds(fold: Fold, numbers: &[Number], comparison: Comparison, bound: Quantity) -> bool {
    let sum = || sum(numbers);
    let made = match fold {
        Fold::Sum => Some((sum(), 1)),
        _ if numbers.is_empty() => None,
        Fold::Mean => Some((sum(), numbers.len())),
        Fold::Least => numbers.iter().copied().reduce(|a, b| if b.compare(a).is_lt() { b } else { a }).map(single),
        Fold::Greatest => numbers.iter().copied().reduce(|a, b| if b.compare(a).is_gt() { b } else { a }).map(single),
    };
    made.is_some_and(|(sum, count)| comparison.accepts(compare(&sum, count, bound)))
}

/// Tenfold digits after the point, as many as a number has at most; or a float.
enum Sum {
    /// In units of 10^-18, split where it would not fit: `high * 10^30 + low`.
    Exact {
        high: i128,
        low: i128,
    },
    Float(f64),
}

const PLACES: u32 = 18;
const SPLIT: i128 = 10_i128.pow(30);

fn single(number: Number) -> (Sum, usize) {
    (sum(&[number]), 1)
}

fn sum(numbers: &[Number]) -> Sum {
    let (mut high, mut low) = (0, 0);
    let mut floats: Option<f64> = None;
    for number in numbers {
        match (number.parts(), number) {
            (Some((mantissa, scale)), _) => {
                // 64 bits times 10^18 fit 128 bits.
                let units = mantissa * 10_i128.pow(PLACES - scale);
                high += units / SPLIT;
                low += units % SPLIT;
            }
            (None, number) => floats = Some(floats.map_or(number.to_f64(), |sum| sum + number.to_f64())),
        }
    }
    let exact = (high as f64 * 1e12) + low as f64 / 1e18;
    floats.map_or(Sum::Exact { high, low }, |floats| Sum::Float(exact + floats))
}

/// The sum over `count` against the bound.
fn compare(sum: &Sum, count: usize, bound: Quantity) -> Ordering {
    match sum {
        Sum::Float(value) => {
            let (mean, bound) = (value / count as f64, bound.billionths as f64 / TICKS_PER_BARE_UNIT as f64);
            mean.partial_cmp(&bound).unwrap_or(Ordering::Greater)
        }
        Sum::Exact { high, low } => {
            // The bound times the count in the same split: billionths are 10^9 units each.
            let target = bound.billionths.saturating_mul(count as i128);
            let (target_high, target_low) =
                (target / (SPLIT / TICKS_PER_BARE_UNIT), target % (SPLIT / TICKS_PER_BARE_UNIT));
            let (mut high, mut low) = (high - target_high, low - target_low * TICKS_PER_BARE_UNIT);
            high += low.div_euclid(SPLIT);
            low = low.rem_euclid(SPLIT);
            (high, low).cmp(&(0, 0))
        }
    }
}
