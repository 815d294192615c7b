// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace as a table: each event with its verdict. Written while the trace is judged, so columns can only grow.

use gnomon::offline::{Ended, Judged};
use gnomon::verdict::Binding;

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
        let Judged { origin, violated, bindings, case, legend } = *judged;
        let dial = Dial { clock: about.clock(), kind: legend.time_kind };
        let (index, time) = (origin.event_index.to_string(), dial.time(origin.time));
        let event = sanitised(legend.symbols.name_text(origin.event));
        self.line([&index, &time, &event], case, &verdict(about, violated, bindings, paint), paint)
    }

    /// The line of what the end decided.
    pub(crate) fn end(&mut self, about: &About<'_>, ended: &Ended<'_>, paint: Paint) -> String {
        let Ended { last, violated, bindings, case, legend } = *ended;
        let dial = Dial { clock: about.clock(), kind: legend.time_kind };
        let time = last.map_or(String::new(), |last| dial.time(last));
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

fn verdict(about: &About<'_>, violated: &[usize], bindings: &[(usize, Binding)], paint: Paint) -> String {
    if violated.is_empty() {
        return paint.ink(Ink::Good, "ok");
    }
    let told = |index: &usize| format!("{}{}", about.property_name(*index), values(*index, bindings));
    let names: Vec<String> = violated.iter().map(told).collect();
    format!("{} {}", paint.ink(Ink::Bad, "VIOLATED"), sanitised(&names.join(", ")))
}

/// ` (id = 42)`, with a word on how many more there are.
fn values(property: usize, bindings: &[(usize, Binding)]) -> String {
    let mut own = bindings.iter().filter(|(index, _)| *index == property).map(|(_, binding)| binding);
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
