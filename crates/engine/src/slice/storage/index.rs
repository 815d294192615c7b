// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the instances of one kind by their values.
//!
//! Instances with the same values of some variables form a *chain*: a doubly linked list through the rows. A [`ChainIndex`] maps
//! the values to the first instance of the chain. Example: with instances (7,a) and (7,b), the chain for c=7 has both, the
//! chains for i=a and i=b one each.

use std::hash::Hasher;
use std::sync::OnceLock;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::chunks::ChunkedRows;
use super::values::{Id, NONE, clear_table};

/// A set of variables, a bit for each.
pub(crate) type Mask = u32;

/// An instance's number.
pub(crate) type Slot = u32;

/// The slot number of no instance, and the end of a chain.
pub(crate) const END: Slot = u32::MAX;

/// The first column of a row that has a value; one for each variable.
pub(crate) const VALUES: usize = 1;

/// The first column of a row that has a link; two for each chain.
pub(crate) fn links(variables: usize) -> usize {
    VALUES + variables
}

/// The instances of one kind.
#[derive(Clone, Debug)]
pub(crate) struct InstanceIndex {
    /// The variables that they bind.
    mask: Mask,
    chains: Vec<InstanceChains>,
    /// The instance with each full set of values. Built only when a lookup has followed long chains in vain: often some value
    /// occurs in few instances.
    exact: OnceLock<ChainIndex>,
}

/// Instances chained by their values of some variables.
#[derive(Clone, Debug)]
struct InstanceChains {
    on: Mask,
    starts: ChainIndex,
    /// The column of a row with the next instance; the one after it has the previous instance.
    next: usize,
}

/// The numbers of links that a lookup follows in each chain, in rounds, until one chain ends.
const CHAIN_LENGTHS: [usize; 3] = [1, 4, 16];

impl InstanceIndex {
    /// An index of instances that bind the variables of `mask`, for lookups by each of the sets `on`.
    pub(crate) fn new(variables: usize, mask: Mask, on: &[Mask]) -> Self {
        let parts = on.iter().filter(|on| **on != mask).enumerate();
        let chains: Vec<InstanceChains> = parts
            .map(|(at, on)| InstanceChains { on: *on, starts: ChainIndex::new(*on), next: links(variables) + 2 * at })
            .collect();
        let exact = OnceLock::new();
        // Those that bind a single variable are found without it.
        if (chains.is_empty() || mask.count_ones() < 2) && (variables, mask) != (1, 1) {
            exact.get_or_init(|| ChainIndex::new(mask));
        }
        InstanceIndex { mask, chains, exact }
    }

    /// Removes every instance.
    pub(crate) fn clear(&mut self) {
        self.chains.iter_mut().for_each(|chains| chains.starts.clear());
        if let Some(starts) = self.exact.get_mut() {
            starts.clear();
        }
    }

    /// Returns the sets of variables by which instances can be found.
    pub(crate) fn sets(&self) -> impl Iterator<Item = Mask> {
        self.chains.iter().map(|chains| chains.on).chain([self.mask])
    }

    /// Returns the first instance that agrees with a binding on the variables `on`. `own` are all instances of the kind.
    #[inline]
    pub(crate) fn first<I: Iterator<Item = Slot>>(
        &self,
        on: Mask,
        binding: &[Id],
        rows: &ChunkedRows,
        own: impl FnOnce() -> I,
    ) -> Slot {
        if on != self.mask {
            let chains = self.chains.iter().find(|chains| chains.on == on);
            return chains.map_or(END, |chains| chains.starts.first(on, binding, rows));
        }
        match self.exact.get() {
            Some(starts) => starts.first(on, binding, rows),
            None => self.follow(binding, rows).unwrap_or_else(|| {
                let starts = self.exact.get_or_init(|| {
                    let mut starts = ChainIndex::new(self.mask);
                    own().for_each(|slot| {
                        starts.put(self.mask, slot, rows);
                    });
                    starts
                });
                starts.first(on, binding, rows)
            }),
        }
    }

    /// Returns the first instance with this value of a variable, if there is an index for it.
    #[inline]
    pub(crate) fn first_with(&self, variable: usize, id: Id) -> Slot {
        let chains = self.chains.iter().find(|chains| chains.on == 1 << variable);
        match chains.map(|chains| &chains.starts) {
            Some(ChainIndex::ByValue(starts)) => starts.get(id),
            _ => END,
        }
    }

    /// Returns the next instance of the chain for the variables `on`.
    #[inline]
    pub(crate) fn next(&self, on: Mask, slot: Slot, rows: &ChunkedRows) -> Slot {
        self.chains.iter().find(|chains| chains.on == on).map_or(END, |chains| rows.get(slot)[chains.next])
    }

    /// Returns the instance with these values, or [`END`], if one of its chains is short; `None` if all are long.
    fn follow(&self, binding: &[Id], rows: &ChunkedRows) -> Option<Slot> {
        for length in CHAIN_LENGTHS {
            for chains in &self.chains {
                let mut slot = chains.starts.first(chains.on, binding, rows);
                for _ in 0..length {
                    if slot == END || agrees(self.mask, binding, rows.get(slot)) {
                        return Some(slot);
                    }
                    slot = rows.get(slot)[chains.next];
                }
            }
        }
        None
    }

    #[inline(always)]
    pub(crate) fn insert(&mut self, slot: Slot, rows: &mut ChunkedRows) {
        for chains in &mut self.chains {
            let next = chains.starts.put(chains.on, slot, rows);
            let row = rows.get_mut(slot);
            (row[chains.next], row[chains.next + 1]) = (next, END);
            if next != END {
                rows.get_mut(next)[chains.next + 1] = slot;
            }
        }
        if let Some(starts) = self.exact.get_mut() {
            starts.put(self.mask, slot, rows);
        }
    }

    #[inline(always)]
    pub(crate) fn remove(&mut self, slot: Slot, rows: &mut ChunkedRows) {
        for chains in &mut self.chains {
            let row = rows.get(slot);
            let (next, previous) = (row[chains.next], row[chains.next + 1]);
            if next != END {
                rows.get_mut(next)[chains.next + 1] = previous;
            }
            if previous == END {
                chains.starts.replace(chains.on, slot, next, rows);
            } else {
                rows.get_mut(previous)[chains.next] = next;
            }
        }
        if let Some(starts) = self.exact.get_mut() {
            starts.replace(self.mask, slot, END, rows);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.chains.iter().map(|chains| &chains.starts).chain(self.exact.get()).map(ChainIndex::bytes).sum()
    }
}

/// Returns true if a row agrees with a binding on the variables `on`.
#[inline]
pub(crate) fn agrees(on: Mask, binding: &[Id], row: &[u32]) -> bool {
    bits(on).all(|variable| row[VALUES + variable] == binding[variable])
}

/// Returns the variables of a set.
#[inline]
pub(crate) fn bits(mask: Mask) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let at = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (at < Mask::BITS).then_some(at as usize)
    })
}

/// Joins two bindings: the values of the first, and of the second where the first has none.
pub(crate) fn join(binding: &[Id], other: &[Id]) -> Vec<Id> {
    binding.iter().zip(other).map(|(own, other)| if *own == NONE { *other } else { *own }).collect()
}

/// Returns true if a binding lacks the value of some variable of a set.
pub(crate) fn lacks(binding: &[Id], variables: Mask) -> bool {
    binding.iter().enumerate().any(|(at, id)| variables >> at & 1 == 1 && *id == NONE)
}

/// Returns the variables that a binding binds.
pub(crate) fn mask_of(binding: &[Id]) -> Mask {
    binding.iter().enumerate().filter(|(_, id)| **id != NONE).fold(0, |mask, (at, _)| mask | 1 << at)
}

/// The first instance of each chain, by the values that its instances share.
#[derive(Clone, Debug)]
pub(crate) enum ChainIndex {
    /// No variable: all instances are in one chain.
    One(Slot),
    /// One variable: by the number of the value.
    ByValue(SlotPages),
    /// Several variables: by hashing.
    ByTuple(HashTable<Slot>),
}

/// A sparse vector of slots, in pages that are allocated where numbers are in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotPages {
    pages: Vec<Vec<Slot>>,
}

const BITS: u32 = 10;
const SIZE: usize = 1 << BITS;

impl SlotPages {
    #[inline]
    pub(crate) fn get(&self, id: Id) -> Slot {
        let page = self.pages.get(id as usize >> BITS);
        page.and_then(|page| page.get(id as usize & (SIZE - 1))).copied().unwrap_or(END)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: Id) -> &mut Slot {
        let (page, at) = (id as usize >> BITS, id as usize & (SIZE - 1));
        if self.pages.get(page).is_none_or(|page| page.len() <= at) {
            self.make_room(page, at);
        }
        &mut self.pages[page][at]
    }

    #[cold]
    fn make_room(&mut self, page: usize, at: usize) {
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, Vec::new);
        }
        self.pages[page].resize(at + 1, END);
    }

    /// Removes everything. The memory of the first page is kept.
    pub(crate) fn clear(&mut self) {
        self.pages.truncate(1);
        self.pages.iter_mut().for_each(Vec::clear);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.pages.iter().map(|page| size_of::<Vec<Slot>>() + page.capacity() * size_of::<Slot>()).sum()
    }
}

impl ChainIndex {
    pub(crate) fn new(on: Mask) -> Self {
        match on.count_ones() {
            0 => ChainIndex::One(END),
            1 => ChainIndex::ByValue(SlotPages::default()),
            _ => ChainIndex::ByTuple(HashTable::new()),
        }
    }

    pub(crate) fn clear(&mut self) {
        match self {
            ChainIndex::One(head) => *head = END,
            ChainIndex::ByValue(starts) => starts.clear(),
            ChainIndex::ByTuple(table) => clear_table(table),
        }
    }

    /// Returns the first instance with the values of a binding.
    #[inline]
    pub(crate) fn first(&self, on: Mask, binding: &[Id], rows: &ChunkedRows) -> Slot {
        match self {
            ChainIndex::One(head) => *head,
            ChainIndex::ByValue(starts) => starts.get(binding[on.trailing_zeros() as usize]),
            ChainIndex::ByTuple(table) => {
                let same = |slot: &Slot| agrees(on, binding, rows.get(*slot));
                table.find(hash(on, binding), same).copied().unwrap_or(END)
            }
        }
    }

    /// The head of the chain that an instance belongs to: [`END`] for a new chain, whose head must be set.
    #[inline]
    fn head_mut(&mut self, on: Mask, slot: Slot, rows: &ChunkedRows) -> &mut Slot {
        let values = |slot: Slot| &rows.get(slot)[VALUES..];
        let binding = values(slot);
        match self {
            ChainIndex::One(head) => head,
            ChainIndex::ByValue(starts) => starts.get_mut(binding[on.trailing_zeros() as usize]),
            ChainIndex::ByTuple(table) => {
                let same = |known: &Slot| agrees(on, binding, rows.get(*known));
                table.entry(hash(on, binding), same, |known| hash(on, values(*known))).or_insert(END).into_mut()
            }
        }
    }

    /// Puts an instance at the front of its chain. Returns the former head.
    pub(crate) fn put(&mut self, on: Mask, slot: Slot, rows: &ChunkedRows) -> Slot {
        std::mem::replace(self.head_mut(on, slot, rows), slot)
    }

    /// Returns the head of the chain that an instance belongs to. If there is no chain yet, it begins with the instance, and
    /// the result is [`END`].
    pub(crate) fn first_or_put(&mut self, on: Mask, slot: Slot, rows: &ChunkedRows) -> Slot {
        let head = self.head_mut(on, slot, rows);
        let first = *head;
        if first == END {
            *head = slot;
        }
        first
    }

    /// Lets the chain that began with `slot` begin with `next`.
    pub(crate) fn replace(&mut self, on: Mask, slot: Slot, next: Slot, rows: &ChunkedRows) {
        match self {
            ChainIndex::ByTuple(table) if next == END => {
                let binding = &rows.get(slot)[VALUES..];
                if let Ok(entry) = table.find_entry(hash(on, binding), |known| *known == slot) {
                    entry.remove();
                }
            }
            _ => *self.head_mut(on, slot, rows) = next,
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            ChainIndex::One(_) => 0,
            ChainIndex::ByValue(starts) => starts.bytes(),
            ChainIndex::ByTuple(table) => table.capacity() * (size_of::<Slot>() + 1),
        }
    }
}

fn hash(on: Mask, binding: &[Id]) -> u64 {
    let mut hasher = FxHasher::default();
    bits(on).for_each(|at| hasher.write_u32(binding[at]));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(index: &InstanceIndex, on: Mask, binding: &[Id], rows: &ChunkedRows) -> Vec<Slot> {
        let mut found = Vec::new();
        let mut slot = index.first(on, binding, rows, || 0..rows.len() as Slot);
        while slot != END {
            found.push(slot);
            slot = index.next(on, slot, rows);
        }
        found
    }

    fn add(rows: &mut ChunkedRows, row: &[u32]) {
        rows.push();
        rows.get_mut(rows.len() as Slot - 1)[..row.len()].copy_from_slice(row);
    }

    /// Every pair of few values: all chains are long.
    #[test]
    fn finds_by_part_and_by_all() {
        let side = 40;
        let mut rows = ChunkedRows::new(links(2) + 4, links(2));
        let mut index = InstanceIndex::new(2, 0b11, &[0b01, 0b10, 0b11]);
        for slot in 0..side * side {
            add(&mut rows, &[0, slot / side, slot % side]);
            index.insert(slot, &mut rows);
        }
        for slot in 0..side * side {
            assert_eq!(all(&index, 0b11, &[slot / side, slot % side], &rows), [slot]);
        }
        assert!(index.exact.get().is_some(), "following was too long");
        assert_eq!(all(&index, 0b01, &[3, NONE], &rows).len(), side as usize);
        assert_eq!(all(&index, 0b11, &[3, side], &rows), []);
        for slot in (0..side * side).filter(|slot| slot % side != 7) {
            index.remove(slot, &mut rows);
        }
        assert_eq!(all(&index, 0b01, &[3, NONE], &rows), [3 * side + 7]);
        assert_eq!(all(&index, 0b10, &[NONE, 7], &rows).len(), side as usize);
        assert_eq!(all(&index, 0b10, &[NONE, 8], &rows), []);
        assert_eq!(all(&index, 0b11, &[3, 8], &rows), []);
    }

    /// One value of each is its own: nothing more is needed to find it.
    #[test]
    fn short_chains_are_followed() {
        let mut rows = ChunkedRows::new(links(2) + 4, links(2));
        let mut index = InstanceIndex::new(2, 0b11, &[0b01, 0b10, 0b11]);
        for slot in 0..1000 {
            add(&mut rows, &[0, slot % 2, slot]);
            index.insert(slot, &mut rows);
            assert_eq!(all(&index, 0b11, &[slot % 2, slot], &rows), [slot]);
            assert_eq!(all(&index, 0b11, &[1 - slot % 2, slot], &rows), []);
        }
        assert!(index.exact.get().is_none());
    }
}
