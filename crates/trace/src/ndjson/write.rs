// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writer: one object per line, the name first, then the time.

use std::io;

use gnomon_core::escape::write_json;
use gnomon_core::time::TimeKind;
use gnomon_scan::json::write_field;

use crate::loss::Losses;
use crate::writer::{EventRecord, EventTime, TextFormat, TextWriter, key};

/// Writes NDJSON; see `ndjson/FORMAT.md`.
pub type NdjsonWriter<W> = TextWriter<W, NdjsonFormat>;

/// The grammar of NDJSON.
#[derive(Default)]
pub struct NdjsonFormat;

impl TextFormat for NdjsonFormat {
    fn event(&mut self, line: &mut String, event: &EventRecord<'_>, losses: &mut Losses) -> io::Result<()> {
        line.push_str("{\"event\": ");
        write_json(line, event.name);
        if let Some(event_time) = &event.event_time {
            line.push_str(", ");
            write_time(line, event_time);
        }
        for field in event.fields {
            line.push_str(", ");
            // The key `event` is reserved for the event's name.
            write_field(line, &key(event, field, &["event"], losses), &field.value);
        }
        line.push_str("}\n");
        Ok(())
    }
}

/// Writes the time as a key and its value.
pub(crate) fn write_time(text: &mut String, event_time: &EventTime<'_>) {
    write_json(text, event_time.field);
    text.push_str(": ");
    match event_time.kind {
        TimeKind::DateTime => write_json(text, &event_time.text()),
        TimeKind::Number | TimeKind::Position => text.push_str(&event_time.text()),
    }
}
