// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace as a table: each event with its verdict. Written while the trace is judged, so columns can only grow.

use gnomon::offline::Judged;

use super::About;
use super::line::{sanitised, text_width};
use super::numbers::Dial;
use crate::paint::{Ink, Paint};

/// The widths that the columns have reached.
pub(crate) struct Table {
    index: usize,
    time: usize,
    event: usize,
    case: usize,
}

impl Table {
    pub(crate) fn new() -> Table {
        Table { index: 4, time: 4, event: 12, case: 4 }
    }

    /// One event's line.
    pub(crate) fn row(&mut self, about: &About<'_>, judged: &Judged<'_>, paint: Paint) -> String {
        let dial = Dial { clock: about.clock(), kind: judged.legend.time_kind };
        let (origin, left) = (judged.origin, true);
        let index = fit(&origin.event_index.to_string(), &mut self.index, !left);
        let time = fit(&dial.time(origin.time), &mut self.time, !left);
        let event = fit(&sanitised(judged.legend.symbols.name_text(origin.event)), &mut self.event, left);
        let case = judged.case.map_or(String::new(), |case| fit(&sanitised(case), &mut self.case, left) + "  ");
        let verdict = if judged.violated.is_empty() {
            paint.ink(Ink::Good, "ok")
        } else {
            let told = |index: &usize| format!("{}{}", about.property_name(*index), values(*index, judged));
            let names: Vec<String> = judged.violated.iter().map(told).collect();
            format!("{} {}", paint.ink(Ink::Bad, "VIOLATED"), sanitised(&names.join(", ")))
        };
        format!("{}  {time}  {case}{event}  {verdict}\n", paint.ink(Ink::Frame, &index))
    }
}

/// ` (id = 42)`, with a word on how many more there are.
fn values(property: usize, judged: &Judged<'_>) -> String {
    let mut own = judged.bindings.iter().filter(|(index, _)| *index == property).map(|(_, binding)| binding);
    let Some(first) = own.next() else { return String::new() };
    match own.count() {
        0 => format!(" ({first})"),
        more => format!(" ({first}; and {more} more)"),
    }
}

/// The text in a column, which grows if it must.
fn fit(text: &str, width: &mut usize, left: bool) -> String {
    let own = text_width(text);
    *width = own.max(*width);
    let pad = " ".repeat(*width - own);
    if left { format!("{text}{pad}") } else { format!("{pad}{text}") }
}
