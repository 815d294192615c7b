// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many different values a variable had, where nobody asks which.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Whole numbers, a bit for each, in pages: ids that are given out one after the other take next to nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    pages: Vec<Page>,
    /// The places of pages.
    #[serde(skip)]
    places: FxHashMap<i64, usize>,
    /// Where the last one was found: the next is mostly near.
    #[serde(skip)]
    last: usize,
    count: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Page {
    number: i64,
    bits: [u64; WORDS],
}

const WORDS: usize = 8;
const SHIFT: u32 = (WORDS * 64).trailing_zeros();

impl Tally {
    /// Takes a number in.
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
                self.pages.push(Page { number, bits: [0; WORDS] });
            }
        }
        self.last
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Takes in what another one has.
    pub(crate) fn join(&mut self, other: Tally) {
        for page in other.pages {
            let place = self.place(page.number);
            for (own, more) in self.pages[place].bits.iter_mut().zip(page.bits) {
                self.count += (more & !*own).count_ones() as usize;
                *own |= more;
            }
        }
    }

    /// Finds the pages of a restored one again.
    pub(crate) fn rebuild(&mut self) {
        self.places = self.pages.iter().enumerate().map(|(place, page)| (page.number, place)).collect();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.pages.capacity() * size_of::<Page>() + self.places.capacity() * 24
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_counts_once() {
        let mut tally = Tally::default();
        for value in [0, 1, -1, 511, 512, i64::MAX, i64::MIN, 0, 512, i64::MIN] {
            tally.add(value);
        }
        assert_eq!(tally.count(), 7);
        let mut other = Tally::default();
        (0..1000).for_each(|value| other.add(value));
        tally.join(other);
        assert_eq!(tally.count(), 1003);
        let saved = postcard::to_stdvec(&tally).unwrap();
        let mut back: Tally = postcard::from_bytes(&saved).unwrap();
        back.rebuild();
        back.add(5);
        back.add(-5);
        assert_eq!(back.count(), 1004);
    }
}
