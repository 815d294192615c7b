// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the instances of one kind that have certain values: chains of instances, and where each chain begins.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

use super::chunks::Chunks;
use super::matches::Mask;
use super::values::{Id, NONE};

/// An instance's number.
pub(crate) type Slot = u32;

/// No instance.
pub(crate) const END: Slot = u32::MAX;

/// The neighbours of an instance in a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) next: Slot,
    previous: Slot,
}

impl Link {
    pub(crate) const LOOSE: Link = Link { next: END, previous: END };
}

/// Instances by their values of certain variables.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    /// Those variables.
    pub(crate) on: Mask,
    heads: Heads,
}

#[derive(Clone, Debug)]
enum Heads {
    /// Of no variable: all are in one chain.
    One(Slot),
    /// Of one variable: by the value's number.
    ByValue(Vec<Slot>),
    /// Of several: the first of each chain, found by hashing its values.
    ByTuple(HashTable<Slot>),
}

/// The bindings of all instances, and the links of one index.
pub(crate) struct Tables<'a> {
    /// Values, `variables` for each instance.
    pub(crate) bindings: &'a Chunks<Id>,
    pub(crate) variables: usize,
    pub(crate) links: &'a mut Chunks<Link>,
    /// How many links each instance has, and which of them is this index's.
    pub(crate) stride: usize,
    pub(crate) offset: usize,
}

impl Tables<'_> {
    fn link(&mut self, slot: Slot) -> &mut Link {
        self.links.get_mut((slot as usize * self.stride + self.offset) as u32)
    }
}

impl Index {
    pub(crate) fn new(on: Mask) -> Self {
        let heads = match on.count_ones() {
            0 => Heads::One(END),
            1 => Heads::ByValue(Vec::new()),
            _ => Heads::ByTuple(HashTable::new()),
        };
        Index { on, heads }
    }

    /// The first instance whose values are those of a binding, as far as the index goes.
    #[inline]
    pub(crate) fn first(&self, binding: &[Id], bindings: &Chunks<Id>) -> Slot {
        match &self.heads {
            Heads::One(head) => *head,
            Heads::ByValue(heads) => {
                heads.get(binding[self.on.trailing_zeros() as usize] as usize).copied().unwrap_or(END)
            }
            Heads::ByTuple(table) => {
                let variables = binding.len();
                let is_it = |slot: &Slot| {
                    bits(self.on).all(|at| *bindings.get((*slot as usize * variables + at) as u32) == binding[at])
                };
                table.find(hash(self.on, |at| binding[at]), is_it).copied().unwrap_or(END)
            }
        }
    }

    /// Puts an instance at the front of its chain.
    pub(crate) fn insert(&mut self, slot: Slot, tables: &mut Tables<'_>) {
        let (bindings, variables) = (tables.bindings, tables.variables);
        let value = |slot: Slot, at: usize| *bindings.get((slot as usize * variables + at) as u32);
        let on = self.on;
        let head = match &mut self.heads {
            Heads::One(head) => head,
            Heads::ByValue(heads) => {
                let id = value(slot, on.trailing_zeros() as usize) as usize;
                if heads.len() <= id {
                    heads.resize(id + 1, END);
                }
                &mut heads[id]
            }
            Heads::ByTuple(table) => {
                let hash_of = |slot: Slot| hash(on, |at| value(slot, at));
                let same = |known: &Slot| bits(on).all(|at| value(*known, at) == value(slot, at));
                match table.find_mut(hash_of(slot), same) {
                    Some(head) => {
                        let next = std::mem::replace(head, slot);
                        *tables.link(slot) = Link { next, previous: END };
                        tables.link(next).previous = slot;
                    }
                    None => {
                        table.insert_unique(hash_of(slot), slot, |known| hash_of(*known));
                        *tables.link(slot) = Link::LOOSE;
                    }
                }
                return;
            }
        };
        let next = std::mem::replace(head, slot);
        *tables.link(slot) = Link { next, previous: END };
        if next != END {
            tables.link(next).previous = slot;
        }
    }

    /// Takes an instance out of its chain.
    pub(crate) fn remove(&mut self, slot: Slot, tables: &mut Tables<'_>) {
        let Link { next, previous } = *tables.link(slot);
        if next != END {
            tables.link(next).previous = previous;
        }
        if previous != END {
            tables.link(previous).next = next;
            return;
        }
        let (bindings, variables) = (tables.bindings, tables.variables);
        let value = |slot: Slot, at: usize| *bindings.get((slot as usize * variables + at) as u32);
        match &mut self.heads {
            Heads::One(head) => *head = next,
            Heads::ByValue(heads) => heads[value(slot, self.on.trailing_zeros() as usize) as usize] = next,
            Heads::ByTuple(table) => {
                let hash = hash(self.on, |at| value(slot, at));
                if let Ok(mut entry) = table.find_entry(hash, |known| *known == slot) {
                    if next == END {
                        entry.remove();
                    } else {
                        *entry.get_mut() = next;
                    }
                }
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match &self.heads {
            Heads::One(_) => 0,
            Heads::ByValue(heads) => heads.capacity() * size_of::<Slot>(),
            Heads::ByTuple(table) => table.capacity() * (size_of::<Slot>() + 1),
        }
    }
}

/// The variables of a set.
pub(crate) fn bits(mask: Mask) -> impl Iterator<Item = usize> {
    (0..Mask::BITS as usize).filter(move |at| mask >> at & 1 == 1)
}

fn hash(on: Mask, value: impl Fn(usize) -> Id) -> u64 {
    let mut hasher = FxHasher::default();
    for at in bits(on) {
        hasher.write_u32(value(at));
    }
    hasher.finish()
}

/// Whether two bindings agree wherever both are bound.
pub(crate) fn compatible(left: &[Id], right: &[Id]) -> bool {
    left.iter().zip(right).all(|(left, right)| *left == NONE || *right == NONE || left == right)
}

/// Whether every value of the first is in the second.
pub(crate) fn within(part: &[Id], whole: &[Id]) -> bool {
    part.iter().zip(whole).all(|(part, whole)| *part == NONE || part == whole)
}

/// The variables that a binding binds.
pub(crate) fn mask_of(binding: &[Id]) -> Mask {
    binding.iter().enumerate().filter(|(_, id)| **id != NONE).fold(0, |mask, (at, _)| mask | 1 << at)
}
