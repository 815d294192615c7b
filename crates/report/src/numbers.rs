// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times and durations as reports print them.

use gnomon_core::datetime;
use gnomon_core::rounding::rounded;
use gnomon_core::time::{Clock, Duration, TimeKind, Timestamp};
use gnomon_core::verdict::Durations;
use gnomon_run::offline::Report;

/// The notation of times in a trace.
#[derive(Clone, Copy)]
pub struct TimeFormat {
    /// The unit.
    pub clock: Clock,
    /// Numbers, date-times or places.
    pub kind: TimeKind,
    /// The offset from UTC, in seconds, in which date-times are printed.
    pub utc_offset: i32,
}

impl TimeFormat {
    /// Returns a notation with date-times in UTC.
    pub fn new(clock: Clock, kind: TimeKind) -> TimeFormat {
        TimeFormat { clock, kind, utc_offset: 0 }
    }

    /// Returns the notation of the trace of a report for programs: date-times are in UTC.
    pub fn of(report: &Report) -> TimeFormat {
        TimeFormat::new(report.clock, report.time_kind)
    }

    /// Returns the notation of the trace of a report for people: date-times have the offset of the trace.
    pub fn for_people(report: &Report) -> TimeFormat {
        TimeFormat { utc_offset: report.utc_offset, ..TimeFormat::of(report) }
    }

    /// Prints a time in the notation of the trace.
    pub fn time(self, time: Timestamp) -> String {
        match self.kind {
            TimeKind::DateTime => datetime::print_at(time, self.utc_offset),
            TimeKind::Number | TimeKind::Position => self.clock.print(self.kind, time),
        }
    }

    /// Prints a duration in the unit of the trace.
    pub fn duration(self, duration: Duration) -> String {
        self.clock.print_duration(duration)
    }

    /// Prints a duration for people: in units that fit its size if the unit of the trace is known, else as a number.
    pub fn human_duration(self, duration: Duration) -> String {
        if self.knows_unit() { human_duration(duration.ticks()) } else { rounded(&self.duration(duration)) }
    }

    /// Prints the mean of durations for people.
    pub fn human_mean(self, durations: &Durations) -> String {
        if !self.knows_unit() {
            return rounded(&self.mean(durations));
        }
        let count = i128::from(durations.count.max(1));
        human_duration((durations.sum + count / 2).div_euclid(count))
    }

    /// Returns true if a tick is a nanosecond.
    fn knows_unit(self) -> bool {
        self.clock.unit.is_some() || self.kind == TimeKind::DateTime
    }

    /// Prints the mean of durations.
    pub fn mean(self, durations: &Durations) -> String {
        self.clock.print_mean(durations.sum, durations.count)
    }

    /// Returns the name of the unit after a blank, if it is known; date-times count seconds.
    pub fn unit(self) -> String {
        match (self.clock.unit, self.kind) {
            (Some(unit), _) => format!(" {unit}"),
            (None, TimeKind::DateTime) => " s".to_owned(),
            (None, TimeKind::Number | TimeKind::Position) => String::new(),
        }
    }
}

/// The units of durations for people, with their nanoseconds.
const UNITS: [(&str, u128); 7] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("µs", 1_000),
    ("ns", 1),
];
/// The index of the second in [`UNITS`]. Shorter durations have a fraction, longer ones a second unit.
const SECOND: usize = 3;

/// Prints a duration for people, rounded to three digits or to the second unit: `8 h 2 min`, `2.55 s`, `340 ms`.
pub fn human_duration(nanoseconds: i128) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let length = nanoseconds.unsigned_abs();
    if length == 0 {
        return "0 s".to_owned();
    }
    let index = UNITS.iter().position(|(_, size)| length >= *size).unwrap_or(UNITS.len() - 1);
    let (unit, size) = UNITS[index];
    // The number of parts that the unit is divided into, such that three digits remain.
    let parts = match (index < SECOND, length / size) {
        (true, _) => size / UNITS[index + 1].1,
        (false, 0..10) => 100,
        (false, 10..100) => 10,
        (false, _) => 1,
    };
    let rounded = (length / size) * parts + ((length % size) * parts + size / 2) / size;
    if index > 0 && rounded * size >= UNITS[index - 1].1 * parts {
        return format!("{sign}{}", human_duration(UNITS[index - 1].1 as i128));
    }
    let (whole, rest) = (rounded / parts, rounded % parts);
    if rest == 0 {
        return format!("{sign}{whole} {unit}");
    }
    if index < SECOND {
        return format!("{sign}{whole} {unit} {rest} {}", UNITS[index + 1].0);
    }
    let digits = if parts == 100 { format!("{rest:02}") } else { rest.to_string() };
    format!("{sign}{whole}.{} {unit}", digits.trim_end_matches('0'))
}

/// Prints a count with its noun: `1 event`, `2 events`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_printed_for_people() {
        let expected: [(i128, &str); 20] = [
            (0, "0 s"),
            (1, "1 ns"),
            (999, "999 ns"),
            (1_234, "1.23 µs"),
            (12_340, "12.3 µs"),
            (999_600, "1 ms"),
            (340_000_000, "340 ms"),
            (1_000_000_000, "1 s"),
            (2_553_846_153, "2.55 s"),
            (2_500_000_000, "2.5 s"),
            (2_050_000_000, "2.05 s"),
            (59_990_000_000, "1 min"),
            (90_000_000_000, "1 min 30 s"),
            (3_599_900_000_000, "1 h"),
            (26_107_000_000_000, "7 h 15 min"),
            (28_920_000_000_000, "8 h 2 min"),
            (86_399_000_000_000, "1 d"),
            (86_400_000_000_000, "1 d"),
            (180_000_000_000_000, "2 d 2 h"),
            (-1_500_000_000, "-1.5 s"),
        ];
        for (nanoseconds, text) in expected {
            assert_eq!(human_duration(nanoseconds), text, "{nanoseconds}");
        }
        assert!(human_duration(i128::MAX).ends_with(" h"));
        assert!(human_duration(i128::MIN).starts_with('-'));
    }

    #[test]
    fn without_a_unit_durations_are_numbers() {
        let time_format = TimeFormat::new(Clock::default(), TimeKind::Number);
        assert_eq!(time_format.human_duration(Duration::from_ticks(2_553_846_153)), "2.55");
        let dated = TimeFormat { kind: TimeKind::DateTime, ..time_format };
        assert_eq!(dated.human_duration(Duration::from_ticks(2_553_846_153)), "2.55 s");
        let durations =
            Durations { min: Duration::from_ticks(0), max: Duration::from_ticks(9), sum: 7_000_000_000, count: 2 };
        assert_eq!((time_format.human_mean(&durations), dated.human_mean(&durations)), ("3.5".into(), "3.5 s".into()));
    }
}
