// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writer, in both forms: under a header, whose columns must be known in advance, and in `name=value` cells.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, BufWriter, Write};

use foldhash::fast::RandomState;

use crate::columns::Columns;
use crate::loss::{Loss, Losses};
use crate::writer::{Record, Writer, cell, field_name, keeps_positions, key, other_name};

/// Writes CSV; see `csv/FORMAT.md`.
pub struct CsvWriter<W: Write> {
    out: BufWriter<W>,
    line: String,
    form: Form,
    losses: Losses,
}

enum Form {
    Table(Table),
    Assignments,
}

struct Table {
    columns: Columns,
    places: HashMap<String, usize, RandomState>,
    /// The cells of the present row, without name and time.
    cells: Vec<Option<String>>,
    begun: bool,
}

impl<W: Write> CsvWriter<W> {
    /// Begins a trace with a header.
    pub fn table(out: W, columns: Columns) -> Self {
        let places = columns.fields.iter().cloned().enumerate().map(|(place, name)| (name, place)).collect();
        let cells = vec![None; columns.fields.len()];
        CsvWriter::new(out, Form::Table(Table { columns, places, cells, begun: false }))
    }

    /// Begins a trace without a header: every cell after the name says which field it is.
    pub fn assignments(out: W) -> Self {
        CsvWriter::new(out, Form::Assignments)
    }

    fn new(out: W, form: Form) -> Self {
        CsvWriter { out: BufWriter::new(out), line: String::new(), form, losses: Losses::default() }
    }
}

impl<W: Write> Writer for CsvWriter<W> {
    fn write(&mut self, event: &Record<'_>) -> io::Result<()> {
        self.line.clear();
        match &mut self.form {
            Form::Table(table) => table.row(event, &mut self.line, &mut self.losses)?,
            Form::Assignments => assignments(event, &mut self.line, &mut self.losses),
        }
        self.line.push('\n');
        self.out.write_all(self.line.as_bytes())
    }

    fn finish(&mut self) -> io::Result<()> {
        if let Form::Table(table) = &mut self.form
            && !table.begun
        {
            self.line.clear();
            table.header(&mut self.line, &mut self.losses);
            self.out.write_all(self.line.as_bytes())?;
        }
        self.out.flush()
    }

    fn losses(&self) -> &Losses {
        &self.losses
    }
}

impl Table {
    fn header(&mut self, line: &mut String, losses: &mut Losses) {
        self.begun = true;
        line.push_str("event");
        let time = self.columns.time.as_deref();
        let is_taken = |name: &str| self.places.contains_key(name);
        let names = self.columns.fields.iter().map(|key| (key, field_name(key, time, &["event"], is_taken)));
        let names: Vec<(&String, Cow<'_, str>)> = names.collect();
        // A first line in which every other cell has a `=` is no header.
        let looks_assigned =
            names.iter().all(|(_, name)| name.contains('=')) && time.is_none_or(|time| time.contains('='));
        if let Some(time) = time {
            line.push_str(", ");
            write_cell(line, time);
        }
        for (key, name) in names {
            let name = if looks_assigned { Cow::Owned(other_name(&name.replace('=', "_"), is_taken)) } else { name };
            if name != *key {
                losses.add(Loss::Renamed, 0, key);
            }
            line.push_str(", ");
            write_cell(line, &name);
        }
        line.push('\n');
    }

    fn row(&mut self, event: &Record<'_>, line: &mut String, losses: &mut Losses) -> io::Result<()> {
        if !self.begun {
            self.header(line, losses);
        }
        write_cell(line, event.name);
        if self.columns.time.is_some() {
            line.push_str(", ");
            write_cell(line, &event.moment.map(|moment| moment.text()).unwrap_or_default());
        }
        self.cells.fill(None);
        for field in event.fields {
            let Some(&place) = self.places.get(field.key.as_ref()) else {
                return Err(io::Error::other(format!("the field `{}` is not among the columns", field.key)));
            };
            let text = cell(&field.value, event.index, &field.key, losses);
            if text.is_empty() {
                losses.add(Loss::EmptyText, event.index, &field.key);
            }
            self.cells[place] = Some(text);
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

fn assignments(event: &Record<'_>, line: &mut String, losses: &mut Losses) {
    write_cell(line, event.name);
    let mut write = |key: &str, text: &str| {
        line.push_str(", ");
        write_cell(line, &format!("{key}={text}"));
    };
    if let Some(moment) = &event.moment {
        write(&clean(moment.field, event, losses), &moment.text());
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

/// A name that can stand in front of a `=`: with none of its own, and no blanks at its ends.
fn clean<'a>(name: &'a str, event: &Record<'_>, losses: &mut Losses) -> Cow<'a, str> {
    let clean = name.trim_matches([' ', '\t', '\r']).replace('=', "_");
    if clean == name {
        return Cow::Borrowed(name);
    }
    losses.add(Loss::Renamed, event.index, name);
    let is_time = |name: &str| name == "time" || event.moment.is_some_and(|moment| moment.field == name);
    Cow::Owned(other_name(&clean, |name| is_time(name) || event.fields.iter().any(|field| field.key == name)))
}

/// Writes a cell, in quotes where it must be.
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
