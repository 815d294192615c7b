// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writer: one object per line, the name first, then the time.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

use gnomon_core::number::Number;
use gnomon_core::time::TimeKind;
use gnomon_core::value::Value;

use crate::loss::Losses;
use crate::writer::{Moment, Record, Writer, key};

/// Writes NDJSON; see `ndjson/FORMAT.md`.
pub struct NdjsonWriter<W: Write> {
    out: BufWriter<W>,
    line: String,
    losses: Losses,
}

impl<W: Write> NdjsonWriter<W> {
    /// Begins a trace.
    pub fn new(out: W) -> Self {
        NdjsonWriter { out: BufWriter::new(out), line: String::new(), losses: Losses::default() }
    }

    /// Writes what is left, and gives back what it was written to.
    pub fn into_inner(self) -> io::Result<W> {
        self.out.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

impl<W: Write> Writer for NdjsonWriter<W> {
    fn write(&mut self, event: &Record<'_>) -> io::Result<()> {
        let Self { out, line, losses } = self;
        line.clear();
        line.push_str("{\"event\": ");
        write_string(line, event.name);
        if let Some(moment) = &event.moment {
            line.push_str(", ");
            write_time(line, moment);
        }
        for field in event.fields {
            line.push_str(", ");
            // Under `event` is the event's name.
            write_field(line, &key(event, field, &["event"], losses), &field.value);
        }
        line.push_str("}\n");
        out.write_all(line.as_bytes())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn losses(&self) -> &Losses {
        &self.losses
    }
}

/// Writes the time as a key and its value.
pub(crate) fn write_time(text: &mut String, moment: &Moment<'_>) {
    write_string(text, moment.field);
    text.push_str(": ");
    match moment.kind {
        TimeKind::DateTime => write_string(text, &moment.text()),
        TimeKind::Number | TimeKind::Position => text.push_str(&moment.text()),
    }
}

/// Writes a field as a key and its value.
pub(crate) fn write_field(text: &mut String, key: &str, value: &Value<'_>) {
    write_string(text, key);
    text.push_str(": ");
    write_value(text, value);
}

/// Writes a value as JSON.
pub(crate) fn write_value(text: &mut String, value: &Value<'_>) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        // JSON has no infinity, but numbers that are read as one.
        Value::Number(Number::Float(value)) if value.is_infinite() => {
            text.push_str(if *value < 0.0 { "-1e999" } else { "1e999" });
        }
        Value::Number(number) => {
            let _ = write!(text, "{number}");
        }
        Value::Text(value) => write_string(text, value),
        Value::List(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { ", " });
                write_value(text, item);
            }
            text.push(']');
        }
        Value::Map(entries) => {
            text.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { ", " });
                write_field(text, key, value);
            }
            text.push('}');
        }
    }
}

/// Writes a string of JSON.
pub(crate) fn write_string(text: &mut String, string: &str) {
    text.push('"');
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            control if control < ' ' => {
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            other => text.push(other),
        }
    }
    text.push('"');
}
