// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times and durations as reports print them.

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
}

impl TimeFormat {
    /// Returns the notation of the trace of a report.
    pub fn of(report: &Report) -> TimeFormat {
        TimeFormat { clock: report.clock, kind: report.time_kind }
    }

    /// Prints a time in the notation of the trace.
    pub fn time(self, time: Timestamp) -> String {
        self.clock.print(self.kind, time)
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
