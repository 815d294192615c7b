// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of a time that conditions compare: the time itself, the hour of the day, the day of the week.

use std::sync::Arc;

use super::NANOS;
use crate::time::Timestamp;

crate::words! {
    /// A part of a time. Its word is that of a condition, after `@`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum TimePart as word {
        /// The time itself, in ticks.
        Time = "time",
        /// The hour of the day, from 0 to 23.
        Hour = "hour",
        /// The day of the week, from 1 (Monday) to 7 (Sunday).
        Weekday = "weekday",
    }
}

/// The days of the week, from Monday.
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

impl TimePart {
    /// Returns advice with a comparison of the part.
    pub const fn example(self) -> &'static str {
        match self {
            TimePart::Time => {
                "compare the time with a date-time or a number, as in `@time >= \"2026-11-16T12:00:00Z\"`"
            }
            TimePart::Hour => "compare the hour with a whole number from 0 to 23, as in `@hour >= 22`",
            TimePart::Weekday => {
                "compare the weekday with a day, as in `@weekday = \"Sat\"`, or a number from 1 (Monday) to 7"
            }
        }
    }

    /// Returns the part of a time in a zone.
    // RULE T10
    pub fn of(self, time: Timestamp, zone: &ZoneOffsets) -> i128 {
        if self == TimePart::Time {
            return time.ticks();
        }
        let second = time.ticks().div_euclid(NANOS) + i128::from(zone.at(time));
        match self {
            TimePart::Time | TimePart::Hour => second.rem_euclid(86_400) / 3_600,
            // 1 January 1970 was a Thursday.
            TimePart::Weekday => (second.div_euclid(86_400) + 3).rem_euclid(7) + 1,
        }
    }
}

/// Returns the number of a day of the week: `Sat` and `saturday` are 6.
pub fn weekday(name: &str) -> Option<i128> {
    let name = name.to_ascii_lowercase();
    let index = WEEKDAYS.iter().position(|day| *day == name || day[..3] == name)?;
    Some(index as i128 + 1)
}

/// The offsets of a zone from UTC, in seconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ZoneOffsets {
    first: i32,
    /// The times at which the offset changes, in order, each with the offset from then on.
    changes: Arc<[(Timestamp, i32)]>,
}

impl ZoneOffsets {
    /// Creates the offsets of a zone that begins with one and changes at these times, which are in order.
    pub fn new(first: i32, changes: Vec<(Timestamp, i32)>) -> Self {
        ZoneOffsets { first, changes: changes.into() }
    }

    /// Returns the offset at a time.
    pub fn at(&self, time: Timestamp) -> i32 {
        let before = self.changes.partition_point(|(change, _)| *change <= time);
        before.checked_sub(1).map_or(self.first, |last| self.changes[last].1)
    }

    /// Returns the time of a local time, which is given as if it were one in UTC.
    #[must_use]
    pub fn time_of_local(&self, local: Timestamp) -> Timestamp {
        let behind = |offset: i32| Timestamp::from_ticks(local.ticks() - i128::from(offset) * NANOS);
        // The first guess may be on the wrong side of a change.
        behind(self.at(behind(self.at(local))))
    }
}

impl Default for ZoneOffsets {
    /// UTC.
    fn default() -> Self {
        ZoneOffsets::new(0, vec![])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datetime::parse;

    #[test]
    fn parts_follow_the_zone() {
        let (summer, winter) = (parse("2026-03-29T01:00:00Z").unwrap(), parse("2026-10-25T01:00:00Z").unwrap());
        let berlin = ZoneOffsets::new(3_600, vec![(summer, 7_200), (winter, 3_600)]);
        for (text, utc, local, weekday) in [
            ("2026-11-16T11:42:20Z", 11, 12, 1),
            ("2026-07-01T23:59:59.9Z", 23, 1, 4),
            ("2026-10-25T00:59:59Z", 0, 2, 7),
            ("2026-10-25T01:00:00Z", 1, 2, 7),
            ("1969-12-31T23:00:00Z", 23, 0, 4),
        ] {
            let time = parse(text).unwrap();
            assert_eq!(TimePart::Hour.of(time, &ZoneOffsets::default()), utc, "{text}");
            assert_eq!(TimePart::Hour.of(time, &berlin), local, "{text}");
            assert_eq!(TimePart::Weekday.of(time, &berlin), weekday, "{text}");
            assert_eq!(TimePart::Time.of(time, &berlin), time.ticks(), "{text}");
        }
        for (local, utc) in [
            ("2026-07-01T12:00:00Z", "2026-07-01T10:00:00Z"),
            ("2026-12-01T12:00:00Z", "2026-12-01T11:00:00Z"),
            ("2026-03-29T03:30:00Z", "2026-03-29T01:30:00Z"),
        ] {
            assert_eq!(berlin.time_of_local(parse(local).unwrap()), parse(utc).unwrap(), "{local}");
        }
    }

    #[test]
    fn weekdays_have_names() {
        for (name, number) in [("Mon", Some(1)), ("SUNDAY", Some(7)), ("sat", Some(6)), ("Sa", None), ("", None)] {
            assert_eq!(weekday(name), number, "{name}");
        }
    }
}
