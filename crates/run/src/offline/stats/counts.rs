// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts of a property, and sums of them over many cases.

use std::collections::BTreeMap;

use gnomon_core::time::Duration;
use gnomon_core::verdict::{Durations, Outcome};

/// Counts of a property up to a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PropertyCounts {
    /// Number of activations.
    pub activated: u64,
    /// Number of satisfied activations.
    pub satisfied: u64,
    /// Number of violated activations.
    pub violated: u64,
    /// Number of pending activations.
    pub pending: u64,
    /// Times from activation to satisfaction; `None` if nothing was satisfied.
    pub durations: Option<Durations>,
}

impl PropertyCounts {
    /// Copies the counts of an outcome.
    pub fn of(outcome: &Outcome) -> Self {
        let Outcome { activated, satisfied, violated, pending, durations, .. } = *outcome;
        PropertyCounts { activated, satisfied, violated, pending, durations }
    }

    /// Returns the number of activations of which [`PropertyCounts::violated`] is the failed part. A property that is
    /// violated without an activation fails completely.
    pub fn checked(&self) -> u64 {
        self.activated.max(self.violated)
    }
}

/// The sum of the counts of many cases, or the change of such a sum. Those of a case may change to any other, so the
/// extremes of durations are kept in sorted maps: when the shortest one disappears, the next shortest is known.
#[derive(Debug, Default)]
pub(super) struct CountsSum {
    counts: [i64; 4],
    sum: i128,
    count: i64,
    /// Shortest and longest duration of each case that has any, with the number of cases that share it.
    shortest: BTreeMap<Duration, i64>,
    longest: BTreeMap<Duration, i64>,
}

impl CountsSum {
    /// Replaces the counts of a case. `old` must have been added before.
    pub(super) fn replace(&mut self, old: &PropertyCounts, new: &PropertyCounts) {
        for (counts, sign) in [(old, -1), (new, 1)] {
            let numbers = [counts.activated, counts.satisfied, counts.violated, counts.pending];
            for (total, count) in self.counts.iter_mut().zip(numbers) {
                *total += sign * count as i64;
            }
            if let Some(durations) = counts.durations {
                self.sum += i128::from(sign) * durations.sum;
                self.count += sign * durations.count as i64;
                change(&mut self.shortest, durations.min, sign);
                change(&mut self.longest, durations.max, sign);
            }
        }
    }

    /// Adds another sum.
    pub(super) fn add(&mut self, other: CountsSum) {
        for (own, other) in self.counts.iter_mut().zip(other.counts) {
            *own += other;
        }
        self.sum += other.sum;
        self.count += other.count;
        for (own, other) in [(&mut self.shortest, other.shortest), (&mut self.longest, other.longest)] {
            for (duration, times) in other {
                change(own, duration, times);
            }
        }
    }

    /// Returns the sum.
    pub(super) fn total(&self) -> PropertyCounts {
        let [activated, satisfied, violated, pending] = self.counts.map(|count| count.max(0) as u64);
        let ends = self.shortest.first_key_value().zip(self.longest.last_key_value());
        let durations = ends.map(|((min, _), (max, _))| Durations {
            min: *min,
            max: *max,
            sum: self.sum,
            count: self.count.max(0) as u64,
        });
        PropertyCounts { activated, satisfied, violated, pending, durations }
    }
}

fn change(times: &mut BTreeMap<Duration, i64>, duration: Duration, by: i64) {
    let own = times.entry(duration).or_default();
    *own += by;
    if *own == 0 {
        times.remove(&duration);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(activated: u64, durations: &[i128]) -> PropertyCounts {
        let ticks = |ticks: Option<&i128>| Duration::from_ticks(*ticks.unwrap());
        let durations = (!durations.is_empty()).then(|| Durations {
            min: ticks(durations.iter().min()),
            max: ticks(durations.iter().max()),
            sum: durations.iter().sum(),
            count: durations.len() as u64,
        });
        PropertyCounts { activated, satisfied: activated, violated: 0, pending: 0, durations }
    }

    #[test]
    fn a_case_may_replace_its_counts() {
        let mut totals = CountsSum::default();
        let none = PropertyCounts::default();
        totals.replace(&none, &counts(1, &[3]));
        totals.replace(&none, &counts(2, &[3, 9]));
        assert_eq!(totals.total(), counts(3, &[3, 3, 9]));
        totals.replace(&counts(1, &[3]), &counts(1, &[5]));
        assert_eq!(totals.total(), counts(3, &[5, 3, 9]));
        totals.replace(&counts(2, &[3, 9]), &counts(2, &[]));
        assert_eq!(totals.total(), counts(3, &[5]));
        let mut change = CountsSum::default();
        change.replace(&counts(1, &[5]), &none);
        change.replace(&none, &counts(4, &[8]));
        totals.add(change);
        assert_eq!(totals.total(), counts(6, &[8]));
    }

    #[test]
    fn a_violation_without_activation_counts_as_one() {
        assert_eq!(PropertyCounts { activated: 0, violated: 1, ..PropertyCounts::default() }.checked(), 1);
        assert_eq!(PropertyCounts { activated: 4, violated: 1, ..PropertyCounts::default() }.checked(), 4);
    }
}
