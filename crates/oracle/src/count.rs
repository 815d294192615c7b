// SPDX-License-Identifier: MIT OR Apache-2.0
//! A number of positions in a window of the past, compared with a bound.
// RULE K7

use gnomon_core::time::Duration;
use gnomon_core::value::Comparison;
use gnomon_ir::core::Ratio;

use crate::truth::Truth;
use crate::view::View;

pub(crate) fn truth(
    view: &View<'_>,
    reach: Duration,
    of: &[Truth],
    comparison: Comparison,
    bound: Ratio,
    at: usize,
) -> Truth {
    let in_window = (0..=at).filter(|&earlier| view.distance(earlier, at) <= reach);
    compare(tally(in_window, of), comparison, bound)
}

/// How many it are for certain, and how many it may be.
pub(crate) fn tally(positions: impl Iterator<Item = usize>, of: &[Truth]) -> (i128, i128) {
    positions.fold((0, 0), |(least, most), position| match of[position] {
        Truth::False => (least, most),
        Truth::Unknown => (least, most + 1),
        Truth::True => (least + 1, most + 1),
    })
}

/// Definite where every number from the least to the most compares alike.
pub(crate) fn compare((least, most): (i128, i128), comparison: Comparison, bound: Ratio) -> Truth {
    let first = bound.compared_by(comparison, least, 1);
    if (least..=most).all(|number| bound.compared_by(comparison, number, 1) == first) {
        Truth::from(first)
    } else {
        Truth::Unknown
    }
}
