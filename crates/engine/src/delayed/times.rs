// SPDX-License-Identifier: MIT OR Apache-2.0
//! The times of the latest positions.

use std::collections::VecDeque;

use gnomon_core::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Times of positions, from some position on. Positions where nothing happens may be left out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Times {
    times: VecDeque<(u64, Timestamp)>,
}

impl Times {
    pub(crate) fn push(&mut self, position: u64, time: Timestamp) {
        self.times.push_back((position, time));
    }

    pub(crate) fn last(&self) -> Option<u64> {
        self.times.back().map(|(position, _)| *position)
    }

    /// The time of a position that is kept.
    pub(crate) fn get(&self, position: u64) -> Timestamp {
        let index = self.times.partition_point(|(known, _)| *known < position);
        self.times[index].1
    }

    /// The first position that is kept and whose time does not satisfy the predicate (one past the last if all do).
    pub(crate) fn partition_point(&self, mut earlier: impl FnMut(Timestamp) -> bool) -> u64 {
        let index = self.times.partition_point(|(_, time)| earlier(*time));
        self.times.get(index).map_or_else(|| self.last().map_or(0, |last| last + 1), |(position, _)| *position)
    }

    pub(crate) fn forget_before(&mut self, position: u64) {
        let count = self.times.partition_point(|(known, _)| *known < position);
        self.times.drain(..count);
    }
}
