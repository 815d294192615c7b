// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace as a table: each event with its verdict. It is written while the trace is checked, so columns can only grow.

use gnomon::offline::{EndVerdict, EventVerdict};
use gnomon::verdict::Binding;

use super::SpecContext;
use super::line::{sanitised, text_width};
use super::numbers::TimeFormat;
use crate::paint::{Ink, Paint};

/// The current widths of the columns.
pub(crate) struct EventTable {
    index: usize,
    time: usize,
    event: usize,
    case: usize,
}

impl EventTable {
    pub(crate) fn new() -> EventTable {
        EventTable { index: 4, time: 4, event: 12, case: 4 }
    }

    /// Returns the line of an event.
    pub(crate) fn row(&mut self, about: &SpecContext<'_>, judged: &EventVerdict<'_>, paint: Paint) -> String {
        let EventVerdict { origin, violated, bindings, case, context } = *judged;
        let time_format = TimeFormat::new(about.clock(), context.time_kind);
        let (index, time) = (origin.event_index.to_string(), time_format.time(origin.time));
        let event = sanitised(context.symbols.name_text(origin.event));
        self.line([&index, &time, &event], case, &verdict(about, violated, bindings, paint), paint)
    }

    /// Returns the line of the verdicts at the end of the trace.
    pub(crate) fn end(&mut self, about: &SpecContext<'_>, ended: &EndVerdict<'_>, paint: Paint) -> String {
        let EndVerdict { last, violated, bindings, case, context } = *ended;
        let time_format = TimeFormat::new(about.clock(), context.time_kind);
        let time = last.map_or(String::new(), |last| time_format.time(last));
        self.line(["", &time, "at the end"], case, &verdict(about, violated, bindings, paint), paint)
    }

    fn line(&mut self, [index, time, event]: [&str; 3], case: Option<&str>, verdict: &str, paint: Paint) -> String {
        let left = true;
        let index = fit(index, &mut self.index, !left);
        let time = fit(time, &mut self.time, !left);
        let event = fit(event, &mut self.event, left);
        let case = case.map_or(String::new(), |case| fit(&sanitised(case), &mut self.case, left) + "  ");
        format!("{}  {time}  {case}{event}  {verdict}\n", paint.ink(Ink::Frame, &index))
    }
}

fn verdict(about: &SpecContext<'_>, violated: &[usize], bindings: &[(usize, Binding)], paint: Paint) -> String {
    if violated.is_empty() {
        return paint.ink(Ink::Good, "ok");
    }
    let label = |index: &usize| format!("{}{}", about.property_name(*index), values(*index, bindings));
    let names: Vec<String> = violated.iter().map(label).collect();
    format!("{} {}", paint.ink(Ink::Bad, "VIOLATED"), sanitised(&names.join(", ")))
}

/// Returns ` (id = 42)` with the number of further bindings.
fn values(property: usize, bindings: &[(usize, Binding)]) -> String {
    let mut own = bindings.iter().filter(|(index, _)| *index == property).map(|(_, binding)| binding);
    let Some(first) = own.next() else { return String::new() };
    match own.count() {
        0 => format!(" ({first})"),
        more => format!(" ({first}; and {more} more)"),
    }
}

/// Pads a text to the width of its column, and widens the column if necessary.
fn fit(text: &str, width: &mut usize, left: bool) -> String {
    let own = text_width(text);
    *width = own.max(*width);
    let pad = " ".repeat(*width - own);
    if left { format!("{text}{pad}") } else { format!("{pad}{text}") }
}
