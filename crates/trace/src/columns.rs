// SPDX-License-Identifier: MIT OR Apache-2.0
//! The columns of a trace, for formats that are tables. They are known only after the whole trace was read.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::value::Value;
use gnomon_scan::{MOST_FIELDS, TraceError, too_many_fields};

use crate::column_profile::{ColumnProfile, TimeProfile};
use crate::reader::Reader;
use crate::writer::field_name;

/// The columns of a trace: the time, and every field that some event has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableColumns {
    /// The time field, if there is one.
    pub time: Option<String>,
    /// The fields, in the order of their first occurrence.
    pub fields: Vec<String>,
    /// The contents of each field; empty if they are not known.
    profiles: Vec<ColumnProfile>,
    time_profile: TimeProfile,
    /// The index of each field in `fields`.
    indices: HashMap<String, usize, RandomState>,
}

/// Reads a trace to its end to find its columns. Its setup must want everything.
pub fn find_columns<R: Reader>(reader: &mut R) -> Result<TableColumns, TraceError> {
    let mut columns = TableColumns::default();
    while let Some(origin) = reader.advance()? {
        for entry in reader.entries() {
            if !entry.is_time && !columns.add_value(&entry.key, &entry.value) {
                return Err(TraceError::new(reader.source_name(), reader.location(), too_many_fields(0)));
            }
        }
        if let Some(field) = reader.time_field().filter(|_| reader.time_kind() != TimeKind::Position) {
            columns.add_time(field, origin.time, reader.time_kind(), reader.clock());
        }
    }
    if reader.time_kind() != TimeKind::Position {
        columns.time = reader.time_field().map(str::to_owned);
    }
    Ok(columns)
}

impl TableColumns {
    /// Creates columns with unknown contents.
    pub fn new(time: Option<String>, fields: Vec<String>) -> Self {
        let indices = fields.iter().cloned().enumerate().map(|(index, name)| (name, index)).collect();
        TableColumns { time, fields, indices, ..TableColumns::default() }
    }

    /// Returns the index of a field in [`TableColumns::fields`].
    pub(crate) fn index_of(&self, field: &str) -> Option<usize> {
        self.indices.get(field).copied()
    }

    /// Returns the name under which each field is written: its own, unless that is reserved or would be read as the time.
    pub(crate) fn written_names(&self) -> Vec<Cow<'_, str>> {
        let is_used = |name: &str| self.index_of(name).is_some();
        self.fields.iter().map(|key| field_name(key, self.time.as_deref(), &["event"], is_used)).collect()
    }

    /// Adds a value of a field; returns false if there are too many fields.
    pub(crate) fn add_value(&mut self, key: &str, value: &Value<'_>) -> bool {
        let index = if let Some(index) = self.index_of(key) {
            index
        } else {
            if self.fields.len() + 2 >= MOST_FIELDS {
                return false;
            }
            self.indices.insert(key.to_owned(), self.fields.len());
            self.fields.push(key.to_owned());
            self.profiles.push(ColumnProfile::default());
            self.fields.len() - 1
        };
        self.profiles[index].add(value);
        true
    }

    /// Adds the time of an event.
    pub(crate) fn add_time(&mut self, field: &str, time: Timestamp, kind: TimeKind, clock: Clock) {
        if self.time.is_none() {
            self.time = Some(field.to_owned());
        }
        self.time_profile.add(time, kind, clock);
    }
}

#[cfg(feature = "parquet")]
impl TableColumns {
    /// Returns true if the contents of the columns are known.
    pub(crate) fn has_profiles(&self) -> bool {
        self.profiles.len() == self.fields.len()
    }

    pub(crate) fn profiles(&self) -> impl Iterator<Item = ColumnProfile> {
        self.profiles.iter().copied()
    }

    pub(crate) fn time_profile(&self) -> TimeProfile {
        self.time_profile
    }
}
