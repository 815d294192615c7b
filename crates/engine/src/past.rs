// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operators over the past whose parts are known at once: they answer when the position comes.

pub(crate) mod count;
pub(crate) mod gap;
pub(crate) mod maximum;
pub(crate) mod since;

use serde::{Deserialize, Serialize};

/// The state of one such operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Past {
    Since(since::Since),
    Count(count::Count),
    Maximum(maximum::Maximum),
    Gap(gap::Gap),
}
