// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws draws of the workloads. They scale numbers instead of taking remainders, and must not change, because traces are compared over years.

/// A seeded sequence of draws.
pub(crate) struct Draws {
    numbers: gnomon_core::random::Random,
}

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Draws { numbers: gnomon_core::random::Random::new(seed) }
    }

    /// Returns a number below `bound`, which is small: the bias is far below what a benchmark can see.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.numbers.number()) * u128::from(bound)) >> 64) as u64
    }

    /// Returns true in `cases` of a hundred thousand draws.
    pub(crate) fn in_100_000(&mut self, cases: u64) -> bool {
        self.below(100_000) < cases
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_below_their_bound() {
        let mut random = Draws::new(1);
        assert!((0..1000).all(|_| random.below(7) < 7));
        assert!((0..1000).all(|_| !random.in_100_000(0) && random.in_100_000(100_000)));
    }
}
