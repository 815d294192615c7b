// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of a part that become known late and out of order: true, false or unknown at each position.
//!
//! An operator over a part that waits for the future cannot read the part's value when a position comes. It stores the position as
//! unknown, and later facts move it to the true or the false positions.
//!
//! Example: the part is `F[0,5] b`, and positions come at the times 0, 2 and 9, with `b` at time 9 only. Position 0 and 1 are
//! unknown when they come. At time 9 their deadlines (5 and 7) have passed, so the part emits one fact "false from 0 to 1", and
//! position 2 becomes unknown until `b` comes again or time 14 passes:
//!
//! | after position | true | false | unknown |
//! |---|---|---|---|
//! | 0 (time 0) | | | 0 |
//! | 1 (time 2) | | | 0-1 |
//! | 2 (time 9) | | 0-1 | 2 |
//!
//! Facts may also arrive out of order: with `b` at position 1 instead, the fact "true at 0" is certain before anything is known of
//! position 1 itself, because `F` is strict here. An operator that reads the part therefore evaluates with three values: it
//! decides a position as soon as no choice for the unknown positions can change the result ([`crate::past_over_future`],
//! [`crate::future::three_valued_until`]).
//!
//! Values come in long ranges, so sets of positions are stored as ranges ([`PositionSet`]): memory is proportional to the number of
//! changes, not of positions. INVARIANT: every position that a history stores is in exactly one of its three sets.

use std::collections::VecDeque;

use gnomon_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::future::{PartInput, Round};

/// A set of positions, stored as disjoint ranges in ascending order. Adjacent ranges are joined.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PositionSet {
    ranges: VecDeque<(u64, u64)>,
}

impl PositionSet {
    pub(crate) fn first(&self) -> Option<u64> {
        self.ranges.front().map(|range| range.0)
    }

    /// Returns the index of the first range that ends at or after a position.
    fn index(&self, position: u64) -> usize {
        self.ranges.partition_point(|range| range.1 < position)
    }

    /// Returns the first member at or after a position.
    pub(crate) fn at_or_after(&self, position: u64) -> Option<u64> {
        self.ranges.get(self.index(position)).map(|range| range.0.max(position))
    }

    /// Returns the last member before a position.
    pub(crate) fn before(&self, position: u64) -> Option<u64> {
        let index = self.ranges.partition_point(|range| range.0 < position);
        index.checked_sub(1).map(|index| self.ranges[index].1.min(position - 1))
    }

    /// Returns the number of members in `from ..= to`, which may be empty.
    pub(crate) fn count(&self, from: u64, to: u64) -> u64 {
        if from > to {
            return 0;
        }
        let overlapping = self.ranges.iter().skip(self.index(from)).take_while(|range| range.0 <= to);
        overlapping.map(|range| range.1.min(to) - range.0.max(from) + 1).sum()
    }

    pub(crate) fn contains(&self, position: u64) -> bool {
        self.at_or_after(position) == Some(position)
    }

    /// Adds `from ..= to`. New positions mostly come last, so that case is tested first.
    pub(crate) fn insert(&mut self, from: u64, to: u64) {
        match self.ranges.back_mut() {
            Some(last) if from > last.1 + 1 => self.ranges.push_back((from, to)),
            Some(last) if from == last.1 + 1 => last.1 = to,
            None => self.ranges.push_back((from, to)),
            Some(_) => self.insert_inside(from, to),
        }
    }

    fn insert_inside(&mut self, from: u64, to: u64) {
        let start = self.ranges.partition_point(|range| range.1 + 1 < from);
        let end = self.ranges.partition_point(|range| range.0 <= to.saturating_add(1));
        let mut joined = (from, to);
        for range in self.ranges.range(start..end) {
            joined = (joined.0.min(range.0), joined.1.max(range.1));
        }
        self.ranges.drain(start..end);
        self.ranges.insert(start, joined);
    }

    /// Removes `from ..= to` and calls `removed` with each range that was in the set.
    pub(crate) fn remove(&mut self, from: u64, to: u64, mut removed: impl FnMut(u64, u64)) {
        let mut index = self.index(from);
        while let Some(&(start, end)) = self.ranges.get(index) {
            if start > to {
                return;
            }
            let (cut_from, cut_to) = (start.max(from), end.min(to));
            removed(cut_from, cut_to);
            match (start < cut_from, cut_to < end) {
                (false, false) => {
                    self.ranges.remove(index);
                }
                (true, false) => {
                    self.ranges[index].1 = cut_from - 1;
                    index += 1;
                }
                (false, true) => self.ranges[index].0 = cut_to + 1,
                (true, true) => {
                    self.ranges[index].1 = cut_from - 1;
                    self.ranges.insert(index + 1, (cut_to + 1, end));
                    return;
                }
            }
        }
    }

    /// Forgets all members before a position.
    pub(crate) fn forget_before(&mut self, position: u64) {
        while let Some(range) = self.ranges.front_mut() {
            if range.1 < position {
                self.ranges.pop_front();
            } else {
                range.0 = range.0.max(position);
                return;
            }
        }
    }
}

/// The values of one part at the latest positions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ThreeValuedHistory {
    pub(crate) trues: PositionSet,
    pub(crate) falses: PositionSet,
    pub(crate) unknowns: PositionSet,
}

/// The first and the last position that facts settled in a round. Values that are known immediately settle nothing that was open.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChangedRange {
    pub(crate) earliest_change: Option<u64>,
    pub(crate) latest_change: Option<u64>,
}

impl ChangedRange {
    pub(crate) fn add(&mut self, from: u64, to: u64) {
        self.earliest_change = Some(self.earliest_change.map_or(from, |earliest| earliest.min(from)));
        self.latest_change = self.latest_change.max(Some(to));
    }
}

impl ThreeValuedHistory {
    /// Adds the values of one round and returns the positions that became known.
    pub(crate) fn read(&mut self, input: PartInput<'_>, new: Option<(u64, Timestamp)>, changes: &mut ChangedRange) {
        match (input, new) {
            (PartInput::Now(Some(value)), Some((position, _))) => self.side(value).insert(position, position),
            (PartInput::Later { .. }, Some((position, _))) => self.unknowns.insert(position, position),
            _ => {}
        }
        if let PartInput::Later { facts, negated } = input {
            for fact in facts {
                let value = fact.value != negated;
                let ThreeValuedHistory { trues, falses, unknowns } = self;
                let side = if value { trues } else { falses };
                unknowns.remove(fact.from, fact.to, |from, to| {
                    side.insert(from, to);
                    changes.add(from, to);
                });
            }
        }
    }

    fn side(&mut self, value: bool) -> &mut PositionSet {
        if value { &mut self.trues } else { &mut self.falses }
    }

    /// Returns the value at a stored position; `None` if it is not yet known.
    pub(crate) fn get(&self, position: u64) -> Option<bool> {
        if self.unknowns.contains(position) { None } else { Some(self.trues.contains(position)) }
    }

    pub(crate) fn forget_before(&mut self, position: u64) {
        self.trues.forget_before(position);
        self.falses.forget_before(position);
        self.unknowns.forget_before(position);
    }
}

/// Times of positions, from some position on. Positions where nothing happens may be left out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PositionTimes {
    times: VecDeque<(u64, Timestamp)>,
}

impl PositionTimes {
    pub(crate) fn push(&mut self, position: u64, time: Timestamp) {
        self.times.push_back((position, time));
    }

    pub(crate) fn last(&self) -> Option<u64> {
        self.times.back().map(|(position, _)| *position)
    }

    /// Returns the time of a stored position.
    pub(crate) fn get(&self, position: u64) -> Timestamp {
        let index = self.times.partition_point(|(known, _)| *known < position);
        self.times[index].1
    }

    /// Returns the first stored position whose time does not satisfy the predicate; one past the last if all do.
    pub(crate) fn partition_point(&self, mut earlier: impl FnMut(Timestamp) -> bool) -> u64 {
        let index = self.times.partition_point(|(_, time)| earlier(*time));
        self.times.get(index).map_or_else(|| self.last().map_or(0, |last| last + 1), |(position, _)| *position)
    }

    pub(crate) fn forget_before(&mut self, position: u64) {
        let count = self.times.partition_point(|(known, _)| *known < position);
        self.times.drain(..count);
    }
}

/// The state that operators over two waiting parts share: the values of the parts and the positions that are still undecided.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PartHistories {
    pub(crate) times: PositionTimes,
    pub(crate) first: ThreeValuedHistory,
    pub(crate) second: ThreeValuedHistory,
    /// Positions whose value is wanted and not yet certain.
    pub(crate) pending: PositionSet,
}

impl PartHistories {
    /// Adds the values of one round. Returns the positions whose values became known.
    pub(crate) fn read(&mut self, inputs: [PartInput<'_>; 2], round: Round) -> ChangedRange {
        let mut changes = ChangedRange::default();
        if let Some((position, time)) = round.new {
            self.times.push(position, time);
            if round.wanted {
                self.pending.insert(position, position);
            }
        }
        self.first.read(inputs[0], round.new, &mut changes);
        self.second.read(inputs[1], round.new, &mut changes);
        changes
    }

    pub(crate) fn forget_before(&mut self, position: u64) {
        self.times.forget_before(position);
        self.first.forget_before(position);
        self.second.forget_before(position);
    }
}

#[cfg(test)]
mod tests {
    use gnomon_core::random::Random;

    use super::*;

    /// Compares with a plain set of numbers over a pseudo-random sequence of operations.
    #[test]
    fn ranges_are_a_set() {
        let mut numbers = Random::new(1);
        let mut random = |below: u64| numbers.below(below);
        for _ in 0..200 {
            let (mut set, mut plain) = (PositionSet::default(), std::collections::BTreeSet::new());
            for _ in 0..40 {
                let from = random(30);
                let to = from + random(6);
                if random(2) == 0 {
                    set.insert(from, to);
                    plain.extend(from..=to);
                } else {
                    let mut gone = Vec::new();
                    set.remove(from, to, |from, to| gone.extend(from..=to));
                    let expected: Vec<u64> = plain.range(from..=to).copied().collect();
                    assert_eq!(gone, expected);
                    plain.retain(|at| *at < from || *at > to);
                }
                let at = random(36);
                assert_eq!(set.first(), plain.first().copied());
                assert_eq!(set.at_or_after(at), plain.range(at..).next().copied());
                assert_eq!(set.before(at), plain.range(..at).next_back().copied());
                assert_eq!(set.contains(at), plain.contains(&at));
                assert_eq!(set.count(at, at + 5), plain.range(at..=at + 5).count() as u64);
                assert!(set.ranges.iter().zip(set.ranges.iter().skip(1)).all(|(left, right)| left.1 + 1 < right.0));
            }
            let at = random(36);
            set.forget_before(at);
            assert_eq!(set.count(0, 100), plain.range(at..).count() as u64);
        }
    }
}
