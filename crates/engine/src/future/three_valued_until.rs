// SPDX-License-Identifier: MIT OR Apache-2.0
//! `left U_I right`, where a part waits for the future itself, so that its values come late and out of order.

use gnomon_core::interval::Interval;
use gnomon_core::time::Duration;
use gnomon_ir::core::NodeId;
use serde::{Deserialize, Serialize};

use super::{Fact, PartInput, Round, push_fact};
use crate::three_valued::{ChangedRange, PartHistories};

/// RULE K5, three-valued. A pending position is true if `right` is true at some position of its interval and `left` is true at all
/// positions before that one. It is false if no position of the interval can become such a witness: each has a false `right`, or a
/// false `left` before it, and the interval has ended or a false `left` cuts it off.
///
/// Example: `a U b`, where position 1 has `a` unknown, and position 2 has `b` true. Position 0 is not yet decided, because a false
/// `a` at position 1 would cut it off from the witness. A fact that `a` is true at position 1 decides position 0 as true.
///
/// COST: an event costs a search for each pending position in whose interval its facts lie; without bounds, a search for each
/// range of positions with the same outcome. Memory: the positions from the oldest pending one on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ThreeValuedUntil {
    interval: Interval,
    /// `left` and `right`.
    parts: PartHistories,
    /// Pending positions before this one have been evaluated since their interval closed.
    closed_to: u64,
}

impl ThreeValuedUntil {
    pub(crate) fn new(interval: Interval) -> Self {
        ThreeValuedUntil { interval, parts: PartHistories::default(), closed_to: 0 }
    }

    pub(crate) fn deadline(&self) -> Option<gnomon_core::time::Timestamp> {
        let oldest = self.parts.pending.at_or_after(self.closed_to)?;
        self.interval.hi.map(|hi| self.parts.times.get(oldest).saturating_add(hi))
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.parts.pending.first().is_some()
    }

    pub(crate) fn round(
        &mut self,
        id: NodeId,
        left: PartInput<'_>,
        right: PartInput<'_>,
        round: Round,
        out: &mut Vec<Fact>,
    ) {
        let changes = self.parts.read([left, right], round);
        // Among values that are known immediately only these can settle an earlier position.
        let decides = matches!(left, PartInput::Now(Some(false))) || matches!(right, PartInput::Now(Some(true)));
        let mut decision = ChangedRange::default();
        if let Some((position, _)) = round.new.filter(|_| decides) {
            decision.add(position, position);
        }
        if let Some(last) = self.parts.times.last() {
            let closed = if round.ended { last + 1 } else { self.closed_before(round, last) };
            let newly_closed = (closed > self.closed_to).then(|| (self.closed_to, closed - 1));
            self.closed_to = self.closed_to.max(closed);
            // Facts are often about much earlier positions than the decision, and nothing in between changes.
            for range in [newly_closed, self.affected_by(changes), self.affected_by(decision)].into_iter().flatten() {
                self.evaluate(id, range, last, round, out);
            }
            self.parts.forget_before(self.parts.pending.first().unwrap_or(last));
        }
    }

    /// Evaluates the pending positions of a range.
    fn evaluate(&mut self, id: NodeId, (from, upto): (u64, u64), last: u64, round: Round, out: &mut Vec<Fact>) {
        let mut position = self.parts.pending.at_or_after(from);
        while let Some(at) = position {
            if at > upto {
                return;
            }
            let alike = self.alike(at, last).min(upto);
            if let Some(value) = self.value(at, last, round) {
                self.parts.pending.remove(at, alike, |from, to| push_fact(out, Fact { from, to, value, blame: id }));
            }
            position = self.parts.pending.at_or_after(alike + 1);
        }
    }

    /// Returns the first and the last position whose value may depend on the changes. A position depends on nothing behind the
    /// first later position where `left` is false; so in a chain of `X` a change concerns one position.
    fn affected_by(&self, changes: ChangedRange) -> Option<(u64, u64)> {
        let (earliest, latest) = (changes.earliest_change?, changes.latest_change?);
        Some((self.parts.first.falses.before(earliest).unwrap_or(0), latest.checked_sub(1)?))
    }

    /// Returns the last position that has the value of `at`. Without bounds, all positions up to the next one that matters see the
    /// same future.
    fn alike(&self, at: u64, last: u64) -> u64 {
        if self.interval.hi.is_some() || self.interval.lo > Duration::ZERO {
            return at;
        }
        let PartHistories { first: left, second: right, .. } = &self.parts;
        let marks = [&left.falses, &left.unknowns, &right.trues, &right.unknowns];
        let next = marks.into_iter().filter_map(|set| set.at_or_after(at + 1)).min();
        next.map_or(last, |next| next - 1)
    }

    /// Returns the first position whose interval is still open.
    fn closed_before(&self, round: Round, last: u64) -> u64 {
        let Some(hi) = self.interval.hi else { return 0 };
        self.parts.times.partition_point(|time| time.saturating_add(hi) < round.frontier).min(last + 1)
    }

    fn value(&self, at: u64, last: u64, round: Round) -> Option<bool> {
        let PartHistories { times, first: left, second: right, .. } = &self.parts;
        let time = times.get(at);
        let begin = times.partition_point(|other| other - time < self.interval.lo).max(at + 1);
        let end = match self.interval.hi {
            Some(hi) => times.partition_point(|other| other - time <= hi).saturating_sub(1),
            None => last,
        };
        let broken = left.falses.at_or_after(at + 1);
        let uncertain = [broken, left.unknowns.at_or_after(at + 1)].into_iter().flatten().min();
        let reaches = |position: Option<u64>, stop: Option<u64>| {
            position.filter(|&position| position <= end && stop.is_none_or(|stop| position <= stop))
        };
        let certain = right.trues.at_or_after(begin);
        if reaches(certain, uncertain).is_some() {
            return Some(true);
        }
        let closed = round.ended
            || broken.is_some()
            || self.interval.hi.is_some_and(|hi| time.saturating_add(hi) < round.frontier);
        let possible = [certain, right.unknowns.at_or_after(begin)].into_iter().flatten().min();
        (closed && reaches(possible, broken).is_none()).then_some(false)
    }
}
