// SPDX-License-Identifier: MIT OR Apache-2.0
//! The columns that a trace needs in formats that are tables: only the whole trace tells them.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::value::Value;

use crate::error::TraceError;
use crate::fields::{MOST_FIELDS, too_many_fields};
use crate::parquet::{Shape, TimeShape};
use crate::reader::Reader;

/// The columns of a trace: the time, and every field that some event has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Columns {
    /// The time field, if there is one.
    pub time: Option<String>,
    /// The fields, in the order in which they first come.
    pub fields: Vec<String>,
    /// What was seen of the fields, where someone looked; as many as there are fields.
    shapes: Vec<Shape>,
    time_shape: TimeShape,
    places: HashMap<String, usize, RandomState>,
}

/// Reads a trace to its end for the columns that it needs. Its setup must want everything.
pub fn columns<R: Reader>(reader: &mut R) -> Result<Columns, TraceError> {
    let mut columns = Columns::default();
    while let Some(origin) = reader.advance()? {
        for entry in reader.entries() {
            if !entry.is_time && !columns.see(&entry.key, &entry.value) {
                return Err(TraceError::new(reader.source_name(), reader.place(), too_many_fields(0)));
            }
        }
        if let Some(field) = reader.time_field().filter(|_| reader.time_kind() != TimeKind::Position) {
            columns.see_time(field, origin.time, reader.time_kind(), reader.clock());
        }
    }
    if reader.time_kind() != TimeKind::Position {
        columns.time = reader.time_field().map(str::to_owned);
    }
    Ok(columns)
}

impl Columns {
    /// These columns; what is in them is unknown.
    pub fn new(time: Option<String>, fields: Vec<String>) -> Self {
        Columns { time, fields, ..Columns::default() }
    }

    /// A value of a field; false if there are too many fields.
    pub(crate) fn see(&mut self, key: &str, value: &Value<'_>) -> bool {
        let place = if let Some(place) = self.places.get(key) {
            *place
        } else {
            if self.fields.len() + 2 >= MOST_FIELDS {
                return false;
            }
            self.places.insert(key.to_owned(), self.fields.len());
            self.fields.push(key.to_owned());
            self.shapes.push(Shape::default());
            self.fields.len() - 1
        };
        self.shapes[place].see(value);
        true
    }

    /// The time of an event.
    pub(crate) fn see_time(&mut self, field: &str, time: Timestamp, kind: TimeKind, clock: Clock) {
        if self.time.is_none() {
            self.time = Some(field.to_owned());
        }
        self.time_shape.see(time, kind, clock);
    }

    /// Whether it is known what is in the columns.
    pub(crate) fn has_shapes(&self) -> bool {
        self.shapes.len() == self.fields.len()
    }

    pub(crate) fn shapes(&self) -> impl Iterator<Item = Shape> {
        self.shapes.iter().copied()
    }

    pub(crate) fn time_shape(&self) -> TimeShape {
        self.time_shape
    }
}
