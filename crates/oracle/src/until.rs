// SPDX-License-Identifier: MIT OR Apache-2.0
//! `left U right`: some later position at a distance in the interval satisfies `right`, all strictly between `left`.
// RULE K5

use gnomon_core::interval::Interval;

use crate::truth::Truth;
use crate::view::View;

pub(crate) fn truth(view: &View<'_>, interval: Interval, left: &[Truth], right: &[Truth], at: usize) -> Truth {
    let mut value = Truth::False;
    let mut between = Truth::True;
    for later in at + 1..view.times.len() {
        if interval.contains(view.distance(at, later)) {
            value = value.max(between.min(right[later]));
        }
        between = between.min(left[later]);
    }
    if view.may_follow(at, interval) {
        value = value.max(between.min(Truth::Unknown));
    }
    value
}
