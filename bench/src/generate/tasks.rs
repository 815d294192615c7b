// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks that are pushed and popped, many thousands of them waiting at a time, in rounds.

use std::collections::VecDeque;

use super::{TraceEvent, TraceSource};
use crate::draws::Draws;
use crate::workload::{LIVE_TASKS, ROUND};

/// The task to pop is one of this many that have waited longest.
const OLDEST: u64 = 256;

/// Generates tasks. A round ends when all waiting tasks were popped; the lost tasks are its only violations.
pub(super) struct TaskSource {
    random: Draws,
    waiting: VecDeque<u64>,
    /// Tasks of this round that are never popped.
    lost: u64,
    violations: u64,
    last_id: u64,
}

impl TaskSource {
    pub(super) fn new(seed: u64) -> Self {
        TaskSource { random: Draws::new(seed), waiting: VecDeque::new(), lost: 0, violations: 0, last_id: 0 }
    }
}

impl TraceSource for TaskSource {
    fn next(&mut self, index: u64) -> TraceEvent {
        let time = index / 2_500;
        let plain = |name| TraceEvent { name, time, data: [None, None] };
        let left = ROUND - 1 - index % ROUND;
        if index.is_multiple_of(ROUND) {
            return plain("start");
        }
        if left == 0 {
            self.violations += std::mem::take(&mut self.lost);
            return plain("done");
        }
        let waiting = self.waiting.len() as u64;
        if waiting + 1 >= left || waiting >= LIVE_TASKS {
            let place = self.random.below(OLDEST.min(waiting)) as usize;
            if waiting > 0 {
                self.waiting.swap(0, place);
            }
            // If the round has one event more than needed, that event pops nothing, which violates nothing.
            let id = self.waiting.pop_front().unwrap_or(0);
            return TraceEvent { name: "pop", time, data: [Some(id), None] };
        }
        self.last_id += 1;
        if self.random.in_100_000(2) {
            self.lost += 1;
        } else {
            self.waiting.push_back(self.last_id);
        }
        TraceEvent { name: "push", time, data: [Some(self.last_id), None] }
    }

    fn violations(&self, _: u64) -> u64 {
        self.violations
    }
}
