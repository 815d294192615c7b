// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether something holds at the last position at most so much later.
// RULE K11

use gnomon_core::time::Duration;

use crate::truth::Truth;
use crate::view::View;

/// `ties`: whether several positions may have the same time.
pub(crate) fn truth(view: &View<'_>, reach: Duration, of: &[Truth], ties: bool, at: usize) -> Truth {
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
