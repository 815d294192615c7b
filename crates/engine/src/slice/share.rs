// SPDX-License-Identifier: MIT OR Apache-2.0
//! One of several runs that share the bindings of a property out among themselves.

/// This run takes every `of`-th binding, by a hash of one variable's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Share {
    pub(crate) index: u64,
    pub(crate) of: u64,
}

impl Share {
    /// Everything.
    pub(crate) const WHOLE: Share = Share { index: 0, of: 1 };

    /// Which of `of` runs a value's bindings belong to.
    #[inline]
    pub(crate) fn index(hash: u64, of: u64) -> u64 {
        // Its share of all numbers, without a division.
        ((u128::from(hash) * u128::from(of)) >> 64) as u64
    }

    /// Whether a value's bindings are this run's.
    #[inline]
    pub(crate) fn has(self, hash: u64) -> bool {
        self.of == 1 || Self::index(hash, self.of) == self.index
    }
}
