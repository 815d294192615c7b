// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times and durations as reports print them.

use gnomon_core::datetime;
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

/// Prints a count with its noun: `1 event`, `2 events`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
