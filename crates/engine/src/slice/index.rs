// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the instances of one kind that have certain values: chains of instances, and where each chain begins.

use std::sync::OnceLock;

use super::chunks::Rows;
use super::heads::Heads;
use super::matches::Mask;
use super::values::{Id, NONE};

/// An instance's number.
pub(crate) type Slot = u32;

/// No instance.
pub(crate) const END: Slot = u32::MAX;

/// Where an instance's row has its values, one for each variable.
pub(crate) const VALUES: usize = 1;

/// Where its links begin, two for each chain that it is in.
pub(crate) fn links(variables: usize) -> usize {
    VALUES + variables
}

/// The instances of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    /// The variables that they bind.
    mask: Mask,
    chains: Vec<Chains>,
    /// Each by all of its values. Not made before someone has to follow long chains to find one: often some value is in
    /// few instances.
    exact: OnceLock<Heads>,
}

/// Instances chained by their values of some variables.
#[derive(Clone, Debug)]
struct Chains {
    on: Mask,
    heads: Heads,
    /// Where the instances' rows have the next one and, after it, the previous one.
    next: usize,
}

/// How far chains are followed, each time further than before, until one ends.
const PATIENCE: [usize; 3] = [1, 4, 16];

impl Index {
    /// For instances that bind the variables of `mask`, to be asked for by each of the sets `on`.
    pub(crate) fn new(variables: usize, mask: Mask, on: &[Mask]) -> Self {
        let parts = on.iter().filter(|on| **on != mask).enumerate();
        let chains: Vec<Chains> =
            parts.map(|(at, on)| Chains { on: *on, heads: Heads::new(*on), next: links(variables) + 2 * at }).collect();
        let exact = OnceLock::new();
        // Those that bind a single variable are found without it.
        if (chains.is_empty() || mask.count_ones() < 2) && (variables, mask) != (1, 1) {
            exact.get_or_init(|| Heads::new(mask));
        }
        Index { mask, chains, exact }
    }

    /// Takes every instance out.
    pub(crate) fn clear(&mut self) {
        self.chains.iter_mut().for_each(|chains| chains.heads.clear());
        if let Some(heads) = self.exact.get_mut() {
            heads.clear();
        }
    }

    /// The sets of variables that it can be asked for.
    pub(crate) fn sets(&self) -> impl Iterator<Item = Mask> {
        self.chains.iter().map(|chains| chains.on).chain([self.mask])
    }

    /// The first instance whose values are those of a binding, as far as `on` goes. `own` are all instances of the kind.
    #[inline]
    pub(crate) fn first<I: Iterator<Item = Slot>>(
        &self,
        on: Mask,
        binding: &[Id],
        rows: &Rows,
        own: impl FnOnce() -> I,
    ) -> Slot {
        if on != self.mask {
            let chains = self.chains.iter().find(|chains| chains.on == on);
            return chains.map_or(END, |chains| chains.heads.first(on, binding, rows));
        }
        match self.exact.get() {
            Some(heads) => heads.first(on, binding, rows),
            None => self.follow(binding, rows).unwrap_or_else(|| {
                let heads = self.exact.get_or_init(|| {
                    let mut heads = Heads::new(self.mask);
                    own().for_each(|slot| {
                        heads.put(self.mask, slot, rows);
                    });
                    heads
                });
                heads.first(on, binding, rows)
            }),
        }
    }

    /// The instance after this one among those that agree on `on`.
    #[inline]
    pub(crate) fn next(&self, on: Mask, slot: Slot, rows: &Rows) -> Slot {
        self.chains.iter().find(|chains| chains.on == on).map_or(END, |chains| rows.get(slot)[chains.next])
    }

    /// The instance with these values, if some chain that it would be in is short.
    fn follow(&self, binding: &[Id], rows: &Rows) -> Option<Slot> {
        for patience in PATIENCE {
            for chains in &self.chains {
                let mut slot = chains.heads.first(chains.on, binding, rows);
                for _ in 0..patience {
                    if slot == END || agrees(self.mask, binding, rows.get(slot)) {
                        return Some(slot);
                    }
                    slot = rows.get(slot)[chains.next];
                }
            }
        }
        None
    }

    pub(crate) fn insert(&mut self, slot: Slot, rows: &mut Rows) {
        for chains in &mut self.chains {
            let next = chains.heads.put(chains.on, slot, rows);
            let row = rows.get_mut(slot);
            (row[chains.next], row[chains.next + 1]) = (next, END);
            if next != END {
                rows.get_mut(next)[chains.next + 1] = slot;
            }
        }
        if let Some(heads) = self.exact.get_mut() {
            heads.put(self.mask, slot, rows);
        }
    }

    pub(crate) fn remove(&mut self, slot: Slot, rows: &mut Rows) {
        for chains in &mut self.chains {
            let row = rows.get(slot);
            let (next, previous) = (row[chains.next], row[chains.next + 1]);
            if next != END {
                rows.get_mut(next)[chains.next + 1] = previous;
            }
            if previous == END {
                chains.heads.replace(chains.on, slot, next, rows);
            } else {
                rows.get_mut(previous)[chains.next] = next;
            }
        }
        if let Some(heads) = self.exact.get_mut() {
            heads.replace(self.mask, slot, END, rows);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.chains.iter().map(|chains| &chains.heads).chain(self.exact.get()).map(Heads::bytes).sum()
    }
}

/// Whether an instance's row has the values of a binding, as far as `on` goes.
#[inline]
pub(crate) fn agrees(on: Mask, binding: &[Id], row: &[u32]) -> bool {
    bits(on).all(|variable| row[VALUES + variable] == binding[variable])
}

/// The variables of a set.
#[inline]
pub(crate) fn bits(mask: Mask) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let at = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (at < Mask::BITS).then_some(at as usize)
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn all(index: &Index, on: Mask, binding: &[Id], rows: &Rows) -> Vec<Slot> {
        let mut found = Vec::new();
        let mut slot = index.first(on, binding, rows, || 0..rows.len() as Slot);
        while slot != END {
            found.push(slot);
            slot = index.next(on, slot, rows);
        }
        found
    }

    /// Every pair of few values: all chains are long.
    #[test]
    fn finds_by_part_and_by_all() {
        let side = 40;
        let mut rows = Rows::new(links(2) + 4, links(2));
        let mut index = Index::new(2, 0b11, &[0b01, 0b10, 0b11]);
        for slot in 0..side * side {
            rows.push(&[0, slot / side, slot % side], END);
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
        let mut rows = Rows::new(links(2) + 4, links(2));
        let mut index = Index::new(2, 0b11, &[0b01, 0b10, 0b11]);
        for slot in 0..1000 {
            rows.push(&[0, slot % 2, slot], END);
            index.insert(slot, &mut rows);
            assert_eq!(all(&index, 0b11, &[slot % 2, slot], &rows), [slot]);
            assert_eq!(all(&index, 0b11, &[1 - slot % 2, slot], &rows), []);
        }
        assert!(index.exact.get().is_none());
    }
}
