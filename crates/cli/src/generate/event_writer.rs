// SPDX-License-Identifier: MIT OR Apache-2.0
//! Passes generated events to the writer of a format.

use std::io::{self, Write};

use gnomon::event::Fields;
use gnomon::symbols::Key;
use gnomon::time::{Clock, TimeKind};
use gnomon::trace::{EventRecord, EventTime, FieldEntry, Format, Losses, TableColumns, Writer, create};
use gnomon::value::Value;

use super::model::Model;
use super::simulator::GeneratedEvent;

/// Writes a generated trace.
pub(super) struct GeneratedWriter<'a> {
    model: &'a Model,
    writer: Box<dyn Writer + 'a>,
    index: u64,
}

impl<'a> GeneratedWriter<'a> {
    /// Begins a trace; `None` if the format cannot be written.
    pub(super) fn begin(out: impl Write + Send + 'a, format: Format, model: &'a Model) -> Option<GeneratedWriter<'a>> {
        let writer = create(format, out, Some(columns(model)))?;
        Some(GeneratedWriter { model, writer, index: 0 })
    }

    pub(super) fn event(&mut self, event: &GeneratedEvent<'_>) -> io::Result<()> {
        let clock = Clock::new(self.model.unit);
        let event_time = EventTime {
            field: &self.model.time_field,
            time: clock.whole(event.time),
            kind: TimeKind::Number,
            clock,
            written: None,
        };
        let parameters = PositionalFields(&event.fields);
        let record = EventRecord {
            name: event.name,
            index: self.index,
            event_time: Some(event_time),
            fields: &event.fields,
            parameters: &parameters,
            case: event.case,
        };
        self.index += 1;
        self.writer.write(&record)
    }

    /// Ends the trace and returns the data that the format could not carry.
    pub(super) fn end(mut self) -> io::Result<Losses> {
        self.writer.finish()?;
        Ok(self.writer.losses().clone())
    }
}

/// Returns all fields of the model, in the order of their first use.
fn columns(model: &Model) -> TableColumns {
    let mut fields: Vec<String> = model.case_field.iter().cloned().collect();
    for field in model.activities.iter().flat_map(|activity| &activity.fields) {
        if !fields.contains(&field.name) {
            fields.push(field.name.clone());
        }
    }
    TableColumns::new(Some(model.time_field.clone()), fields)
}

/// The fields as positional parameters. Writers do not request them by key.
struct PositionalFields<'a>(&'a [FieldEntry<'a>]);

impl Fields for PositionalFields<'_> {
    fn get(&self, _: Key) -> Option<Value<'_>> {
        None
    }
    fn parameter_count(&self) -> usize {
        self.0.len()
    }
    fn parameter(&self, index: usize) -> Value<'_> {
        self.0.get(index).map_or(Value::Null, |entry| entry.value.clone())
    }
}
