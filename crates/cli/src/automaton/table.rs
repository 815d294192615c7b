// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints copies and times as a table.

use std::fmt::Write as _;
use std::time::Duration;

use gnomon::verdict::Verdict;

use super::measure::{Measurement, SEMANTICS};
use crate::files::display_name;
use crate::paint::Paint;
use crate::render::line::sanitised;
use crate::render::numbers::counted;
use crate::render::text_table::{NAME_HEADING, TextTable};

/// The cell of a run that was aborted.
const GAVE_UP: &str = "N/A";

pub(super) fn render(path: &str, rows: &[Measurement], paint: Paint) -> String {
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
    table.draw(&mut out, paint);
    out.push_str(
        "\nmost: copies at the same time; made: copies over the whole trace; ms: the quickest of three runs, for the engine with \
         the reading of the trace\n",
    );
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

pub(super) fn milliseconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1000.0)
}
