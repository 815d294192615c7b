// SPDX-License-Identifier: MIT OR Apache-2.0
//! The values that bindings are made of, each with a number for as long as someone needs it.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::RandomState;
use gnomon_core::number::Number;
use gnomon_core::value::{Comparison, Value};
use hashbrown::HashTable;
use serde::{Deserialize, Serialize};

use super::chunks::Chunks;

/// A value's number.
pub(crate) type Id = u32;

/// No value: the variable is not bound.
pub(crate) const NONE: Id = u32::MAX;

/// COST: one hash and one comparison to find a value; a value that nobody needs any more is forgotten.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Values {
    entries: Chunks<Entry>,
    free: Vec<Id>,
    /// Values that nobody has asked to keep yet.
    transient: Vec<Id>,
    #[serde(skip)]
    table: HashTable<Id>,
    #[serde(skip)]
    hasher: RandomState,
    /// What texts and other values own, in bytes.
    owned: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    datum: Datum,
    uses: u32,
}

/// A value in little room.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Datum {
    Vacant,
    Int(i64),
    Other(Box<Value<'static>>),
}

impl Datum {
    fn is(&self, value: &Value<'_>) -> bool {
        match (self, value) {
            (Datum::Vacant, _) => false,
            (Datum::Int(known), Value::Number(Number::Int(other))) => known == other,
            (Datum::Int(known), Value::Number(other)) => Number::Int(*known) == *other,
            (Datum::Int(_), _) => false,
            (Datum::Other(known), other) => Comparison::Equal.holds(known, other),
        }
    }
}

impl Values {
    /// The number of a value, given now if it has none. It is kept until [`Values::settle`] unless someone holds it.
    #[inline]
    pub(crate) fn number(&mut self, value: &Value<'_>) -> Id {
        let hash = self.hash(value);
        if let Some(id) = self.table.find(hash, |id| self.entries.get(*id).datum.is(value)) {
            return *id;
        }
        self.insert(hash, value)
    }

    fn insert(&mut self, hash: u64, value: &Value<'_>) -> Id {
        let datum = match value {
            Value::Number(Number::Int(number)) => Datum::Int(*number),
            other => {
                self.owned += size_of::<Value<'static>>() + weight(other);
                Datum::Other(Box::new(other.clone().into_owned()))
            }
        };
        let entry = Entry { datum, uses: 0 };
        let id = match self.free.pop() {
            Some(id) => {
                *self.entries.get_mut(id) = entry;
                id
            }
            None => {
                let id = self.entries.len() as Id;
                assert!(id < NONE, "fewer than 2^32 values are alive");
                self.entries.push(entry);
                id
            }
        };
        let Values { table, entries, hasher, .. } = self;
        table.insert_unique(hash, id, |id| hash_datum(hasher, &entries.get(*id).datum));
        self.transient.push(id);
        id
    }

    /// Someone needs the value from now on.
    #[inline]
    pub(crate) fn hold(&mut self, id: Id) {
        self.entries.get_mut(id).uses += 1;
    }

    /// Someone needs it no more.
    #[inline]
    pub(crate) fn release(&mut self, id: Id) {
        let entry = self.entries.get_mut(id);
        entry.uses -= 1;
        if entry.uses == 0 {
            self.transient.push(id);
        }
    }

    /// Forgets what nobody holds. Numbers from before are void unless held.
    #[inline]
    pub(crate) fn settle(&mut self) {
        while let Some(id) = self.transient.pop() {
            if self.entries.get(id).uses == 0 {
                self.remove(id);
            }
        }
    }

    fn remove(&mut self, id: Id) {
        let datum = std::mem::replace(&mut self.entries.get_mut(id).datum, Datum::Vacant);
        if matches!(datum, Datum::Vacant) {
            return;
        }
        let hash = hash_datum(&self.hasher, &datum);
        if let Ok(entry) = self.table.find_entry(hash, |known| *known == id) {
            entry.remove();
        }
        if let Datum::Other(value) = &datum {
            self.owned -= size_of::<Value<'static>>() + weight(value);
        }
        self.free.push(id);
    }

    pub(crate) fn get(&self, id: Id) -> Value<'static> {
        match &self.entries.get(id).datum {
            Datum::Vacant => Value::Null,
            Datum::Int(number) => Value::Number(Number::Int(*number)),
            Datum::Other(value) => (**value).clone(),
        }
    }

    /// A number that depends on the value alone, the same in every run: for sharing work out.
    pub(crate) fn share(value: &Value<'_>) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        hash_value(value, &mut hasher);
        let hash = hasher.finish();
        hash ^ (hash >> 32)
    }

    #[inline]
    fn hash(&self, value: &Value<'_>) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hash_value(value, &mut hasher);
        hasher.finish()
    }

    /// One more than the greatest number ever given.
    pub(crate) fn bound(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.entries.bytes() + self.owned + self.table.capacity() * (size_of::<Id>() + 1)
    }

    /// Makes the table of a restored one.
    pub(crate) fn rebuild(&mut self) -> bool {
        if !self.entries.is_sound() {
            return false;
        }
        self.table.clear();
        for id in 0..self.entries.len() as Id {
            let datum = &self.entries.get(id).datum;
            if !matches!(datum, Datum::Vacant) {
                let hash = hash_datum(&self.hasher, datum);
                let Values { table, entries, hasher, .. } = self;
                table.insert_unique(hash, id, |id| hash_datum(hasher, &entries.get(*id).datum));
            }
        }
        let known = |id: &Id| (*id as usize) < self.entries.len();
        self.free.iter().all(known) && self.transient.iter().all(known)
    }
}

fn hash_datum(hasher: &RandomState, datum: &Datum) -> u64 {
    let mut hasher = hasher.build_hasher();
    match datum {
        Datum::Vacant => {}
        Datum::Int(number) => hash_value(&Value::Number(Number::Int(*number)), &mut hasher),
        Datum::Other(value) => hash_value(value, &mut hasher),
    }
    hasher.finish()
}

/// Equal values have equal hashes: numbers by value, whatever their form.
#[inline]
fn hash_value(value: &Value<'_>, hasher: &mut impl Hasher) {
    match value {
        Value::Number(number) => number.to_f64().to_bits().hash(hasher),
        Value::Text(text) => text.hash(hasher),
        Value::Null => 1_u8.hash(hasher),
        Value::Bool(value) => value.hash(hasher),
        Value::List(items) => items.iter().for_each(|item| hash_value(item, hasher)),
        Value::Map(entries) => entries.len().hash(hasher),
    }
}

/// What a value owns beyond itself, roughly.
fn weight(value: &Value<'_>) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::List(items) => items.iter().map(|item| size_of::<Value<'static>>() + weight(item)).sum(),
        Value::Map(entries) => {
            entries.iter().map(|(key, item)| key.len() + size_of::<Value<'static>>() + weight(item)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Value<'_> {
        Value::Number(Number::parse(text).unwrap())
    }

    #[test]
    fn equal_values_have_one_number() {
        let mut values = Values::default();
        let one = values.number(&number("1"));
        assert_eq!(one, values.number(&number("1.0")));
        assert_eq!(one, values.number(&number("1e0")));
        assert_ne!(one, values.number(&Value::Text("1".into())));
        assert_eq!(values.get(one), number("1"));
    }

    #[test]
    fn what_nobody_holds_is_forgotten() {
        let mut values = Values::default();
        let kept = values.number(&Value::Text("kept".into()));
        values.hold(kept);
        let gone = values.number(&Value::Text("gone".into()));
        values.settle();
        assert_eq!(values.number(&Value::Text("new".into())), gone);
        assert_eq!(values.number(&Value::Text("kept".into())), kept);
        values.settle();
        values.release(kept);
        values.settle();
        assert_eq!(values.table.len(), 0);
        assert_eq!(values.owned, 0);
    }
}
