// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts steps of work in tests, where seconds would depend on the machine. Elsewhere counting compiles to nothing.
//!
//! A step is a visit, a node that is computed, a lookup, or an element that a loop looks at. `growth.rs` checks how their number grows.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts steps.
#[cfg(test)]
pub(crate) fn add(steps: usize) {
    STEPS.set(STEPS.get() + steps as u64);
}

/// Counts nothing.
#[cfg(not(test))]
#[inline]
pub(crate) fn add(_: usize) {}

/// Returns the steps of this thread since the last call.
#[cfg(test)]
pub(crate) fn take() -> u64 {
    STEPS.replace(0)
}
