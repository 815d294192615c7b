// SPDX-License-Identifier: MIT OR Apache-2.0
//! The line of the present event, and its fields: kept as places in the buffer, made into values when asked for.

use gnomon_core::event::Fields;
use gnomon_core::symbols::Key;
use gnomon_core::value::Value;

use super::scanner::{Stretch, Text};
use super::value::value;
use crate::buffer::Buffer;

pub(super) struct Line<R> {
    pub(super) buffer: Buffer<R>,
    /// The fields that were kept, in the order of the line; the name left out.
    pub(super) fields: Vec<Field>,
}

/// A key and its value.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) key: Key,
    pub(super) text: Text,
    pub(super) value: Stretch,
    pub(super) is_time: bool,
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
