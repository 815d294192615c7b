// SPDX-License-Identifier: MIT OR Apache-2.0
//! `left U_I right`, both parts known immediately.

use std::collections::VecDeque;

use gnomon_core::interval::Interval;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_ir::core::NodeId;
use serde::{Deserialize, Serialize};

use super::{Fact, Round};
use crate::past::pop_front_if;

/// The state of `left U_I right`: the positions whose value is wanted and not known yet. RULE K5.
///
/// INVARIANT: `left` has held at every position since each pending one. So only the interval distinguishes pending positions: a true
/// `right` settles all that are far enough back, a false `left` settles the rest, and the upper end settles the oldest. Without bounds
/// all pending positions are one range.
///
/// Example: `a U[2,5] b` with `a` at the times 0, 1 and 2. At time 2 `b` makes the position at 0 true; those at 1 and 2 are too near
/// and stay pending. At time 4 neither `a` nor `b` holds, so both are false.
///
/// COST: O(1) amortised; memory: with bounds the wanted positions nearer than the upper end, otherwise O(1).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Until {
    interval: Interval,
    pending: PendingPositions,
}

/// Positions whose value is wanted and not yet certain.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum PendingPositions {
    /// One range, where the interval has no bounds.
    Range(Option<(u64, u64)>),
    /// Each wanted position with its time, oldest first.
    Timed(VecDeque<(Timestamp, u64)>),
}

impl Until {
    /// Creates the state before the first position. `interval.lo` is zero where every later position is far enough.
    pub(crate) fn new(interval: Interval) -> Self {
        let is_untimed = interval.hi.is_none() && interval.lo <= Duration::ZERO;
        let pending = if is_untimed { PendingPositions::Range(None) } else { PendingPositions::Timed(VecDeque::new()) };
        Until { interval, pending }
    }

    /// Returns the time at which the interval of the oldest pending position ends; its value is certain at any later time.
    #[inline]
    pub(crate) fn deadline(&self) -> Option<Timestamp> {
        match &self.pending {
            PendingPositions::Timed(times) => {
                times.front().zip(self.interval.hi).map(|((time, _), hi)| time.saturating_add(hi))
            }
            PendingPositions::Range(_) => None,
        }
    }

    pub(crate) fn is_waiting(&self) -> bool {
        match &self.pending {
            PendingPositions::Range(range) => range.is_some(),
            PendingPositions::Timed(times) => !times.is_empty(),
        }
    }

    #[inline]
    pub(crate) fn round(&mut self, id: NodeId, left: bool, right: bool, round: Round, out: &mut Vec<Fact>) {
        let mut emit = |from, to, value| out.push(Fact { from, to, value, blame: id });
        match &mut self.pending {
            PendingPositions::Range(range) => {
                if let Some((from, to)) = *range
                    && (round.ended || (round.new.is_some() && (right || !left)))
                {
                    emit(from, to, !round.ended && right);
                    *range = None;
                }
                if let Some((position, _)) = round.new
                    && round.wanted
                {
                    *range = Some((range.map_or(position, |(from, _)| from), position));
                }
            }
            PendingPositions::Timed(times) => {
                if let Some((position, time)) = round.new {
                    if right && let Some((from, to)) = drain_front(times, |start| time - start >= self.interval.lo) {
                        emit(from, to, true);
                    }
                    if !left && let Some((from, to)) = drain_front(times, |_| true) {
                        emit(from, to, false);
                    }
                    if round.wanted {
                        times.push_back((time, position));
                    }
                }
                let is_over = |start: Timestamp| {
                    round.ended || self.interval.hi.is_some_and(|hi| start.saturating_add(hi) < round.frontier)
                };
                if let Some((from, to)) = drain_front(times, is_over) {
                    emit(from, to, false);
                }
            }
        }
    }
}

/// Removes positions from the front while `is_done` and returns the first and the last of them.
#[inline]
fn drain_front(times: &mut VecDeque<(Timestamp, u64)>, is_done: impl Fn(Timestamp) -> bool) -> Option<(u64, u64)> {
    let mut drained = None;
    while let Some((_, position)) = pop_front_if(times, |(time, _)| is_done(*time)) {
        drained = Some((drained.map_or(position, |(from, _)| from), position));
    }
    drained
}
