// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writer, in both layouts: under a header, whose columns must be known in advance, and in `name=value` cells.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::columns::TableColumns;
use crate::loss::{Loss, Losses};
use crate::writer::{EventRecord, TextFormat, TextWriter, cell, keeps_positions, key, other_name};

/// Writes CSV; see `csv/FORMAT.md`.
pub type CsvWriter<W> = TextWriter<W, CsvFormat>;

/// The grammar of CSV: under a header, or in `name=value` cells.
pub struct CsvFormat(Option<CsvTable>);

struct CsvTable {
    columns: TableColumns,
    /// The cells of the current row, without name and time.
    cells: Vec<Option<String>>,
}

impl<W: Write> CsvWriter<W> {
    /// Begins a trace with a header.
    pub fn table(out: W, columns: TableColumns) -> Self {
        let cells = vec![None; columns.fields.len()];
        TextWriter::with(out, CsvFormat(Some(CsvTable { columns, cells })))
    }

    /// Begins a trace without a header: each cell after the name names its field.
    pub fn assignments(out: W) -> Self {
        TextWriter::with(out, CsvFormat(None))
    }
}

impl TextFormat for CsvFormat {
    fn begin(&mut self, line: &mut String, losses: &mut Losses) {
        if let CsvFormat(Some(table)) = self {
            table.header(line, losses);
        }
    }

    fn event(&mut self, line: &mut String, event: &EventRecord<'_>, losses: &mut Losses) -> io::Result<()> {
        match self {
            CsvFormat(Some(table)) => table.row(event, line, losses)?,
            CsvFormat(None) => assignments(event, line, losses),
        }
        line.push('\n');
        Ok(())
    }
}

impl CsvTable {
    fn header(&self, line: &mut String, losses: &mut Losses) {
        line.push_str("event");
        let time = self.columns.time.as_deref();
        let names = self.columns.written_names();
        // A first line in which every cell but the first has a `=` would not be read as a header.
        let looks_assigned = names.iter().all(|name| name.contains('=')) && time.is_none_or(|time| time.contains('='));
        if let Some(time) = time {
            line.push_str(", ");
            write_cell(line, time);
        }
        for (key, name) in self.columns.fields.iter().zip(names) {
            let is_used = |name: &str| self.columns.index_of(name).is_some();
            let name = if looks_assigned { Cow::Owned(other_name(&name.replace('=', "_"), is_used)) } else { name };
            if name != *key {
                losses.add(Loss::Renamed, 0, key);
            }
            line.push_str(", ");
            write_cell(line, &name);
        }
        line.push('\n');
    }

    fn row(&mut self, event: &EventRecord<'_>, line: &mut String, losses: &mut Losses) -> io::Result<()> {
        write_cell(line, event.name);
        if self.columns.time.is_some() {
            line.push_str(", ");
            write_cell(line, &event.event_time.map(|event_time| event_time.text()).unwrap_or_default());
        }
        self.cells.fill(None);
        for field in event.fields {
            let Some(index) = self.columns.index_of(&field.key) else {
                return Err(io::Error::other(format!("the field `{}` is not among the columns", field.key)));
            };
            let text = cell(&field.value, event.index, &field.key, losses);
            if text.is_empty() {
                losses.add(Loss::EmptyText, event.index, &field.key);
            }
            self.cells[index] = Some(text);
        }
        for cell in &self.cells {
            line.push_str(", ");
            write_cell(line, cell.as_deref().unwrap_or(""));
        }
        let is_set = |column: usize| self.cells[column].as_ref().is_some_and(|text| !text.is_empty());
        if !keeps_positions(event, &self.columns.fields, is_set) {
            losses.add(Loss::Positions, event.index, "");
        }
        Ok(())
    }
}

fn assignments(event: &EventRecord<'_>, line: &mut String, losses: &mut Losses) {
    write_cell(line, event.name);
    let mut write = |key: &str, text: &str| {
        line.push_str(", ");
        write_cell(line, &format!("{key}={text}"));
    };
    if let Some(event_time) = &event.event_time {
        write(&clean(event_time.field, event, losses), &event_time.text());
    } else {
        losses.add(Loss::PlaceTime, event.index, "");
        write("time", &event.index.to_string());
    }
    for field in event.fields {
        let text = cell(&field.value, event.index, &field.key, losses);
        if text.is_empty() {
            losses.add(Loss::EmptyText, event.index, &field.key);
        }
        let name = key(event, field, &[], losses);
        write(&clean(&name, event, losses), &text);
    }
    let own = event.parameters;
    let keeps = own.parameter_count() == event.fields.len()
        && event.fields.iter().enumerate().all(|(index, field)| own.parameter(index) == field.value);
    if !keeps {
        losses.add(Loss::Positions, event.index, "");
    }
}

/// Returns a name that can stand before a `=`: without a `=` of its own and without blanks at its ends.
fn clean<'a>(name: &'a str, event: &EventRecord<'_>, losses: &mut Losses) -> Cow<'a, str> {
    let clean = name.trim_matches([' ', '\t', '\r']).replace('=', "_");
    if clean == name {
        return Cow::Borrowed(name);
    }
    losses.add(Loss::Renamed, event.index, name);
    let is_time = |name: &str| name == "time" || event.event_time.is_some_and(|event_time| event_time.field == name);
    Cow::Owned(other_name(&clean, |name| is_time(name) || event.fields.iter().any(|field| field.key == name)))
}

/// Writes a cell, in quotes if necessary.
fn write_cell(line: &mut String, text: &str) {
    let is_blank = |character| matches!(character, ' ' | '\t' | '\r');
    // At the start of a file this would be a byte order mark.
    let is_mark = text.starts_with('\u{FEFF}');
    let needs_quotes =
        is_mark || text.contains([',', '"', '\n', '\r']) || text.starts_with(is_blank) || text.ends_with(is_blank);
    if !needs_quotes {
        line.push_str(text);
        return;
    }
    line.push('"');
    line.push_str(&text.replace('"', "\"\""));
    line.push('"');
}
