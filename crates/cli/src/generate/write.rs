// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generated events, handed to the writer of a format.

use std::io::{self, Write};

use gnomon::event::Fields;
use gnomon::symbols::Key;
use gnomon::time::{Clock, TimeKind};
use gnomon::trace::{Columns, Entry, Format, Losses, Moment, Record, Writer, create};
use gnomon::value::Value;

use super::model::Model;
use super::walk::Happening;

/// A trace being written.
pub(super) struct Output<'a> {
    model: &'a Model,
    writer: Box<dyn Writer + 'a>,
    index: u64,
}

impl<'a> Output<'a> {
    /// Begins a trace; `None` if the format cannot be written.
    pub(super) fn begin(out: impl Write + Send + 'a, format: Format, model: &'a Model) -> Option<Output<'a>> {
        let writer = create(format, out, Some(columns(model)))?;
        Some(Output { model, writer, index: 0 })
    }

    pub(super) fn event(&mut self, event: &Happening<'_>) -> io::Result<()> {
        let clock = Clock::new(self.model.unit);
        let moment = Moment {
            field: &self.model.time_field,
            time: clock.whole(event.time),
            kind: TimeKind::Number,
            clock,
            written: None,
        };
        let parameters = Parameters(&event.fields);
        let record = Record {
            name: event.name,
            index: self.index,
            moment: Some(moment),
            fields: &event.fields,
            parameters: &parameters,
            case: event.case,
        };
        self.index += 1;
        self.writer.write(&record)
    }

    /// Ends the trace; what the format could not carry is left.
    pub(super) fn end(mut self) -> io::Result<Losses> {
        self.writer.finish()?;
        Ok(self.writer.losses().clone())
    }
}

/// Every field of the model, in the order in which they are first named.
fn columns(model: &Model) -> Columns {
    let mut fields: Vec<String> = model.case_field.iter().cloned().collect();
    for field in model.activities.iter().flat_map(|activity| &activity.fields) {
        if !fields.contains(&field.name) {
            fields.push(field.name.clone());
        }
    }
    Columns::new(Some(model.time_field.clone()), fields)
}

/// The fields as positional parameters; nobody asks for them by key.
struct Parameters<'a>(&'a [Entry<'a>]);

impl Fields for Parameters<'_> {
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
