// SPDX-License-Identifier: MIT OR Apache-2.0
//! The element of the present event, and its fields: kept as places in the buffer, made into values when asked for.

use std::borrow::Cow;

use gnomon_core::event::Fields;
use gnomon_core::symbols::Key;
use gnomon_core::value::Value;

use super::attribute::Attribute;
use super::case::Case;
use crate::cursor::Cursor;
use crate::markup::attribute_text;
use crate::reader::Entry;

pub(super) struct Element<R> {
    pub(super) markup: Cursor<R>,
    /// The attributes that were kept, in the order of the file; the name left out.
    pub(super) fields: Vec<Field>,
    pub(super) case: Case,
}

#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) key: Key,
    pub(super) attribute: Attribute,
    pub(super) is_time: bool,
}

impl<R> Element<R> {
    /// The value of a field. The reader has looked at every one that is kept: nothing can be wrong with it now.
    fn value(&self, field: &Field) -> Value<'_> {
        field.attribute.value(self.markup.row()).unwrap_or(Value::Null)
    }

    /// The fields with their names, those of the case last.
    pub(super) fn entries(&self) -> Vec<Entry<'_>> {
        let own = self.fields.iter().map(|field| Entry {
            key: attribute_text(self.markup.row(), field.attribute.key).unwrap_or_default(),
            value: self.value(field),
            is_time: field.is_time,
        });
        let of_case = self.case.fields.iter().map(|field| Entry {
            key: Cow::Borrowed(field.name.as_str()),
            value: field.value.clone(),
            is_time: false,
        });
        own.chain(of_case).collect()
    }
}

impl<R> Fields for Element<R> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        if let Some(field) = self.fields.iter().rev().find(|field| field.key == key) {
            return Some(self.value(field));
        }
        self.case.fields.iter().find(|field| field.key == key).map(|field| field.value.clone())
    }

    fn parameter_count(&self) -> usize {
        self.fields.iter().filter(|field| !field.is_time).count()
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        let field = self.fields.iter().filter(|field| !field.is_time).nth(index);
        field.map_or(Value::Null, |field| self.value(field))
    }
}
