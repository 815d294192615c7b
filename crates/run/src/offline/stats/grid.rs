// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where intervals begin and end.

use gnomon_core::time::{Clock, Duration, TimeKind, Timestamp, Unit};

use super::BadInterval;

/// So many intervals are told at most if someone chose their length.
const MOST: i64 = 10_000;
/// So many if nobody did: with the steps between lengths, 20 to 100 are left.
const MOST_GROWING: i64 = 100;

/// Intervals of one length, numbered; number 0 begins at the start.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    start: Timestamp,
    /// In ticks.
    width: i128,
    growth: Option<Growth>,
    /// The greatest length that all times are multiples of, from the start.
    granule: i128,
    /// The first and the last number that was asked for.
    range: Option<(i64, i64)>,
}

/// Which lengths follow each other. Each divides the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Growth {
    /// 1, 2, 10, 20, 100...
    Decimal,
    /// The same up to a second, then 5 and 10 and 30 seconds, a minute and so on up to days.
    Clock,
}

const SECOND: i128 = Unit::Second.nanoseconds();
const DAY: i128 = Unit::Day.nanoseconds();
/// Lengths from a second to a day, in seconds.
const CLOCK: [i128; 13] = [1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400];

impl Growth {
    /// The factor to the next length.
    fn factor(self, width: i128) -> i128 {
        if self == Growth::Clock && (SECOND..DAY).contains(&width) {
            let next = CLOCK.iter().map(|seconds| seconds * SECOND).find(|next| *next > width);
            return next.map_or(2, |next| next / width);
        }
        let mut digits = if self == Growth::Clock && width >= DAY { width / DAY } else { width };
        while digits % 10 == 0 {
            digits /= 10;
        }
        if digits == 1 { 2 } else { 5 }
    }
}

impl Grid {
    /// Intervals of this length.
    pub(super) fn fixed(start: Timestamp, width: Duration) -> Self {
        Grid { start, width: width.ticks(), growth: None, granule: 0, range: None }
    }

    /// Intervals that grow with the trace.
    pub(super) fn growing(start: Timestamp, clock: Clock, kind: TimeKind) -> Self {
        let knows_unit = clock.unit.is_some() || kind == TimeKind::DateTime;
        let growth = Some(if knows_unit { Growth::Clock } else { Growth::Decimal });
        Grid { start, width: 1, growth, granule: 0, range: None }
    }

    /// For a trace without events.
    pub(super) fn nowhere() -> Self {
        Grid::fixed(Timestamp::default(), Duration::from_ticks(1))
    }

    pub(super) fn width(&self) -> Duration {
        Duration::from_ticks(self.width)
    }

    /// When an interval begins.
    pub(super) fn begin(&self, number: i64) -> Timestamp {
        self.start.saturating_add(Duration::from_ticks(self.width.saturating_mul(i128::from(number))))
    }

    /// When it is over: the next one begins.
    pub(super) fn end(&self, number: i64) -> Timestamp {
        self.begin(number.saturating_add(1))
    }

    /// The number of the interval that a time is in. If there are too many already the intervals grow, and the second
    /// number is by what factor; or that is refused.
    pub(super) fn locate(&mut self, time: Timestamp) -> Result<(i64, i64), BadInterval> {
        let offset = time.ticks().saturating_sub(self.start.ticks());
        // A trace that cannot be told from one that counts in this length keeps it; the remainder is mostly 0.
        if self.granule != 1 && (self.granule == 0 || offset % self.granule != 0) {
            self.granule = greatest_common(self.granule, offset.saturating_abs());
        }
        let mut factor = 1;
        loop {
            let number = i64::try_from(offset.div_euclid(self.width)).unwrap_or(i64::MAX);
            let (first, last) = self.range.unwrap_or((number, number));
            let range = (first.min(number), last.max(number));
            let many = i128::from(range.1) - i128::from(range.0) + 1;
            if many <= i128::from(if self.growth.is_some() { MOST_GROWING } else { MOST }) {
                self.range = Some(range);
                return Ok((number, factor));
            }
            factor = factor.saturating_mul(self.grow().ok_or_else(|| self.refuse(many))?);
        }
    }

    /// At the end: an interval that is shorter than the trace's own steps is mostly empty. By what factor they grow.
    pub(super) fn settle(&mut self) -> i64 {
        let mut factor = 1;
        while let Some(growth) = self.growth
            && self.width.saturating_mul(growth.factor(self.width)) <= self.granule
            && let Some(more) = self.grow()
        {
            factor *= more;
        }
        factor
    }

    fn grow(&mut self) -> Option<i64> {
        let factor = self.growth?.factor(self.width);
        self.width = self.width.checked_mul(factor)?;
        let factor = i64::try_from(factor).ok()?;
        self.range = self.range.map(|(first, last)| (first.div_euclid(factor), last.div_euclid(factor)));
        Some(factor)
    }

    fn refuse(&self, needed: i128) -> BadInterval {
        let mut instead = self.width;
        while needed.saturating_mul(self.width) / instead >= i128::from(MOST_GROWING) {
            instead = instead.saturating_mul(10);
        }
        BadInterval::TooMany {
            needed: u64::try_from(needed).unwrap_or(u64::MAX),
            most: MOST as u64,
            instead: Duration::from_ticks(instead),
        }
    }
}

fn greatest_common(mut left: i128, mut right: i128) -> i128 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i128) -> Timestamp {
        Timestamp::from_ticks(seconds * SECOND)
    }

    #[test]
    fn lengths_divide_each_other() {
        for growth in [Growth::Decimal, Growth::Clock] {
            let mut width = 1;
            for _ in 0..60 {
                let factor = growth.factor(width);
                assert!((2..=6).contains(&factor), "{growth:?} {width}: {factor}");
                width *= factor;
            }
        }
        let mut widths = vec![SECOND];
        for _ in 0..15 {
            let last = widths[widths.len() - 1];
            widths.push(last * Growth::Clock.factor(last));
        }
        assert_eq!(widths[13..], [2 * DAY, 10 * DAY, 20 * DAY]);
        assert_eq!(widths[1..5], [5, 10, 30, 60].map(|seconds| seconds * SECOND));
    }

    #[test]
    fn intervals_grow_until_there_are_few() {
        let mut grid = Grid::growing(at(7), Clock::new(Some(Unit::Second)), TimeKind::Number);
        assert_eq!(grid.locate(at(7)), Ok((0, 1)));
        let (number, factor) = grid.locate(at(7 + 1_000)).unwrap();
        assert_eq!((number, grid.width()), (33, Duration::from_ticks(30 * SECOND)));
        assert_eq!(factor, 30_000_000_000);
        // All times are multiples of 500 s, so shorter intervals would be empty.
        grid.locate(at(7 + 1_500)).unwrap();
        assert_eq!((grid.settle(), grid.width()), (10, Duration::from_ticks(300 * SECOND)));
    }

    #[test]
    fn chosen_intervals_do_not_grow() {
        let mut grid = Grid::fixed(at(0), Duration::from_ticks(10 * SECOND));
        assert_eq!(grid.locate(at(0)), Ok((0, 1)));
        assert_eq!(grid.locate(at(99_999)), Ok((9_999, 1)));
        let refused = grid.locate(at(5_000_000)).unwrap_err();
        let instead = Duration::from_ticks(100_000 * SECOND);
        assert_eq!(refused, BadInterval::TooMany { needed: 500_001, most: 10_000, instead });
        assert_eq!((grid.begin(3), grid.end(3), grid.settle()), (at(30), at(40), 1));
        // The range may grow to the front, too: cases come in any order.
        let refused = grid.locate(Timestamp::from_ticks(-1)).unwrap_err();
        let instead = Duration::from_ticks(10_000 * SECOND);
        assert_eq!(refused, BadInterval::TooMany { needed: 10_001, most: 10_000, instead });
    }
}
