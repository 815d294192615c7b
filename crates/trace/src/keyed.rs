// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace whose events come case by case, the cases being the values of a field.

use gnomon_core::event::Fields;
use gnomon_core::number::Number;
use gnomon_core::symbols::Key;
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;

use crate::answer_from_reader;
use crate::error::TraceError;
use crate::reader::{Entry, Place, Reader};
use crate::text::Unmatched;

/// A reader that tells cases apart by a field. Events that lack it are left out.
pub struct Keyed<R> {
    reader: R,
    key: Key,
    index: Option<Key>,
    number: u64,
    /// The value of the present case, if it is a whole number: then no name need be written to know it.
    whole: Option<i64>,
    label: String,
    text: String,
    without: u64,
    takes_null: bool,
}

impl<R: Reader> Keyed<R> {
    /// By this field. `index`: the field that has each event's place in the whole trace, where this is a part of it. Both must
    /// be wanted of all events.
    pub fn new(reader: R, field: &str, index: Option<&str>) -> Self {
        let find = |field| reader.symbols().find_key(field).unwrap_or(Key::OTHER);
        let (key, index) = (find(field), index.map(find));
        Keyed {
            reader,
            key,
            index,
            number: 0,
            whole: None,
            label: String::new(),
            text: String::new(),
            without: 0,
            takes_null: false,
        }
    }

    /// Null is a value like others, and has a case.
    #[must_use]
    pub fn with_null(mut self) -> Self {
        self.takes_null = true;
        self
    }

    /// How many events had no such field.
    pub fn without(&self) -> u64 {
        self.without
    }

    /// Whether the present event belongs to a case; if so, it is the present one now.
    fn turn(&mut self) -> bool {
        let value = match self.reader.fields().get(self.key) {
            None => return false,
            Some(Value::Null) if !self.takes_null => return false,
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

impl<R: Reader> Reader for Keyed<R> {
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        loop {
            let Some(mut origin) = self.reader.advance()? else { return Ok(None) };
            if !self.turn() {
                self.without += 1;
                continue;
            }
            let index = self.index.and_then(|index| self.reader.fields().get(index));
            if let Some(Value::Number(Number::Int(index))) = index {
                origin.event_index = u64::try_from(index).unwrap_or(origin.event_index);
            }
            return Ok(Some(origin));
        }
    }
    fn fields(&self) -> &dyn Fields {
        self.reader.fields()
    }
    answer_from_reader!();
    fn place(&self) -> Place {
        self.reader.place()
    }
    fn entries(&self) -> Vec<Entry<'_>> {
        self.reader.entries()
    }
    fn case(&self) -> Option<&str> {
        Some(&self.label)
    }
    fn case_number(&self) -> u64 {
        self.number
    }
    fn unmatched(&self) -> Option<&Unmatched> {
        self.reader.unmatched()
    }
}
