// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writer: a list with one event on each line.

use std::io::{self, BufWriter, Write};

use crate::loss::Losses;
use crate::ndjson::{write_field, write_string, write_time};
use crate::writer::{Record, Writer, key};

/// Writes the JSON of the competitions; see `json/FORMAT.md`.
pub struct JsonWriter<W: Write> {
    out: BufWriter<W>,
    line: String,
    is_first: bool,
    losses: Losses,
}

impl<W: Write> JsonWriter<W> {
    /// Begins a trace.
    pub fn new(out: W) -> Self {
        JsonWriter { out: BufWriter::new(out), line: String::new(), is_first: true, losses: Losses::default() }
    }
}

impl<W: Write> Writer for JsonWriter<W> {
    fn write(&mut self, event: &Record<'_>) -> io::Result<()> {
        let line = &mut self.line;
        line.clear();
        line.push_str(if self.is_first { "[\n{" } else { ",\n{" });
        self.is_first = false;
        write_string(line, event.name);
        line.push_str(": {");
        if let Some(moment) = &event.moment {
            write_time(line, moment);
        }
        for (index, field) in event.fields.iter().enumerate() {
            line.push_str(if index == 0 && event.moment.is_none() { "" } else { ", " });
            write_field(line, &key(event, field, &[], &mut self.losses), &field.value);
        }
        line.push_str("}}");
        self.out.write_all(line.as_bytes())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.write_all(if self.is_first { b"[]\n" } else { b"\n]\n" })?;
        self.out.flush()
    }

    fn losses(&self) -> &Losses {
        &self.losses
    }
}
