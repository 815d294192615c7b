// SPDX-License-Identifier: MIT OR Apache-2.0
//! The mean time from a start in the last K to the next end.

use std::collections::VecDeque;

use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::Origin;
use serde::{Deserialize, Serialize};

/// RULE K9. Starts wait until an end comes, which serves all of them; from then on each is a pair until it leaves the
/// window. Sums are kept, exactly.
///
/// COST: O(1) amortised; memory: the starts in the window.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Gap {
    reach: Duration,
    /// Starts with the time to their end, oldest first.
    pairs: VecDeque<Pair>,
    /// The sum of those times, in ticks.
    paired: i128,
    /// Starts without an end, oldest first; all are later than the paired ones.
    waiting: VecDeque<Origin>,
    /// The sum of their times, in ticks.
    waited: i128,
}

/// A start and how long its end took.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Pair {
    pub(crate) start: Origin,
    pub(crate) took: Duration,
}

/// The sum of the times and the number of pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mean {
    pub(crate) sum: i128,
    pub(crate) count: u64,
}

impl Gap {
    pub(crate) fn new(reach: Duration) -> Self {
        Gap { reach, pairs: VecDeque::new(), paired: 0, waiting: VecDeque::new(), waited: 0 }
    }

    /// The pairs of the window that ends at `time`; `ends`: an end happens there.
    pub(crate) fn query(&mut self, time: Timestamp, ends: bool) -> Mean {
        self.forget(time);
        let mut mean = Mean { sum: self.paired, count: self.pairs.len() as u64 };
        if ends {
            let waiting = self.waiting.len();
            mean.sum += time.ticks() * waiting as i128 - self.waited;
            mean.count += waiting as u64;
        }
        mean
    }

    pub(crate) fn update(&mut self, origin: Origin, starts: bool, ends: bool) {
        if !starts && !ends {
            return;
        }
        self.forget(origin.time);
        if ends {
            for start in self.waiting.drain(..) {
                let took = origin.time - start.time;
                self.paired += took.ticks();
                self.pairs.push_back(Pair { start, took });
            }
            self.waited = 0;
        }
        if starts {
            self.waited += origin.time.ticks();
            self.waiting.push_back(origin);
        }
    }

    fn forget(&mut self, time: Timestamp) {
        while let Some(pair) = self.pairs.front() {
            if time - pair.start.time <= self.reach {
                break;
            }
            self.paired -= pair.took.ticks();
            self.pairs.pop_front();
        }
        while let Some(start) = self.waiting.front() {
            if time - start.time <= self.reach {
                break;
            }
            self.waited -= start.time.ticks();
            self.waiting.pop_front();
        }
    }

    /// The last time at which what it holds may matter.
    pub(crate) fn busy_until(&self) -> Timestamp {
        let starts = self.pairs.back().map(|pair| pair.start).into_iter().chain(self.waiting.back().copied());
        starts.map(|start| start.time.saturating_add(self.reach)).max().unwrap_or(Timestamp::MIN)
    }

    /// The pairs, oldest first; an end at the present position is not yet counted.
    pub(crate) fn pairs(&self) -> impl DoubleEndedIterator<Item = &Pair> {
        self.pairs.iter()
    }

    /// The starts that wait for an end.
    pub(crate) fn waiting(&self) -> impl DoubleEndedIterator<Item = &Origin> {
        self.waiting.iter()
    }
}
