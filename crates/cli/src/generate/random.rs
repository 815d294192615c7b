// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seeded chance in integers: a seed gives the same draws on every machine and in every version. `docs/models.md`
//! states how a draw is made, so a change here is a change of the format.

use super::model::{CERTAIN, Chance, Range};

/// The generator splitmix64 (Steele, Lea and Flood 2014): 64 bits of state, which are the seed.
#[derive(Clone, Debug)]
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `end`, each equally likely; 0 if there is none below it.
    pub(super) fn below(&mut self, end: u64) -> u64 {
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

    /// Whether something of this chance happens.
    pub(super) fn happens(&mut self, chance: Chance) -> bool {
        self.below(CERTAIN) < chance.billionths
    }

    /// A number of the range, each equally likely.
    pub(super) fn within(&mut self, range: Range) -> i64 {
        let count = range.high.abs_diff(range.low).saturating_add(1);
        range.low.saturating_add_unsigned(self.below(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_these_numbers_for_ever() {
        let mut random = Random::new(1_234_567);
        let numbers: Vec<u64> = (0..3).map(|_| random.number()).collect();
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn draws_stay_in_range_and_reach_its_ends() {
        let mut random = Random::new(7);
        let drawn: Vec<i64> = (0..500).map(|_| random.within(Range { low: -2, high: 3 })).collect();
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&-2), Some(&3)));
        assert_eq!(random.within(Range { low: 5, high: 5 }), 5);
        random.within(Range { low: i64::MIN + 1, high: i64::MAX });
    }

    #[test]
    fn certain_and_impossible_are_what_they_say() {
        let mut random = Random::new(7);
        for _ in 0..100 {
            assert!(random.happens(Chance { billionths: CERTAIN }));
            assert!(!random.happens(Chance { billionths: 0 }));
        }
        let often = (0..10_000).filter(|_| random.happens(Chance { billionths: CERTAIN / 4 })).count();
        assert!((2_300..2_700).contains(&often), "{often}");
    }
}
