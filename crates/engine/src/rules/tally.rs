// SPDX-License-Identifier: MIT OR Apache-2.0
//! What became of a rule's suppositions.

use gnomon_core::time::Duration;
use gnomon_core::verdict::{Durations, End, Outcome, Verdict, Violation};
use serde::{Deserialize, Serialize};

/// Counts are exact; of the violations the first that were found are kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) activated: u64,
    pub(crate) satisfied: u64,
    pub(crate) violated: u64,
    durations: Option<Durations>,
    listed: Vec<Violation>,
    most_listed: usize,
    /// How many of the list were told by [`Tally::news`].
    told: usize,
}

impl Tally {
    pub(crate) fn new(most_listed: usize) -> Self {
        Tally { activated: 0, satisfied: 0, violated: 0, durations: None, listed: vec![], most_listed, told: 0 }
    }

    /// A supposition got what it asked for, after so long.
    #[inline]
    pub(crate) fn satisfy(&mut self, took: Duration) {
        self.satisfied += 1;
        let durations = self.durations.get_or_insert(Durations { min: took, max: took, sum: 0, count: 0 });
        durations.min = durations.min.min(took);
        durations.max = durations.max.max(took);
        durations.sum = durations.sum.saturating_add(took.ticks());
        durations.count += 1;
    }

    /// A supposition did not get what it asked for.
    #[inline]
    pub(crate) fn violate(&mut self, tell: impl FnOnce() -> Violation) {
        self.violated += 1;
        if self.listed.len() < self.most_listed {
            self.listed.push(tell());
        }
    }

    /// Violations that were not told yet.
    pub(crate) fn news(&mut self) -> &[Violation] {
        let from = std::mem::replace(&mut self.told, self.listed.len());
        &self.listed[from..]
    }

    /// Violations that are new; of those that were told the first `keep` stay listed.
    pub(crate) fn tell(&mut self, keep: usize) -> Vec<Violation> {
        let fresh = self.listed[self.told..].to_vec();
        self.listed.truncate(keep);
        self.told = self.listed.len();
        fresh
    }

    /// RULE N10, with so many suppositions still open and what that means at the end.
    pub(crate) fn outcome(self, end: End, pending: u64, pending_is_fine: bool, positions: u64) -> Outcome {
        let Tally { activated, satisfied, violated, durations, mut listed, .. } = self;
        listed.sort_by_key(|violation| violation.at.position);
        let (verdict, presumably) = match end {
            _ if violated > 0 => (Verdict::Violated, None),
            End::Complete => (Verdict::Holds, None),
            End::Prefix => (Verdict::Inconclusive, Some(pending == 0 || pending_is_fine)),
        };
        Outcome {
            verdict,
            presumably,
            positions,
            activated,
            satisfied,
            violated,
            pending,
            durations,
            violations: listed,
            merged_simultaneous: false,
        }
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.told <= self.listed.len()
    }
}
