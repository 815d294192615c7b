// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fields of the current event.
//!
//! While an event is in the buffer its fields are ranges of the row ([`FieldRow`]); a value is made when a property asks for it.
//! Fields that outlive their row own their values ([`StoredFields`]).

use std::borrow::Cow;

use gnomon_core::event::{FieldSelection, Fields, NoFields};
use gnomon_core::symbols::Key;
use gnomon_core::value::Value;
use gnomon_scan::{Buffer, Cursor, Fault, MOST_FIELDS, last_wins, too_many_fields};

use crate::reader::FieldEntry;
use crate::roles::{FieldRole, FieldRoles, RoleKind};

/// The row of the current event, and those of its fields that the projection may want, in the order of the input.
pub(crate) struct FieldRow<R, P> {
    pub(crate) cursor: Cursor<R>,
    pub(crate) fields: Vec<RowField<P>>,
}

/// A field of a [`FieldRow`].
#[derive(Clone, Copy)]
pub(crate) struct RowField<P> {
    pub(crate) key: Key,
    pub(crate) raw: P,
    pub(crate) is_time: bool,
}

/// The ranges of a field's name and value, in the notation of a format.
pub(crate) trait RawField: Copy {
    fn name<R>(self, buffer: &Buffer<R>) -> Cow<'_, str>;
    fn value<R>(self, buffer: &Buffer<R>) -> Value<'_>;

    /// Returns the value at the end of a path into the value.
    fn value_at<'b, R>(self, buffer: &'b Buffer<R>, steps: &[String]) -> Option<Value<'b>> {
        steps.iter().try_fold(self.value(buffer), |value, step| value.into_step(step))
    }
}

impl<R, P: RawField> FieldRow<R, P> {
    pub(crate) fn new(buffer: Buffer<R>) -> Self {
        FieldRow { cursor: Cursor::new(buffer), fields: Vec::new() }
    }

    /// Returns the fields with their names.
    pub(crate) fn entries(&self) -> Vec<FieldEntry<'_>> {
        let buffer = &self.cursor.buffer;
        let entry = |field: &RowField<P>| FieldEntry {
            key: field.raw.name(buffer),
            value: field.raw.value(buffer),
            is_time: field.is_time,
        };
        self.fields.iter().map(entry).collect()
    }

    /// Where all fields are wanted, keeps the last one of each name.
    #[inline]
    pub(crate) fn drop_repeated(&mut self, want: &FieldSelection) {
        let FieldRow { cursor, fields } = self;
        if *want == FieldSelection::All {
            last_wins(fields, |field| field.raw.name(&cursor.buffer));
        }
    }

    /// Runs a check on every field that is wanted.
    #[inline(never)]
    pub(crate) fn check_wanted(
        &self,
        want: &FieldSelection,
        check: impl Fn(P, &[u8]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let wanted = self.fields.iter().filter(|field| is_wanted(want, field.key));
        wanted.map(|field| field.raw).try_for_each(|raw| check(raw, self.cursor.row()))
    }

    /// Returns this row, or no fields where none is wanted.
    #[inline]
    pub(crate) fn wanted(&self, has_fields: bool) -> &dyn Fields
    where
        Self: Sized,
    {
        if has_fields { self } else { &NoFields }
    }
}

/// Returns true if a field with this key is wanted.
pub(crate) fn is_wanted(want: &FieldSelection, key: Key) -> bool {
    match want {
        FieldSelection::Nothing => false,
        FieldSelection::Fields(keys) => keys.contains(&key),
        FieldSelection::All => true,
    }
}

/// Keeps a field if the projection may want it. The event's name, and therefore its projection, may be known only later. `at` is
/// the offset of the field, for a fault.
#[inline]
pub(crate) fn keep_field<P>(
    fields: &mut Vec<RowField<P>>,
    roles: &FieldRoles,
    role: FieldRole,
    raw: P,
    at: usize,
) -> Result<(), Fault> {
    if roles.keeps(role) {
        if fields.len() >= MOST_FIELDS {
            return Err(too_many_fields(at));
        }
        fields.push(RowField {
            key: role.key,
            raw,
            is_time: role.kind == RoleKind::Time && roles.time_steps().is_empty(),
        });
    }
    Ok(())
}

impl<R, P: RawField> Fields for FieldRow<R, P> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.fields.iter().rev().find(|field| field.key == key).map(|field| field.raw.value(&self.cursor.buffer))
    }

    fn get_path(&self, key: Key, steps: &[String]) -> Option<Value<'_>> {
        let field = self.fields.iter().rev().find(|field| field.key == key)?;
        field.raw.value_at(&self.cursor.buffer, steps)
    }

    fn parameter_count(&self) -> usize {
        self.fields.iter().filter(|field| !field.is_time).count()
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        let field = self.fields.iter().filter(|field| !field.is_time).nth(index);
        field.map_or(Value::Null, |field| field.raw.value(&self.cursor.buffer))
    }
}

/// Fields that own their values and may outlive their row.
#[derive(Default)]
pub(crate) struct StoredFields(pub(crate) Vec<StoredField>);

/// A field of [`StoredFields`].
pub(crate) struct StoredField {
    pub(crate) key: Key,
    /// The name, if all fields of the event are wanted.
    pub(crate) name: Option<Box<str>>,
    pub(crate) value: Value<'static>,
    pub(crate) is_time: bool,
}

impl StoredFields {
    /// Returns the fields whose names are stored.
    pub(crate) fn entries(&self) -> impl Iterator<Item = FieldEntry<'_>> {
        self.0.iter().filter_map(|field| {
            let key = Cow::Borrowed(field.name.as_deref()?);
            Some(FieldEntry { key, value: field.value.clone(), is_time: field.is_time })
        })
    }

    fn parameters(&self) -> impl Iterator<Item = &StoredField> {
        self.0.iter().filter(|field| !field.is_time)
    }
}

impl Fields for StoredFields {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.0.iter().find(|field| field.key == key).map(|field| field.value.clone())
    }

    fn parameter_count(&self) -> usize {
        self.parameters().count()
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        self.parameters().nth(index).map_or(Value::Null, |field| field.value.clone())
    }
}
