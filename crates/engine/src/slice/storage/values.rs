// SPDX-License-Identifier: MIT OR Apache-2.0
//! Interns the values of bindings: equal values get the same number, which is reused when no instance holds the value.
//!
//! Instances and domains hold the numbers that they store ([`ValueInterner::hold`]) and release them when they are evicted. A number that
//! nothing holds stays valid until the open position is complete ([`ValueInterner::settle`]), because an event needs the numbers of its
//! values before any instance holds them.
//!
//! Example: `request(7)` gives the value 7 the number 0. If an instance splits, it holds 0. If the event is a no-op, `settle` removes the
//! value, and the next new value gets the number 0.
//!
//! INVARIANT: the table has exactly the values with a number. A value without holders is in `transient`.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::RandomState;
use gnomon_core::hash::hash_whole;
use gnomon_core::number::Number;
use gnomon_core::value::Value;
use gnomon_core::verdict::Binding;
use gnomon_ir::core::QuantifierCore;
use hashbrown::HashTable;
use serde::{Deserialize, Serialize};

use super::chunks::ChunkedVec;
use super::compact::{CompactValue, LargeValues};

/// The number of a value.
pub(crate) type Id = u32;

/// So many values and their instances stay in the cache of a processor.
const CACHED_VALUES: usize = 1 << 15;

/// The number of no value: the variable is not bound.
pub(crate) const NONE: Id = u32::MAX;

/// Maps values to numbers and back.
///
/// COST: one hash and one comparison to find a value. Memory: the values that instances or domains hold.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ValueInterner {
    entries: ChunkedVec<InternedValue>,
    free: Vec<Id>,
    /// Values that nothing may hold: candidates for removal.
    transient: Vec<Id>,
    large: LargeValues,
    /// The last result of a lookup: the next event often has the same value.
    #[serde(skip)]
    last: Id,
    #[serde(skip)]
    table: HashTable<Id>,
    #[serde(skip)]
    hasher: RandomState,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct InternedValue {
    compact: CompactValue,
    uses: u32,
}

/// Small, because there may be millions.
const _: () = assert!(size_of::<InternedValue>() == 16);

impl ValueInterner {
    /// Returns the number of a value, a new one if it has none. It is valid until [`ValueInterner::settle`], and longer while
    /// it is held.
    #[inline]
    pub(crate) fn number(&mut self, value: &Value<'_>) -> Id {
        match value {
            // Most values, and quick to compare.
            Value::Number(Number::Int(whole)) => {
                let own = CompactValue::int(*whole);
                let ValueInterner { table, entries, last, .. } = self;
                if (*last as usize) < entries.len() && entries.get(*last).compact == own {
                    return *last;
                }
                let hash = hash_whole(&self.hasher, *whole);
                let found = table.find(hash, |id| entries.get(*id).compact == own);
                self.last = found.copied().unwrap_or_else(|| self.insert(hash, value, Some(own)));
                self.last
            }
            _ => self.number_other(value),
        }
    }

    #[inline(never)]
    fn number_other(&mut self, value: &Value<'_>) -> Id {
        let hash = hash(&self.hasher, value);
        self.find_hashed(hash, value).unwrap_or_else(|| self.insert(hash, value, CompactValue::within(value)))
    }

    /// Returns the number of a value, if it has one.
    #[inline]
    pub(crate) fn find(&self, value: &Value<'_>) -> Option<Id> {
        match value {
            Value::Number(Number::Int(whole)) => self.find_whole(*whole),
            _ => self.find_hashed(hash(&self.hasher, value), value),
        }
    }

    /// Returns the number of a whole number, if it has one.
    #[inline]
    pub(crate) fn find_whole(&self, whole: i64) -> Option<Id> {
        let own = CompactValue::int(whole);
        self.table.find(hash_whole(&self.hasher, whole), |id| self.entries.get(*id).compact == own).copied()
    }

    /// Returns true if the values and their instances exceed the cache of a processor.
    pub(crate) fn exceeds_cache(&self) -> bool {
        self.entries.len() > CACHED_VALUES
    }

    #[inline(never)]
    fn find_hashed(&self, hash: u64, value: &Value<'_>) -> Option<Id> {
        let ValueInterner { table, entries, large, .. } = self;
        let found = match CompactValue::within(value) {
            // A value that fits in place is never stored among the large ones.
            Some(own) => table.find(hash, |id| entries.get(*id).compact == own),
            None => table.find(hash, |id| large.is(entries.get(*id).compact, value)),
        };
        found.copied()
    }

    fn insert(&mut self, hash: u64, value: &Value<'_>, own: Option<CompactValue>) -> Id {
        let compact = own.unwrap_or_else(|| self.large.keep(value));
        let entry = InternedValue { compact, uses: 0 };
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
        let ValueInterner { table, entries, large, hasher, .. } = self;
        table.insert_unique(hash, id, |id| hash_compact(hasher, large, entries.get(*id).compact));
    }

    /// Removes everything. Allocated memory is kept.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.free.clear();
        self.transient.clear();
        self.large = LargeValues::default();
        clear_table(&mut self.table);
    }

    /// Adds a holder of a value.
    #[inline]
    pub(crate) fn hold(&mut self, id: Id) {
        self.entries.get_mut(id).uses += 1;
    }

    /// Removes a holder of a value.
    #[inline]
    pub(crate) fn release(&mut self, id: Id) {
        let entry = self.entries.get_mut(id);
        entry.uses -= 1;
        if entry.uses == 0 {
            self.transient.push(id);
        }
    }

    /// Removes the only holder of a value, and the value.
    #[inline]
    pub(crate) fn release_last(&mut self, id: Id) {
        self.entries.get_mut(id).uses = 0;
        self.remove(id);
    }

    /// Returns true if something holds a value.
    #[inline]
    pub(crate) fn is_held(&self, id: Id) -> bool {
        self.entries.get(id).uses > 0
    }

    /// Returns true if a number in use has one holder.
    pub(crate) fn is_held_once(&self, id: Id) -> bool {
        let InternedValue { compact, uses } = self.entries.get(id);
        *uses == 1 && *compact != CompactValue::Vacant
    }

    /// Removes values that nothing holds. Their numbers become invalid.
    #[inline]
    pub(crate) fn settle(&mut self) {
        while let Some(id) = self.transient.pop() {
            if self.entries.get(id).uses == 0 {
                self.remove(id);
            }
        }
    }

    fn remove(&mut self, id: Id) {
        let compact = std::mem::replace(&mut self.entries.get_mut(id).compact, CompactValue::Vacant);
        if compact == CompactValue::Vacant {
            return;
        }
        let hash = hash_compact(&self.hasher, &self.large, compact);
        if let Ok(entry) = self.table.find_entry(hash, |known| *known == id) {
            entry.remove();
        }
        self.large.forget(compact);
        self.free.push(id);
    }

    /// Returns the value, if it is an integer of 64 bits.
    #[inline]
    pub(crate) fn whole(&self, id: Id) -> Option<i64> {
        self.entries.get(id).compact.whole()
    }

    pub(crate) fn get(&self, id: Id) -> Value<'static> {
        self.large.with(self.entries.get(id).compact, |value| value.clone().into_owned())
    }

    /// Returns a binding with names and values.
    pub(crate) fn binding(&self, prefix: &[QuantifierCore], ids: &[Id]) -> Binding {
        let bound = prefix.iter().zip(ids).filter(|(_, id)| **id != NONE);
        Binding { values: bound.map(|(quantifier, id)| (quantifier.variable.clone(), self.get(*id))).collect() }
    }

    /// Returns a hash that depends on the value alone and is the same in every run: it divides bindings among shards.
    #[inline]
    pub(crate) fn shard_hash(value: &Value<'_>) -> u64 {
        if let Value::Number(number) = value {
            return Self::shard_hash_of_number(*number);
        }
        let mut hasher = rustc_hash::FxHasher::default();
        hash_value(value, &mut hasher);
        fold(hasher.finish())
    }

    /// Returns the hash of a number that divides bindings among shards.
    #[inline]
    pub(crate) fn shard_hash_of_number(number: Number) -> u64 {
        if let Number::Int(whole) = number {
            return fold(whole.cast_unsigned());
        }
        let mut hasher = rustc_hash::FxHasher::default();
        number.hash(&mut hasher);
        fold(hasher.finish())
    }

    /// Returns one more than the greatest number ever used.
    pub(crate) fn bound(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.entries.bytes() + self.large.bytes() + self.table.capacity() * (size_of::<Id>() + 1)
    }

    /// Rebuilds the hash table after a restore. Returns false if the snapshot is damaged.
    pub(crate) fn rebuild(&mut self) -> bool {
        if !self.entries.is_sound() || !self.large.is_sound() {
            return false;
        }
        self.table.clear();
        for id in 0..self.entries.len() as Id {
            let compact = self.entries.get(id).compact;
            if !self.large.has(compact) {
                return false;
            }
            if compact != CompactValue::Vacant {
                self.enter(hash_compact(&self.hasher, &self.large, compact), id);
            }
        }
        let known = |id: &Id| (*id as usize) < self.entries.len();
        self.free.iter().all(known) && self.transient.iter().all(known)
    }
}

/// Clears a table. The cost depends on its capacity, so a large one is replaced.
pub(crate) fn clear_table(table: &mut HashTable<u32>) {
    const GREAT: usize = 1 << 8;
    if table.capacity() > GREAT {
        *table = HashTable::new();
    } else {
        table.clear();
    }
}

/// Hashes a value.
#[inline]
fn hash(hasher: &RandomState, value: &Value<'_>) -> u64 {
    if let Value::Number(Number::Int(whole)) = value {
        return hash_whole(hasher, *whole);
    }
    let mut hasher = hasher.build_hasher();
    hash_value(value, &mut hasher);
    hasher.finish()
}

#[inline]
fn hash_compact(hasher: &RandomState, large: &LargeValues, compact: CompactValue) -> u64 {
    match compact.whole() {
        Some(whole) => hash_whole(hasher, whole),
        None => large.with(compact, |value| hash(hasher, value)),
    }
}

/// Makes the high bits of a hash, which choose the shard, depend on every bit of the input.
#[inline]
fn fold(bits: u64) -> u64 {
    const ODD: u128 = 0x9E37_79B9_7F4A_7C15;
    let wide = u128::from(bits) * ODD;
    wide as u64 ^ (wide >> 64) as u64
}

/// Hashes a value into a hasher. Equal numbers have one form; maps are equal in any order.
#[inline]
fn hash_value(value: &Value<'_>, hasher: &mut impl Hasher) {
    match value {
        Value::Number(number) => number.hash(hasher),
        Value::Text(text) => text.hash(hasher),
        Value::Null => 1_u8.hash(hasher),
        Value::Bool(value) => value.hash(hasher),
        Value::List(items) => items.iter().for_each(|item| hash_value(item, hasher)),
        Value::Map(entries) => {
            let entry = |(key, value): &(Cow<'_, str>, Value<'_>)| {
                let mut hasher = rustc_hash::FxHasher::default();
                key.hash(&mut hasher);
                hash_value(value, &mut hasher);
                hasher.finish()
            };
            entries.iter().map(entry).fold(0, u64::wrapping_add).hash(hasher);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partitioner::Shard;

    fn number(text: &str) -> Value<'_> {
        Value::Number(Number::parse(text).unwrap())
    }

    #[test]
    fn maps_in_any_order_have_one_number() {
        let map = |entries: [(&'static str, &'static str); 2]| {
            Value::Map(entries.map(|(key, value)| (key.into(), number(value))).to_vec())
        };
        let (one, other) = (map([("a", "1"), ("b", "2")]), map([("b", "2.0"), ("a", "1")]));
        let mut values = ValueInterner::default();
        assert_eq!(values.number(&one), values.number(&other));
        assert_eq!(ValueInterner::shard_hash(&one), ValueInterner::shard_hash(&other));
        assert_ne!(values.number(&one), values.number(&map([("a", "2"), ("b", "1")])));
    }

    #[test]
    fn equal_values_have_one_number() {
        let mut values = ValueInterner::default();
        let one = values.number(&number("1"));
        assert_eq!(one, values.number(&number("1.0")));
        assert_eq!(one, values.number(&number("1e0")));
        assert_ne!(one, values.number(&Value::Text("1".into())));
        assert_eq!(values.get(one), number("1"));
    }

    #[test]
    fn what_nobody_holds_is_forgotten() {
        let mut values = ValueInterner::default();
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
        assert_eq!(values.large.bytes(), ValueInterner::default().large.bytes());
    }

    #[test]
    fn values_of_all_forms_come_back() {
        let texts = ["", "short", "ten  bytes", "more than ten bytes", "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}"];
        let numbers = [
            "0",
            "-1",
            "9223372036854775807",
            "9223372036854775808",
            "9007199254740993",
            "0.5",
            "1e300",
            "170141183460469231731687303715884105727",
        ];
        let mut all: Vec<Value<'_>> = texts.iter().map(|text| Value::Text((*text).into())).collect();
        all.extend(numbers.iter().map(|text| number(text)));
        all.extend([Value::Null, Value::Bool(true), Value::List(vec![Value::Null, number("1")])]);
        let mut values = ValueInterner::default();
        let ids: Vec<Id> = all.iter().map(|value| values.number(value)).collect();
        for id in &ids {
            values.hold(*id);
        }
        values.settle();
        let saved = postcard::to_stdvec(&values).unwrap();
        let mut back: ValueInterner = postcard::from_bytes(&saved).unwrap();
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
        let tenths = (0..2_000).map(|mantissa| Value::Number(Number::from_parts(mantissa, 1).unwrap()));
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
                    counts[Shard::index(ValueInterner::shard_hash(value), of) as usize] += 1;
                }
                let fair = values.len() / of as usize;
                assert!(counts.iter().all(|count| (fair / 2..fair * 2).contains(count)), "{what}: {counts:?}");
            }
        }
        assert_eq!(ValueInterner::shard_hash(&number("1")), ValueInterner::shard_hash(&number("1.0")));
        assert_eq!(ValueInterner::shard_hash(&number("0")), ValueInterner::shard_hash(&number("-0e9")));
    }

    #[test]
    fn neighbours_and_large_numbers_are_distinguished() {
        let mut values = ValueInterner::default();
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
