// SPDX-License-Identifier: MIT OR Apache-2.0
//! Remembers which events came, as far as new instances depend on it.
//!
//! An instance that no run can help any more is removed, or is never stored. But its events came: a larger instance that arises later
//! has them in its slice, and must not begin as if they had not come. So values of single parameters are marked, a bit each, and bindings
//! of several parameters are listed when no instance is stored for them.
//!
//! Example: `create next* modify modify* next`. After `modify(7)` alone no instance is stored, but 7 is marked for c: the slice of
//! (7, a) will begin with `modify`, and `create(7, a)` creates nothing.
//!
//! INVARIANT: each marked or listed value is held once for each mark or binding that it is in.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use std::hash::Hasher;

use crate::slice::storage::index::{Mask, bits};
use crate::slice::storage::values::{Id, NONE, ValueInterner};

/// Bindings of which events came, by the set of parameters that they bind.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct SeenBindings {
    sets: Vec<SeenSet>,
}

/// The bindings of one set of parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SeenSet {
    mask: Mask,
    /// Of a single parameter: a bit for the number of each value.
    marks: Vec<u64>,
    /// Of several parameters: the values of each binding, one binding after the other.
    bindings: Vec<Id>,
    #[serde(skip)]
    places: HashTable<u32>,
}

impl SeenSet {
    fn width(&self) -> usize {
        self.mask.count_ones() as usize
    }

    fn hash(values: impl Iterator<Item = Id>) -> u64 {
        let mut hasher = FxHasher::default();
        values.for_each(|id| hasher.write_u32(id));
        hasher.finish()
    }

    fn row(&self, place: u32) -> &[Id] {
        &self.bindings[place as usize * self.width()..][..self.width()]
    }

    #[inline]
    fn contains(&self, ids: &[Id]) -> bool {
        if self.mask.is_power_of_two() {
            let id = ids[self.mask.trailing_zeros() as usize] as usize;
            return self.marks.get(id / 64).is_some_and(|word| word >> (id % 64) & 1 == 1);
        }
        let own = || bits(self.mask).map(|at| ids[at]);
        self.places.find(Self::hash(own()), |place| own().eq(self.row(*place).iter().copied())).is_some()
    }

    /// Adds a binding, whose values are held from now on.
    #[inline]
    fn insert(&mut self, ids: &[Id], values: &mut ValueInterner) {
        if self.contains(ids) {
            return;
        }
        bits(self.mask).for_each(|at| values.hold(ids[at]));
        if self.mask.is_power_of_two() {
            let id = ids[self.mask.trailing_zeros() as usize] as usize;
            if self.marks.len() <= id / 64 {
                self.marks.resize(id / 64 + 1, 0);
            }
            self.marks[id / 64] |= 1 << (id % 64);
            return;
        }
        self.bindings.extend(bits(self.mask).map(|at| ids[at]));
        self.index((self.bindings.len() / self.width() - 1) as u32);
    }

    fn index(&mut self, place: u32) {
        let (width, bindings) = (self.width(), &self.bindings);
        let hash = |place: &u32| Self::hash(bindings[*place as usize * width..][..width].iter().copied());
        self.places.insert_unique(hash(&place), place, hash);
    }

    /// Returns the bindings as partial bindings of all parameters.
    fn all(&self, variables: usize) -> Vec<Vec<Id>> {
        let binding = |values: &[Id]| {
            let mut binding = vec![NONE; variables];
            bits(self.mask).zip(values).for_each(|(at, id)| binding[at] = *id);
            binding
        };
        if self.mask.is_power_of_two() {
            let marked = (0..self.marks.len() * 64).filter(|id| self.marks[id / 64] >> (id % 64) & 1 == 1);
            return marked.map(|id| binding(&[id as Id])).collect();
        }
        self.bindings.chunks(self.width()).map(binding).collect()
    }
}

impl SeenBindings {
    /// Remembers bindings of these sets of parameters, none of them empty.
    pub(super) fn new(masks: &[Mask]) -> Self {
        let set = |mask: &Mask| SeenSet { mask: *mask, marks: vec![], bindings: vec![], places: HashTable::new() };
        SeenBindings { sets: masks.iter().map(set).collect() }
    }

    fn set(&self, mask: Mask) -> Option<&SeenSet> {
        self.sets.iter().find(|set| set.mask == mask)
    }

    /// Returns true if the values that a binding gives to a set of parameters are remembered.
    #[inline]
    pub(super) fn contains(&self, mask: Mask, ids: &[Id]) -> bool {
        self.set(mask).is_some_and(|set| set.contains(ids))
    }

    /// Remembers the values that a binding gives to a set of parameters, if bindings of the set are.
    #[inline]
    pub(super) fn insert(&mut self, mask: Mask, ids: &[Id], values: &mut ValueInterner) {
        if let Some(set) = self.sets.iter_mut().find(|set| set.mask == mask) {
            set.insert(ids, values);
        }
    }

    /// Adds what another shard remembers; `foreign` are its values.
    pub(super) fn absorb(
        &mut self,
        other: &SeenBindings,
        variables: usize,
        foreign: &ValueInterner,
        values: &mut ValueInterner,
    ) {
        for set in &other.sets {
            for binding in set.all(variables) {
                let translate = |id: &Id| if *id == NONE { NONE } else { values.number(&foreign.get(*id)) };
                let binding: Vec<Id> = binding.iter().map(translate).collect();
                self.insert(set.mask, &binding, values);
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let set = |set: &SeenSet| {
            set.marks.capacity() * size_of::<u64>()
                + set.bindings.capacity() * size_of::<Id>()
                + set.places.capacity() * (size_of::<u32>() + 1)
        };
        self.sets.iter().map(set).sum()
    }

    /// Completes restored sets. Returns false if they are damaged or not those of these sets of parameters.
    pub(super) fn rebuild(&mut self, masks: &[Mask], values: &ValueInterner) -> bool {
        let bound = values.bound();
        let is_sound = |(set, mask): (&SeenSet, &Mask)| {
            set.mask == *mask
                && set.marks.len() <= bound.div_ceil(64)
                && set.bindings.len().is_multiple_of(set.width())
                && set.bindings.iter().all(|id| (*id as usize) < bound)
        };
        if self.sets.len() != masks.len() || !self.sets.iter().zip(masks).all(is_sound) {
            return false;
        }
        for set in &mut self.sets {
            set.places.clear();
            for place in 0..set.bindings.len() / set.width() {
                set.index(place as u32);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use gnomon_core::number::Number;
    use gnomon_core::value::Value;

    use super::*;

    #[test]
    fn bindings_are_remembered_and_their_values_held() {
        let mut values = ValueInterner::default();
        let mut number = |whole: i64| values.number(&Value::Number(Number::Int(whole)));
        let (c, i) = (number(7), number(8));
        let mut seen = SeenBindings::new(&[0b01, 0b11]);
        seen.insert(0b01, &[c, NONE], &mut values);
        seen.insert(0b10, &[NONE, i], &mut values);
        assert!(seen.contains(0b01, &[c, i]) && !seen.contains(0b10, &[c, i]) && !seen.contains(0b11, &[c, i]));
        seen.insert(0b11, &[c, i], &mut values);
        seen.insert(0b11, &[c, i], &mut values);
        values.settle();
        assert!(values.is_held(c) && values.is_held_once(i));
        let saved = postcard::to_stdvec(&seen).unwrap();
        let mut restored: SeenBindings = postcard::from_bytes(&saved).unwrap();
        assert!(restored.rebuild(&[0b01, 0b11], &values) && !restored.clone().rebuild(&[0b01], &values));
        assert!(restored.contains(0b11, &[c, i]) && !restored.contains(0b11, &[i, c]));
    }
}
