// SPDX-License-Identifier: MIT OR Apache-2.0
//! `left U_I right` where a part waits for the future itself, so that its values come late and out of order.

use gnomon_core::interval::Interval;
use gnomon_core::time::Duration;
use gnomon_ir::core::NodeId;
use serde::{Deserialize, Serialize};

use super::{Input, Round};
use crate::delayed::history::{Changes, History};
use crate::delayed::times::Times;
use crate::fact::Fact;
use crate::runs::Runs;

/// RULE K5, three-valued: a pending position is true if some reachable `right` is true with only true `left`s before
/// it, false if no `right` that is reachable over `left`s that may be true can be true any more.
///
/// COST: an event costs a search for each pending position whose interval its facts lie in, without bounds for each run of
/// them that waits for the same; memory: the positions from the oldest pending one on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Chain {
    interval: Interval,
    times: Times,
    left: History,
    right: History,
    pending: Runs,
    /// Pending positions up to here have been looked at since their interval closed.
    closed_to: u64,
}

impl Chain {
    pub(crate) fn new(interval: Interval) -> Self {
        Chain {
            interval,
            times: Times::default(),
            left: History::default(),
            right: History::default(),
            pending: Runs::default(),
            closed_to: 0,
        }
    }

    pub(crate) fn deadline(&self) -> Option<gnomon_core::time::Timestamp> {
        let oldest = self.pending.at_or_after(self.closed_to)?;
        self.interval.hi.map(|hi| self.times.get(oldest).saturating_add(hi))
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.pending.first().is_some()
    }

    pub(crate) fn round(&mut self, id: NodeId, left: Input<'_>, right: Input<'_>, round: Round, out: &mut Vec<Fact>) {
        if let Some((position, time)) = round.new {
            self.times.push(position, time);
        }
        let mut changes = self.left.read(left, round.new);
        let to_right = self.right.read(right, round.new);
        if let (Some(from), Some(to)) = (to_right.earliest_change, to_right.latest_change) {
            changes.add(from, to);
        }
        if let Some((position, _)) = round.new {
            // Among values that are known at once only these can settle an earlier position.
            if matches!(left, Input::Now(Some(false))) || matches!(right, Input::Now(Some(true))) {
                changes.add(position, position);
            }
            if round.wanted {
                self.pending.insert(position, position);
            }
        }
        self.look(id, changes, round, out);
        self.forget();
    }

    /// Looks at every pending position that this round may have settled.
    fn look(&mut self, id: NodeId, changes: Changes, round: Round, out: &mut Vec<Fact>) {
        let Some(last) = self.times.last() else { return };
        let closed = if round.ended { last + 1 } else { self.closed_before(round, last) };
        let newly_closed = (closed > self.closed_to).then(|| closed - 1);
        self.closed_to = self.closed_to.max(closed);
        let Some(upto) = newly_closed.max(changes.latest_change.and_then(|latest| latest.checked_sub(1))) else {
            return;
        };
        let mut position = self.pending.first();
        while let Some(at) = position {
            if at > upto {
                return;
            }
            let alike = self.alike(at, last).min(upto);
            if let Some(value) = self.value(at, last, round) {
                self.pending.remove(at, alike, |from, to| tell(out, Fact { from, to, value, blame: id }));
            }
            position = self.pending.at_or_after(alike + 1);
        }
    }

    /// The last position whose value is that of `at`: where distances do not matter, what comes next is the same for all up to
    /// there.
    fn alike(&self, at: u64, last: u64) -> u64 {
        if self.interval.hi.is_some() || self.interval.lo > Duration::ZERO {
            return at;
        }
        let marks = [&self.left.falses, &self.left.unknowns, &self.right.trues, &self.right.unknowns];
        let next = marks.into_iter().filter_map(|runs| runs.at_or_after(at + 1)).min();
        next.map_or(last, |next| next - 1)
    }

    /// The first position whose interval is still open.
    fn closed_before(&self, round: Round, last: u64) -> u64 {
        let Some(hi) = self.interval.hi else { return 0 };
        self.times.partition_point(|time| time.saturating_add(hi) < round.frontier).min(last + 1)
    }

    fn value(&self, at: u64, last: u64, round: Round) -> Option<bool> {
        let time = self.times.get(at);
        let begin = self.times.partition_point(|other| other - time < self.interval.lo).max(at + 1);
        let end = match self.interval.hi {
            Some(hi) => self.times.partition_point(|other| other - time <= hi).saturating_sub(1),
            None => last,
        };
        let broken = self.left.falses.at_or_after(at + 1);
        let uncertain = [broken, self.left.unknowns.at_or_after(at + 1)].into_iter().flatten().min();
        let reaches = |position: Option<u64>, stop: Option<u64>| {
            position.filter(|&position| position <= end && stop.is_none_or(|stop| position <= stop))
        };
        let certain = self.right.trues.at_or_after(begin);
        if reaches(certain, uncertain).is_some() {
            return Some(true);
        }
        let closed = round.ended
            || broken.is_some()
            || self.interval.hi.is_some_and(|hi| time.saturating_add(hi) < round.frontier);
        let possible = [certain, self.right.unknowns.at_or_after(begin)].into_iter().flatten().min();
        (closed && reaches(possible, broken).is_none()).then_some(false)
    }

    fn forget(&mut self) {
        let Some(last) = self.times.last() else { return };
        let keep = self.pending.first().unwrap_or(last);
        self.times.forget_before(keep);
        self.left.forget_before(keep);
        self.right.forget_before(keep);
    }
}

/// Adds a fact, joined with the one before where it goes on.
pub(crate) fn tell(out: &mut Vec<Fact>, fact: Fact) {
    match out.last_mut() {
        Some(last) if last.to + 1 == fact.from && last.value == fact.value && last.blame == fact.blame => {
            last.to = fact.to;
        }
        _ => out.push(fact),
    }
}
