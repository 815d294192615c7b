// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every writer offers, and how one is made.

use std::io::{self, Write};

use gnomon_core::event::Fields;
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::value::Value;

use crate::csv::{Columns, CsvWriter};
use crate::format::Format;
use crate::json::JsonWriter;
use crate::loss::{Loss, Losses};
use crate::monpoly::MonpolyWriter;
use crate::ndjson::NdjsonWriter;
use crate::reader::Entry;
use crate::times::{USUAL_FIELDS, is_usual_field, usual_field};
use crate::xes::XesWriter;
use crate::xml::XmlWriter;

/// An event with all that a trace says of it.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its place in the trace, from 0.
    pub index: u64,
    /// When it happened; `None` where places are times.
    pub moment: Option<Moment<'a>>,
    /// Its fields in the order of the file, the time left out.
    pub fields: &'a [Entry<'a>],
    /// Its positional parameters.
    pub parameters: &'a dyn Fields,
    /// A number that changes with the case.
    pub case: u64,
}

/// When an event happened, and how the trace says so.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The time field's name.
    pub field: &'a str,
    /// The time.
    pub time: Timestamp,
    /// What times are.
    pub kind: TimeKind,
    /// How numbers are times.
    pub clock: Clock,
    /// The time as it is written in the trace, if that is a text.
    pub written: Option<&'a str>,
}

/// Writes events in one format.
pub trait Writer {
    /// Writes one event.
    fn write(&mut self, event: &Record<'_>) -> io::Result<()>;

    /// Ends the trace.
    fn finish(&mut self) -> io::Result<()>;

    /// What was lost so far.
    fn losses(&self) -> &Losses;
}

/// A writer of this format; `None` for text logs, whose pattern only says how they are read. CSV without columns is
/// written without a header, in `name=value` cells: only the whole trace tells the columns.
pub fn create<'a>(format: Format, out: impl Write + 'a, columns: Option<Columns>) -> Option<Box<dyn Writer + 'a>> {
    Some(match format {
        Format::Csv => match columns {
            Some(columns) => Box::new(CsvWriter::table(out, columns)),
            None => Box::new(CsvWriter::assignments(out)),
        },
        Format::Ndjson => Box::new(NdjsonWriter::new(out)),
        Format::Json => Box::new(JsonWriter::new(out)),
        Format::Xml => Box::new(XmlWriter::new(out)),
        Format::Xes => Box::new(XesWriter::new(out)),
        Format::Monpoly => Box::new(MonpolyWriter::new(out)),
        Format::Text => return None,
    })
}

impl Moment<'_> {
    /// The time in the trace's own writing where that is a date-time, else with all its digits.
    pub(crate) fn text(&self) -> String {
        match (self.kind, self.written) {
            (TimeKind::DateTime, Some(written)) => written.to_owned(),
            _ => self.clock.print(self.kind, self.time),
        }
    }
}

/// Takes note of fields that a reader without a declaration would take for the time.
pub(crate) fn watch_time(event: &Record<'_>, losses: &mut Losses) {
    let is_rival = |field: &&Entry<'_>| match &event.moment {
        None => is_usual_field(field.key.as_bytes(), USUAL_FIELDS),
        Some(moment) => usual_field(&[moment.field, &field.key], USUAL_FIELDS) == Some(1),
    };
    if let Some(rival) = event.fields.iter().find(is_rival) {
        losses.add(Loss::OtherTime, event.index, &rival.key);
    }
}

/// A value as the text of a cell, for formats in which cells are what they look like.
pub(crate) fn cell(value: &Value<'_>, event: u64, field: &str, losses: &mut Losses) -> String {
    let text = match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(_) => json_text(value),
        Value::Text(text) => {
            if matches!(Value::from_cell(text.clone()), Value::Text(_)) {
                return text.to_string();
            }
            losses.add(Loss::Look, event, field);
            return text.to_string();
        }
        Value::List(_) | Value::Map(_) => {
            losses.add(Loss::Nested, event, field);
            json_text(value)
        }
    };
    text
}

/// A value as JSON.
pub(crate) fn json_text(value: &Value<'_>) -> String {
    let mut text = String::new();
    crate::ndjson::write_value(&mut text, value);
    text
}

/// A name that is not among those that are taken.
pub(crate) fn other_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut other = format!("{name}_");
    while is_taken(&other) {
        other.push('_');
    }
    other
}
