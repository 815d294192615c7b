// SPDX-License-Identifier: MIT OR Apache-2.0
//! The values that bindings are made of, each with a number for as long as someone needs it.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::RandomState;
use gnomon_core::number::Number;
use gnomon_core::value::Value;
use hashbrown::HashTable;
use serde::{Deserialize, Serialize};

use super::chunks::Chunks;
use super::datum::{Datum, Rest};

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
    rest: Rest,
    /// The number that was asked for last: the next event is often about the same.
    #[serde(skip)]
    last: Id,
    #[serde(skip)]
    table: HashTable<Id>,
    #[serde(skip)]
    hasher: RandomState,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    datum: Datum,
    uses: u32,
}

/// There may be millions.
const _: () = assert!(size_of::<Entry>() == 16);

impl Values {
    /// The number of a value, given now if it has none. It is kept until [`Values::settle`] unless someone holds it.
    #[inline]
    pub(crate) fn number(&mut self, value: &Value<'_>) -> Id {
        match value {
            // Most values, and quick to tell apart.
            Value::Number(Number::Int(whole)) if is_small(*whole) => {
                let own = Datum::int(*whole);
                let Values { table, entries, rest, last, .. } = self;
                if (*last as usize) < entries.len() && entries.get(*last).datum == own {
                    return *last;
                }
                let hash = hash_whole(&self.hasher, *whole);
                let found = table.find(hash, |id| {
                    let known = entries.get(*id).datum;
                    known == own || (known.is_elsewhere() && rest.is(known, value))
                });
                self.last = found.copied().unwrap_or_else(|| self.insert(hash, value, Some(own)));
                self.last
            }
            _ => self.number_other(value),
        }
    }

    #[inline(never)]
    fn number_other(&mut self, value: &Value<'_>) -> Id {
        let hash = hash(&self.hasher, value);
        let own = Datum::within(value);
        let Values { table, entries, rest, .. } = self;
        let found = match own {
            Some(own) => table.find(hash, |id| {
                let known = entries.get(*id).datum;
                known == own || (known.is_elsewhere() && rest.is(known, value))
            }),
            None => table.find(hash, |id| rest.is(entries.get(*id).datum, value)),
        };
        match found {
            Some(id) => *id,
            None => self.insert(hash, value, own),
        }
    }

    fn insert(&mut self, hash: u64, value: &Value<'_>, own: Option<Datum>) -> Id {
        let datum = own.unwrap_or_else(|| self.rest.keep(value));
        let entry = Entry { datum, uses: 0 };
        let id = if let Some(id) = self.free.pop() {
            *self.entries.get_mut(id) = entry;
            id
        } else {
            assert!(self.entries.len() < NONE as usize, "fewer than 2^32 values are alive");
            self.entries.push(entry);
            self.entries.len() as Id - 1
        };
        self.enter(hash, id);
        self.transient.push(id);
        id
    }

    fn enter(&mut self, hash: u64, id: Id) {
        let Values { table, entries, rest, hasher, .. } = self;
        table.insert_unique(hash, id, |id| hash_datum(hasher, rest, entries.get(*id).datum));
    }

    /// Forgets everything; the room stays.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.free.clear();
        self.transient.clear();
        self.rest = Rest::default();
        empty(&mut self.table);
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
        if datum == Datum::Vacant {
            return;
        }
        let hash = hash_datum(&self.hasher, &self.rest, datum);
        if let Ok(entry) = self.table.find_entry(hash, |known| *known == id) {
            entry.remove();
        }
        self.rest.forget(datum);
        self.free.push(id);
    }

    /// The whole number that a value is.
    #[inline]
    pub(crate) fn whole(&self, id: Id) -> Option<i64> {
        match self.entries.get(id).datum {
            datum @ Datum::Elsewhere(_) => self.rest.with(datum, |value| match value {
                Value::Number(number) => whole(*number),
                _ => None,
            }),
            datum => datum.whole(),
        }
    }

    pub(crate) fn get(&self, id: Id) -> Value<'static> {
        self.rest.with(self.entries.get(id).datum, |value| value.clone().into_owned())
    }

    /// A number that depends on the value alone, the same in every run: for sharing work out.
    pub(crate) fn share(value: &Value<'_>) -> u64 {
        if let Value::Number(number) = value {
            return Self::share_number(*number);
        }
        let mut hasher = rustc_hash::FxHasher::default();
        hash_value(value, &mut hasher);
        fold(hasher.finish())
    }

    /// The same of a number.
    #[inline]
    pub(crate) fn share_number(number: Number) -> u64 {
        // There is one zero.
        fold((number.to_f64() + 0.0).to_bits())
    }

    /// One more than the greatest number ever given.
    pub(crate) fn bound(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.entries.bytes() + self.rest.bytes() + self.table.capacity() * (size_of::<Id>() + 1)
    }

    /// Makes the table of a restored one.
    pub(crate) fn rebuild(&mut self) -> bool {
        if !self.entries.is_sound() || !self.rest.is_sound() {
            return false;
        }
        self.table.clear();
        for id in 0..self.entries.len() as Id {
            let datum = self.entries.get(id).datum;
            if !self.rest.has(datum) {
                return false;
            }
            if datum != Datum::Vacant {
                self.enter(hash_datum(&self.hasher, &self.rest, datum), id);
            }
        }
        let known = |id: &Id| (*id as usize) < self.entries.len();
        self.free.iter().all(known) && self.transient.iter().all(known)
    }
}

/// Takes everything out of a table. What it costs depends on its size: a great one makes room for a small one.
pub(super) fn empty(table: &mut HashTable<u32>) {
    const GREAT: usize = 1 << 8;
    if table.capacity() > GREAT {
        *table = HashTable::new();
    } else {
        table.clear();
    }
}

/// Whole numbers that follow one another are often used together: this many of them share a line of the table.
const NEIGHBOURS: u64 = 8;

/// Equal values have equal hashes: numbers by value, whatever their form.
#[inline]
fn hash(hasher: &RandomState, value: &Value<'_>) -> u64 {
    let whole = if let Value::Number(number) = value { whole(*number) } else { None };
    whole.map_or_else(
        || {
            let mut hasher = hasher.build_hasher();
            hash_value(value, &mut hasher);
            hasher.finish()
        },
        |whole| hash_whole(hasher, whole),
    )
}

#[inline]
fn hash_whole(hasher: &RandomState, whole: i64) -> u64 {
    let mut hasher = hasher.build_hasher();
    let whole = whole as u64;
    hasher.write_u64(whole / NEIGHBOURS);
    // The table looks at the lowest bits to place a number, at the highest to tell numbers in one place apart.
    let within = whole % NEIGHBOURS;
    hasher.finish() ^ within ^ (within << 61)
}

#[inline]
fn hash_datum(hasher: &RandomState, rest: &Rest, datum: Datum) -> u64 {
    match datum.whole() {
        Some(whole) if is_small(whole) => hash_whole(hasher, whole),
        _ => rest.with(datum, |value| hash(hasher, value)),
    }
}

/// Whether no fraction is needed to tell the number from its neighbours.
#[inline]
fn is_small(whole: i64) -> bool {
    const LIMIT: i64 = 1 << 53;
    -LIMIT < whole && whole < LIMIT
}

/// The whole number that is equal to this one, unless it is so great that several would be.
#[inline]
fn whole(number: Number) -> Option<i64> {
    let whole = match number {
        Number::Int(whole) => whole,
        Number::Decimal { .. } | Number::Float(_) => {
            let float = number.to_f64();
            let whole = float as i64;
            if (whole as f64).to_bits() != float.to_bits() {
                return None;
            }
            whole
        }
    };
    is_small(whole).then_some(whole)
}

/// Makes every bit of a hash depend on every bit of what it is the hash of: those of small whole numbers differ in a few
/// high bits only.
#[inline]
fn fold(bits: u64) -> u64 {
    const ODD: u128 = 0x9E37_79B9_7F4A_7C15;
    let wide = u128::from(bits) * ODD;
    wide as u64 ^ (wide >> 64) as u64
}

/// Numbers by value, whatever their form.
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

#[cfg(test)]
mod tests {
    use super::super::share::Share;
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
        assert_eq!(values.rest.bytes(), Values::default().rest.bytes());
    }

    #[test]
    fn values_of_all_forms_come_back() {
        let texts = ["", "short", "ten  bytes", "more than ten bytes", "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}"];
        let numbers = ["0", "-1", "9223372036854775807", "9007199254740993", "0.5", "1e300"];
        let mut all: Vec<Value<'_>> = texts.iter().map(|text| Value::Text((*text).into())).collect();
        all.extend(numbers.iter().map(|text| number(text)));
        all.extend([Value::Null, Value::Bool(true), Value::List(vec![Value::Null, number("1")])]);
        let mut values = Values::default();
        let ids: Vec<Id> = all.iter().map(|value| values.number(value)).collect();
        for id in &ids {
            values.hold(*id);
        }
        values.settle();
        let saved = postcard::to_stdvec(&values).unwrap();
        let mut back: Values = postcard::from_bytes(&saved).unwrap();
        assert!(back.rebuild());
        for (value, id) in all.iter().zip(ids) {
            assert_eq!(values.get(id), *value);
            assert_eq!(back.number(value), id, "{value:?}");
        }
    }

    #[test]
    fn work_is_shared_out_evenly() {
        let texts = (0..2_000).map(|number| Value::Text(format!("user-{number}").into()));
        let whole =
            |start: i64, step: i64| (0..2_000).map(move |number| Value::Number(Number::Int(start + step * number)));
        let tenths = (0..2_000).map(|mantissa| Value::Number(Number::Decimal { mantissa, scale: 1 }));
        let all: [(&str, Vec<Value<'_>>); 6] = [
            ("texts", texts.collect()),
            ("small", whole(0, 1).collect()),
            ("even", whole(-500, 2).collect()),
            ("thousands", whole(0, 4_096).collect()),
            ("great", whole(1 << 52, 3).collect()),
            ("tenths", tenths.collect()),
        ];
        for (what, values) in &all {
            for of in [2, 3, 4, 7] {
                let mut counts = vec![0; of as usize];
                for value in values {
                    counts[Share::index(Values::share(value), of) as usize] += 1;
                }
                let fair = values.len() / of as usize;
                assert!(counts.iter().all(|count| (fair / 2..fair * 2).contains(count)), "{what}: {counts:?}");
            }
        }
        assert_eq!(Values::share(&number("1")), Values::share(&number("1.0")));
        assert_eq!(Values::share(&number("0")), Values::share(&number("-0e9")));
    }

    #[test]
    fn neighbours_and_great_numbers_are_told_apart() {
        let mut values = Values::default();
        let starts = [-20, 20, (1 << 53) - 20, i64::MAX - 40];
        let all: Vec<i64> = starts.iter().flat_map(|start| *start..start + 40).collect();
        let ids: Vec<Id> = all.iter().map(|whole| values.number(&Value::Number(Number::Int(*whole)))).collect();
        let mut different = ids.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), all.len());
        for (whole, id) in all.iter().zip(ids) {
            assert_eq!(values.number(&Value::Number(Number::Int(*whole))), id);
        }
    }
}
