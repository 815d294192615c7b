// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operators over the past whose parts are known at once: they answer when the position comes.

pub(crate) mod count;
pub(crate) mod fold;
pub(crate) mod gap;
pub(crate) mod maximum;
pub(crate) mod since;

use gnomon_core::time::Timestamp;
use serde::{Deserialize, Serialize};

/// The state of one such operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Past {
    Since(since::Since),
    Count(count::Count),
    Maximum(maximum::Maximum),
    Gap(gap::Gap),
    Fold(fold::Fold),
}

impl Past {
    /// The last time at which what it remembers may matter to anyone, if nothing is added.
    pub(crate) fn busy_until(&self) -> Timestamp {
        match self {
            Past::Since(since) => since.busy_until(),
            Past::Count(count) => count.busy_until(),
            Past::Maximum(maximum) => maximum.busy_until(),
            Past::Gap(gap) => gap.busy_until(),
            Past::Fold(fold) => fold.busy_until(),
        }
    }
}
