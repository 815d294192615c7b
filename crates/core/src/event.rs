// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events as a reader hands them on, and the projection that says what of them matters.

use crate::symbols::{Key, Name};
use crate::time::Timestamp;
use crate::value::Value;

/// The name of an event that is none: by its time, time has passed. What a live watch judged has them where a deadline passed
/// and no event came.
pub const TICK: &str = "gnomon.tick";

/// One event of a trace. It lives until the reader moves on.
#[derive(Clone, Copy)]
pub struct Event<'a> {
    /// Its name.
    pub name: Name,
    /// Its place in the trace, from 0.
    pub index: u64,
    /// When it happened.
    pub time: Timestamp,
    /// Those of its fields that the projection asked for.
    pub fields: &'a dyn Fields,
}

/// The fields of one event. Values are made only when asked for.
pub trait Fields {
    /// The value of the field with this key; `None` if it is absent (or was not asked for by the projection).
    fn get(&self, key: Key) -> Option<Value<'_>>;

    /// How many positional parameters the event has: its fields in the order of the file, the time field left out;
    /// empty cells at the end do not count, an empty one between others does. Only events whose [`Want`] is
    /// [`Want::All`] need to know.
    fn parameter_count(&self) -> usize;

    /// The positional parameter at this index; an inner empty one is null.
    fn parameter(&self, index: usize) -> Value<'_>;
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

/// What the judged properties want to know of the events with one name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Want {
    /// Name and time only.
    #[default]
    Nothing,
    /// These fields too.
    Fields(Vec<Key>),
    /// Every field, in order: some property uses the event's positional parameters.
    All,
}

impl Want {
    fn add(&mut self, key: Key) {
        match self {
            Want::All => {}
            Want::Fields(keys) => {
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
            Want::Nothing => *self = Want::Fields(vec![key]),
        }
    }
}

/// What a reader must materialise, by event name. Of names that it does not list nothing is wanted but what is wanted
/// of all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Projection {
    wants: Vec<Want>,
    /// Of the names that are not listed.
    others: Want,
}

impl Projection {
    /// What is wanted of events with this name.
    #[inline]
    pub fn want(&self, name: Name) -> &Want {
        self.wants.get(name.0 as usize).unwrap_or(&self.others)
    }

    /// What is wanted of events whose names the projection does not list.
    pub fn others(&self) -> &Want {
        &self.others
    }

    /// Whether anything beyond names and times is wanted at all.
    pub fn wants_fields(&self) -> bool {
        self.wants.iter().chain([&self.others]).any(|want| *want != Want::Nothing)
    }

    /// Whether every field of some event is wanted.
    pub fn wants_all(&self) -> bool {
        self.wants.iter().chain([&self.others]).any(|want| *want == Want::All)
    }

    /// Adds a wanted field.
    pub fn add_field(&mut self, name: Name, key: Key) {
        self.entry(name).add(key);
    }

    /// Asks for a field of every event, whatever its name.
    pub fn add_everywhere(&mut self, key: Key) {
        self.wants.iter_mut().chain([&mut self.others]).for_each(|want| want.add(key));
    }

    /// Asks for every field of every event.
    pub fn add_everything(&mut self) {
        self.wants.iter_mut().chain([&mut self.others]).for_each(|want| *want = Want::All);
    }

    /// Asks for every field of an event.
    pub fn add_all(&mut self, name: Name) {
        *self.entry(name) = Want::All;
    }

    fn entry(&mut self, name: Name) -> &mut Want {
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
        assert_eq!(projection.want(Name(2)), &Want::Fields(vec![Key(1)]));
        projection.add_all(Name(2));
        projection.add_field(Name(2), Key(4));
        assert_eq!((projection.want(Name(2)), projection.want(Name(9))), (&Want::All, &Want::Nothing));
    }

    #[test]
    fn what_is_wanted_of_all_is_wanted_of_names_not_listed() {
        let mut projection = Projection::default();
        projection.add_field(Name(1), Key(1));
        projection.add_everywhere(Key(7));
        projection.add_field(Name(3), Key(3));
        assert_eq!(projection.want(Name(0)), &Want::Fields(vec![Key(7)]));
        assert_eq!(projection.want(Name(1)), &Want::Fields(vec![Key(1), Key(7)]));
        assert_eq!(projection.want(Name(3)), &Want::Fields(vec![Key(7), Key(3)]));
        assert_eq!(projection.want(Name(99)), projection.others());
        assert!(!projection.wants_all());
        projection.add_everything();
        assert_eq!((projection.want(Name(1)), projection.want(Name(99))), (&Want::All, &Want::All));
        assert!(projection.wants_all());
    }
}
