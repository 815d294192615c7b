// SPDX-License-Identifier: MIT OR Apache-2.0
//! `left U_I right`, both known at once.

use std::collections::VecDeque;

use gnomon_core::interval::Interval;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_ir::core::NodeId;
use serde::{Deserialize, Serialize};

use super::Round;
use crate::fact::Fact;

/// RULE K5. At every pending position `left` has held ever since, so the pending ones share their fate but for the
/// interval: a `right` settles all that are far enough back, the first position without `left` all the rest, and the
/// upper end the oldest. Without bounds they are one run, whatever its length.
///
/// COST: O(1) amortised; memory: with bounds the wanted positions nearer than the upper end, else O(1).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Until {
    interval: Interval,
    pending: Pending,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Pending {
    /// Neither end of the interval matters.
    Run(Option<(u64, u64)>),
    /// Each wanted position with its time, oldest first.
    Timed(VecDeque<(Timestamp, u64)>),
}

impl Until {
    /// `interval.lo` is zero where every later position is far enough.
    pub(crate) fn new(interval: Interval) -> Self {
        let untimed = interval.hi.is_none() && interval.lo <= Duration::ZERO;
        let pending = if untimed { Pending::Run(None) } else { Pending::Timed(VecDeque::new()) };
        Until { interval, pending }
    }

    /// When the oldest pending position leaves the interval: certain at any later time.
    #[inline]
    pub(crate) fn deadline(&self) -> Option<Timestamp> {
        match &self.pending {
            Pending::Timed(times) => times.front().zip(self.interval.hi).map(|((time, _), hi)| time.saturating_add(hi)),
            Pending::Run(_) => None,
        }
    }

    pub(crate) fn is_waiting(&self) -> bool {
        match &self.pending {
            Pending::Run(run) => run.is_some(),
            Pending::Timed(times) => !times.is_empty(),
        }
    }

    #[inline]
    pub(crate) fn round(&mut self, id: NodeId, left: bool, right: bool, round: Round, out: &mut Vec<Fact>) {
        let mut tell = |from, to, value| out.push(Fact { from, to, value, blame: id });
        match &mut self.pending {
            Pending::Run(run) => {
                if let Some((from, to)) = *run
                    && (round.ended || (round.new.is_some() && (right || !left)))
                {
                    tell(from, to, !round.ended && right);
                    *run = None;
                }
                if let Some((position, _)) = round.new
                    && round.wanted
                {
                    *run = Some((run.map_or(position, |(from, _)| from), position));
                }
            }
            Pending::Timed(times) => {
                if let Some((position, time)) = round.new {
                    if right && let Some((from, to)) = take(times, |start| time - start >= self.interval.lo) {
                        tell(from, to, true);
                    }
                    if !left && let Some((from, to)) = take(times, |_| true) {
                        tell(from, to, false);
                    }
                    if round.wanted {
                        times.push_back((time, position));
                    }
                }
                let over = |start: Timestamp| {
                    round.ended || self.interval.hi.is_some_and(|hi| start.saturating_add(hi) < round.frontier)
                };
                if let Some((from, to)) = take(times, over) {
                    tell(from, to, false);
                }
            }
        }
    }
}

/// Takes positions off the front while `done` says so, and gives the first and the last of them.
#[inline]
fn take(times: &mut VecDeque<(Timestamp, u64)>, done: impl Fn(Timestamp) -> bool) -> Option<(u64, u64)> {
    let mut taken = None;
    while let Some(&(time, position)) = times.front() {
        if !done(time) {
            break;
        }
        taken = Some((taken.map_or(position, |(from, _)| from), position));
        times.pop_front();
    }
    taken
}
