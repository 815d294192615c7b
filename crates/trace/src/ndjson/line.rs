// SPDX-License-Identifier: MIT OR Apache-2.0
//! The line of the present event, and its fields: kept as places in the buffer, made into values when asked for.

use gnomon_core::event::Fields;
use gnomon_core::symbols::Key;
use gnomon_core::value::Value;

use super::scanner::Text;
use super::value::{text, value};
use crate::buffer::Buffer;
use crate::reader::Entry;
use crate::stretch::Stretch;

pub(crate) struct Line<R> {
    pub(crate) buffer: Buffer<R>,
    /// The fields that were kept, in the order of the line; the name left out.
    pub(crate) fields: Vec<Field>,
}

/// A key and its value.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    pub(crate) key: Key,
    pub(crate) text: Text,
    pub(crate) value: Stretch,
    pub(crate) is_time: bool,
}

impl<R> Line<R> {
    /// The fields with their names.
    pub(crate) fn entries(&self) -> Vec<Entry<'_>> {
        let bytes = self.buffer.padded();
        let entry = |field: &Field| Entry {
            key: text(bytes, field.text),
            value: value(bytes, field.value),
            is_time: field.is_time,
        };
        self.fields.iter().map(entry).collect()
    }
}

impl<R> Fields for Line<R> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.fields.iter().rev().find(|field| field.key == key).map(|field| value(self.buffer.padded(), field.value))
    }

    fn parameter_count(&self) -> usize {
        self.fields.iter().filter(|field| !field.is_time).count()
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        let field = self.fields.iter().filter(|field| !field.is_time).nth(index);
        field.map_or(Value::Null, |field| value(self.buffer.padded(), field.value))
    }
}
