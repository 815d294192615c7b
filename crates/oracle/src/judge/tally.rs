// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts, durations and violations as they add up.

use gnomon_core::time::Duration;
use gnomon_core::verdict::{Durations, Violation};

use crate::truth::Truth;

#[derive(Default)]
pub(super) struct Tally {
    pub(super) activated: u64,
    pub(super) satisfied: u64,
    pub(super) violated: u64,
    pub(super) pending: u64,
    pub(super) durations: Option<Durations>,
    /// Of each binding on its own, in the order of the bindings.
    pub(super) violations: Vec<Vec<Violation>>,
}

impl Tally {
    // RULE V7
    pub(super) fn activation(&mut self, value: Truth) {
        self.activated += 1;
        match value {
            Truth::True => self.satisfied += 1,
            Truth::False => self.violated += 1,
            Truth::Unknown => self.pending += 1,
        }
    }

    // RULE V8
    pub(super) fn duration(&mut self, duration: Duration) {
        let sum = duration.ticks();
        let so_far = self.durations.unwrap_or(Durations { min: duration, max: duration, sum: 0, count: 0 });
        self.durations = Some(Durations {
            min: so_far.min.min(duration),
            max: so_far.max.max(duration),
            sum: so_far.sum + sum,
            count: so_far.count + 1,
        });
    }

    /// The violations that follow are of another binding than those before.
    pub(super) fn next_binding(&mut self) {
        self.violations.push(vec![]);
    }

    pub(super) fn violation(&mut self, violation: Violation) {
        match self.violations.last_mut() {
            Some(of_binding) => of_binding.push(violation),
            None => self.violations.push(vec![violation]),
        }
    }
}
