// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text tables.

use std::fmt::Write as _;

use super::line::text_width;
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

    pub(crate) fn draw(&self, out: &mut String, paint: Paint) {
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
