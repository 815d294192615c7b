// SPDX-License-Identifier: MIT OR Apache-2.0
//! The mean distance from each start in a window of the past to the first end after it, compared with a bound.
// RULE K9

use gnomon_core::time::Duration;
use gnomon_core::value::Comparison;
use gnomon_ir::core::Ratio;

use crate::truth::Truth;
use crate::view::View;

pub(crate) fn truth(
    view: &View<'_>,
    reach: Duration,
    (from, to): (&[Truth], &[Truth]),
    comparison: Comparison,
    bound: Ratio,
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
    Truth::from(pairs > 0 && bound.compared_by(comparison, sum, pairs))
}
