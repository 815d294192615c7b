// SPDX-License-Identifier: MIT OR Apache-2.0
//! The interface of all writers, and the function that creates one.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use gnomon_core::event::Fields;
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::value::{Value, is_out_of_range};

use crate::columns::TableColumns;
use crate::csv::CsvWriter;
use crate::format::Format;
use crate::json::JsonWriter;
use crate::loss::{Loss, Losses};
use crate::monpoly::MonpolyWriter;
use crate::ndjson::NdjsonWriter;
#[cfg(feature = "parquet")]
use crate::parquet::ParquetWriter;
use crate::reader::FieldEntry;
use crate::times::{USUAL_FIELDS, is_usual_field, usual_field};
use crate::xes::XesWriter;
use crate::xml::XmlWriter;

/// An event with everything that a trace contains of it.
#[derive(Clone, Copy)]
pub struct EventRecord<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its position in the trace, from 0.
    pub index: u64,
    /// Its time; `None` where positions are times.
    pub event_time: Option<EventTime<'a>>,
    /// Its fields in the order of the file, without the time.
    pub fields: &'a [FieldEntry<'a>],
    /// Its positional parameters.
    pub parameters: &'a dyn Fields,
    /// A number that changes with the case.
    pub case: u64,
}

/// The time of an event, and its notation in the trace.
#[derive(Clone, Copy, Debug)]
pub struct EventTime<'a> {
    /// The name of the time field.
    pub field: &'a str,
    /// The time.
    pub time: Timestamp,
    /// The kind of the times.
    pub kind: TimeKind,
    /// The conversion of numbers to times.
    pub clock: Clock,
    /// The notation of the time in the trace, if it is a text.
    pub written: Option<&'a str>,
}

/// Writes events in one format.
pub trait Writer {
    /// Writes one event.
    fn write(&mut self, event: &EventRecord<'_>) -> io::Result<()>;

    /// Ends the trace.
    fn finish(&mut self) -> io::Result<()>;

    /// Returns the losses so far.
    fn losses(&self) -> &Losses;
}

/// The grammar of a text format.
pub trait TextFormat {
    /// Writes the text before the first event.
    fn begin(&mut self, text: &mut String, losses: &mut Losses) {
        let _ = (text, losses);
    }

    /// Writes an event.
    fn event(&mut self, text: &mut String, event: &EventRecord<'_>, losses: &mut Losses) -> io::Result<()>;

    /// Writes the text after the last event.
    fn end(&mut self, text: &mut String) {
        let _ = text;
    }
}

/// Writes a trace in a text format.
pub struct TextWriter<W: Write, F> {
    out: BufWriter<W>,
    /// Text that is not yet written to `out`.
    text: String,
    format: F,
    has_begun: bool,
    losses: Losses,
}

impl<W: Write, F: TextFormat + Default> TextWriter<W, F> {
    /// Begins a trace.
    pub fn new(out: W) -> Self {
        TextWriter::with(out, F::default())
    }
}

impl<W: Write, F: TextFormat> TextWriter<W, F> {
    pub(crate) fn with(out: W, format: F) -> Self {
        let (out, text) = (BufWriter::new(out), String::new());
        TextWriter { out, text, format, has_begun: false, losses: Losses::default() }
    }

    /// Writes what is buffered, and returns the output.
    pub fn into_inner(self) -> io::Result<W> {
        self.out.into_inner().map_err(io::IntoInnerError::into_error)
    }

    fn begin(&mut self) {
        self.text.clear();
        if !self.has_begun {
            self.has_begun = true;
            self.format.begin(&mut self.text, &mut self.losses);
        }
    }
}

impl<W: Write, F: TextFormat> Writer for TextWriter<W, F> {
    fn write(&mut self, event: &EventRecord<'_>) -> io::Result<()> {
        self.begin();
        self.format.event(&mut self.text, event, &mut self.losses)?;
        self.out.write_all(self.text.as_bytes())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.begin();
        self.format.end(&mut self.text);
        self.out.write_all(self.text.as_bytes())?;
        self.out.flush()
    }

    fn losses(&self) -> &Losses {
        &self.losses
    }
}

/// Creates a writer; `None` if [`Format::is_writable`] is false. CSV without columns is written without a header, in
/// `name=value` cells, because the columns are known only after the whole trace was read.
pub fn create<'a>(
    format: Format,
    out: impl Write + Send + 'a,
    columns: Option<TableColumns>,
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
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(ParquetWriter::new(out, columns)),
        _ => return None,
    })
}

impl EventTime<'_> {
    /// Returns a date-time in the notation of the trace, and other times with all their digits.
    pub(crate) fn text(&self) -> String {
        match (self.kind, self.written) {
            (TimeKind::DateTime, Some(written)) => written.to_owned(),
            _ => self.clock.print(self.kind, self.time),
        }
    }
}

/// Returns the name under which a field is written: its own, unless that is one of the `reserved` names of the format
/// or would be read as the time field.
pub(crate) fn field_name<'a>(
    key: &'a str,
    time: Option<&str>,
    reserved: &[&str],
    is_used: impl Fn(&str) -> bool,
) -> Cow<'a, str> {
    let is_rival = match time {
        None => is_usual_field(key.as_bytes(), USUAL_FIELDS),
        Some(time) if is_usual_field(time.as_bytes(), USUAL_FIELDS) => {
            usual_field(&[time, key], USUAL_FIELDS) == Some(1)
        }
        // A time field with an unusual name must be declared, and then no other field can be read as the time.
        Some(_) => false,
    };
    if is_rival || reserved.contains(&key) || time == Some(key) {
        return Cow::Owned(other_name(key, |name| is_used(name) || time == Some(name)));
    }
    Cow::Borrowed(key)
}

/// Returns the name under which a field of this event is written, and records a loss if it is renamed.
pub(crate) fn key<'a>(
    event: &EventRecord<'_>,
    field: &'a FieldEntry<'_>,
    reserved: &[&str],
    losses: &mut Losses,
) -> Cow<'a, str> {
    let is_used = |name: &str| event.fields.iter().any(|field| field.key == name);
    let name = field_name(&field.key, event.event_time.map(|event_time| event_time.field), reserved, is_used);
    if name != field.key {
        losses.add(Loss::Renamed, event.index, &field.key);
    }
    name
}

/// Returns true if a table with these columns, of which some are set, gives the event the same positional parameters.
pub(crate) fn keeps_positions(event: &EventRecord<'_>, columns: &[String], is_set: impl Fn(usize) -> bool) -> bool {
    let count = (0..columns.len()).rev().find(|column| is_set(*column)).map_or(0, |last| last + 1);
    let value =
        |name: &String| event.fields.iter().find(|field| field.key == *name).map_or(&Value::Null, |field| &field.value);
    event.parameters.parameter_count() == count
        && (0..count).all(|index| event.parameters.parameter(index) == *value(&columns[index]))
}

/// Returns a value as the text of a cell, for formats in which the type of a cell is inferred from its text.
pub(crate) fn cell(value: &Value<'_>, event: u64, field: &str, losses: &mut Losses) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(_) => json_text(value),
        // Read again, without blanks around it, it would be an error; with an apostrophe it is a text.
        Value::Text(text) if is_out_of_range(text.trim().as_bytes()) => {
            losses.add(Loss::Look, event, field);
            format!("'{text}")
        }
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

/// Returns a value as JSON.
pub(crate) fn json_text(value: &Value<'_>) -> String {
    let mut text = String::new();
    gnomon_scan::json::write_value(&mut text, value);
    text
}

/// Returns a variation of a name that is not taken.
pub(crate) fn other_name(name: &str, is_used: impl Fn(&str) -> bool) -> String {
    let mut other = format!("{name}_");
    while is_used(&other) {
        other.push('_');
    }
    other
}
