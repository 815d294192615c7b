// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many violations many properties have together, for those who look at each event: as long as the number stays the
//! same no property has to be asked.

/// Counts, once it is told to. Whoever does not ask pays for a branch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Noted {
    is_on: bool,
    pub(crate) total: u64,
}

impl Noted {
    /// From now on.
    pub(crate) fn begin(&mut self) {
        self.is_on = true;
    }

    /// A property with so many violations is about to be looked at.
    #[inline]
    pub(crate) fn before(self, violated: impl FnOnce() -> u64) -> Option<u64> {
        self.is_on.then(violated)
    }

    /// It was, and now it has so many.
    #[inline]
    pub(crate) fn after(&mut self, before: Option<u64>, violated: impl FnOnce() -> u64) {
        if let Some(before) = before {
            self.total += violated() - before;
        }
    }
}
