// SPDX-License-Identifier: MIT OR Apache-2.0
//! A set of integers that is only counted: the number of values of a variable.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Integers, a bit for each, in pages: consecutive ids take one bit each.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct IntegerSet {
    pages: Vec<IntegerPage>,
    /// The index of each page by its number.
    #[serde(skip)]
    places: FxHashMap<i64, usize>,
    /// The page of the last integer: the next is mostly near.
    #[serde(skip)]
    last: usize,
    count: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct IntegerPage {
    number: i64,
    bits: [u64; WORDS],
}

const WORDS: usize = 8;
const SHIFT: u32 = (WORDS * 64).trailing_zeros();

impl IntegerSet {
    /// Adds an integer.
    #[inline]
    pub(crate) fn add(&mut self, value: i64) {
        let place = self.place(value >> SHIFT);
        let within = (value & ((1 << SHIFT) - 1)) as usize;
        let (word, bit) = (&mut self.pages[place].bits[within / 64], 1_u64 << (within % 64));
        self.count += usize::from(*word & bit == 0);
        *word |= bit;
    }

    #[inline]
    fn place(&mut self, number: i64) -> usize {
        if self.pages.get(self.last).is_none_or(|page| page.number != number) {
            let fresh = self.pages.len();
            self.last = *self.places.entry(number).or_insert(fresh);
            if self.last == fresh {
                self.pages.push(IntegerPage { number, bits: [0; WORDS] });
            }
        }
        self.last
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Adds the integers of another set.
    pub(crate) fn join(&mut self, other: IntegerSet) {
        for page in other.pages {
            let place = self.place(page.number);
            for (own, more) in self.pages[place].bits.iter_mut().zip(page.bits) {
                self.count += (more & !*own).count_ones() as usize;
                *own |= more;
            }
        }
    }

    /// Rebuilds the map of pages after a restore.
    pub(crate) fn rebuild(&mut self) {
        self.places = self.pages.iter().enumerate().map(|(place, page)| (page.number, place)).collect();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.pages.capacity() * size_of::<IntegerPage>() + self.places.capacity() * 24
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_counts_once() {
        let mut integers = IntegerSet::default();
        for value in [0, 1, -1, 511, 512, i64::MAX, i64::MIN, 0, 512, i64::MIN] {
            integers.add(value);
        }
        assert_eq!(integers.count(), 7);
        let mut other = IntegerSet::default();
        (0..1000).for_each(|value| other.add(value));
        integers.join(other);
        assert_eq!(integers.count(), 1003);
        let saved = postcard::to_stdvec(&integers).unwrap();
        let mut back: IntegerSet = postcard::from_bytes(&saved).unwrap();
        back.rebuild();
        back.add(5);
        back.add(-5);
        assert_eq!(back.count(), 1004);
    }
}
