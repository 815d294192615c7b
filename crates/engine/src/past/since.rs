// SPDX-License-Identifier: MIT OR Apache-2.0
//! `left S_I right`, both known at once.

use std::collections::VecDeque;

use gnomon_core::interval::Interval;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::Origin;
use serde::{Deserialize, Serialize};

/// RULE K6. The candidates are the positions where `right` held, with `left` ever since. Of those far enough back
/// only the latest matters (it is nearest to the lower end, so it leaves the interval last).
///
/// COST: O(1) amortised; memory: the candidates nearer than the lower end, one if there is no upper end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Since {
    interval: Interval,
    /// The latest candidate at a distance of at least the lower end.
    ripe: Option<Timestamp>,
    /// Candidates nearer than that, oldest first.
    green: VecDeque<Timestamp>,
    /// For the story of a violation: where `right` last held, and where `left` last did not.
    last_right: Option<Origin>,
    last_break: Option<Origin>,
}

impl Since {
    pub(crate) fn new(interval: Interval) -> Self {
        Since { interval, ripe: None, green: VecDeque::new(), last_right: None, last_break: None }
    }

    /// Its value at a position, before [`Since::update`] tells what holds there.
    #[inline]
    pub(crate) fn query(&mut self, time: Timestamp) -> bool {
        while let Some(&candidate) = self.green.front() {
            if time - candidate < self.interval.lo {
                break;
            }
            self.ripe = Some(candidate);
            self.green.pop_front();
        }
        self.ripe.is_some_and(|candidate| !self.interval.is_past(time - candidate))
    }

    #[inline]
    pub(crate) fn update(&mut self, origin: Origin, left: bool, right: bool) {
        if !left {
            self.ripe = None;
            self.green.clear();
            self.last_break = Some(origin);
        }
        if right {
            self.last_right = Some(origin);
            self.add(origin.time);
        }
    }

    fn add(&mut self, time: Timestamp) {
        let unbounded = self.interval.hi.is_none();
        if unbounded && (self.ripe.is_some() || !self.green.is_empty()) {
            return; // the oldest candidate stays the best: it never leaves the interval
        }
        if self.interval.lo <= Duration::ZERO {
            self.ripe = Some(time);
        } else {
            self.query(time); // keeps the queue as short as the lower end allows even if nobody asks
            self.green.push_back(time);
        }
    }

    /// The last time at which a candidate may matter.
    pub(crate) fn busy_until(&self) -> Timestamp {
        let latest = self.green.back().copied().or(self.ripe);
        latest.map_or(Timestamp::MIN, |latest| self.interval.hi.map_or(Timestamp::MAX, |hi| latest.saturating_add(hi)))
    }

    pub(crate) fn last_right(&self) -> Option<Origin> {
        self.last_right
    }

    pub(crate) fn last_break(&self) -> Option<Origin> {
        self.last_break
    }
}
