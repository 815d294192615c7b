// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cases by the values of a field, for a trace that is sorted by case.

use gnomon_core::event::{CASE_MARKER, Fields, PROGRESS_MARKER};
use gnomon_core::number::Number;
use gnomon_core::symbols::{Key, Name};
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_scan::TraceError;

use crate::reader::{FieldEntry, Location, Reader};
use crate::state::ReaderState;

/// A reader whose cases are the values of a field. Events that lack the field are left out.
pub struct CaseReader<R> {
    reader: R,
    key: Key,
    /// The names of progress markers and case markers, which belong to no case and are passed on.
    markers: [Option<Name>; 2],
    number: u64,
    /// The value of the current case, if it is a whole number; comparing it avoids printing a label per event.
    whole: Option<i64>,
    label: String,
    text: String,
    excluded_count: u64,
}

impl<R: Reader> CaseReader<R> {
    /// Divides the events by this field, which must be wanted of all events.
    pub fn new(reader: R, field: &str) -> Self {
        let key = reader.symbols().find_key(field).unwrap_or(Key::OTHER);
        let markers = [PROGRESS_MARKER, CASE_MARKER].map(|name| reader.symbols().find_name(name));
        CaseReader {
            reader,
            key,
            markers,
            number: 0,
            whole: None,
            label: String::new(),
            text: String::new(),
            excluded_count: 0,
        }
    }

    /// Returns the number of events without the field.
    pub fn excluded_count(&self) -> u64 {
        self.excluded_count
    }

    /// Enters the case of the current event; returns false if it has none.
    fn enter_case(&mut self) -> bool {
        let value = match self.reader.fields().get(self.key) {
            None => return false,
            Some(Value::Number(Number::Int(whole))) => {
                if self.whole.replace(whole) == Some(whole) {
                    return true;
                }
                Value::Number(Number::Int(whole))
            }
            Some(value) => {
                self.whole = None;
                value
            }
        };
        let text = value.label(&mut self.text);
        if self.number == 0 || self.label != *text {
            self.number += 1;
            self.label.clear();
            self.label.push_str(text);
        }
        true
    }
}

impl<R: Reader> Reader for CaseReader<R> {
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        loop {
            let Some(origin) = self.reader.advance()? else { return Ok(None) };
            if self.markers.contains(&Some(origin.event)) || self.enter_case() {
                return Ok(Some(origin));
            }
            self.excluded_count += 1;
        }
    }
    fn fields(&self) -> &dyn Fields {
        self.reader.fields()
    }
    fn state(&self) -> &ReaderState {
        self.reader.state()
    }

    fn bytes_read(&self) -> u64 {
        self.reader.bytes_read()
    }
    fn location(&self) -> Location {
        self.reader.location()
    }
    fn entries(&self) -> Vec<FieldEntry<'_>> {
        self.reader.entries()
    }
    fn case(&self) -> Option<&str> {
        Some(&self.label)
    }
    fn case_number(&self) -> u64 {
        self.number
    }
    fn field_names(&self) -> Vec<String> {
        self.reader.field_names()
    }
}
