// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events as a reader yields them, and the projection that selects the fields to materialise.
//!
//! # Projection
//!
//! Properties use few of the names and fields of a log. Before the trace is read, the plan adds to a [`Projection`] the fields that its
//! atoms and terms read, by event name. A reader looks up the [`FieldSelection`] of an event as soon as it knows the name, and decodes and
//! stores nothing else. Example: the atoms `pay[amount > 1000]` and `logon("ann")`, whose parameter has no declared field, give
//!
//! ```text
//! pay          Fields([amount])     only `amount` is decoded
//! logon        All                  positional parameters need every field, in order
//! other names  Nothing              name and time only
//! ```
//!
//! INVARIANT: a field that is read was selected. [`Fields::get`] returns `None` for an absent field and for one that was not selected, so
//! a missing selection would make a condition false without an error.
//!
//! COST: an index into a vector per event.

use crate::symbols::{Key, Name};
use crate::time::Timestamp;
use crate::value::Value;

/// Reserved name of a progress marker: it carries a time and is not an event. The export of a live watch has one wherever a
/// deadline passed and no event came.
pub const PROGRESS_MARKER: &str = "gnomon.tick";

/// Reserved name of a case marker: it ends a case, or says when cases expire, and is not an event. The export of a live watch has them
/// (`docs/contracts/cases.md`).
pub const CASE_MARKER: &str = "gnomon.case";

/// The fields of a case marker: the name of the case that ends as inconclusive, or the silence after which cases expire.
pub const CASE_MARKER_FIELDS: [&str; 2] = ["case", "expires"];

/// One event of a trace. It lives until the reader moves on.
#[derive(Clone, Copy)]
pub struct Event<'a> {
    /// Its name.
    pub name: Name,
    /// Its place in the trace, from 0.
    pub index: u64,
    /// Time of the event.
    pub time: Timestamp,
    /// Fields selected by the projection.
    pub fields: &'a dyn Fields,
}

/// The fields of one event. Values are created on demand.
pub trait Fields {
    /// The value of the field with this key; `None` if it is absent or not selected by the projection.
    fn get(&self, key: Key) -> Option<Value<'_>>;

    /// The value at the end of a path into the field with this key. Readers for which a whole value is expensive create only the last one.
    fn get_path(&self, key: Key, steps: &[String]) -> Option<Value<'_>> {
        steps.iter().try_fold(self.get(key)?, |value, step| value.into_step(step))
    }

    /// Counts the positional parameters: the fields in the order of the file without the time field. Empty cells at the
    /// end do not count, an empty cell between others does. Only meaningful for events whose [`FieldSelection`] is
    /// [`FieldSelection::All`].
    fn parameter_count(&self) -> usize;

    /// The positional parameter at this index; an inner empty one is null.
    fn parameter(&self, index: usize) -> Value<'_>;

    /// The time of the event, if the fields are those of a whole event.
    fn time(&self) -> Option<Timestamp> {
        None
    }
}

/// The fields together with the time, for conditions on both.
impl Fields for Event<'_> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.fields.get(key)
    }
    fn get_path(&self, key: Key, steps: &[String]) -> Option<Value<'_>> {
        self.fields.get_path(key, steps)
    }
    fn parameter_count(&self) -> usize {
        self.fields.parameter_count()
    }
    fn parameter(&self, index: usize) -> Value<'_> {
        self.fields.parameter(index)
    }
    fn time(&self) -> Option<Timestamp> {
        Some(self.time)
    }
}

/// No fields at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFields;

impl Fields for NoFields {
    fn get(&self, _: Key) -> Option<Value<'_>> {
        None
    }
    fn parameter_count(&self) -> usize {
        0
    }
    fn parameter(&self, _: usize) -> Value<'_> {
        Value::Null
    }
}

/// Fields that own their values: for events built in memory.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OwnedFields {
    /// Key and value, in the order of the file, without the time.
    pub entries: Vec<(Key, Value<'static>)>,
}

impl Fields for OwnedFields {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.entries.iter().find(|(name, _)| *name == key).map(|(_, value)| value.clone())
    }
    fn parameter_count(&self) -> usize {
        self.entries.len()
    }
    fn parameter(&self, index: usize) -> Value<'_> {
        self.entries.get(index).map_or(Value::Null, |(_, value)| value.clone())
    }
}

/// An event that owns its data. `T` is its time: a [`Timestamp`], or what its source has written.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OwnedEvent<T = Timestamp> {
    /// Its name.
    pub name: String,
    /// Time of the event.
    pub time: T,
    /// Its fields in the order of the source, without the time.
    pub fields: Vec<(String, Value<'static>)>,
}

/// Fields that the properties read of the events with one name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum FieldSelection {
    /// Name and time only.
    #[default]
    Nothing,
    /// Name, time and some fields.
    Fields(Vec<Key>),
    /// Every field, in order: some property uses the event's positional parameters.
    All,
}

impl FieldSelection {
    fn add(&mut self, key: Key) {
        match self {
            FieldSelection::All => {}
            FieldSelection::Fields(keys) => {
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
            FieldSelection::Nothing => *self = FieldSelection::Fields(vec![key]),
        }
    }
}

/// Fields that a reader must materialise, by event name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Projection {
    wants: Vec<FieldSelection>,
    /// Selection for names that are not listed.
    others: FieldSelection,
}

impl Projection {
    /// Returns the selection for events with this name.
    #[inline]
    pub fn selection(&self, name: Name) -> &FieldSelection {
        self.wants.get(name.0 as usize).unwrap_or(&self.others)
    }

    /// Returns the selection for events whose names are not listed.
    pub fn default_selection(&self) -> &FieldSelection {
        &self.others
    }

    /// Returns true if any field of any event is selected.
    pub fn wants_fields(&self) -> bool {
        self.wants.iter().chain([&self.others]).any(|want| *want != FieldSelection::Nothing)
    }

    /// Returns true if every field of some event is selected.
    pub fn wants_all(&self) -> bool {
        self.wants.iter().chain([&self.others]).any(|want| *want == FieldSelection::All)
    }

    /// Adds a wanted field.
    pub fn add_field(&mut self, name: Name, key: Key) {
        self.entry(name).add(key);
    }

    /// Adds a wanted field of every event, whatever its name.
    pub fn add_everywhere(&mut self, key: Key) {
        self.wants.iter_mut().chain([&mut self.others]).for_each(|want| want.add(key));
    }

    /// Adds every field of every event.
    pub fn add_everything(&mut self) {
        self.wants.iter_mut().chain([&mut self.others]).for_each(|want| *want = FieldSelection::All);
    }

    /// Adds every field of the events with this name.
    pub fn add_all(&mut self, name: Name) {
        *self.entry(name) = FieldSelection::All;
    }

    fn entry(&mut self, name: Name) -> &mut FieldSelection {
        let index = name.0 as usize;
        if self.wants.len() <= index {
            self.wants.resize(index + 1, self.others.clone());
        }
        &mut self.wants[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_projection_adds_up() {
        let mut projection = Projection::default();
        assert!(!projection.wants_fields());
        projection.add_field(Name(2), Key(1));
        projection.add_field(Name(2), Key(1));
        assert_eq!(projection.selection(Name(2)), &FieldSelection::Fields(vec![Key(1)]));
        projection.add_all(Name(2));
        projection.add_field(Name(2), Key(4));
        assert_eq!(
            (projection.selection(Name(2)), projection.selection(Name(9))),
            (&FieldSelection::All, &FieldSelection::Nothing)
        );
    }

    #[test]
    fn what_is_wanted_of_all_is_wanted_of_names_not_listed() {
        let mut projection = Projection::default();
        projection.add_field(Name(1), Key(1));
        projection.add_everywhere(Key(7));
        projection.add_field(Name(3), Key(3));
        assert_eq!(projection.selection(Name(0)), &FieldSelection::Fields(vec![Key(7)]));
        assert_eq!(projection.selection(Name(1)), &FieldSelection::Fields(vec![Key(1), Key(7)]));
        assert_eq!(projection.selection(Name(3)), &FieldSelection::Fields(vec![Key(7), Key(3)]));
        assert_eq!(projection.selection(Name(99)), projection.default_selection());
        assert!(!projection.wants_all());
        projection.add_everything();
        assert_eq!(
            (projection.selection(Name(1)), projection.selection(Name(99))),
            (&FieldSelection::All, &FieldSelection::All)
        );
        assert!(projection.wants_all());
    }
}
