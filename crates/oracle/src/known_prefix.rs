// SPDX-License-Identifier: MIT OR Apache-2.0
//! Knowledge of a trace at some moment.

use gnomon_core::{Duration, Interval, Simultaneous, Timestamp};

/// Known part of a trace: its first positions, and the earliest time of the next position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownPrefix<'a> {
    /// The times of the known positions.
    pub(crate) times: &'a [Timestamp],
    /// The least time at which another position may stand; `None`: no other comes.
    pub(crate) next: Option<Timestamp>,
}

impl KnownPrefix<'_> {
    /// The distance from position `from` to position `to`.
    pub(crate) fn distance(&self, from: usize, to: usize) -> Duration {
        self.times[to] - self.times[from]
    }

    /// Returns true if a position that is not known yet may lie at a distance in the interval after position `from`.
    // RULE V2
    pub(crate) fn may_follow(&self, from: usize, interval: Interval) -> bool {
        let last_chance = interval.hi.map_or(Timestamp::MAX, |hi| self.times[from].saturating_add(hi));
        self.next.is_some_and(|next| next <= last_chance)
    }
}

/// The least time of a position that may follow one at `last`.
// RULE T3, T4
pub(crate) fn earliest_after(last: Timestamp, simultaneous: Simultaneous) -> Timestamp {
    match simultaneous {
        Simultaneous::Merge => last.saturating_add(Duration::from_ticks(1)),
        Simultaneous::Sequence => last,
    }
}
