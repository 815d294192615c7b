// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics for people.

use std::fmt::Write as _;

use gnomon::offline::stats::{Row, Statistics, Tally};

use super::failure_percent;
use crate::files::display_name;
use crate::paint::{Ink, Paint};
use crate::render::About;
use crate::render::human::{extent, remarks, rounded};
use crate::render::line::{sanitised, text_width};
use crate::render::numbers::{Dial, counted};

/// The columns of a tally.
const COUNTS: [&str; 8] = ["activated", "satisfied", "violated", "pending", "failure", "min", "max", "mean"];
/// The column of names.
const NAME: &str = "property";
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

/// Columns as wide as they must be; numbers to the right, names to the left.
struct Table {
    rows: Vec<(bool, Vec<String>)>,
    widths: Vec<usize>,
}

impl Table {
    fn new<'a>(heads: impl Iterator<Item = &'a str>) -> Table {
        let mut table = Table { rows: Vec::new(), widths: Vec::new() };
        table.add(false, heads.map(str::to_owned));
        table
    }

    fn add(&mut self, is_bad: bool, cells: impl Iterator<Item = String>) {
        let cells: Vec<String> = cells.collect();
        self.widths.resize(cells.len(), 0);
        for (width, cell) in self.widths.iter_mut().zip(&cells) {
            *width = text_width(cell).max(*width);
        }
        self.rows.push((is_bad, cells));
    }

    fn draw(&self, out: &mut String, paint: Paint) {
        for (number, (is_bad, cells)) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (column, (cell, width)) in cells.iter().zip(&self.widths).enumerate() {
                let pad = " ".repeat(width - text_width(cell));
                let is_name = self.rows[0].1[column] == NAME;
                let parts = if is_name { ["  ", cell, &pad] } else { ["  ", &pad, cell] };
                line.extend(parts);
            }
            let ink = match (number, is_bad) {
                (0, _) => Some(Ink::Frame),
                (_, true) => Some(Ink::Bad),
                (_, false) => None,
            };
            let line = line.trim_end();
            let _ = writeln!(out, "{}", ink.map_or_else(|| line.to_owned(), |ink| paint.ink(ink, line)));
        }
    }
}
