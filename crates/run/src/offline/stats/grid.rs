// SPDX-License-Identifier: MIT OR Apache-2.0
//! The grid of intervals on the time axis.
//!
//! A grid without a fixed width starts with the finest width and grows: whenever the trace spans more than 100 intervals,
//! the width moves to the next of a series in which each width divides the next (1, 2, 10, 20, ... ticks; 1 s, 5 s, 10 s, 30
//! s, 1 min, ...). Since each width divides the next, samples that were taken at the end of short intervals stay valid at
//! the end of long ones.

use gnomon_core::time::{Clock, Duration, TimeKind, Timestamp, Unit};

use super::IntervalError;

/// Greatest number of intervals of a chosen length.
const MOST: i64 = 10_000;
/// Greatest number of intervals of a growing length; with the steps between lengths, 20 to 100 are left.
const MOST_GROWING: i64 = 100;

/// Numbered intervals of one length; number 0 begins at `start`.
#[derive(Clone, Debug)]
pub(super) struct IntervalGrid {
    start: Timestamp,
    /// In ticks.
    width: i128,
    growth: Option<WidthGrowth>,
    /// Greatest common divisor of the offsets of all times.
    granule: i128,
    /// First and last number that was located.
    range: Option<(i64, i64)>,
}

/// The series of widths. Each divides the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WidthGrowth {
    /// 1, 2, 10, 20, 100...
    Decimal,
    /// 1, 2, 10, 20, ... up to a second, then 5, 10 and 30 seconds, a minute and so on up to days.
    Clock,
}

const SECOND: i128 = Unit::Second.nanoseconds();
const DAY: i128 = Unit::Day.nanoseconds();
/// Widths from a second to a day, in seconds.
const CLOCK: [i128; 13] = [1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400];

impl WidthGrowth {
    /// Returns the factor to the next width.
    fn factor(self, width: i128) -> i128 {
        if self == WidthGrowth::Clock && (SECOND..DAY).contains(&width) {
            let next = CLOCK.iter().map(|seconds| seconds * SECOND).find(|next| *next > width);
            return next.map_or(2, |next| next / width);
        }
        let mut digits = if self == WidthGrowth::Clock && width >= DAY { width / DAY } else { width };
        while digits % 10 == 0 {
            digits /= 10;
        }
        if digits == 1 { 2 } else { 5 }
    }
}

impl IntervalGrid {
    /// Creates intervals of a fixed length.
    pub(super) fn fixed(start: Timestamp, width: Duration) -> Self {
        IntervalGrid { start, width: width.ticks(), growth: None, granule: 0, range: None }
    }

    /// Creates intervals that grow with the trace.
    pub(super) fn growing(start: Timestamp, clock: Clock, kind: TimeKind) -> Self {
        let knows_unit = clock.unit.is_some() || kind == TimeKind::DateTime;
        let growth = Some(if knows_unit { WidthGrowth::Clock } else { WidthGrowth::Decimal });
        IntervalGrid { start, width: 1, growth, granule: 0, range: None }
    }

    /// Creates the grid of a trace without events.
    pub(super) fn nowhere() -> Self {
        IntervalGrid::fixed(Timestamp::default(), Duration::from_ticks(1))
    }

    pub(super) fn width(&self) -> Duration {
        Duration::from_ticks(self.width)
    }

    /// Returns the beginning of an interval.
    pub(super) fn begin(&self, number: i64) -> Timestamp {
        self.start.saturating_add(Duration::from_ticks(self.width.saturating_mul(i128::from(number))))
    }

    /// Returns the end of an interval, which is the beginning of the next.
    pub(super) fn end(&self, number: i64) -> Timestamp {
        self.begin(number.saturating_add(1))
    }

    /// Returns the number of the interval that contains a time, and the factor by which intervals had to grow. Fails if
    /// there would be too many and the width is fixed.
    pub(super) fn locate(&mut self, time: Timestamp) -> Result<(i64, i64), IntervalError> {
        let offset = time.ticks().saturating_sub(self.start.ticks());
        // The remainder is mostly 0: then the divisor stays as it is.
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

    /// Grows intervals that are shorter than the steps of the trace, and would mostly be empty. Returns the factor.
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

    fn refuse(&self, needed: i128) -> IntervalError {
        let mut instead = self.width;
        while needed.saturating_mul(self.width) / instead >= i128::from(MOST_GROWING) {
            instead = instead.saturating_mul(10);
        }
        IntervalError::TooMany {
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
        for growth in [WidthGrowth::Decimal, WidthGrowth::Clock] {
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
            widths.push(last * WidthGrowth::Clock.factor(last));
        }
        assert_eq!(widths[13..], [2 * DAY, 10 * DAY, 20 * DAY]);
        assert_eq!(widths[1..5], [5, 10, 30, 60].map(|seconds| seconds * SECOND));
    }

    #[test]
    fn intervals_grow_until_there_are_few() {
        let mut grid = IntervalGrid::growing(at(7), Clock::new(Some(Unit::Second)), TimeKind::Number);
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
        let mut grid = IntervalGrid::fixed(at(0), Duration::from_ticks(10 * SECOND));
        assert_eq!(grid.locate(at(0)), Ok((0, 1)));
        assert_eq!(grid.locate(at(99_999)), Ok((9_999, 1)));
        let refused = grid.locate(at(5_000_000)).unwrap_err();
        let instead = Duration::from_ticks(100_000 * SECOND);
        assert_eq!(refused, IntervalError::TooMany { needed: 500_001, most: 10_000, instead });
        assert_eq!((grid.begin(3), grid.end(3), grid.settle()), (at(30), at(40), 1));
        // The range may grow to the front, too: cases come in any order.
        let refused = grid.locate(Timestamp::from_ticks(-1)).unwrap_err();
        let instead = Duration::from_ticks(10_000 * SECOND);
        assert_eq!(refused, IntervalError::TooMany { needed: 10_001, most: 10_000, instead });
    }
}
