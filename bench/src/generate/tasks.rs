// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks that are pushed and popped, many thousands of them waiting at a time, in rounds.

use std::collections::VecDeque;

use super::{Event, Source};
use crate::random::Random;
use crate::workload::{LIVE_TASKS, ROUND};

/// Who is popped is one of so many that have waited longest.
const OLDEST: u64 = 256;

/// A trace of tasks in the making. A round ends when all that wait were popped; what was lost is all that is wrong with it.
pub(super) struct TaskSource {
    random: Random,
    waiting: VecDeque<u64>,
    /// Tasks of this round that nobody will pop.
    lost: u64,
    violations: u64,
    last_id: u64,
}

impl TaskSource {
    pub(super) fn new(seed: u64) -> Self {
        TaskSource { random: Random::new(seed), waiting: VecDeque::new(), lost: 0, violations: 0, last_id: 0 }
    }
}

impl Source for TaskSource {
    fn next(&mut self, index: u64) -> Event {
        let time = index / 2_500;
        let plain = |name| Event { name, time, data: [None, None] };
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
            // Where the round has an event too many, nothing is popped: nobody minds.
            let id = self.waiting.pop_front().unwrap_or(0);
            return Event { name: "pop", time, data: [Some(id), None] };
        }
        self.last_id += 1;
        if self.random.in_100_000(2) {
            self.lost += 1;
        } else {
            self.waiting.push_back(self.last_id);
        }
        Event { name: "push", time, data: [Some(self.last_id), None] }
    }

    fn violations(&self, _: u64) -> u64 {
        self.violations
    }
}
