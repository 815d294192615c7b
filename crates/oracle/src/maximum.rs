// SPDX-License-Identifier: MIT OR Apache-2.0
//! The greatest number of positions in one step of a window of the past, compared with a bound.
// RULE K8

use gnomon_core::time::Duration;
use gnomon_core::value::Comparison;
use gnomon_ir::core::Ratio;

use crate::count::{compare, tally};
use crate::truth::Truth;
use crate::view::View;

pub(crate) fn truth(
    view: &View<'_>,
    (window, step): (Duration, Duration),
    of: &[Truth],
    comparison: Comparison,
    bound: Ratio,
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
        let (least, most) = tally(in_step, of);
        greatest = (least.max(greatest.0), most.max(greatest.1));
    }
    compare(greatest, comparison, bound)
}
