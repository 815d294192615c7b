// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times and durations as reports print them.

use gnomon::time::{Clock, Duration, TimeKind, Timestamp};
use gnomon::verdict::Durations;

/// How one trace tells the time.
#[derive(Clone, Copy)]
pub(crate) struct Dial {
    /// Its unit.
    pub(crate) clock: Clock,
    /// Numbers, date-times or places.
    pub(crate) kind: TimeKind,
}

impl Dial {
    /// A time as the trace writes it.
    pub(crate) fn time(self, time: Timestamp) -> String {
        self.clock.print(self.kind, time)
    }

    /// A duration in the trace's unit.
    pub(crate) fn duration(self, duration: Duration) -> String {
        self.clock.print_duration(duration)
    }

    /// The mean of durations.
    pub(crate) fn mean(self, durations: &Durations) -> String {
        self.clock.print_mean(durations.sum, durations.count)
    }

    /// The unit's name with a blank before it, where it is known: date-times count seconds.
    pub(crate) fn unit(self) -> String {
        match (self.clock.unit, self.kind) {
            (Some(unit), _) => format!(" {unit}"),
            (None, TimeKind::DateTime) => " s".to_owned(),
            (None, TimeKind::Number | TimeKind::Position) => String::new(),
        }
    }
}

/// `1 event`, `2 events`
pub(crate) fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
