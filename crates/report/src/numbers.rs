// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times and durations as reports print them.

use gnomon_core::time::{Clock, Duration, TimeKind, Timestamp};
use gnomon_core::verdict::Durations;

/// How one trace tells the time.
#[derive(Clone, Copy)]
pub struct Dial {
    /// Its unit.
    pub clock: Clock,
    /// Numbers, date-times or places.
    pub kind: TimeKind,
}

impl Dial {
    /// A time as the trace writes it.
    pub fn time(self, time: Timestamp) -> String {
        self.clock.print(self.kind, time)
    }

    /// A duration in the trace's unit.
    pub fn duration(self, duration: Duration) -> String {
        self.clock.print_duration(duration)
    }

    /// The mean of durations.
    pub fn mean(self, durations: &Durations) -> String {
        self.clock.print_mean(durations.sum, durations.count)
    }

    /// The unit's name with a blank before it, where it is known: date-times count seconds.
    pub fn unit(self) -> String {
        match (self.clock.unit, self.kind) {
            (Some(unit), _) => format!(" {unit}"),
            (None, TimeKind::DateTime) => " s".to_owned(),
            (None, TimeKind::Number | TimeKind::Position) => String::new(),
        }
    }
}

/// `1 event`, `2 events`
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
