// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where chains of instances begin, by the values that the instances of a chain share.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::chunks::Rows;
use super::index::{END, Slot, VALUES, agrees, bits};
use super::matches::Mask;
use super::values::{Id, empty};

#[derive(Clone, Debug)]
pub(crate) enum Heads {
    /// Of no variable: all are in one chain.
    One(Slot),
    /// Of one variable: by the value's number.
    ByValue(Pages),
    /// Of several: by hashing.
    ByTuple(HashTable<Slot>),
}

/// Slots by numbers, with room only around those that are in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pages {
    pages: Vec<Vec<Slot>>,
}

const BITS: u32 = 10;
const SIZE: usize = 1 << BITS;

impl Pages {
    #[inline]
    pub(crate) fn get(&self, id: Id) -> Slot {
        let page = self.pages.get(id as usize >> BITS);
        page.and_then(|page| page.get(id as usize & (SIZE - 1))).copied().unwrap_or(END)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: Id) -> &mut Slot {
        let (page, at) = (id as usize >> BITS, id as usize & (SIZE - 1));
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, Vec::new);
        }
        let page = &mut self.pages[page];
        if page.len() <= at {
            page.resize(at + 1, END);
        }
        &mut page[at]
    }

    /// Takes everything out; the room of the first numbers stays.
    pub(crate) fn clear(&mut self) {
        self.pages.truncate(1);
        self.pages.iter_mut().for_each(Vec::clear);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.pages.iter().map(|page| size_of::<Vec<Slot>>() + page.capacity() * size_of::<Slot>()).sum()
    }
}

impl Heads {
    pub(crate) fn new(on: Mask) -> Self {
        match on.count_ones() {
            0 => Heads::One(END),
            1 => Heads::ByValue(Pages::default()),
            _ => Heads::ByTuple(HashTable::new()),
        }
    }

    pub(crate) fn clear(&mut self) {
        match self {
            Heads::One(head) => *head = END,
            Heads::ByValue(heads) => heads.clear(),
            Heads::ByTuple(table) => empty(table),
        }
    }

    /// The first instance with the values of a binding.
    #[inline]
    pub(crate) fn first(&self, on: Mask, binding: &[Id], rows: &Rows) -> Slot {
        match self {
            Heads::One(head) => *head,
            Heads::ByValue(heads) => heads.get(binding[on.trailing_zeros() as usize]),
            Heads::ByTuple(table) => {
                let same = |slot: &Slot| agrees(on, binding, rows.get(*slot));
                table.find(hash(on, binding), same).copied().unwrap_or(END)
            }
        }
    }

    /// Puts an instance at the front of its chain; tells which was there.
    pub(crate) fn put(&mut self, on: Mask, slot: Slot, rows: &Rows) -> Slot {
        let values = |slot: Slot| &rows.get(slot)[VALUES..];
        let binding = values(slot);
        match self {
            Heads::One(head) => std::mem::replace(head, slot),
            Heads::ByValue(heads) => std::mem::replace(heads.get_mut(binding[on.trailing_zeros() as usize]), slot),
            Heads::ByTuple(table) => {
                let hash_of = hash(on, binding);
                if let Some(head) = table.find_mut(hash_of, |known| agrees(on, binding, rows.get(*known))) {
                    return std::mem::replace(head, slot);
                }
                table.insert_unique(hash_of, slot, |known| hash(on, values(*known)));
                END
            }
        }
    }

    /// The chain that began with `slot` begins with `next` from now on.
    pub(crate) fn replace(&mut self, on: Mask, slot: Slot, next: Slot, rows: &Rows) {
        let binding = &rows.get(slot)[VALUES..];
        match self {
            Heads::One(head) => *head = next,
            Heads::ByValue(heads) => *heads.get_mut(binding[on.trailing_zeros() as usize]) = next,
            Heads::ByTuple(table) => {
                if let Ok(mut entry) = table.find_entry(hash(on, binding), |known| *known == slot) {
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
        match self {
            Heads::One(_) => 0,
            Heads::ByValue(heads) => heads.bytes(),
            Heads::ByTuple(table) => table.capacity() * (size_of::<Slot>() + 1),
        }
    }
}

fn hash(on: Mask, binding: &[Id]) -> u64 {
    let mut hasher = FxHasher::default();
    bits(on).for_each(|at| hasher.write_u32(binding[at]));
    hasher.finish()
}
