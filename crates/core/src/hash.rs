// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hashes of whole numbers for tables of identifiers.
//!
//! Identifiers are often counted up, and those that are in use at a time are near each other. [`hash_whole`] gives neighbours neighbouring
//! places, so that they share lines of the cache.
//!
//! Example: of a million sessions that were seen, the 5,000 that are open are mostly among the last 8,000. With a plain hash their entries
//! lie in 5,000 lines of the table, with this one in 1,000.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;

/// This many consecutive numbers have neighbouring places.
const NEIGHBOURS: u64 = 8;

/// Hashes a number for a table of the crate hashbrown, which takes the place of an entry from the lowest bits and compares the highest ones.
#[inline]
pub fn hash_whole(hasher: &RandomState, whole: i64) -> u64 {
    let mut hasher = hasher.build_hasher();
    let whole = whole.cast_unsigned();
    hasher.write_u64(whole / NEIGHBOURS);
    let within = whole % NEIGHBOURS;
    hasher.finish() ^ within ^ (within << 61)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_have_neighbouring_places_and_different_hashes() {
        let hasher = RandomState::default();
        let places: Vec<u64> = (-8..0).chain(0..8).map(|whole| hash_whole(&hasher, whole)).collect();
        for part in places.chunks(8) {
            assert!(part.iter().all(|hash| hash & 0xFF_FFF8 == part[0] & 0xFF_FFF8));
            let highest: std::collections::BTreeSet<u64> = part.iter().map(|hash| hash >> 57).collect();
            assert_eq!(highest.len(), 8);
        }
        assert_ne!(places[0] & 0xFF_FFF8, places[8] & 0xFF_FFF8);
    }
}
