// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seeded pseudo-random numbers: a seed gives the same numbers on every machine and in every version.
//!
//! `docs/models.md` states how `gnomon generate` draws, so the numbers of [`Random::below`] are part of that format.

/// The generator `SplitMix64` (Steele, Lea and Flood 2014): 64 bits of state, which are the seed.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Starts the sequence of a seed.
    pub const fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    /// Returns the next 64 bits.
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// Returns a number below `end`, each equally likely; 0 if there is none below it.
    pub fn below(&mut self, end: u64) -> u64 {
        if end == 0 {
            return 0;
        }
        // The largest multiple of `end` that fits 64 bits, less one: what lies above it would favour small remainders.
        let last = u64::MAX - (u64::MAX % end + 1) % end;
        loop {
            let number = self.number();
            if number <= last {
                return number % end;
            }
        }
    }

    /// Returns a position in a list of this length; 0 if it is empty.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// Returns a number from `low` to `high`, both included; `low` if `high` is below it.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let steps = if high < low { 0 } else { high.abs_diff(low) };
        low.saturating_add_unsigned(self.below(steps.saturating_add(1)))
    }

    /// Returns true once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// Returns one element of a list.
    ///
    /// # Panics
    /// If the list is empty.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.index(from.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_published_numbers() {
        let mut random = Random::new(1_234_567);
        let numbers: Vec<u64> = (0..3).map(|_| random.number()).collect();
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn draws_stay_in_range_and_reach_its_ends() {
        let mut random = Random::new(7);
        let drawn: Vec<i64> = (0..500).map(|_| random.between(-2, 3)).collect();
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&-2), Some(&3)));
        assert_eq!((random.between(5, 5), random.between(5, 2), random.below(0)), (5, 5, 0));
        random.between(i64::MIN + 1, i64::MAX);
        assert!((0..100).all(|_| random.one_in(1) && *random.pick(&[4]) == 4 && random.index(3) < 3));
    }
}
