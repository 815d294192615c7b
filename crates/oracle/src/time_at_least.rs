// SPDX-License-Identifier: MIT OR Apache-2.0
//! The position's own time, as the trace counts it, is at least so much.
// RULE K3

use gnomon_core::time::Duration;

use crate::truth::Truth;
use crate::view::View;

pub(crate) fn truth(view: &View<'_>, least: Duration, at: usize) -> Truth {
    Truth::from(view.times[at].ticks() >= least.ticks())
}
