// SPDX-License-Identifier: MIT OR Apache-2.0
//! Written constants against distances of time, exactly.

use std::cmp::Ordering;

use gnomon_core::time::{Clock, Duration, Quantity, TICKS_PER_BARE_UNIT};
use gnomon_core::value::Comparison;
use gnomon_ir::formula::{Aggregate, Bounds};

/// A constant in ticks. One that is no whole number of ticks does not pass the checker.
pub(super) fn ticks(clock: Clock, quantity: Quantity) -> i128 {
    clock.duration(quantity).map_or(0, Duration::ticks)
}

/// Whether a distance lies between the bounds as they are written.
// RULE S1
pub(super) fn contains(clock: Clock, bounds: &Bounds, distance: Duration) -> bool {
    let compare = |quantity| distance.ticks().cmp(&ticks(clock, quantity));
    let above = |ordering: Ordering| ordering.is_gt() || (bounds.lo_closed && ordering.is_eq());
    let below = |ordering: Ordering| ordering.is_lt() || (bounds.hi_closed && ordering.is_eq());
    above(compare(bounds.lo)) && bounds.hi.is_none_or(|hi| below(compare(hi)))
}

/// Whether some distance of at least `least` lies below the upper bound.
pub(super) fn reaches(clock: Clock, bounds: &Bounds, least: Duration) -> bool {
    bounds.hi.is_none_or(|hi| {
        let ordering = least.ticks().cmp(&ticks(clock, hi));
        ordering.is_lt() || (bounds.hi_closed && ordering.is_eq())
    })
}

/// Compares `number / count` with a bare constant.
pub(super) fn compare_mean(comparison: Comparison, number: i128, count: i128, bound: Quantity) -> bool {
    let left = number.saturating_mul(TICKS_PER_BARE_UNIT);
    comparison.accepts(left.cmp(&bound.billionths.saturating_mul(count)))
}

/// The `K` of an aggregate.
pub(super) fn window_of(aggregate: &Aggregate) -> Quantity {
    match aggregate {
        Aggregate::Count { window, .. }
        | Aggregate::Average { window, .. }
        | Aggregate::Maximum { window, .. }
        | Aggregate::Gap { window, .. }
        | Aggregate::Fold { window, .. } => *window,
    }
}
