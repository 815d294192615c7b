// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operators of the kernel form, one function each: the truth value at position `at`, given the operands at every known
//! position.
//!
//! Each function transcribes its rule in `docs/semantics.md` and is kept as plain as the rule. Unknown operands make the
//! result unknown unless every completion of the trace gives the same value.

use gnomon_core::{Duration, Interval};

use crate::known_prefix::KnownPrefix;
use crate::truth::Truth;

/// Compares a total divided by a count with the bound of an operator.
pub(crate) type MeetsBound<'a> = &'a dyn Fn(i128, i128) -> bool;

/// The position's own time, as the trace counts it, is at least `least`.
// RULE K3
pub(crate) fn time_at_least(view: &KnownPrefix<'_>, least: Duration, at: usize) -> Truth {
    Truth::from(view.times[at].ticks() >= least.ticks())
}

/// Conjunction: the least value of its parts.
// RULE K4
pub(crate) fn and(parts: impl Iterator<Item = Truth>) -> Truth {
    parts.min().unwrap_or(Truth::True)
}

/// `left U right`: some later position at a distance in the interval satisfies `right`, all strictly between `left`.
// RULE K5
pub(crate) fn until(view: &KnownPrefix<'_>, interval: Interval, left: &[Truth], right: &[Truth], at: usize) -> Truth {
    let is_in_reach = |later| interval.contains(view.distance(at, later));
    let (value, all_between) = search(at + 1..view.times.len(), is_in_reach, left, right);
    if view.may_follow(at, interval) { value.max(all_between.min(Truth::Unknown)) } else { value }
}

/// `left S right`: some earlier position at a distance in the interval satisfies `right`, all strictly between `left`.
// RULE K6
pub(crate) fn since(view: &KnownPrefix<'_>, interval: Interval, left: &[Truth], right: &[Truth], at: usize) -> Truth {
    search((0..at).rev(), |earlier| interval.contains(view.distance(earlier, at)), left, right).0
}

/// Walks away from a position. Returns the truth value of `right` at some position in reach with `left` at all positions
/// before it, and the truth value of `left` at all positions.
fn search(
    positions: impl Iterator<Item = usize>,
    is_in_reach: impl Fn(usize) -> bool,
    left: &[Truth],
    right: &[Truth],
) -> (Truth, Truth) {
    positions.fold((Truth::False, Truth::True), |(value, between), there| {
        let found = if is_in_reach(there) { between.min(right[there]) } else { Truth::False };
        (value.max(found), between.min(left[there]))
    })
}

/// The number of positions in a window of the past meets the bound.
// RULE K7
pub(crate) fn count(view: &KnownPrefix<'_>, reach: Duration, of: &[Truth], meets: MeetsBound<'_>, at: usize) -> Truth {
    let in_window = (0..=at).filter(|&earlier| view.distance(earlier, at) <= reach);
    compare(count_true(in_window, of), meets)
}

/// The greatest number of positions in one step of a window of the past meets the bound.
// RULE K8
pub(crate) fn maximum(
    view: &KnownPrefix<'_>,
    (window, step): (Duration, Duration),
    of: &[Truth],
    meets: MeetsBound<'_>,
    at: usize,
) -> Truth {
    let (window, step) = (window.ticks(), step.ticks());
    let mut greatest = (0, 0);
    // Steps that begin before the trace does are empty: leaving them out keeps the loop as short as the trace.
    let age = view.distance(0, at).ticks();
    for m in 0..=(window / step).min(age / step) {
        // Distances d with m·step <= d < min(window, (m+1)·step).
        let (near, far) = (m * step, window.min((m + 1) * step));
        let in_step = (0..=at).filter(|&earlier| (near..far).contains(&view.distance(earlier, at).ticks()));
        let (least, most) = count_true(in_step, of);
        greatest = (least.max(greatest.0), most.max(greatest.1));
    }
    compare(greatest, meets)
}

/// Returns the certain and the possible number of positions where `of` is true.
fn count_true(positions: impl Iterator<Item = usize>, of: &[Truth]) -> (i128, i128) {
    positions.fold((0, 0), |(least, most), position| match of[position] {
        Truth::False => (least, most),
        Truth::Unknown => (least, most + 1),
        Truth::True => (least + 1, most + 1),
    })
}

/// Definite where all numbers from the least to the greatest compare alike.
fn compare((least, most): (i128, i128), meets: MeetsBound<'_>) -> Truth {
    let first = meets(least, 1);
    if (least..=most).all(|number| meets(number, 1) == first) { Truth::from(first) } else { Truth::Unknown }
}

/// The mean distance from each start in a window of the past to the first end after it meets the bound.
// RULE K9
pub(crate) fn gap(
    view: &KnownPrefix<'_>,
    reach: Duration,
    (from, to): (&[Truth], &[Truth]),
    meets: MeetsBound<'_>,
    at: usize,
) -> Truth {
    let (mut sum, mut pairs) = (0, 0);
    for start in (0..=at).filter(|&start| view.distance(start, at) <= reach && from[start] != Truth::False) {
        let Some(end) = (start + 1..=at).find(|&end| to[end] != Truth::False) else {
            continue;
        };
        if from[start] == Truth::Unknown || to[end] == Truth::Unknown {
            return Truth::Unknown;
        }
        sum += view.distance(start, end).ticks();
        pairs += 1;
    }
    Truth::from(pairs > 0 && meets(sum, pairs))
}

/// `of` holds at the last position at most `reach` later. `ties`: several positions may have the same time.
// RULE K11
pub(crate) fn in_future(view: &KnownPrefix<'_>, reach: Duration, of: &[Truth], ties: bool, at: usize) -> Truth {
    let length = view.times.len();
    let last = (at..length).rev().find(|&later| view.distance(at, later) <= reach).unwrap_or(at);
    let is_passed = last + 1 < length;
    // Nothing else can stand exactly there, or nothing else comes at all.
    let is_reached = view.distance(at, last) == reach && (!ties || view.next.is_none());
    if is_passed || is_reached {
        of[last]
    } else if view.next.is_none() {
        Truth::False
    } else {
        Truth::Unknown
    }
}
