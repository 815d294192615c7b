// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of positions as runs: what is the same from one position to another is stored once.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// A set of positions, as disjoint runs in ascending order; adjacent runs are joined.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Runs {
    runs: VecDeque<(u64, u64)>,
}

impl Runs {
    pub(crate) fn first(&self) -> Option<u64> {
        self.runs.front().map(|run| run.0)
    }

    /// The index of the first run that ends at or after a position.
    fn index(&self, position: u64) -> usize {
        self.runs.partition_point(|run| run.1 < position)
    }

    /// The first member at or after a position.
    pub(crate) fn at_or_after(&self, position: u64) -> Option<u64> {
        self.runs.get(self.index(position)).map(|run| run.0.max(position))
    }

    /// The last member before a position.
    pub(crate) fn before(&self, position: u64) -> Option<u64> {
        let index = self.runs.partition_point(|run| run.0 < position);
        index.checked_sub(1).map(|index| self.runs[index].1.min(position - 1))
    }

    /// How many members lie in `from ..= to`; none if that is empty.
    pub(crate) fn count(&self, from: u64, to: u64) -> u64 {
        if from > to {
            return 0;
        }
        let overlapping = self.runs.iter().skip(self.index(from)).take_while(|run| run.0 <= to);
        overlapping.map(|run| run.1.min(to) - run.0.max(from) + 1).sum()
    }

    pub(crate) fn contains(&self, position: u64) -> bool {
        self.at_or_after(position) == Some(position)
    }

    /// Adds `from ..= to`. New positions mostly come last, facts mostly settle what is first.
    pub(crate) fn insert(&mut self, from: u64, to: u64) {
        match self.runs.back_mut() {
            Some(last) if from > last.1 + 1 => self.runs.push_back((from, to)),
            Some(last) if from == last.1 + 1 => last.1 = to,
            None => self.runs.push_back((from, to)),
            Some(_) => self.insert_inside(from, to),
        }
    }

    fn insert_inside(&mut self, from: u64, to: u64) {
        let start = self.runs.partition_point(|run| run.1 + 1 < from);
        let end = self.runs.partition_point(|run| run.0 <= to.saturating_add(1));
        let mut joined = (from, to);
        for run in self.runs.range(start..end) {
            joined = (joined.0.min(run.0), joined.1.max(run.1));
        }
        self.runs.drain(start..end);
        self.runs.insert(start, joined);
    }

    /// Takes `from ..= to` out and calls `removed` on each run that was in the set.
    pub(crate) fn remove(&mut self, from: u64, to: u64, mut removed: impl FnMut(u64, u64)) {
        let mut index = self.index(from);
        while let Some(&(start, end)) = self.runs.get(index) {
            if start > to {
                return;
            }
            let (cut_from, cut_to) = (start.max(from), end.min(to));
            removed(cut_from, cut_to);
            match (start < cut_from, cut_to < end) {
                (false, false) => {
                    self.runs.remove(index);
                }
                (true, false) => {
                    self.runs[index].1 = cut_from - 1;
                    index += 1;
                }
                (false, true) => self.runs[index].0 = cut_to + 1,
                (true, true) => {
                    self.runs[index].1 = cut_from - 1;
                    self.runs.insert(index + 1, (cut_to + 1, end));
                    return;
                }
            }
        }
    }

    /// Forgets all members before a position.
    pub(crate) fn forget_before(&mut self, position: u64) {
        while let Some(run) = self.runs.front_mut() {
            if run.1 < position {
                self.runs.pop_front();
            } else {
                run.0 = run.0.max(position);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with a plain set of numbers, through a fixed pseudo-random walk.
    #[test]
    fn runs_are_a_set() {
        let mut seed = 1_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..200 {
            let (mut runs, mut plain) = (Runs::default(), std::collections::BTreeSet::new());
            for _ in 0..40 {
                let from = random(30);
                let to = from + random(6);
                if random(2) == 0 {
                    runs.insert(from, to);
                    plain.extend(from..=to);
                } else {
                    let mut gone = Vec::new();
                    runs.remove(from, to, |from, to| gone.extend(from..=to));
                    let expected: Vec<u64> = plain.range(from..=to).copied().collect();
                    assert_eq!(gone, expected);
                    plain.retain(|at| *at < from || *at > to);
                }
                let at = random(36);
                assert_eq!(runs.first(), plain.first().copied());
                assert_eq!(runs.at_or_after(at), plain.range(at..).next().copied());
                assert_eq!(runs.before(at), plain.range(..at).next_back().copied());
                assert_eq!(runs.contains(at), plain.contains(&at));
                assert_eq!(runs.count(at, at + 5), plain.range(at..=at + 5).count() as u64);
                assert!(runs.runs.iter().zip(runs.runs.iter().skip(1)).all(|(left, right)| left.1 + 1 < right.0));
            }
            let at = random(36);
            runs.forget_before(at);
            assert_eq!(runs.count(0, 100), plain.range(at..).count() as u64);
        }
    }
}
