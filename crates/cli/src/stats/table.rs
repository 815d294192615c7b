// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics for people.

use std::fmt::Write as _;

use gnomon::offline::stats::{Row, Statistics, Tally};

use super::failure_percent;
use crate::files::display_name;
use crate::paint::Paint;
use crate::render::About;
use crate::render::human::{extent, remarks, rounded};
use crate::render::line::sanitised;
use crate::render::numbers::{Dial, counted};
use crate::render::table::{NAME, Table};

/// The columns of a tally.
const COUNTS: [&str; 8] = ["activated", "satisfied", "violated", "pending", "failure", "min", "max", "mean"];
/// What stands where there is nothing to tell.
const NOTHING: &str = "-";

/// A line for each property; `over_time`: then one for each interval.
pub(super) fn render(about: &About<'_>, statistics: &Statistics, over_time: bool, paint: Paint) -> String {
    let Statistics { report, every, rows } = statistics;
    let dial = Dial { clock: report.clock, kind: report.time_kind };
    let intervals = match rows.len() {
        0 => String::new(),
        number => {
            format!("; {} of {}{}", counted(number as u64, "interval"), dial.duration(*every), dial.unit())
        }
    };
    let name = sanitised(display_name(&report.source));
    let mut out = format!("{name}: {}{intervals}\n\n", extent(report, dial));
    let label = |index: usize| sanitised(about.property_name(index));
    let mut table = Table::new(std::iter::once(NAME).chain(COUNTS));
    for (index, outcome) in report.outcomes.iter().enumerate() {
        let tally = Tally::of(outcome);
        table.add(tally.violated > 0, std::iter::once(label(index)).chain(cells(&tally, dial)));
    }
    table.draw(&mut out, paint);
    if over_time {
        for index in 0..report.outcomes.len() {
            let _ = write!(out, "\n{} over time\n\n", label(index));
            series(rows, index, dial).draw(&mut out, paint);
        }
    }
    remarks(&mut out, about, report, paint);
    out
}

/// What is known of a property at the end of each interval, and what the interval added.
fn series(rows: &[Row], index: usize, dial: Dial) -> Table {
    let added = ["+activated", "+satisfied", "+violated"];
    let mut table = Table::new(["from", "to", "events"].into_iter().chain(COUNTS).chain(added));
    let mut before = Tally::default();
    for row in rows {
        let own = row.tallies[index];
        let more = |before: u64, own: u64| match i128::from(own) - i128::from(before) {
            0 => NOTHING.to_owned(),
            more => format!("{more:+}"),
        };
        let more = [
            more(before.activated, own.activated),
            more(before.satisfied, own.satisfied),
            more(before.violated, own.violated),
        ];
        let place = [dial.time(row.from), dial.time(row.to), row.events.to_string()];
        table.add(own.violated > before.violated, place.into_iter().chain(cells(&own, dial)).chain(more));
        before = own;
    }
    table
}

fn cells(tally: &Tally, dial: Dial) -> [String; 8] {
    let nothing = || NOTHING.to_owned();
    let of = |text: Option<String>| text.map_or_else(nothing, |text| rounded(&text));
    let durations = tally.durations;
    [
        tally.activated.to_string(),
        tally.satisfied.to_string(),
        tally.violated.to_string(),
        tally.pending.to_string(),
        failure_percent(tally).map_or_else(nothing, |percent| format!("{} %", rounded(&percent))),
        of(durations.map(|durations| dial.duration(durations.min))),
        of(durations.map(|durations| dial.duration(durations.max))),
        of(durations.map(|durations| dial.mean(&durations))),
    ]
}
