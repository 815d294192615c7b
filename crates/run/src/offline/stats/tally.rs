// SPDX-License-Identifier: MIT OR Apache-2.0
//! The counts of a property at one moment, and those of many cases together.

use std::collections::BTreeMap;

use gnomon_core::time::Duration;
use gnomon_core::verdict::{Durations, Outcome};

/// What became of a property up to some moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// How often it asked for something.
    pub activated: u64,
    /// How often it got it.
    pub satisfied: u64,
    /// How often it did not.
    pub violated: u64,
    /// How often that is open.
    pub pending: u64,
    /// From activation to satisfaction; `None` when nothing was satisfied.
    pub durations: Option<Durations>,
}

impl Tally {
    /// The counts of an outcome.
    pub fn of(outcome: &Outcome) -> Self {
        let Outcome { activated, satisfied, violated, pending, durations, .. } = *outcome;
        Tally { activated, satisfied, violated, pending, durations }
    }

    /// Of how many activations [`Tally::violated`] is the failed part. Where a property is broken without having asked
    /// for anything, it is all of them.
    pub fn asked(&self) -> u64 {
        self.activated.max(self.violated)
    }
}

/// The tallies of many cases, added up, or what changes in them. A case's tally may change to anything: the shortest and
/// the longest duration are found again when the one that was it is gone.
#[derive(Debug, Default)]
pub(super) struct Totals {
    counts: [i64; 4],
    sum: i128,
    count: i64,
    /// The shortest and the longest duration of each case that has any, with how many cases share it.
    shortest: BTreeMap<Duration, i64>,
    longest: BTreeMap<Duration, i64>,
}

impl Totals {
    /// A case's tally changes. What is `old` must have been added before.
    pub(super) fn replace(&mut self, old: &Tally, new: &Tally) {
        for (tally, sign) in [(old, -1), (new, 1)] {
            let counts = [tally.activated, tally.satisfied, tally.violated, tally.pending];
            for (total, count) in self.counts.iter_mut().zip(counts) {
                *total += sign * count as i64;
            }
            if let Some(durations) = tally.durations {
                self.sum += i128::from(sign) * durations.sum;
                self.count += sign * durations.count as i64;
                change(&mut self.shortest, durations.min, sign);
                change(&mut self.longest, durations.max, sign);
            }
        }
    }

    /// Adds what others add.
    pub(super) fn add(&mut self, other: Totals) {
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

    pub(super) fn tally(&self) -> Tally {
        let [activated, satisfied, violated, pending] = self.counts.map(|count| count.max(0) as u64);
        let ends = self.shortest.first_key_value().zip(self.longest.last_key_value());
        let durations = ends.map(|((min, _), (max, _))| Durations {
            min: *min,
            max: *max,
            sum: self.sum,
            count: self.count.max(0) as u64,
        });
        Tally { activated, satisfied, violated, pending, durations }
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

    fn tally(activated: u64, durations: &[i128]) -> Tally {
        let ticks = |ticks: Option<&i128>| Duration::from_ticks(*ticks.unwrap());
        let durations = (!durations.is_empty()).then(|| Durations {
            min: ticks(durations.iter().min()),
            max: ticks(durations.iter().max()),
            sum: durations.iter().sum(),
            count: durations.len() as u64,
        });
        Tally { activated, satisfied: activated, violated: 0, pending: 0, durations }
    }

    #[test]
    fn a_case_may_take_back_what_it_said() {
        let mut totals = Totals::default();
        let none = Tally::default();
        totals.replace(&none, &tally(1, &[3]));
        totals.replace(&none, &tally(2, &[3, 9]));
        assert_eq!(totals.tally(), tally(3, &[3, 3, 9]));
        totals.replace(&tally(1, &[3]), &tally(1, &[5]));
        assert_eq!(totals.tally(), tally(3, &[5, 3, 9]));
        totals.replace(&tally(2, &[3, 9]), &tally(2, &[]));
        assert_eq!(totals.tally(), tally(3, &[5]));
        let mut change = Totals::default();
        change.replace(&tally(1, &[5]), &none);
        change.replace(&none, &tally(4, &[8]));
        totals.add(change);
        assert_eq!(totals.tally(), tally(6, &[8]));
    }

    #[test]
    fn what_fails_without_being_asked_fails_wholly() {
        assert_eq!(Tally { activated: 0, violated: 1, ..Tally::default() }.asked(), 1);
        assert_eq!(Tally { activated: 4, violated: 1, ..Tally::default() }.asked(), 4);
    }
}
