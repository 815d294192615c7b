// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts obligations and lists violations, for all engines.
//!
//! An obligation is *activated* where a property asks for something, and then *satisfied* or *violated*; until one of the two is
//! certain it is *pending*. [`Totals`] are these numbers, with the time that satisfied obligations took. A [`ViolationLog`] is the
//! bounded list of violations with their explanations. A [`ObligationRecord`] is both, and becomes an [`Outcome`] at the end. A
//! [`Trigger`] is what made a result certain.
//!
//! Example: of `G(a -> b)` the positions 3, 4 and 5 are violated. The totals have three violations; the log has one entry, at
//! position 3 until position 5, because the positions are consecutive and the same part failed.

use std::cmp::Ordering;

use gnomon_core::diagnostic::Span;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::{
    Binding, Cause, DecisionPoint, Durations, End, Origin, Outcome, TracePosition, Verdict, Violation,
};
use serde::{Deserialize, Serialize};

/// The event, deadline or end that made a result certain.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trigger<'a> {
    /// A position, with its deciding event and the first 64 atoms of the property that are true there.
    Position { position: u64, decider: &'a Origin, letter: u64 },
    /// A time that passed.
    Deadline(Timestamp),
    /// The end of the trace, whose last position is at this time.
    End(Timestamp),
}

impl Trigger<'_> {
    #[inline]
    pub(crate) fn time(self) -> Timestamp {
        match self {
            Trigger::Position { decider, .. } => decider.time,
            Trigger::Deadline(time) | Trigger::End(time) => time,
        }
    }

    /// Returns what decided a violation at a position.
    pub(crate) fn decided(self, at: TracePosition) -> DecisionPoint {
        match self {
            Trigger::Position { position, .. } if position == at.position => DecisionPoint::Event(at.origin),
            Trigger::Position { decider, .. } => DecisionPoint::Event(*decider),
            Trigger::Deadline(time) => DecisionPoint::Deadline(time),
            Trigger::End(time) => DecisionPoint::End(time),
        }
    }
}

/// Numbers of obligations, and the durations of those that were satisfied.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Totals {
    pub(crate) activated: u64,
    pub(crate) satisfied: u64,
    pub(crate) violated: u64,
    /// The violations that the end of the trace decided. No snapshot is taken after it.
    #[serde(skip)]
    pub(crate) open_at_end: u64,
    pub(crate) pending: u64,
    pub(crate) durations: Option<Durations>,
}

impl Totals {
    /// RULE V14. Counts violated obligations.
    #[inline]
    pub(crate) fn violate(&mut self, count: u64, trigger: Trigger<'_>) {
        self.violated += count;
        if let Trigger::End(_) = trigger {
            self.open_at_end += count;
        }
    }

    /// Counts an obligation that took this long to satisfy.
    #[inline]
    pub(crate) fn satisfy(&mut self, took: Duration) {
        self.satisfied += 1;
        self.measure(Durations { min: took, max: took, sum: took.ticks(), count: 1 });
    }

    /// Counts obligations that were satisfied together at `until`. `first` and `last` are the earliest and the latest of their
    /// times, `times` is the sum of them in ticks.
    #[inline]
    pub(crate) fn satisfy_group(
        &mut self,
        count: u64,
        first: Timestamp,
        last: Timestamp,
        times: i128,
        until: Timestamp,
    ) {
        let sum = until.ticks() * i128::from(count) - times;
        self.satisfied += count;
        self.measure(Durations { min: until - last, max: until - first, sum, count });
    }

    /// Adds the durations of satisfied obligations.
    #[inline]
    pub(crate) fn measure(&mut self, other: Durations) {
        self.durations = Some(match self.durations {
            None => other,
            Some(own) => Durations {
                min: own.min.min(other.min),
                max: own.max.max(other.max),
                sum: own.sum.saturating_add(other.sum),
                count: own.count.saturating_add(other.count),
            },
        });
    }

    /// Adds other totals, multiplied by `times`.
    pub(crate) fn add(&mut self, other: &Totals, times: u128) {
        let times = u64::try_from(times).unwrap_or(u64::MAX);
        let more = |sum: &mut u64, one: u64| *sum = sum.saturating_add(one.saturating_mul(times));
        more(&mut self.activated, other.activated);
        more(&mut self.satisfied, other.satisfied);
        more(&mut self.violated, other.violated);
        more(&mut self.open_at_end, other.open_at_end);
        more(&mut self.pending, other.pending);
        if let Some(durations) = other.durations.filter(|_| times > 0) {
            self.measure(Durations {
                sum: durations.sum.saturating_mul(i128::from(times)),
                count: durations.count.saturating_mul(times),
                ..durations
            });
        }
    }
}

impl From<&Outcome> for Totals {
    fn from(outcome: &Outcome) -> Self {
        let Outcome { activated, satisfied, violated, open_at_end, pending, durations, .. } = *outcome;
        Totals { activated, satisfied, violated, open_at_end, pending, durations }
    }
}

/// Pending obligations that are counted together, because one fact will settle them all.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct ObligationCount {
    pub(crate) first: TracePosition,
    pub(crate) last: TracePosition,
    /// The sum of their times, in ticks.
    pub(crate) times: i128,
    pub(crate) count: u64,
}

impl ObligationCount {
    /// Adds an obligation that is later than the others.
    #[inline]
    pub(crate) fn push(of: &mut Option<ObligationCount>, at: TracePosition) {
        let own = of.get_or_insert(ObligationCount { first: at, last: at, times: 0, count: 0 });
        own.last = at;
        own.times += at.origin.time.ticks();
        own.count += 1;
    }

    /// Returns true if the positions are consecutive, so that they are one range of a log.
    pub(crate) fn is_range(&self) -> bool {
        self.last.position - self.first.position + 1 == self.count
    }

    /// Counts the obligations as satisfied at a time.
    pub(crate) fn satisfy(&self, totals: &mut Totals, until: Timestamp) {
        totals.satisfy_group(self.count, self.first.origin.time, self.last.origin.time, self.times, until);
    }
}

/// A sentence about a violation and the events that explain it.
pub(crate) type Explanation = (String, Vec<Cause>);

/// Violations, at most `limit` of them; consecutive positions at which the same part is broken are one entry.
///
/// A log can be drained while it grows. An entry knows the positions that no drain has returned, so that each position is
/// returned once and a report still has whole ranges.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ViolationLog {
    limit: usize,
    entries: Vec<LogEntry>,
    /// True if violations at consecutive positions are joined into ranges.
    joins: bool,
}

/// A violation, and the rest of it that was not drained.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct LogEntry {
    violation: Violation,
    /// The first position that no drain has returned, and its moment. All later ones of the entry were not returned either.
    fresh: Option<(TracePosition, DecisionPoint)>,
}

impl LogEntry {
    fn new(violation: Violation) -> Self {
        LogEntry { fresh: Some((violation.at, violation.decided)), violation }
    }

    /// Drains the positions that no drain has returned.
    fn take_fresh(&mut self) -> Option<Violation> {
        let (at, decided) = self.fresh.take()?;
        let to = end_of(&self.violation);
        let until_position = (to > at.position).then_some(to);
        Some(Violation { at, until_position, decided, ..self.violation.clone() })
    }

    /// Separates the positions that a drain has returned from the others. The flag is true for those that were returned.
    fn split(self) -> impl Iterator<Item = (Violation, bool)> {
        let LogEntry { mut violation, fresh } = self;
        let is_fresh = fresh.is_some_and(|(at, _)| at.position == violation.at.position);
        let rest = fresh.filter(|_| !is_fresh).map(|(at, decided)| {
            let until_position = violation.until_position.filter(|to| *to > at.position);
            let rest = Violation { at, until_position, decided, ..violation.clone() };
            violation.until_position = Some(at.position - 1).filter(|to| *to > violation.at.position);
            (rest, false)
        });
        std::iter::once((violation, !is_fresh)).chain(rest)
    }
}

impl ViolationLog {
    pub(crate) fn new(limit: usize) -> Self {
        ViolationLog { limit, entries: vec![], joins: true }
    }

    /// Creates a log in which every violation is an entry of its own.
    pub(crate) fn of_single_positions(limit: usize) -> Self {
        ViolationLog { joins: false, ..ViolationLog::new(limit) }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the number of entries that the log still takes.
    pub(crate) fn room(&self) -> usize {
        self.limit.saturating_sub(self.entries.len())
    }

    fn has_room(&self) -> bool {
        self.entries.len() < self.limit
    }

    /// Returns the entry that a violation of this part at this position continues.
    fn continued(&self, part: Span, position: u64) -> Option<usize> {
        let last = self.entries.iter().rposition(|entry| entry.violation.part == part);
        last.filter(|last| self.joins && end_of(&self.entries[*last].violation) + 1 == position)
    }

    /// Returns true if a violation of this part at this position is listed: there is room, or it continues an entry.
    pub(crate) fn accepts(&self, part: Span, position: u64) -> bool {
        self.has_room() || self.continued(part, position).is_some()
    }

    /// Lists the violations of a part at the positions from `at` to `to`. `explain` is called if they do not continue an entry,
    /// and returns what failed with the explanation.
    pub(crate) fn record(
        &mut self,
        at: TracePosition,
        to: u64,
        part: Span,
        trigger: Trigger<'_>,
        explain: impl FnOnce() -> (Span, Explanation),
    ) {
        if let Some(last) = self.continued(part, at.position) {
            let entry = &mut self.entries[last];
            entry.violation.until_position = Some(to);
            entry.fresh.get_or_insert((at, trigger.decided(at)));
            return;
        }
        self.push(|| {
            let (failed, explanation) = explain();
            Violation { part, ..entry(at, to, failed, trigger, explanation) }
        });
    }

    /// Lists a violation as an entry of its own, if there is room.
    #[inline]
    pub(crate) fn push(&mut self, violation: impl FnOnce() -> Violation) {
        if self.has_room() {
            self.entries.push(LogEntry::new(violation()));
        }
    }

    /// Adds violations in any order; those that come first in a report stay.
    pub(crate) fn merge(&mut self, violations: impl Iterator<Item = Violation>) {
        self.entries.extend(violations.map(LogEntry::new));
        if self.entries.len() > self.limit.saturating_mul(2).saturating_add(64) {
            let entries = std::mem::take(&mut self.entries);
            let sorted = self.sort(entries.into_iter().map(|entry| (entry.violation, false)).collect());
            self.entries.extend(sorted.into_iter().map(LogEntry::new));
        }
    }

    /// Removes and returns all entries.
    pub(crate) fn take(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.entries).into_iter().map(|entry| entry.violation).collect()
    }

    /// Drains the violations that no drain has returned.
    pub(crate) fn drain_fresh(&mut self) -> Vec<Violation> {
        self.entries.iter_mut().filter_map(LogEntry::take_fresh).collect()
    }

    /// Drains the violations that no drain has returned and that the next position cannot extend. `positions` is the number of
    /// positions so far.
    pub(crate) fn drain_settled(&mut self, positions: u64) -> Vec<Violation> {
        let joins = self.joins;
        let may_grow = |entry: &LogEntry| joins && end_of(&entry.violation) + 1 >= positions;
        self.entries.iter_mut().filter(|entry| !may_grow(entry)).filter_map(LogEntry::take_fresh).collect()
    }

    /// Drains new entries and those that grew, as a whole. The log keeps the first `keep` of those that were returned.
    pub(crate) fn drain(&mut self, keep: usize) -> Vec<Violation> {
        let changed = self.entries.iter_mut().filter_map(|entry| entry.fresh.take().map(|_| entry.violation.clone()));
        let fresh = changed.collect();
        self.truncate(keep);
        fresh
    }

    /// Removes entries beyond the first `keep`, except those that may grow.
    pub(crate) fn truncate(&mut self, keep: usize) {
        if self.entries.len() <= keep {
            return;
        }
        let rest = self.entries.split_off(keep);
        let mut growing: Vec<LogEntry> = Vec::new();
        for entry in rest.into_iter().rev().filter(|_| self.joins) {
            if growing.iter().all(|later| later.violation.part != entry.violation.part) {
                growing.push(entry);
            }
        }
        self.entries.extend(growing.into_iter().rev());
    }

    /// Returns the violations in the order of a report. Positions that were not drained are apart from those that were: the caller may
    /// have to return them still.
    pub(crate) fn into_report(mut self) -> Vec<Violation> {
        let entries = std::mem::take(&mut self.entries);
        self.sort(entries.into_iter().flat_map(LogEntry::split).collect())
    }

    /// RULE V11, for each binding. Sorts violations and joins those that are consecutive and were both drained, or both not.
    fn sort(&self, mut violations: Vec<(Violation, bool)>) -> Vec<Violation> {
        violations.sort_by(|(left, _), (right, _)| {
            let by_part = left.part.cmp(&right.part).then_with(|| left.binding.compare(&right.binding));
            by_part.then_with(|| left.at.position.cmp(&right.at.position))
        });
        violations.dedup_by(|(later, is_drained), (earlier, was_drained)| {
            let joined = self.joins
                && is_drained == was_drained
                && earlier.part == later.part
                && earlier.binding.compare(&later.binding).is_eq()
                && end_of(earlier) + 1 == later.at.position;
            if joined {
                earlier.until_position = Some(end_of(later));
            }
            joined
        });
        let mut sorted: Vec<Violation> = violations.into_iter().map(|(violation, _)| violation).collect();
        sorted.sort_by(report_order);
        sorted.truncate(self.limit);
        sorted
    }
}

/// Joins violations to the ranges of a report, at most `limit`.
pub(crate) fn ranges(violations: Vec<Violation>, limit: usize) -> Vec<Violation> {
    let mut log = ViolationLog::new(limit);
    log.merge(violations.into_iter());
    log.into_report()
}

/// Returns a violation of the positions from `at` to `to`, without a binding, of a part that failed as a whole.
pub(crate) fn entry(
    at: TracePosition,
    to: u64,
    failed: Span,
    trigger: Trigger<'_>,
    explanation: Explanation,
) -> Violation {
    let (summary, because) = explanation;
    let until_position = (to > at.position).then_some(to);
    Violation {
        at,
        until_position,
        decided: trigger.decided(at),
        binding: Binding::default(),
        part: failed,
        failed,
        summary,
        because,
    }
}

fn end_of(violation: &Violation) -> u64 {
    violation.until_position.unwrap_or(violation.at.position)
}

/// RULE Q6. Compares violations by their order in a report.
pub(crate) fn report_order(left: &Violation, right: &Violation) -> Ordering {
    let key = |violation: &Violation| (violation.at.position, violation.failed);
    key(left).cmp(&key(right)).then_with(|| left.binding.compare(&right.binding))
}

/// The totals and the violations of a property, or of one binding of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ObligationRecord {
    pub(crate) totals: Totals,
    pub(crate) log: ViolationLog,
}

impl ObligationRecord {
    pub(crate) fn new(limit: usize) -> Self {
        ObligationRecord { totals: Totals::default(), log: ViolationLog::new(limit) }
    }

    /// Adds the outcome of a binding.
    pub(crate) fn add(&mut self, outcome: Outcome) {
        self.totals.add(&Totals::from(&outcome), 1);
        self.log.merge(outcome.violations.into_iter());
    }

    /// Adds the record of other bindings.
    pub(crate) fn join(&mut self, other: ObligationRecord) {
        self.totals.add(&other.totals, 1);
        self.log.merge(other.log.entries.into_iter().map(|entry| entry.violation));
    }

    /// Returns the outcome of a trace that ended, where violations alone decide. `if_complete` is the presumable verdict of a prefix.
    pub(crate) fn conclude(self, end: End, if_complete: bool, positions: u64) -> Outcome {
        let verdict = match end {
            _ if self.totals.violated > 0 => Verdict::Violated,
            End::Complete => Verdict::Holds,
            End::Prefix => Verdict::Inconclusive,
        };
        let presumably = (verdict == Verdict::Inconclusive).then_some(if_complete);
        self.outcome(verdict, presumably, positions)
    }

    pub(crate) fn outcome(self, verdict: Verdict, presumably: Option<bool>, positions: u64) -> Outcome {
        let Totals { activated, satisfied, violated, open_at_end, pending, durations } = self.totals;
        Outcome {
            verdict,
            presumably,
            positions,
            activated,
            satisfied,
            violated,
            open_at_end,
            pending,
            durations,
            violations: self.log.into_report(),
            merged_simultaneous: false,
            fault: None,
        }
    }
}

/// Combines the outcomes of the parts of a property, which must all hold.
pub(crate) fn combine(mut outcomes: Vec<Outcome>, limit: usize) -> Outcome {
    if outcomes.len() == 1 {
        return outcomes.remove(0);
    }
    let mut record = ObligationRecord::new(limit);
    let holds = |outcome: &Outcome| outcome.verdict == Verdict::Holds;
    let may_hold = |outcome: &Outcome| holds(outcome) || outcome.presumably == Some(true);
    let (all_hold, all_may) = (outcomes.iter().all(holds), outcomes.iter().all(may_hold));
    let positions = outcomes.first().map_or(0, |outcome| outcome.positions);
    let merged_simultaneous = outcomes.iter().any(|outcome| outcome.merged_simultaneous);
    let fault = outcomes.iter().find_map(|outcome| outcome.fault.clone());
    for outcome in outcomes {
        record.totals.add(&Totals::from(&outcome), 1);
        record.log.merge(outcome.violations.into_iter());
    }
    let verdict = match () {
        () if record.totals.violated > 0 => Verdict::Violated,
        () if all_hold => Verdict::Holds,
        () => Verdict::Inconclusive,
    };
    let presumably = (verdict == Verdict::Inconclusive).then_some(all_may);
    Outcome { merged_simultaneous, fault, ..record.outcome(verdict, presumably, positions) }
}

#[cfg(test)]
mod tests {
    use gnomon_core::symbols::Name;
    use gnomon_core::value::Value;

    use super::*;

    fn time(ticks: i128) -> Timestamp {
        Timestamp::from_ticks(ticks)
    }

    fn at(position: u64) -> TracePosition {
        let origin = Origin { event_index: position, time: time(i128::from(position) * 10), event: Name(0) };
        TracePosition { position, origin }
    }

    fn part(number: u32) -> Span {
        Span { start: number, end: number + 1 }
    }

    fn record(log: &mut ViolationLog, from: u64, to: u64, failed: Span) {
        log.record(at(from), to, failed, Trigger::Deadline(time(0)), || (failed, ("broken".to_owned(), vec![])));
    }

    fn spans(violations: &[Violation]) -> Vec<(u64, u64)> {
        violations.iter().map(|violation| (violation.at.position, end_of(violation))).collect()
    }

    fn listed(log: &ViolationLog) -> Vec<(u64, u64)> {
        spans(&log.clone().take())
    }

    #[test]
    fn consecutive_violations_of_one_part_are_a_range() {
        let mut log = ViolationLog::new(10);
        for (from, to, failed) in [(3, 3, 1), (4, 4, 1), (5, 7, 1), (8, 8, 2), (10, 10, 2)] {
            record(&mut log, from, to, part(failed));
        }
        assert_eq!(listed(&log), [(3, 7), (8, 8), (10, 10)]);
        assert_eq!(log.take()[1].until_position, None);
    }

    #[test]
    fn a_full_log_extends_its_last_range_and_takes_nothing_else() {
        let mut log = ViolationLog::new(1);
        record(&mut log, 3, 3, part(1));
        assert!(log.accepts(part(1), 4) && !log.accepts(part(1), 5) && !log.accepts(part(2), 4));
        record(&mut log, 4, 4, part(1));
        record(&mut log, 5, 5, part(2));
        record(&mut log, 9, 9, part(1));
        assert_eq!(listed(&log), [(3, 4)]);
        let mut none = ViolationLog::new(0);
        record(&mut none, 3, 3, part(1));
        assert!(listed(&none).is_empty() && !none.accepts(part(1), 4));
    }

    #[test]
    fn parts_that_fail_in_turn_have_their_own_ranges() {
        let mut log = ViolationLog::new(2);
        for position in 3..6 {
            record(&mut log, position, position, part(1));
            record(&mut log, position, position, part(2));
        }
        assert_eq!(listed(&log), [(3, 5), (3, 5)]);
    }

    #[test]
    fn violations_found_out_of_order_are_joined_in_the_report() {
        let mut log = ViolationLog::new(10);
        for (position, failed) in [(5, 1), (3, 2), (3, 1), (4, 1)] {
            record(&mut log, position, position, part(failed));
        }
        let report = log.into_report();
        assert_eq!(spans(&report), [(3, 5), (3, 3)]);
        assert_eq!([report[0].failed, report[1].failed], [part(1), part(2)]);
    }

    #[test]
    fn single_positions_are_not_joined() {
        let mut log = ViolationLog::of_single_positions(10);
        for position in [4, 3, 5] {
            record(&mut log, position, position, part(1));
        }
        assert_eq!(spans(&log.drain_settled(5)), [(4, 4), (3, 3), (5, 5)]);
        assert_eq!(spans(&log.into_report()), [(3, 3), (4, 4), (5, 5)]);
    }

    #[test]
    fn settled_violations_are_those_that_the_next_position_cannot_extend() {
        let mut log = ViolationLog::new(10);
        record(&mut log, 3, 3, part(1));
        assert_eq!(spans(&log.drain_settled(4)), []);
        assert_eq!(spans(&log.drain_settled(5)), [(3, 3)]);
        assert_eq!(spans(&log.drain_settled(6)), []);
        // Each position is returned once; a report has the range.
        record(&mut log, 4, 4, part(1));
        let drained = log.drain_settled(9);
        assert_eq!((spans(&drained), drained[0].at), (vec![(4, 4)], at(4)));
        assert_eq!(spans(&log.clone().into_report()), [(3, 4)]);
        record(&mut log, 5, 6, part(1));
        assert_eq!(spans(&log.clone().drain_fresh()), [(5, 6)]);
        assert_eq!(spans(&log.into_report()), [(3, 4), (5, 6)], "what was not drained is apart");
    }

    #[test]
    fn positions_between_drained_ones_are_apart() {
        let mut log = ViolationLog::new(10);
        record(&mut log, 4, 4, part(1));
        record(&mut log, 6, 6, part(1));
        log.drain_fresh();
        record(&mut log, 5, 5, part(1));
        assert_eq!(spans(&log.clone().into_report()), [(4, 4), (5, 5), (6, 6)]);
        log.drain_fresh();
        assert_eq!(spans(&log.into_report()), [(4, 6)]);
    }

    #[test]
    fn drained_violations_come_again_when_they_grew_and_only_some_stay() {
        let mut log = ViolationLog::new(10);
        for position in [1, 3, 5] {
            record(&mut log, position, position, part(1));
        }
        assert_eq!(spans(&log.drain(1)), [(1, 1), (3, 3), (5, 5)]);
        assert_eq!(listed(&log), [(1, 1), (5, 5)], "the last may grow");
        assert_eq!(spans(&log.drain(1)), []);
        record(&mut log, 6, 6, part(1));
        record(&mut log, 8, 8, part(1));
        assert_eq!(spans(&log.drain(1)), [(5, 6), (8, 8)]);
    }

    #[test]
    fn of_many_bindings_the_first_in_a_report_are_kept() {
        let binding = |number: i64| {
            let value = Value::Number(gnomon_core::number::Number::Int(number));
            Binding { values: vec![("i".to_owned(), value)] }
        };
        let mut record = ObligationRecord::new(2);
        for number in (0..100).rev() {
            let mut log = ViolationLog::new(2);
            self::record(&mut log, number, number, part(1));
            let one = ObligationRecord { totals: Totals { violated: 1, ..Totals::default() }, log };
            let outcome = one.outcome(Verdict::Violated, None, 0);
            let bound = outcome.violations.iter().cloned();
            let violations = bound.map(|one| Violation { binding: binding(number as i64), ..one }).collect();
            record.add(Outcome { violations, ..outcome });
        }
        let outcome = record.conclude(End::Prefix, true, 100);
        assert_eq!((outcome.verdict, outcome.presumably, outcome.violated), (Verdict::Violated, None, 100));
        assert_eq!(spans(&outcome.violations), [(0, 0), (1, 1)], "other bindings are not one range");
    }

    #[test]
    fn durations_add_up() {
        let mut totals = Totals::default();
        totals.satisfy(Duration::from_ticks(7));
        // At 10, 20 and 30, until 32.
        let mut group = None;
        for position in [1, 2, 3] {
            ObligationCount::push(&mut group, at(position));
        }
        let group = group.unwrap();
        assert!(group.is_range());
        group.satisfy(&mut totals, time(32));
        let (min, max) = (Duration::from_ticks(2), Duration::from_ticks(22));
        assert_eq!(totals.durations, Some(Durations { min, max, sum: 7 + 22 + 12 + 2, count: 4 }));
        let mut all = Totals { activated: 1, ..Totals::default() };
        all.add(&totals, 3);
        assert_eq!((all.activated, all.satisfied), (1, 12));
        assert_eq!(all.durations, Some(Durations { min, max, sum: 3 * 43, count: 12 }));
        all.add(&totals, 0);
        assert_eq!(all.satisfied, 12);
        all.add(&Totals { pending: 2, ..Totals::default() }, u128::MAX);
        assert_eq!(all.pending, u64::MAX, "as many as a number holds");
    }

    #[test]
    fn obligations_with_a_gap_are_no_range() {
        let mut group = None;
        ObligationCount::push(&mut group, at(1));
        ObligationCount::push(&mut group, at(3));
        assert!(!group.unwrap().is_range());
    }

    #[test]
    fn the_end_decides_what_is_not_violated() {
        let outcome = |violated, end| {
            let totals = Totals { violated, pending: 1, ..Totals::default() };
            let outcome = ObligationRecord { totals, log: ViolationLog::new(0) }.conclude(end, false, 9);
            assert_eq!((outcome.positions, outcome.pending), (9, 1));
            (outcome.verdict, outcome.presumably)
        };
        assert_eq!(outcome(0, End::Complete), (Verdict::Holds, None));
        assert_eq!(outcome(0, End::Prefix), (Verdict::Inconclusive, Some(false)));
        assert_eq!(outcome(1, End::Prefix), (Verdict::Violated, None));
        assert_eq!(outcome(1, End::Complete), (Verdict::Violated, None));
    }

    #[test]
    fn a_trigger_says_how_a_violation_was_decided() {
        let decider = at(5).origin;
        let trigger = Trigger::Position { position: 5, decider: &decider, letter: 0 };
        let own = TracePosition { position: 5, origin: Origin { event_index: 6, ..decider } };
        assert_eq!(trigger.decided(own), DecisionPoint::Event(own.origin), "the event that asked");
        assert_eq!(trigger.decided(at(3)), DecisionPoint::Event(decider));
        assert_eq!(Trigger::Deadline(time(8)).decided(at(3)), DecisionPoint::Deadline(time(8)));
        assert_eq!(Trigger::End(time(8)).decided(at(3)), DecisionPoint::End(time(8)));
        assert_eq!(trigger.time(), decider.time);
    }

    #[test]
    fn parts_of_a_property_must_all_hold() {
        let outcome = |verdict, presumably, violated| {
            let totals = Totals { violated, ..Totals::default() };
            ObligationRecord { totals, log: ViolationLog::new(0) }.outcome(verdict, presumably, 4)
        };
        let holds = outcome(Verdict::Holds, None, 0);
        let open = |presumably| outcome(Verdict::Inconclusive, Some(presumably), 0);
        let verdict = |parts: Vec<Outcome>| {
            let whole = combine(parts, 1);
            assert_eq!(whole.positions, 4);
            (whole.verdict, whole.presumably)
        };
        assert_eq!(verdict(vec![holds.clone(), holds.clone()]), (Verdict::Holds, None));
        assert_eq!(verdict(vec![holds.clone(), open(true)]), (Verdict::Inconclusive, Some(true)));
        assert_eq!(verdict(vec![open(false), open(true)]), (Verdict::Inconclusive, Some(false)));
        assert_eq!(verdict(vec![holds, outcome(Verdict::Violated, None, 1)]), (Verdict::Violated, None));
    }
}
