// SPDX-License-Identifier: MIT OR Apache-2.0
//! Intervals of distances in time.

use serde::{Deserialize, Serialize};

use crate::time::Duration;

/// A non-empty set of distances `lo ..= hi`, in ticks. Open ends are closed one tick further in: time is a number of
/// ticks, so `(2, 5)` and `[2 + 1 tick, 5 - 1 tick]` are the same set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Interval {
    /// The least distance.
    pub lo: Duration,
    /// The greatest distance; `None`: any.
    pub hi: Option<Duration>,
    /// True if the upper end was written open. Membership does not depend on it, only the wording of deadlines: "before
    /// 5" instead of "by 5 less one tick".
    pub open_above: bool,
}

impl Interval {
    /// `[0, inf)`
    pub const ANY: Interval = Interval { lo: Duration::ZERO, hi: None, open_above: true };
    /// `(0, inf)`
    pub const POSITIVE: Interval = Interval { lo: Duration::from_ticks(1), hi: None, open_above: true };

    /// Builds an interval from written bounds; `None` if it would be empty.
    pub fn new(lo: Duration, lo_closed: bool, hi: Option<(Duration, bool)>) -> Option<Interval> {
        let lo = Duration::from_ticks(lo.ticks().checked_add(i128::from(!lo_closed))?);
        let (hi, open_above) = match hi {
            Some((hi, closed)) => (Some(Duration::from_ticks(hi.ticks() - i128::from(!closed))), !closed),
            None => (None, true),
        };
        (hi.is_none_or(|hi| lo <= hi)).then_some(Interval { lo, hi, open_above })
    }

    /// Returns true if the distance lies in the interval.
    #[inline]
    pub fn contains(self, distance: Duration) -> bool {
        distance >= self.lo && self.hi.is_none_or(|hi| distance <= hi)
    }

    /// Returns true if the distance exceeds the upper end.
    #[inline]
    pub fn is_past(self, distance: Duration) -> bool {
        self.hi.is_some_and(|hi| distance > hi)
    }

    /// The upper end as it was written.
    pub fn written_hi(self) -> Option<Duration> {
        self.hi.map(|hi| Duration::from_ticks(hi.ticks() + i128::from(self.open_above)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(ticks: i128) -> Duration {
        Duration::from_ticks(ticks)
    }

    #[test]
    fn open_ends_exclude() {
        let open = Interval::new(ticks(2), false, Some((ticks(5), false))).unwrap();
        assert_eq!([2, 3, 4, 5].map(|at| open.contains(ticks(at))), [false, true, true, false]);
        assert!(open.is_past(ticks(5)));
        assert_eq!(open.written_hi(), Some(ticks(5)));
    }

    #[test]
    fn empty_intervals_do_not_exist() {
        assert_eq!(Interval::new(ticks(5), true, Some((ticks(3), true))), None);
        assert_eq!(Interval::new(ticks(3), false, Some((ticks(3), true))), None);
        assert!(Interval::new(ticks(3), true, Some((ticks(3), true))).is_some());
    }
}
