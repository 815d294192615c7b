// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often something held in the last K.

use std::collections::VecDeque;

use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::Origin;
use serde::{Deserialize, Serialize};

/// RULE K7. COST: O(1) amortised; memory: the occurrences in the window.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Count {
    reach: Duration,
    occurrences: VecDeque<Origin>,
}

impl Count {
    pub(crate) fn new(reach: Duration) -> Self {
        Count { reach, occurrences: VecDeque::new() }
    }

    /// The number of occurrences in the window that ends at `time`, one more if it holds there.
    #[inline]
    pub(crate) fn query(&mut self, time: Timestamp, holds: bool) -> u64 {
        self.forget(time);
        self.occurrences.len() as u64 + u64::from(holds && self.reach >= Duration::ZERO)
    }

    #[inline]
    pub(crate) fn update(&mut self, origin: Origin, holds: bool) {
        if holds {
            self.forget(origin.time);
            self.occurrences.push_back(origin);
        }
    }

    #[inline]
    fn forget(&mut self, time: Timestamp) {
        while self.occurrences.front().is_some_and(|oldest| time - oldest.time > self.reach) {
            self.occurrences.pop_front();
        }
    }

    /// The last time at which what it counted may matter.
    pub(crate) fn busy_until(&self) -> Timestamp {
        self.occurrences.back().map_or(Timestamp::MIN, |last| last.time.saturating_add(self.reach))
    }

    /// What is counted, oldest first, without the present position.
    pub(crate) fn occurrences(&self) -> impl DoubleEndedIterator<Item = &Origin> {
        self.occurrences.iter()
    }
}
