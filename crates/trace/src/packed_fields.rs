// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fields of many events in a few vectors that are reused, so that in the long run nothing is allocated.

use std::mem::ManuallyDrop;

use gnomon_core::event::{FieldSelection, Fields};
use gnomon_core::number::Number;
use gnomon_core::symbols::Key;
use gnomon_core::value::Value;

/// Longer texts are stored separately.
pub const LONGEST_TEXT: usize = 1 << 16;

/// Fields of many events. A [`FieldRange`] locates those of one event.
#[derive(Default)]
pub struct PackedFields {
    cells: Vec<PackedCell>,
    text: String,
    /// Lists, maps and long texts.
    others: Vec<Value<'static>>,
    /// Size in bytes of what `others` refer to.
    other_bytes: usize,
}

/// The fields of one event: the parameters in order, then the fields by key.
#[derive(Clone, Copy, Default)]
pub struct FieldRange {
    /// The index of the first cell.
    pub first: u32,
    /// The number of parameters.
    pub parameters: u32,
    /// The number of fields by key.
    pub named: u32,
}

struct PackedCell {
    /// [`Key::OTHER`] for a parameter.
    key: Key,
    value: PackedValue,
}

enum PackedValue {
    Null,
    Bool(bool),
    Number(Number),
    Text { start: u32, length: u32 },
    Other(u32),
}

impl FieldRange {
    /// Returns the number of parameters and fields.
    pub fn cell_count(self) -> u32 {
        self.parameters + self.named
    }
}

impl PackedFields {
    /// Removes all fields and keeps the memory.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.text.clear();
        self.others.clear();
        self.other_bytes = 0;
    }

    /// Returns the number of bytes of text.
    pub fn text_bytes(&self) -> usize {
        self.text.len()
    }

    /// Returns the approximate size in bytes.
    pub fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<PackedCell>()
            + self.text.capacity()
            + self.others.capacity() * size_of::<Value<'_>>()
            + self.other_bytes
    }

    /// Adds the wanted fields of an event. If every field is wanted, `keys` is the number of keys that can be asked for by name.
    #[inline]
    pub fn push(&mut self, fields: &dyn Fields, want: &FieldSelection, keys: u32) -> FieldRange {
        let first = self.cells.len();
        let mut parameters = 0;
        match want {
            FieldSelection::Nothing => {}
            FieldSelection::Fields(keys) => keys.iter().for_each(|key| self.push_named(fields, *key)),
            FieldSelection::All => {
                parameters = fields.parameter_count();
                for index in 0..parameters {
                    let value = self.pack(fields.parameter(index));
                    self.cells.push(PackedCell { key: Key::OTHER, value });
                }
                (0..keys).for_each(|key| self.push_named(fields, Key(key)));
            }
        }
        let named = (self.cells.len() - first - parameters) as u32;
        FieldRange { first: first as u32, parameters: parameters as u32, named }
    }

    #[inline]
    fn push_named(&mut self, fields: &dyn Fields, key: Key) {
        let Some(value) = fields.get(key).map(ManuallyDrop::new) else { return };
        let value = match *value {
            // A number owns nothing and need not be dropped; most values are whole numbers.
            Value::Number(number) => PackedValue::Number(number),
            _ => self.pack(ManuallyDrop::into_inner(value)),
        };
        self.cells.push(PackedCell { key, value });
    }

    #[inline]
    fn pack(&mut self, value: Value<'_>) -> PackedValue {
        match value {
            Value::Null => PackedValue::Null,
            Value::Bool(value) => PackedValue::Bool(value),
            Value::Number(number) => PackedValue::Number(number),
            Value::Text(text) if text.len() <= LONGEST_TEXT => {
                let start = self.text.len() as u32;
                self.text.push_str(&text);
                PackedValue::Text { start, length: text.len() as u32 }
            }
            other => {
                self.other_bytes += other.heap_bytes(size_of::<Value<'_>>());
                self.others.push(other.into_owned());
                PackedValue::Other(self.others.len() as u32 - 1)
            }
        }
    }

    /// Returns the fields of one event.
    #[inline]
    pub fn view(&self, range: FieldRange) -> FieldsView<'_> {
        let first = range.first as usize;
        let (parameters, rest) = self.cells[first..].split_at(range.parameters as usize);
        FieldsView { fields: self, parameters, named: &rest[..range.named as usize] }
    }

    #[inline]
    fn unpack(&self, cell: &PackedCell) -> Value<'_> {
        match &cell.value {
            PackedValue::Null => Value::Null,
            PackedValue::Bool(value) => Value::Bool(*value),
            PackedValue::Number(number) => Value::Number(*number),
            PackedValue::Text { start, length } => {
                let start = *start as usize;
                Value::Text(self.text[start..start + *length as usize].into())
            }
            PackedValue::Other(index) => self.others[*index as usize].clone(),
        }
    }
}

/// Fields of one event.
#[derive(Clone, Copy)]
pub struct FieldsView<'a> {
    fields: &'a PackedFields,
    parameters: &'a [PackedCell],
    named: &'a [PackedCell],
}

impl<'a> FieldsView<'a> {
    /// Returns the value of a field.
    #[inline]
    pub fn value(self, key: Key) -> Option<Value<'a>> {
        self.named.iter().find(|cell| cell.key == key).map(|cell| self.fields.unpack(cell))
    }

    /// Returns the value of a parameter.
    #[inline]
    pub fn parameter_value(self, index: usize) -> Value<'a> {
        self.parameters.get(index).map_or(Value::Null, |cell| self.fields.unpack(cell))
    }

    /// Returns the number in a field, if there is one. It is faster than [`Fields::get`], because it constructs no value.
    #[inline]
    pub fn number(&self, key: Key) -> Option<Number> {
        match self.named.iter().find(|cell| cell.key == key)?.value {
            PackedValue::Number(number) => Some(number),
            _ => None,
        }
    }
}

impl Fields for FieldsView<'_> {
    #[inline]
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.value(key)
    }

    #[inline]
    fn parameter_count(&self) -> usize {
        self.parameters.len()
    }

    #[inline]
    fn parameter(&self, index: usize) -> Value<'_> {
        self.parameter_value(index)
    }
}
