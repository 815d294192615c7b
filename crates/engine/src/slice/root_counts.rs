// SPDX-License-Identifier: MIT OR Apache-2.0
//! Corrects the counts of the root instance at the end of a trace.
//!
//! Where a machine [counts in the root](super::machine::Capabilities::counts_in_root), an instance counts only while it exists; the
//! root counts for the binding before and after. At the end the counts of the root are multiplied by the number of bindings that it
//! stands for then, which is wrong for bindings that had an instance for a while. Example: the root has counted 3 activations when
//! an instance splits off, and 5 when that rejoins it. The binding has 3 + own activations, plus what the root counts after 5; the
//! root's total alone would give it all. The adjustment is +3 -5, and the instance adds its own.

use serde::{Deserialize, Serialize};

use crate::accounting::Totals;

/// The sum, over all splits and evictions, of the root's counts at the split minus its counts at the eviction.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RootCountAdjustment {
    activated: i128,
    satisfied: i128,
}

impl RootCountAdjustment {
    /// A binding gets an instance: adds the root's counts.
    pub(crate) fn hand_out(&mut self, (activated, satisfied): (u64, u64)) {
        self.activated += i128::from(activated);
        self.satisfied += i128::from(satisfied);
    }

    /// The root stands for a binding again: subtracts the root's counts.
    pub(crate) fn take_back(&mut self, (activated, satisfied): (u64, u64)) {
        self.activated -= i128::from(activated);
        self.satisfied -= i128::from(satisfied);
    }

    pub(crate) fn join(&mut self, other: RootCountAdjustment) {
        self.activated += other.activated;
        self.satisfied += other.satisfied;
    }

    /// Adds the adjustment to the totals of all bindings.
    pub(crate) fn settle(self, totals: &mut Totals) {
        let add = |count: &mut u64, more: i128| {
            *count = u64::try_from(i128::from(*count) + more).unwrap_or(u64::MAX);
        };
        add(&mut totals.activated, self.activated);
        add(&mut totals.satisfied, self.satisfied);
    }
}
