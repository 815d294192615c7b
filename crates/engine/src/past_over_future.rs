// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operators over the past whose parts wait for the future, so that their windows contain positions with unknown values.
//!
//! A pending position is evaluated again whenever a fact settles a position of its window. This is exact but slower than
//! [`crate::past`], which formulae without a future operator inside a past one use.
//!
//! Each operator computes bounds from the three sets of its parts ([`crate::three_valued`]): the least result, with every unknown
//! position false, and the greatest, with every unknown position true. Where both give the same answer, the position is decided.
//!
//! Example: `C[0,10](F b) >= 3` with the values true, unknown, true, unknown at the four positions of the window counts 2 to 4. The
//! answer is not certain. When a fact makes the second position true, the count is 3 to 4 and the position is decided as true,
//! although the fourth one is still unknown. For `== 3` both ends of the range must also give the same answer for every
//! number in between ([`decide`]).

use std::cmp::Ordering;

use gnomon_core::interval::Interval;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::value::Comparison;
use gnomon_ir::core::{FormulaNode, NodeId, Ratio};
use serde::{Deserialize, Serialize};

use crate::future::{Fact, PartInput, Round, push_fact};
use crate::three_valued::{ChangedRange, PartHistories};
use crate::work;

/// RULES K6 to K9, three-valued. The first part is `left` of S, `from` of D, the argument of C and M; the second is `right` of S, `to`
/// of D.
///
/// COST: a fact costs an evaluation of each pending position in whose window it lies. An evaluation costs a few searches for S and C,
/// and the positions of the window for M and D. Memory: the window, and the positions since the oldest pending one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PastOverFuture {
    parts: PartHistories,
}

impl PastOverFuture {
    pub(crate) fn round(
        &mut self,
        id: NodeId,
        node: &FormulaNode,
        inputs: [PartInput<'_>; 2],
        round: Round,
        out: &mut Vec<Fact>,
    ) {
        let mut changes = self.parts.read(inputs, round);
        if let Some((position, _)) = round.new.filter(|_| round.wanted) {
            changes.add(position, position);
        }
        self.evaluate(id, node, changes, out);
        self.forget(node);
    }

    /// Evaluates the pending positions in whose windows a value changed.
    fn evaluate(&mut self, id: NodeId, node: &FormulaNode, changes: ChangedRange, out: &mut Vec<Fact>) {
        let (Some(earliest), Some(latest)) = (changes.earliest_change, changes.latest_change) else { return };
        // An empty window (of negative reach) still has a value at the position itself.
        let beyond = reach(node).map(|reach| self.parts.times.get(latest).saturating_add(reach.max(Duration::ZERO)));
        let mut position = self.parts.pending.at_or_after(earliest);
        while let Some(at) = position {
            if beyond.is_some_and(|beyond| self.parts.times.get(at) > beyond) {
                return;
            }
            work::add(1);
            if let Some(value) = self.value(node, at) {
                self.parts.pending.remove(at, at, |from, to| push_fact(out, Fact { from, to, value, blame: id }));
            }
            position = self.parts.pending.at_or_after(at + 1);
        }
    }

    /// Returns the value at a position; `None` if it is not yet certain.
    fn value(&self, node: &FormulaNode, at: u64) -> Option<bool> {
        let time = self.parts.times.get(at);
        match node {
            FormulaNode::Since { interval, .. } => self.since(at, time, *interval),
            FormulaNode::Count { reach, comparison, bound, .. } => {
                let begin = self.begin(time, *reach);
                let certain = self.parts.first.trues.count(begin, at);
                let possible = certain + self.parts.first.unknowns.count(begin, at);
                decide(*comparison, *bound, certain, possible)
            }
            FormulaNode::Maximum { window, step, comparison, bound, .. } => {
                let (certain, possible) = self.fullest(at, time, *window, *step);
                decide(*comparison, *bound, certain, possible)
            }
            FormulaNode::Gap { reach, comparison, bound, .. } => {
                let (sum, count) = self.pairs(at, self.begin(time, *reach))?;
                Some(count > 0 && bound.compared_by(*comparison, sum, count))
            }
            _ => None,
        }
    }

    /// Returns the first position at most `reach` before a time.
    fn begin(&self, time: Timestamp, reach: Duration) -> u64 {
        self.parts.times.partition_point(|other| time - other > reach)
    }

    fn since(&self, at: u64, time: Timestamp, interval: Interval) -> Option<bool> {
        let PartHistories { times, first: left, second: right, .. } = &self.parts;
        let begin = interval.hi.map_or(0, |hi| self.begin(time, hi));
        // One past the last position that is far enough back.
        let end = times.partition_point(|other| time - other >= interval.lo).min(at);
        let broken = left.falses.before(at).unwrap_or(0).max(begin);
        let uncertain = left.unknowns.before(at).unwrap_or(0).max(broken);
        let certain = right.trues.before(end);
        if certain.is_some_and(|certain| certain >= uncertain) {
            return Some(true);
        }
        let possible = certain.max(right.unknowns.before(end));
        possible.is_none_or(|possible| possible < broken).then_some(false)
    }

    /// Returns the greatest count of one step of the window: the certain and the possible one.
    fn fullest(&self, at: u64, time: Timestamp, window: Duration, step: Duration) -> (u64, u64) {
        let PartHistories { times, first, .. } = &self.parts;
        let begin = times.partition_point(|other| time - other >= window);
        let (mut certain, mut possible) = (0, 0);
        let (mut trues, mut unknowns, mut current) = (0, 0, 0);
        for position in (begin..=at).rev() {
            let index = (time - times.get(position)).ticks() / step.ticks();
            if index != current {
                (trues, unknowns, current) = (0, 0, index);
            }
            match first.get(position) {
                Some(true) => trues += 1,
                Some(false) => {}
                None => unknowns += 1,
            }
            certain = certain.max(trues);
            possible = possible.max(trues + unknowns);
        }
        (certain, possible)
    }

    /// Returns the sum of the gaps and their number; `None` while some pair is not certain.
    fn pairs(&self, at: u64, begin: u64) -> Option<(i128, i128)> {
        let PartHistories { times, first, second, .. } = &self.parts;
        let (mut sum, mut count) = (0, 0);
        for start in begin..=at {
            let starts = first.get(start);
            if starts == Some(false) {
                continue;
            }
            let certain = second.trues.at_or_after(start + 1).filter(|end| *end <= at);
            let unknown = second.unknowns.at_or_after(start + 1).filter(|end| *end <= at);
            match (certain, unknown) {
                (None, None) => {}
                (Some(end), unknown) if starts == Some(true) && unknown.is_none_or(|unknown| unknown > end) => {
                    sum += (times.get(end) - times.get(start)).ticks();
                    count += 1;
                }
                _ => return None,
            }
        }
        Some((sum, count))
    }

    /// Forgets positions that no pending or later position has in its window.
    fn forget(&mut self, node: &FormulaNode) {
        let Some(last) = self.parts.times.last() else { return };
        let oldest = self.parts.pending.first().unwrap_or(last);
        let time = self.parts.times.get(oldest);
        let keep = match (node, reach(node)) {
            (_, Some(reach)) => self.begin(time, reach).min(oldest),
            (FormulaNode::Since { interval, .. }, None) => self.since_begin(oldest, time, interval.lo),
            _ => 0,
        };
        self.parts.forget_before(keep);
    }

    /// Returns the first position that an S without upper end still needs. A true `right` that is far enough back hides all positions
    /// before it, and so does a false `left`. Before the first `right` that may be true nothing matters.
    fn since_begin(&self, oldest: u64, time: Timestamp, lo: Duration) -> u64 {
        let PartHistories { times, first: left, second: right, .. } = &self.parts;
        let end = times.partition_point(|other| time - other >= lo).min(oldest);
        let hidden = right.trues.before(end).max(left.falses.before(oldest)).unwrap_or(0);
        let candidate = [right.trues.first(), right.unknowns.first()].into_iter().flatten().min();
        hidden.max(candidate.unwrap_or(oldest).min(oldest))
    }
}

/// Returns how far back an operator looks; `None` if it looks back to the beginning.
fn reach(node: &FormulaNode) -> Option<Duration> {
    match node {
        FormulaNode::Since { interval, .. } => interval.hi,
        FormulaNode::Count { reach, .. } | FormulaNode::Gap { reach, .. } => Some(*reach),
        FormulaNode::Maximum { window, .. } => Some(*window),
        _ => None,
    }
}

/// Returns the result of the comparison with the bound, if it is the same for every number from `least` to `most`.
fn decide(comparison: Comparison, bound: Ratio, least: u64, most: u64) -> Option<bool> {
    let order = |number: u64| (i128::from(number) * bound.denominator).cmp(&bound.numerator);
    let (low, high) = (order(least), order(most));
    let ends_agree = comparison.accepts(low) == comparison.accepts(high);
    let skips_bound = low == Ordering::Less && high == Ordering::Greater;
    let contains_bound = skips_bound && bound.numerator % bound.denominator == 0;
    let is_uniform = match comparison {
        Comparison::Equal | Comparison::NotEqual => ends_agree && !contains_bound,
        _ => ends_agree,
    };
    is_uniform.then(|| comparison.accepts(low))
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
