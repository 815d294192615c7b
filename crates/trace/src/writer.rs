// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every writer offers, and how one is made.

use std::borrow::Cow;
use std::io::{self, Write};

use gnomon_core::event::Fields;
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::value::Value;

use crate::columns::Columns;
use crate::csv::CsvWriter;
use crate::format::Format;
use crate::json::JsonWriter;
use crate::loss::{Loss, Losses};
use crate::monpoly::MonpolyWriter;
use crate::ndjson::NdjsonWriter;
use crate::parquet::ParquetWriter;
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

/// A writer of this format; `None` where [`Format::is_writable`] says no. CSV without columns is written without a
/// header, in `name=value` cells: only the whole trace tells the columns.
pub fn create<'a>(
    format: Format,
    out: impl Write + Send + 'a,
    columns: Option<Columns>,
) -> Option<Box<dyn Writer + 'a>> {
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
        Format::Parquet => Box::new(ParquetWriter::new(out, columns)),
        Format::Text | Format::Messages | Format::Otlp => return None,
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

/// The name under which a field is written: its own, unless that has another meaning in the format (one of `reserved`),
/// or would be taken for the time where the time has no name that would be taken first.
pub(crate) fn field_name<'a>(
    key: &'a str,
    time: Option<&str>,
    reserved: &[&str],
    is_taken: impl Fn(&str) -> bool,
) -> Cow<'a, str> {
    let is_rival = match time {
        None => is_usual_field(key.as_bytes(), USUAL_FIELDS),
        Some(time) if is_usual_field(time.as_bytes(), USUAL_FIELDS) => {
            usual_field(&[time, key], USUAL_FIELDS) == Some(1)
        }
        // A time field with a name of its own must be declared, and then nothing is its rival.
        Some(_) => false,
    };
    if is_rival || reserved.contains(&key) || time == Some(key) {
        return Cow::Owned(other_name(key, |name| is_taken(name) || time == Some(name)));
    }
    Cow::Borrowed(key)
}

/// The name under which a field of this event is written; takes note if it is not its own.
pub(crate) fn key<'a>(
    event: &Record<'_>,
    field: &'a Entry<'_>,
    reserved: &[&str],
    losses: &mut Losses,
) -> Cow<'a, str> {
    let is_taken = |name: &str| event.fields.iter().any(|field| field.key == name);
    let name = field_name(&field.key, event.moment.map(|moment| moment.field), reserved, is_taken);
    if name != field.key {
        losses.add(Loss::Renamed, event.index, &field.key);
    }
    name
}

/// Whether the positional parameters of an event are those that a row of these columns gives back, of which these are
/// set.
pub(crate) fn keeps_positions(event: &Record<'_>, columns: &[String], is_set: impl Fn(usize) -> bool) -> bool {
    let count = (0..columns.len()).rev().find(|column| is_set(*column)).map_or(0, |last| last + 1);
    let value =
        |name: &String| event.fields.iter().find(|field| field.key == *name).map_or(&Value::Null, |field| &field.value);
    event.parameters.parameter_count() == count
        && (0..count).all(|index| event.parameters.parameter(index) == *value(&columns[index]))
}

/// A value as the text of a cell, for formats in which cells are what they look like.
pub(crate) fn cell(value: &Value<'_>, event: u64, field: &str, losses: &mut Losses) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(_) => json_text(value),
        Value::Text(text) => {
            if !matches!(Value::from_cell(text.clone()), Value::Text(_)) {
                losses.add(Loss::Look, event, field);
            }
            text.to_string()
        }
        Value::List(_) | Value::Map(_) => {
            losses.add(Loss::Nested, event, field);
            json_text(value)
        }
    }
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
