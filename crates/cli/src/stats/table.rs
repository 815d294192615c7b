// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics as a table for people.

use std::fmt::Write as _;

use gnomon::offline::stats::{IntervalRow, PropertyCounts, Statistics};
use gnomon::rounding::rounded;

use super::{failure_percent, increases};
use crate::files::display_name;
use crate::render::SpecContext;
use crate::render::human::{TextOptions, extent, remarks};
use crate::render::line::sanitised;
use crate::render::numbers::{TimeFormat, counted};
use crate::render::text_table::{NAME_HEADING, TextTable};

/// The columns of a counts.
const COUNTS: [&str; 8] = ["activated", "satisfied", "violated", "pending", "failure", "min", "max", "mean"];
/// The cell of a missing value.
const NOTHING: &str = "-";

/// Prints a line for each property and, if `over_time`, a table of intervals for each.
pub(super) fn render(about: &SpecContext<'_>, statistics: &Statistics, over_time: bool, look: TextOptions) -> String {
    let Statistics { report, every, rows } = statistics;
    let time_format = TimeFormat::new(report.clock, report.time_kind);
    let intervals = match rows.len() {
        0 => String::new(),
        number => {
            format!("; {} of {}", counted(number as u64, "interval"), time_format.human_duration(*every))
        }
    };
    let name = sanitised(display_name(&report.source));
    let mut out = look.wrapped(&format!("{name}: {}{intervals}", extent(report, time_format))) + "\n\n";
    let label = |index: usize| sanitised(about.property_name(index));
    let mut table = TextTable::new(std::iter::once(NAME_HEADING).chain(COUNTS));
    for (index, outcome) in report.outcomes.iter().enumerate() {
        let counts = PropertyCounts::of(outcome);
        table.add(counts.violated > 0, std::iter::once(label(index)).chain(cells(&counts, time_format)));
    }
    table.draw(&mut out, look);
    if over_time {
        for index in 0..report.outcomes.len() {
            let _ = write!(out, "\n{} over time\n\n", label(index));
            series(rows, index, time_format).draw(&mut out, look);
        }
    }
    remarks(&mut out, about, report, look);
    out
}

/// Returns the table of one property: the counts at the end of each interval, and their increase within it.
fn series(rows: &[IntervalRow], index: usize, time_format: TimeFormat) -> TextTable {
    let added = ["+activated", "+satisfied", "+violated"];
    let mut table = TextTable::new(["from", "to", "events"].into_iter().chain(COUNTS).chain(added));
    let mut before = PropertyCounts::default();
    for row in rows {
        let own = row.counts[index];
        let more = increases(&before, &own).map(|(_, increase)| match increase {
            0 => NOTHING.to_owned(),
            increase => format!("{increase:+}"),
        });
        let place = [time_format.time(row.from), time_format.time(row.to), row.events.to_string()];
        table.add(own.violated > before.violated, place.into_iter().chain(cells(&own, time_format)).chain(more));
        before = own;
    }
    table
}

fn cells(counts: &PropertyCounts, time_format: TimeFormat) -> [String; 8] {
    let nothing = || NOTHING.to_owned();
    let durations = counts.durations;
    [
        counts.activated.to_string(),
        counts.satisfied.to_string(),
        counts.violated.to_string(),
        counts.pending.to_string(),
        failure_percent(counts).map_or_else(nothing, |percent| format!("{} %", rounded(&percent))),
        durations.map_or_else(nothing, |durations| time_format.human_duration(durations.min)),
        durations.map_or_else(nothing, |durations| time_format.human_duration(durations.max)),
        durations.map_or_else(nothing, |durations| time_format.human_mean(&durations)),
    ]
}
