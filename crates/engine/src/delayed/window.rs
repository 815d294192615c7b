// SPDX-License-Identifier: MIT OR Apache-2.0
//! One operator over the past with parts that wait.

use std::cmp::Ordering;

use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::value::Comparison;
use gnomon_ir::core::{Node, NodeId, Ratio};
use serde::{Deserialize, Serialize};

use super::history::{Changes, History};
use super::times::Times;
use crate::fact::Fact;
use crate::future::chain::tell;
use crate::future::{Input, Round};
use crate::runs::Runs;

/// RULES K6 to K9, three-valued.
///
/// COST: a fact costs a look at each pending position in whose window it lies; a look costs a few searches for S and
/// C, the positions of the window for M and D. Memory: the window, and the positions since the oldest pending one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Window {
    times: Times,
    /// `left` of S, `from` of D, the argument of C and M.
    first: History,
    /// `right` of S, `to` of D.
    second: History,
    pending: Runs,
}

impl Window {
    pub(crate) fn round(&mut self, id: NodeId, node: &Node, inputs: [Input<'_>; 2], round: Round, out: &mut Vec<Fact>) {
        if let Some((position, time)) = round.new {
            self.times.push(position, time);
        }
        let mut changes = self.first.read(inputs[0], round.new);
        let second = self.second.read(inputs[1], round.new);
        if let (Some(from), Some(to)) = (second.earliest_change, second.latest_change) {
            changes.add(from, to);
        }
        if let Some((position, _)) = round.new
            && round.wanted
        {
            self.pending.insert(position, position);
            changes.add(position, position);
        }
        self.look(id, node, changes, out);
        self.forget(node);
    }

    fn look(&mut self, id: NodeId, node: &Node, changes: Changes, out: &mut Vec<Fact>) {
        let (Some(earliest), Some(latest)) = (changes.earliest_change, changes.latest_change) else { return };
        // An empty window (of negative reach) still has a value at the position itself.
        let beyond = reach(node).map(|reach| self.times.get(latest).saturating_add(reach.max(Duration::ZERO)));
        let mut position = self.pending.at_or_after(earliest);
        while let Some(at) = position {
            if beyond.is_some_and(|beyond| self.times.get(at) > beyond) {
                return;
            }
            if let Some(value) = self.value(node, at) {
                self.pending.remove(at, at, |from, to| tell(out, Fact { from, to, value, blame: id }));
            }
            position = self.pending.at_or_after(at + 1);
        }
    }

    fn value(&self, node: &Node, at: u64) -> Option<bool> {
        let time = self.times.get(at);
        match node {
            Node::Since { interval, .. } => self.since(at, time, *interval),
            Node::Count { reach, comparison, bound, .. } => {
                let begin = self.begin(time, *reach);
                let certain = self.first.trues.count(begin, at);
                let possible = certain + self.first.unknowns.count(begin, at);
                decide(*comparison, *bound, certain, possible)
            }
            Node::Maximum { window, step, comparison, bound, .. } => {
                let (certain, possible) = self.fullest(at, time, *window, *step);
                decide(*comparison, *bound, certain, possible)
            }
            Node::Gap { reach, comparison, bound, .. } => {
                let (sum, count) = self.pairs(at, self.begin(time, *reach))?;
                Some(count > 0 && bound.compared_by(*comparison, sum, count))
            }
            _ => None,
        }
    }

    /// The first position at most `reach` before a time.
    fn begin(&self, time: Timestamp, reach: Duration) -> u64 {
        self.times.partition_point(|other| time - other > reach)
    }

    fn since(&self, at: u64, time: Timestamp, interval: gnomon_core::interval::Interval) -> Option<bool> {
        let begin = interval.hi.map_or(0, |hi| self.begin(time, hi));
        // One past the last position that is far enough back.
        let end = self.times.partition_point(|other| time - other >= interval.lo).min(at);
        let broken = self.first.falses.before(at).unwrap_or(0).max(begin);
        let uncertain = self.first.unknowns.before(at).unwrap_or(0).max(broken);
        let certain = self.second.trues.before(end);
        if certain.is_some_and(|certain| certain >= uncertain) {
            return Some(true);
        }
        let possible = certain.max(self.second.unknowns.before(end));
        possible.is_none_or(|possible| possible < broken).then_some(false)
    }

    /// The greatest count of one step: what is certain, and what is possible.
    fn fullest(&self, at: u64, time: Timestamp, window: Duration, step: Duration) -> (u64, u64) {
        let begin = self.times.partition_point(|other| time - other >= window);
        let (mut certain, mut possible) = (0, 0);
        let (mut trues, mut unknowns, mut current) = (0, 0, 0);
        for position in (begin..=at).rev() {
            let index = (time - self.times.get(position)).ticks() / step.ticks();
            if index != current {
                (trues, unknowns, current) = (0, 0, index);
            }
            match self.first.get(position) {
                Some(true) => trues += 1,
                Some(false) => {}
                None => unknowns += 1,
            }
            certain = certain.max(trues);
            possible = possible.max(trues + unknowns);
        }
        (certain, possible)
    }

    /// The sum of the gaps and their number; `None` while some pair is not certain.
    fn pairs(&self, at: u64, begin: u64) -> Option<(i128, i128)> {
        let (mut sum, mut count) = (0, 0);
        for start in begin..=at {
            let starts = self.first.get(start);
            if starts == Some(false) {
                continue;
            }
            let certain = self.second.trues.at_or_after(start + 1).filter(|end| *end <= at);
            let unknown = self.second.unknowns.at_or_after(start + 1).filter(|end| *end <= at);
            match (certain, unknown) {
                (None, None) => {}
                (Some(end), unknown) if starts == Some(true) && unknown.is_none_or(|unknown| unknown > end) => {
                    sum += (self.times.get(end) - self.times.get(start)).ticks();
                    count += 1;
                }
                _ => return None,
            }
        }
        Some((sum, count))
    }

    /// Forgets what no pending and no later position can see.
    fn forget(&mut self, node: &Node) {
        let Some(last) = self.times.last() else { return };
        let oldest = self.pending.first().unwrap_or(last);
        let time = self.times.get(oldest);
        let keep = match (node, reach(node)) {
            (_, Some(reach)) => self.begin(time, reach).min(oldest),
            (Node::Since { interval, .. }, None) => self.since_begin(oldest, time, interval.lo),
            _ => 0,
        };
        self.times.forget_before(keep);
        self.first.forget_before(keep);
        self.second.forget_before(keep);
    }

    /// For an S without upper end: a true `right` that is far enough back hides all before it, so does a false `left`;
    /// and before the first `right` that may be true there is nothing to see.
    fn since_begin(&self, oldest: u64, time: Timestamp, lo: Duration) -> u64 {
        let end = self.times.partition_point(|other| time - other >= lo).min(oldest);
        let hidden = self.second.trues.before(end).max(self.first.falses.before(oldest)).unwrap_or(0);
        let seen = [self.second.trues.first(), self.second.unknowns.first()].into_iter().flatten().min();
        hidden.max(seen.unwrap_or(oldest).min(oldest))
    }
}

/// How far back the operator looks; `None`: all the way.
fn reach(node: &Node) -> Option<Duration> {
    match node {
        Node::Since { interval, .. } => interval.hi,
        Node::Count { reach, .. } | Node::Gap { reach, .. } => Some(*reach),
        Node::Maximum { window, .. } => Some(*window),
        _ => None,
    }
}

/// Whether every number from `least` to `most` compares alike with the bound, and how.
fn decide(comparison: Comparison, bound: Ratio, least: u64, most: u64) -> Option<bool> {
    let order = |number: u64| (i128::from(number) * bound.denominator).cmp(&bound.numerator);
    let (low, high) = (order(least), order(most));
    let alike = comparison.accepts(low) == comparison.accepts(high);
    let jumps_over = low == Ordering::Less && high == Ordering::Greater;
    let reaches_equal = jumps_over && bound.numerator % bound.denominator == 0;
    let uniform = match comparison {
        Comparison::Equal | Comparison::NotEqual => alike && !reaches_equal,
        _ => alike,
    };
    uniform.then(|| comparison.accepts(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_settled_when_no_number_in_between_changes_it() {
        let three = Ratio { numerator: 3, denominator: 1 };
        let half = Ratio { numerator: 5, denominator: 2 };
        assert_eq!(decide(Comparison::AtMost, three, 0, 3), Some(true));
        assert_eq!(decide(Comparison::AtMost, three, 0, 4), None);
        assert_eq!(decide(Comparison::AtMost, three, 4, 9), Some(false));
        assert_eq!(decide(Comparison::Equal, three, 2, 4), None);
        assert_eq!(decide(Comparison::Equal, three, 2, 3), None);
        assert_eq!(decide(Comparison::Equal, three, 3, 3), Some(true));
        assert_eq!(decide(Comparison::Equal, three, 4, 6), Some(false));
        assert_eq!(decide(Comparison::Equal, half, 2, 3), Some(false));
    }
}
