// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long things took.

use gnomon_core::time::Duration;
use gnomon_core::verdict::Durations;
use serde::{Deserialize, Serialize};

/// The shortest, the longest, the sum and the number of durations.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Tally {
    pub(super) min: Duration,
    pub(super) max: Duration,
    pub(super) sum: i128,
    pub(super) count: u64,
}

impl Tally {
    #[inline]
    pub(super) fn add(&mut self, duration: Duration) {
        if self.count == 0 || duration < self.min {
            self.min = duration;
        }
        if self.count == 0 || duration > self.max {
            self.max = duration;
        }
        self.sum += duration.ticks();
        self.count += 1;
    }

    pub(super) fn join(&mut self, other: Tally) {
        if other.count == 0 {
            return;
        }
        self.min = if self.count == 0 { other.min } else { self.min.min(other.min) };
        self.max = if self.count == 0 { other.max } else { self.max.max(other.max) };
        self.sum += other.sum;
        self.count += other.count;
    }

    pub(super) fn durations(self) -> Option<Durations> {
        let Tally { min, max, sum, count } = self;
        (count > 0).then_some(Durations { min, max, sum, count })
    }
}
