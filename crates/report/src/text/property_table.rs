// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of properties in the text report: verdict, name, title, and the counts in aligned columns.
//!
//! Where the width does not suffice, times and remarks go to a line below; if that is not enough titles are shortened; and on a
//! narrow terminal everything but the verdict and the name goes below.

use std::fmt::Write as _;

use gnomon_core::verdict::{Outcome, Verdict};
use gnomon_run::offline::Report;

use super::human::{self, DEFAULT_WIDTH, NOT_EXERCISED, TextOptions};
use super::line::{sanitised, shorten, text_width, wrap};
use super::paint::{Ink, Paint};
use crate::SpecContext;
use crate::numbers::TimeFormat;

/// Blanks between columns, and before the first one.
const GAP: usize = 2;
/// Titles are not shortened below this width.
const MIN_TITLE: usize = 16;
/// A blank at which no line ends.
const NO_BREAK: &str = "\u{a0}";
/// The columns of counts.
const COUNTS: [&str; 4] = ["activated", "satisfied", "violated", "pending"];

/// One property.
struct PropertyRow {
    verdict: Verdict,
    name: String,
    title: String,
    /// The presumed verdict and the counts; empty where there is nothing to show.
    cells: Vec<String>,
    /// Times, or the reason why there are no counts.
    remark: String,
}

/// Draws the table.
pub(super) fn draw(out: &mut String, spec: &SpecContext<'_>, report: &Report, look: TextOptions) {
    let mut rows: Vec<PropertyRow> = report
        .outcomes
        .iter()
        .enumerate()
        .map(|(index, outcome)| {
            let property = spec.property(index);
            PropertyRow {
                verdict: outcome.verdict,
                name: sanitised(&property.name),
                title: sanitised(property.title.as_deref().unwrap_or_default()),
                cells: cells(outcome),
                remark: remark(outcome, TimeFormat::of(report)),
            }
        })
        .collect();
    align(&mut rows);
    let width = look.width.unwrap_or(DEFAULT_WIDTH);
    let layout = TableLayout::new(&rows, width);
    for row in &rows {
        layout.draw(out, row, look.paint);
    }
}

/// Returns the presumed verdict and the counts of an outcome.
fn cells(outcome: &Outcome) -> Vec<String> {
    let presumably = match outcome.presumably {
        Some(true) => "presumably true",
        Some(false) => "presumably false",
        None => "",
    };
    let mut cells = vec![presumably.to_owned()];
    let counts = [outcome.activated, outcome.satisfied, outcome.violated, outcome.pending];
    let is_shown = outcome.fault.is_none() && human::is_exercised(outcome);
    cells.extend(counts.iter().zip(COUNTS).enumerate().map(|(column, (count, word))| {
        if is_shown && (*count > 0 || column == 0) { format!("{count} {word}") } else { String::new() }
    }));
    cells
}

fn remark(outcome: &Outcome, time_format: TimeFormat) -> String {
    if let Some(fault) = &outcome.fault {
        return format!("not checked, internal error: {}; please report it", sanitised(fault));
    }
    if !human::is_exercised(outcome) {
        return NOT_EXERCISED.to_owned();
    }
    human::satisfaction_time(outcome, time_format).map_or(String::new(), |time| format!("satisfied in {time}"))
}

/// Gives the counts of a column the same number of digits, and removes columns without an entry.
fn align(rows: &mut [PropertyRow]) {
    for column in (0..=COUNTS.len()).rev() {
        let widest = rows.iter().map(|row| text_width(&row.cells[column])).max().unwrap_or(0);
        for row in rows.iter_mut() {
            let cell = &mut row.cells[column];
            if widest == 0 {
                row.cells.remove(column);
            } else if !cell.is_empty() && column > 0 {
                *cell = format!("{cell:>widest$}");
            }
        }
    }
}

/// The widths of the columns.
struct TableLayout {
    /// Columns of the whole table.
    width: usize,
    verdict: usize,
    name: usize,
    title: usize,
    cells: Vec<usize>,
    /// True if even shortened titles leave no room for the counts.
    is_stacked: bool,
}

impl TableLayout {
    fn new(rows: &[PropertyRow], width: usize) -> TableLayout {
        let widest = |text: &dyn Fn(&PropertyRow) -> usize| rows.iter().map(text).max().unwrap_or(0);
        let verdict = widest(&|row| row.verdict.word().len());
        let name = widest(&|row| text_width(&row.name));
        let title = widest(&|row| text_width(&row.title));
        let columns = 0..rows.first().map_or(0, |row| row.cells.len());
        let cells: Vec<usize> = columns.map(|column| widest(&|row| text_width(&row.cells[column]))).collect();
        let without_title = GAP + verdict + GAP + name + cells.iter().map(|width| GAP + width).sum::<usize>();
        let room = width.saturating_sub(without_title + GAP);
        let is_stacked = if title == 0 { without_title > width } else { title > room && room < MIN_TITLE };
        TableLayout { width, verdict, name, title: title.min(room), cells, is_stacked }
    }

    fn draw(&self, out: &mut String, row: &PropertyRow, paint: Paint) {
        let ink = match row.verdict {
            Verdict::Holds => Ink::Good,
            Verdict::Violated => Ink::Bad,
            Verdict::Inconclusive => Ink::Doubtful,
        };
        let word = row.verdict.word();
        let verdict = format!("  {}{}", paint.ink(ink, word), " ".repeat(self.verdict - word.len() + GAP));
        let text = if self.is_stacked { self.stack(row) } else { self.line(row) };
        let indent = format!("\n{}", " ".repeat(GAP + self.verdict + GAP));
        let _ = writeln!(out, "{verdict}{}", text.replace('\n', &indent));
    }

    /// Renders a row as one line, with the remark below it if there is no room beside it.
    fn line(&self, row: &PropertyRow) -> String {
        let mut line = pad(&row.name, self.name);
        if self.title > 0 {
            let _ = write!(line, "  {}", pad(&shorten(&row.title, self.title), self.title));
        }
        // A remark without counts takes their place.
        if row.cells.iter().any(|cell| !cell.is_empty()) {
            for (cell, width) in row.cells.iter().zip(&self.cells) {
                let _ = write!(line, "  {}", pad(cell, *width));
            }
        }
        if row.remark.is_empty() || text_width(&line) + GAP + text_width(&row.remark) <= self.room() {
            return format!("{line}  {}", row.remark).trim_end().to_owned();
        }
        format!("{}\n{}", line.trim_end(), wrap(&row.remark, self.room(), ""))
    }

    /// Renders a row as the name, and everything else below it.
    fn stack(&self, row: &PropertyRow) -> String {
        // A count stays on the line of its noun.
        let cells = row.cells.iter().map(|cell| cell.trim().replace(' ', NO_BREAK));
        let cells: Vec<String> = cells.filter(|cell| !cell.is_empty()).collect();
        let cells = wrap(&cells.join(", "), self.room(), "").replace(NO_BREAK, " ");
        let beside = text_width(&row.name) + GAP + text_width(&row.title) <= self.room();
        let name = format!("{}{}{}", row.name, if beside { "  " } else { "\n" }, wrap(&row.title, self.room(), ""));
        let parts = [name.trim_end(), &cells, &wrap(&row.remark, self.room(), "")];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// Returns the columns after the verdict.
    fn room(&self) -> usize {
        self.width.saturating_sub(GAP + self.verdict + GAP)
    }
}

fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text_width(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(verdict: Verdict, name: &str, title: &str, cells: &[&str], remark: &str) -> PropertyRow {
        let mut cells: Vec<String> = cells.iter().map(|cell| (*cell).to_owned()).collect();
        cells.resize(COUNTS.len() + 1, String::new());
        PropertyRow { verdict, name: name.to_owned(), title: title.to_owned(), cells, remark: remark.to_owned() }
    }

    fn table(width: usize, mut rows: Vec<PropertyRow>) -> String {
        align(&mut rows);
        let layout = TableLayout::new(&rows, width);
        let mut out = String::new();
        for row in &rows {
            layout.draw(&mut out, row, Paint::PLAIN);
        }
        out
    }

    fn rows() -> Vec<PropertyRow> {
        vec![
            row(Verdict::Violated, "QP1", "Withdrawal limit", &["", "59 activated", "58 satisfied", "1 violated"], ""),
            row(
                Verdict::Holds,
                "answered",
                "Response time of checkAccess",
                &["", "1039 activated", "9 satisfied"],
                "satisfied in 1 s to 4 s (mean 2.55 s)",
            ),
            row(Verdict::Holds, "idle", "", &[], NOT_EXERCISED),
        ]
    }

    #[test]
    fn a_wide_table_has_one_line_for_each_property() {
        let expected = "
  violated  QP1       Withdrawal limit                59 activated  58 satisfied  1 violated
  holds     answered  Response time of checkAccess  1039 activated   9 satisfied              satisfied in 1 s to 4 s (mean 2.55 s)
  holds     idle                                    not exercised: nothing in the trace activated it
";
        assert_eq!(format!("\n{}", table(200, rows())), expected);
    }

    #[test]
    fn what_does_not_fit_goes_below_and_titles_are_shortened() {
        let expected = "
  violated  QP1       Withdrawal limit          59 activated  58 satisfied  1 violated
  holds     answered  Response time of chec…  1039 activated   9 satisfied
            satisfied in 1 s to 4 s (mean 2.55 s)
  holds     idle
            not exercised: nothing in the trace activated it
";
        assert_eq!(format!("\n{}", table(86, rows())), expected);
    }

    #[test]
    fn a_narrow_table_is_stacked() {
        let expected = "
  violated  QP1  Withdrawal limit
            59 activated, 58 satisfied,
            1 violated
  holds     answered
            Response time of checkAccess
            1039 activated, 9 satisfied
            satisfied in 1 s to 4 s (mean
            2.55 s)
  holds     idle
            not exercised: nothing in the
            trace activated it
";
        assert_eq!(format!("\n{}", table(44, rows())), expected);
    }

    #[test]
    fn no_line_is_wider_than_the_table() {
        for width in human::MIN_WIDTH..=human::MAX_WIDTH {
            for line in table(width, rows()).lines() {
                assert!(text_width(line) <= width && !line.ends_with(' '), "{width}: {line}");
            }
        }
    }
}
