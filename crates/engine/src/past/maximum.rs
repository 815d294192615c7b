// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often something held at most in one step of the last K.

use std::collections::VecDeque;

use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::Origin;
use serde::{Deserialize, Serialize};

/// RULE K8. Step m holds the occurrences at a distance d with `floor(d / h) = m`, and all have `d < K`.
///
/// COST: O(1) amortised to keep; a query costs the lesser of the occurrences in the window and, with a search each,
/// the steps K/h. Memory: the occurrences in the window.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Maximum {
    window: Duration,
    step: Duration,
    occurrences: VecDeque<Origin>,
}

/// The fullest step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fullest {
    pub(crate) count: u64,
    /// m
    pub(crate) step: i128,
}

impl Maximum {
    pub(crate) fn new(window: Duration, step: Duration) -> Self {
        Maximum { window, step, occurrences: VecDeque::new() }
    }

    pub(crate) fn query(&mut self, time: Timestamp, holds: bool) -> Fullest {
        self.forget(time);
        let present = u64::from(holds && self.window > Duration::ZERO);
        let steps = self.window.ticks() / self.step.ticks();
        let searches = i128::from(usize::BITS - self.occurrences.len().leading_zeros());
        if steps.saturating_mul(searches) < self.occurrences.len() as i128 {
            self.by_search(time, present, steps)
        } else {
            self.by_scan(time, present)
        }
    }

    fn by_scan(&self, time: Timestamp, present: u64) -> Fullest {
        let mut best = Fullest { count: 0, step: 0 };
        let mut current = Fullest { count: present, step: 0 };
        for occurrence in self.occurrences.iter().rev() {
            let step = self.step_of(time, occurrence);
            if step != current.step {
                best = fuller(best, current);
                current = Fullest { count: 0, step };
            }
            current.count += 1;
        }
        fuller(best, current)
    }

    fn by_search(&self, time: Timestamp, present: u64, steps: i128) -> Fullest {
        let mut best = Fullest { count: 0, step: 0 };
        let mut newer = self.occurrences.len();
        for step in 0..=steps {
            let older = self.occurrences.partition_point(|occurrence| self.step_of(time, occurrence) > step);
            let count = (newer - older) as u64 + if step == 0 { present } else { 0 };
            best = fuller(best, Fullest { count, step });
            newer = older;
        }
        best
    }

    /// The step that an occurrence is in, seen from `time`.
    pub(crate) fn step_of(&self, time: Timestamp, occurrence: &Origin) -> i128 {
        (time - occurrence.time).ticks() / self.step.ticks()
    }

    pub(crate) fn update(&mut self, origin: Origin, holds: bool) {
        if holds {
            self.forget(origin.time);
            self.occurrences.push_back(origin);
        }
    }

    fn forget(&mut self, time: Timestamp) {
        while self.occurrences.front().is_some_and(|oldest| time - oldest.time >= self.window) {
            self.occurrences.pop_front();
        }
    }

    /// The last time at which what it counted may matter.
    pub(crate) fn busy_until(&self) -> Timestamp {
        self.occurrences.back().map_or(Timestamp::MIN, |last| last.time.saturating_add(self.window))
    }

    pub(crate) fn occurrences(&self) -> impl DoubleEndedIterator<Item = &Origin> {
        self.occurrences.iter()
    }
}

fn fuller(best: Fullest, other: Fullest) -> Fullest {
    if other.count > best.count { other } else { best }
}
