// SPDX-License-Identifier: MIT OR Apache-2.0
//! `left S right`: some earlier position at a distance in the interval satisfies `right`, all strictly between `left`.
// RULE K6

use gnomon_core::interval::Interval;

use crate::truth::Truth;
use crate::view::View;

pub(crate) fn truth(view: &View<'_>, interval: Interval, left: &[Truth], right: &[Truth], at: usize) -> Truth {
    let mut value = Truth::False;
    let mut between = Truth::True;
    for earlier in (0..at).rev() {
        if interval.contains(view.distance(earlier, at)) {
            value = value.max(between.min(right[earlier]));
        }
        between = between.min(left[earlier]);
    }
    value
}
