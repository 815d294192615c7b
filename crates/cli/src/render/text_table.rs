// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text tables.

use std::fmt::Write as _;

use super::human::TextOptions;
use super::line::{text_width, wrap};
use crate::paint::{Ink, Paint};

/// The heading of a column of names.
pub(crate) const NAME_HEADING: &str = "property";

/// A table whose columns are as wide as their longest cell. Names are aligned left, numbers right. The first row is the
/// heading.
pub(crate) struct TextTable {
    rows: Vec<(bool, Vec<String>)>,
    widths: Vec<usize>,
}

impl TextTable {
    pub(crate) fn new<'a>(headings: impl Iterator<Item = &'a str>) -> TextTable {
        let mut table = TextTable { rows: Vec::new(), widths: Vec::new() };
        table.add(false, headings.map(str::to_owned));
        table
    }

    pub(crate) fn add(&mut self, is_bad: bool, cells: impl Iterator<Item = String>) {
        let cells: Vec<String> = cells.collect();
        self.widths.resize(cells.len(), 0);
        for (width, cell) in self.widths.iter_mut().zip(&cells) {
            *width = text_width(cell).max(*width);
        }
        self.rows.push((is_bad, cells));
    }

    /// Draws the table. If it is too wide for the terminal, each row becomes a paragraph in which the cells have their headings.
    pub(crate) fn draw(&self, out: &mut String, look: TextOptions) {
        let total: usize = self.widths.iter().map(|width| 2 + width).sum();
        match look.width {
            Some(width) if total > width => self.draw_paragraphs(out, width, look.paint),
            _ => self.draw_columns(out, look.paint),
        }
    }

    fn draw_paragraphs(&self, out: &mut String, width: usize, paint: Paint) {
        let Some(((_, headings), rows)) = self.rows.split_first() else { return };
        for (is_bad, cells) in rows {
            let labelled: Vec<String> = headings
                .iter()
                .zip(cells)
                .map(|(heading, cell)| if heading == NAME_HEADING { cell.clone() } else { format!("{heading} {cell}") })
                .collect();
            let text = wrap(&labelled.join(", "), width - 2, "    ");
            let text = if *is_bad { paint.ink(Ink::Bad, &text) } else { text };
            let _ = writeln!(out, "  {text}");
        }
    }

    fn draw_columns(&self, out: &mut String, paint: Paint) {
        for (number, (is_bad, cells)) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (column, (cell, width)) in cells.iter().zip(&self.widths).enumerate() {
                let pad = " ".repeat(width - text_width(cell));
                let is_name = self.rows[0].1[column] == NAME_HEADING;
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
