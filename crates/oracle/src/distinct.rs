// SPDX-License-Identifier: MIT OR Apache-2.0
//! The number of different values in a window of the past, compared with a bound.
// RULE K15

use gnomon_core::{Duration, Value};

use crate::fold::in_window;
use crate::known_prefix::KnownPrefix;
use crate::operators::MeetsBound;
use crate::truth::Truth;

/// `values` has those of every position.
pub(crate) fn truth(
    view: &KnownPrefix<'_>,
    reach: Duration,
    values: &[Vec<Value<'static>>],
    meets: MeetsBound<'_>,
    at: usize,
) -> Truth {
    let values = in_window(view, reach, values, at);
    let is_new = |index: &usize| !values[..*index].contains(&values[*index]);
    let different = (0..values.len()).filter(is_new).count() as i128;
    Truth::from(meets(different, 1))
}
