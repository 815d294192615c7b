// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints copies and times as a table.

use std::fmt::Write as _;
use std::time::Duration;

use gnomon::verdict::Verdict;

use super::measure::{Measurement, SEMANTICS};
use crate::files::{display_name, file_name};
use crate::render::human::TextOptions;
use crate::render::json::write::RawJson;
use crate::render::json_line;
use crate::render::line::sanitised;
use crate::render::numbers::counted;
use crate::render::text_table::{NAME_HEADING, TextTable};

/// The cell of a run that was aborted.
const GAVE_UP: &str = "N/A";

pub(super) fn render(path: &str, rows: &[Measurement], look: TextOptions) -> String {
    let states = rows.first().map_or(0, |row| row.states);
    let mut out = format!("{}: {}\n\n", sanitised(display_name(path)), counted(states as u64, "state"));
    let semantics = SEMANTICS.iter().map(|(name, _)| *name);
    let headings = semantics.flat_map(|name| [format!("{name}: most"), "made".to_owned(), "ms".to_owned()]);
    let headings = headings.chain(["engine: operators".to_owned(), "ms".to_owned(), "verdict".to_owned()]);
    let headings: Vec<String> = headings.collect();
    let mut table = TextTable::new(std::iter::once(NAME_HEADING).chain(headings.iter().map(String::as_str)));
    for row in rows {
        let runs = row.runs.iter().flat_map(|(run, time)| match run.gave_up {
            Some(_) => [GAVE_UP; 3].map(str::to_owned),
            None => [run.most.to_string(), run.made.to_string(), milliseconds(*time)],
        });
        let (operators, time) = row.engine;
        let engine = [operators.to_string(), milliseconds(time), row.verdict.to_string()];
        let cells = std::iter::once(sanitised(&row.name)).chain(runs).chain(engine);
        table.add(row.verdict == Verdict::Violated, cells);
    }
    table.draw(&mut out, look);
    let legend = "most: copies at the same time; made: copies over the whole trace; ms: the fastest of three runs, for the engine \
                  including the reading of the trace";
    let _ = writeln!(out, "\n{}", look.wrapped(legend));
    for row in rows {
        if let Some(printed) = row.printed_differs {
            let (says, not) = if printed { ("accepts", "rejects") } else { ("rejects", "accepts") };
            let name = sanitised(&row.name);
            let _ = writeln!(
                out,
                "{name}: the automaton with flags, as the paper prints it, {says} what the invariant {not}"
            );
        }
    }
    out
}

/// Prints the measurements as one line of JSON.
pub(super) fn json(path: &str, rows: &[Measurement]) -> String {
    json_line(|fields| {
        fields.field("source", &file_name(path));
        fields.field("states", rows.first().map_or(0, |row| row.states));
        fields.objects("properties", rows, |fields, row| {
            fields.field("name", &row.name);
            fields.field("verdict", row.verdict.word());
            for ((name, _), (run, time)) in SEMANTICS.iter().zip(&row.runs) {
                fields.object(name, |fields| {
                    let is_complete = run.gave_up.is_none();
                    fields.field("most", is_complete.then_some(run.most));
                    fields.field("made", is_complete.then_some(run.made));
                    fields.field("milliseconds", is_complete.then(|| RawJson(milliseconds(*time))));
                });
            }
            fields.object("engine", |fields| {
                fields.field("operators", row.engine.0);
                fields.field("milliseconds", RawJson(milliseconds(row.engine.1)));
            });
        });
    })
}

pub(super) fn milliseconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1000.0)
}
