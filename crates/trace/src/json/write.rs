// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writer: a list with one event on each line.

use std::io;

use gnomon_core::escape::write_json;
use gnomon_scan::json::write_field;

use crate::loss::Losses;
use crate::ndjson::write_time;
use crate::writer::{EventRecord, TextFormat, TextWriter, key};

/// Writes the JSON of the competitions; see `json/FORMAT.md`.
pub type JsonWriter<W> = TextWriter<W, JsonFormat>;

/// The grammar of that JSON.
#[derive(Default)]
pub struct JsonFormat {
    has_events: bool,
}

impl TextFormat for JsonFormat {
    fn event(&mut self, line: &mut String, event: &EventRecord<'_>, losses: &mut Losses) -> io::Result<()> {
        line.push_str(if self.has_events { ",\n{" } else { "[\n{" });
        self.has_events = true;
        write_json(line, event.name);
        line.push_str(": {");
        if let Some(event_time) = &event.event_time {
            write_time(line, event_time);
        }
        for (index, field) in event.fields.iter().enumerate() {
            line.push_str(if index == 0 && event.event_time.is_none() { "" } else { ", " });
            write_field(line, &key(event, field, &[], losses), &field.value);
        }
        line.push_str("}}");
        Ok(())
    }

    fn end(&mut self, text: &mut String) {
        text.push_str(if self.has_events { "\n]\n" } else { "[]\n" });
    }
}
