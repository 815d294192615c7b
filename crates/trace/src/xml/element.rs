// SPDX-License-Identifier: MIT OR Apache-2.0
//! The element of the present event, and its fields: kept as places in the buffer, made into values when asked for.

use std::borrow::Cow;

use gnomon_core::event::Fields;
use gnomon_core::symbols::Key;
use gnomon_core::value::Value;

use crate::cursor::Cursor;
use crate::markup::{Content, content_text};
use crate::reader::Entry;

pub(super) struct Element<R> {
    pub(super) markup: Cursor<R>,
    /// The fields that were kept, in the order of the file.
    pub(super) fields: Vec<Field>,
}

#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) key: Key,
    pub(super) name: Content,
    pub(super) value: Content,
    pub(super) is_time: bool,
}

impl<R> Element<R> {
    /// A text of the row. The reader has looked at every one that is kept, so nothing can be wrong with it now.
    pub(super) fn text(&self, content: Content) -> Cow<'_, str> {
        content_text(self.markup.row(), content).unwrap_or_default()
    }

    fn value(&self, field: &Field) -> Value<'_> {
        Value::from_cell(self.text(field.value))
    }

    /// The fields with their names.
    pub(super) fn entries(&self) -> Vec<Entry<'_>> {
        let entry =
            |field: &Field| Entry { key: self.text(field.name), value: self.value(field), is_time: field.is_time };
        self.fields.iter().map(entry).collect()
    }
}

impl<R> Fields for Element<R> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.fields.iter().rev().find(|field| field.key == key).map(|field| self.value(field))
    }

    fn parameter_count(&self) -> usize {
        self.fields.iter().filter(|field| !field.is_time).count()
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        let field = self.fields.iter().filter(|field| !field.is_time).nth(index);
        field.map_or(Value::Null, |field| self.value(field))
    }
}
