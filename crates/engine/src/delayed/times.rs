// SPDX-License-Identifier: MIT OR Apache-2.0
//! The times of the latest positions.

use std::collections::VecDeque;

use gnomon_core::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Times by position, from some position on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Times {
    first: u64,
    times: VecDeque<Timestamp>,
}

impl Times {
    pub(crate) fn push(&mut self, position: u64, time: Timestamp) {
        if self.times.is_empty() {
            self.first = position;
        }
        self.times.push_back(time);
    }

    pub(crate) fn last(&self) -> Option<u64> {
        (self.times.len() as u64).checked_sub(1).map(|offset| self.first + offset)
    }

    /// The time of a position that is kept.
    pub(crate) fn get(&self, position: u64) -> Timestamp {
        self.times[(position - self.first) as usize]
    }

    /// The first position whose time does not satisfy the predicate (one past the last if all do).
    pub(crate) fn partition_point(&self, mut earlier: impl FnMut(Timestamp) -> bool) -> u64 {
        self.first + self.times.partition_point(|time| earlier(*time)) as u64
    }

    pub(crate) fn forget_before(&mut self, position: u64) {
        let count = position.saturating_sub(self.first).min(self.times.len() as u64);
        self.times.drain(..count as usize);
        self.first += count;
    }
}
