// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tracks the obligations of a formula: opens them, settles them, and counts the results.
//!
//! A formula is read as clauses ([`FormulaClause`]). Each position in reach of a clause where its antecedent holds activates an
//! obligation, which the consequent's value there settles. That value is known immediately, or comes later as a fact of a waiting
//! node, or, where the consequent is a plain `U`, the clause waits for it here without a node.
//!
//! Example: `G(a -> F[0,10] b)` has one clause with the antecedent `a` and the consequent `F[0,10] b`, which is waited for here. `a` at
//! the times 1 and 4 activates two obligations, due at 11 and 14. `b` at time 9 satisfies both; if it never comes, the obligation of
//! time 1 is violated as soon as time passes 11.

use std::collections::VecDeque;

use gnomon_core::{Duration, Durations, Interval, Outcome, Timestamp, TracePosition, Verdict};
use gnomon_ir::NodeId;
use serde::{Deserialize, Serialize};

use super::FormulaPart;
use super::clause::{ClauseReach, Consequent, DirectUntil, FormulaClause};
use super::evaluator::Evaluator;
use super::explain::Evidence;
use super::position::Position;
use crate::accounting::{ObligationCount, ObligationRecord, Totals, Trigger, entry};
use crate::future::Fact;

/// The obligations of one property.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ObligationTracker {
    clauses: Vec<ClauseState>,
    pub(crate) record: ObligationRecord,
}

/// The open obligations of one clause.
///
/// COST: O(1) per position in reach and per obligation settled. Memory: the open obligations; of a consequent that
/// settles them all together, only as many as a report can list.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct ClauseState {
    /// The time of the base, the position that the clause starts from; on the way there, of the latest position.
    base: Option<Timestamp>,
    /// The latest position on the way through the `X`s.
    latest: Option<TracePosition>,
    /// True if the base has come.
    started: bool,
    /// True if an `X` met a next position at a distance outside its interval.
    cut_off: bool,
    /// Positions where the antecedent holds and the consequent is unknown, oldest first.
    due: VecDeque<TracePosition>,
    /// Later ones, beyond the number that a report can list.
    more_due: Option<ObligationCount>,
    /// Positions where the antecedent looks ahead and is unknown, or became known before the consequent.
    undecided: VecDeque<UndecidedPosition>,
    /// True if a position where no atom is true opens an obligation and satisfies it immediately, in the present state.
    satisfied_when_idle: bool,
}

/// A position of a clause whose antecedent looks ahead.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct UndecidedPosition {
    at: TracePosition,
    /// True if the antecedent holds and only the consequent is unknown.
    active: bool,
    consequent: Option<ConsequentValue>,
}

/// The value of a consequent, the node that decided it, and the time of the decision.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct ConsequentValue {
    value: bool,
    blame: u32,
    time: Timestamp,
}

/// Records the results of obligations of a clause: everything that is needed to count and explain them.
struct ClauseRecorder<'r, 'e, 'p, 't> {
    clause: &'r FormulaClause,
    trigger: Trigger<'t>,
    evidence: &'r mut Evidence<'e, 'p>,
    record: &'r mut ObligationRecord,
}

impl ClauseRecorder<'_, '_, '_, '_> {
    #[inline]
    fn settle(&mut self, at: TracePosition, value: bool, blame: NodeId) {
        let known = ConsequentValue { value, blame: blame.0, time: self.trigger.time() };
        self.settle_known(at, known);
    }

    #[inline]
    fn settle_known(&mut self, at: TracePosition, known: ConsequentValue) {
        if known.value {
            self.record.totals.satisfy(known.time - at.origin.time);
        } else {
            self.violate(at, at.position, 1, NodeId(known.blame));
        }
    }

    /// Counts violations of the clause; those from `at` to `to` are listed.
    fn violate(&mut self, at: TracePosition, to: u64, count: u64, blame: NodeId) {
        let ClauseRecorder { clause, trigger, evidence, record } = self;
        record.totals.violate(count, *trigger);
        record.log.record(at, to, clause.consequent_span, *trigger, || {
            let blame = evidence.narrow(clause, at, blame);
            (evidence.span(clause, blame), evidence.explain(clause, at, *trigger, blame))
        });
    }
}

impl ObligationTracker {
    pub(crate) fn new(clauses: usize, max_violations: usize) -> Self {
        ObligationTracker {
            clauses: vec![ClauseState::default(); clauses],
            record: ObligationRecord::new(max_violations),
        }
    }

    /// Returns true if a restored tracker has this number of clauses.
    pub(crate) fn fits(&self, clauses: usize) -> bool {
        self.clauses.len() == clauses
    }

    /// Returns the states of the clauses, and the record of all.
    #[inline]
    pub(super) fn parts(&mut self) -> (&mut [ClauseState], &mut ObligationRecord) {
        (&mut self.clauses, &mut self.record)
    }

    /// Opens obligations at a position where no atom is true, in the clauses that have one there.
    #[inline]
    pub(crate) fn open_idle(&mut self, clauses: &[FormulaClause], at: TracePosition, wake: &mut Timestamp) {
        for (state, clause) in self.clauses.iter_mut().zip(clauses) {
            if let Consequent::Direct(direct) = &clause.consequent_part
                && clause.opens_when_idle
            {
                self.record.totals.activated += 1;
                state.wait_for(direct, at, wake, self.record.log.limit());
            }
        }
    }

    /// Counts positions where no atom is true, in the clauses that such positions satisfy immediately.
    pub(super) fn count_idle(
        states: &[ClauseState],
        record: &mut ObligationRecord,
        clauses: &[FormulaClause],
        positions: u64,
    ) {
        for (state, clause) in states.iter().zip(clauses) {
            if positions > 0
                && (clause.satisfied_when_idle || state.satisfied_when_idle)
                && state.started
                && !state.cut_off
            {
                let zero = Duration::ZERO;
                record.totals.activated += positions;
                record.totals.satisfied += positions;
                record.totals.measure(Durations { min: zero, max: zero, sum: 0, count: positions });
            }
        }
    }

    /// Sets the clauses that idle positions satisfy, where that depends on the state.
    pub(super) fn satisfy_when_idle(&mut self, is_satisfied: impl Fn(usize) -> bool) {
        for (index, state) in self.clauses.iter_mut().enumerate() {
            state.satisfied_when_idle = is_satisfied(index);
        }
    }

    /// Returns true if a clause has open obligations.
    pub(super) fn is_open(&self, clause: usize) -> bool {
        !self.clauses[clause].is_quiet()
    }

    /// Settles obligations whose interval has ended, or all if the trace has ended.
    pub(crate) fn expire(
        &mut self,
        clauses: &[FormulaClause],
        frontier: Timestamp,
        ended: bool,
        trigger: Trigger<'_>,
        evidence: &mut Evidence<'_, '_>,
    ) {
        for (state, clause) in self.clauses.iter_mut().zip(clauses) {
            if let Consequent::Direct(direct) = &clause.consequent_part {
                let is_over = |at: &TracePosition| {
                    ended || direct.interval.hi.is_some_and(|hi| at.origin.time.saturating_add(hi) < frontier)
                };
                let recorder = &mut ClauseRecorder { clause, trigger, evidence, record: &mut self.record };
                state.settle_front(direct, direct.negated, is_over, recorder);
            }
        }
    }

    /// Returns the earliest deadline of obligations that are waited for here, and the time that is reported for it.
    pub(crate) fn deadline(&self, clauses: &[FormulaClause]) -> Option<(Timestamp, Timestamp)> {
        let deadlines = self.clauses.iter().zip(clauses).filter_map(|(state, clause)| {
            let Consequent::Direct(direct) = &clause.consequent_part else { return None };
            let (oldest, hi) = state.due.front().zip(direct.interval.hi)?;
            let deadline = oldest.origin.time.saturating_add(hi);
            Some((deadline, Timestamp::from_ticks(deadline.ticks() + i128::from(direct.interval.open_above))))
        });
        deadlines.min()
    }

    /// Takes in a new position: settles obligations that are waited for here, opens new ones, and marks the waiting nodes whose value
    /// is wanted there.
    #[inline]
    pub(crate) fn open(
        &mut self,
        clauses: &[FormulaClause],
        evaluator: &mut Evaluator<'_>,
        wanted: &mut [bool],
        wake: &mut Timestamp,
    ) {
        for (index, (state, clause)) in self.clauses.iter_mut().zip(clauses).enumerate() {
            if let Consequent::Direct(direct) = &clause.consequent_part {
                state.settle_due(clause, direct, evaluator, &mut self.record);
            }
            if state.in_reach(index, clause, evaluator.position, &mut self.record) {
                state.open(index, clause, evaluator, wanted, wake, &mut self.record);
            }
        }
    }

    /// Settles the obligations that the facts of a round decide.
    pub(crate) fn settle(
        &mut self,
        clauses: &[FormulaClause],
        facts: &[Vec<Fact>],
        trigger: Trigger<'_>,
        evidence: &mut Evidence<'_, '_>,
    ) {
        for (state, clause) in self.clauses.iter_mut().zip(clauses) {
            let recorder = &mut ClauseRecorder { clause, trigger, evidence, record: &mut self.record };
            if let FormulaPart::Later { slot, negated } = clause.antecedent_part {
                for fact in &facts[slot] {
                    state.learn_antecedent(fact.along(negated), recorder);
                }
            }
            if let Consequent::Later { slot, negated } = clause.consequent_part {
                for fact in &facts[slot] {
                    state.learn_consequent(fact.along(negated), recorder);
                }
            }
        }
    }

    /// Returns true if the base of every clause has come.
    pub(crate) fn has_started(&self) -> bool {
        self.clauses.iter().all(|state| state.started)
    }

    /// Returns true if nothing can change any more.
    pub(crate) fn is_settled(&self, clauses: &[FormulaClause], frontier: Timestamp) -> bool {
        self.clauses.iter().zip(clauses).all(|(state, clause)| {
            state.started && state.is_quiet() && (state.cut_off || clause.is_over(state.base, frontier))
        })
    }

    /// Returns true if the formula is true for every continuation. A satisfied obligation whose antecedent is unknown does not count
    /// against it.
    pub(crate) fn is_decided(&self, clauses: &[FormulaClause], frontier: Timestamp) -> bool {
        self.clauses.iter().zip(clauses).all(|(state, clause)| {
            let is_met = |one: &UndecidedPosition| one.consequent.is_some_and(|known| known.value);
            let nothing_due = state.due.is_empty() && state.more_due.is_none() && state.undecided.iter().all(is_met);
            state.started && nothing_due && (clause.is_vacuous() || clause.is_over(state.base, frontier))
        })
    }

    /// Returns true if no obligation is open.
    pub(crate) fn is_quiet(&self) -> bool {
        self.clauses.iter().all(ClauseState::is_quiet)
    }

    /// Returns the number of bytes that the states of this number of clauses take.
    pub(crate) fn heap_bytes(clauses: usize) -> usize {
        clauses * (size_of::<ClauseState>() + 4 * size_of::<TracePosition>())
    }

    /// Ends a complete trace. An `X` beyond its end is one violation, at the last position.
    pub(crate) fn end(&mut self, clauses: &[FormulaClause], trigger: Trigger<'_>) {
        for (state, clause) in self.clauses.iter().zip(clauses) {
            if let (false, Some(latest)) = (state.started, state.latest) {
                miss_next(clause, latest, trigger, &mut self.record);
            }
        }
    }

    /// Ends a complete trace without positions. A requirement of the first position is counted, but there is no position to list.
    pub(crate) fn end_empty(&mut self, clauses: &[FormulaClause], holds: bool) {
        let totals = &mut self.record.totals;
        for clause in clauses {
            let holds = match &clause.reach {
                ClauseReach::First => holds,
                ClauseReach::After { nexts, .. } if nexts.is_empty() => continue,
                ClauseReach::After { .. } => false,
            };
            totals.activated += 1;
            if holds {
                totals.satisfied += 1;
            } else {
                totals.violate(1, Trigger::End(Timestamp::default()));
            }
        }
    }

    pub(crate) fn outcome(&self, verdict: Verdict, positions: u64) -> Outcome {
        let mut record = self.record.clone();
        record.totals.pending = self.clauses.iter().map(ClauseState::pending).sum();
        record.outcome(verdict, None, positions)
    }
}

/// Counts a violation by an `X` that finds no position.
fn miss_next(clause: &FormulaClause, at: TracePosition, trigger: Trigger<'_>, record: &mut ObligationRecord) {
    record.totals.activated += 1;
    record.totals.violate(1, trigger);
    let summary = || "the trace has no such next position".to_owned();
    record.log.push(|| entry(at, at.position, clause.span, trigger, (summary(), vec![])));
}

impl ClauseState {
    /// Opens an obligation at the present position, which is in reach, or settles it if antecedent and consequent are known.
    #[inline]
    fn open(
        &mut self,
        index: usize,
        clause: &FormulaClause,
        evaluator: &mut Evaluator<'_>,
        wanted: &mut [bool],
        wake: &mut Timestamp,
        record: &mut ObligationRecord,
    ) {
        let position = evaluator.position;
        let at = || TracePosition { position: position.index, origin: position.origin(index) };
        let antecedent = match clause.antecedent_part {
            FormulaPart::Now(edge) => {
                if clause.antecedent.is_some() && !evaluator.value(edge) {
                    return;
                }
                record.totals.activated += 1;
                Some(true)
            }
            FormulaPart::Later { slot, .. } => {
                wanted[slot] = true;
                None
            }
        };
        match (antecedent, &clause.consequent_part) {
            (_, Consequent::Direct(direct)) => match direct.immediate_value(evaluator) {
                None => self.wait_for(direct, at(), wake, record.log.limit()),
                Some(value) => {
                    recorder(clause, evaluator, record, |recorder| recorder.settle(at(), value, direct.node));
                }
            },
            (Some(_), Consequent::Later { slot, .. }) => {
                wanted[*slot] = true;
                self.due.push_back(at());
            }
            (Some(_), Consequent::Now(edge)) => {
                if evaluator.value(*edge) {
                    record.totals.satisfy(Duration::ZERO);
                } else {
                    recorder(clause, evaluator, record, |recorder| recorder.settle(at(), false, edge.node));
                }
            }
            (None, Consequent::Later { slot, .. }) => {
                wanted[*slot] = true;
                self.undecided.push_back(UndecidedPosition { at: at(), active: false, consequent: None });
            }
            (None, Consequent::Now(edge)) => {
                let known = ConsequentValue { value: evaluator.value(*edge), blame: edge.node.0, time: position.time };
                self.undecided.push_back(UndecidedPosition { at: at(), active: false, consequent: Some(known) });
            }
        }
    }

    /// Returns true if the present position is in reach of the clause. Stores the base when it comes.
    #[inline]
    fn in_reach(
        &mut self,
        index: usize,
        clause: &FormulaClause,
        position: &Position<'_>,
        record: &mut ObligationRecord,
    ) -> bool {
        match (&clause.reach, self.base) {
            (ClauseReach::After { interval, .. }, Some(base)) if self.started => {
                !self.cut_off && interval.contains(position.time - base)
            }
            (ClauseReach::After { nexts, interval, strict }, _) => {
                self.follow_next(index, clause, nexts, position, record);
                self.started && !self.cut_off && !strict && interval.contains(Duration::ZERO)
            }
            (ClauseReach::First, _) => {
                self.base.get_or_insert(position.time);
                !std::mem::replace(&mut self.started, true)
            }
        }
    }

    /// Takes in a position on the way through the `X`s.
    #[cold]
    fn follow_next(
        &mut self,
        index: usize,
        clause: &FormulaClause,
        nexts: &[Interval],
        position: &Position<'_>,
        record: &mut ObligationRecord,
    ) {
        let at = TracePosition { position: position.index, origin: position.origin(index) };
        if let Some(before) = self.base
            && !nexts[position.index as usize - 1].contains(position.time - before)
        {
            self.cut_off = true;
            miss_next(clause, at, position.trigger(), record);
        }
        self.base = Some(position.time);
        self.latest = Some(at);
        self.started = self.cut_off || position.index == nexts.len() as u64;
    }

    /// Returns true if a position at this time is in reach of the clause, which has started.
    #[inline]
    pub(super) fn is_reached(&self, clause: &FormulaClause, time: Timestamp) -> bool {
        match (&clause.reach, self.base) {
            (ClauseReach::After { interval, .. }, Some(base)) => !self.cut_off && interval.contains(time - base),
            _ => false,
        }
    }

    /// Returns true if each open obligation is listed by itself.
    #[inline]
    pub(super) fn has_one_queue(&self) -> bool {
        self.more_due.is_none()
    }

    /// Returns true if no obligation is waited for here.
    #[inline]
    pub(super) fn has_none_due(&self) -> bool {
        self.due.is_empty()
    }

    /// Satisfies the obligations that are waited for here and are far enough back.
    #[inline]
    pub(super) fn satisfy_ripe(&mut self, direct: &DirectUntil, time: Timestamp, totals: &mut Totals) {
        if !self.due.is_empty() {
            self.satisfy_front(|at: &TracePosition| time - at.origin.time >= direct.interval.lo, time, totals);
        }
    }

    /// Opens an obligation that is waited for here.
    #[inline]
    pub(super) fn wait_for(
        &mut self,
        direct: &DirectUntil,
        at: TracePosition,
        wake: &mut Timestamp,
        most_listed: usize,
    ) {
        // The deadline of an older obligation is earlier, and the wake-up is set for it.
        if self.due.is_empty()
            && let Some(hi) = direct.interval.hi
        {
            *wake = (*wake).min(at.origin.time.saturating_add(hi));
        }
        if self.due.len() < most_listed || !direct.is_untimed() {
            self.due.push_back(at);
        } else {
            ObligationCount::push(&mut self.more_due, at);
        }
    }

    /// RULE K5, for obligations that are waited for here. INVARIANT: `left` has held since each open obligation. So a true `right` settles
    /// all that are far enough back, and a false `left` all the rest.
    #[inline]
    fn settle_due(
        &mut self,
        clause: &FormulaClause,
        direct: &DirectUntil,
        evaluator: &mut Evaluator<'_>,
        record: &mut ObligationRecord,
    ) {
        if self.due.is_empty() && self.more_due.is_none() {
            return;
        }
        let time = evaluator.position.time;
        if evaluator.value(direct.right) {
            let is_far_enough = |at: &TracePosition| time - at.origin.time >= direct.interval.lo;
            recorder(clause, evaluator, record, |recorder| {
                self.settle_front(direct, !direct.negated, is_far_enough, recorder);
            });
        }
        if !direct.left_is_true && !evaluator.value(direct.left) {
            recorder(clause, evaluator, record, |recorder| {
                self.settle_front(direct, direct.negated, |_| true, recorder);
            });
        }
    }

    /// Settles the oldest obligations while `is_done`.
    #[inline]
    fn settle_front(
        &mut self,
        direct: &DirectUntil,
        value: bool,
        is_done: impl Fn(&TracePosition) -> bool,
        recorder: &mut ClauseRecorder<'_, '_, '_, '_>,
    ) {
        if value {
            self.satisfy_front(&is_done, recorder.trigger.time(), &mut recorder.record.totals);
        }
        while let Some(&at) = self.due.front() {
            if !is_done(&at) {
                return;
            }
            self.due.pop_front();
            recorder.settle(at, value, direct.node);
        }
        let Some(more) = self.more_due.take_if(|more| is_done(&more.first)) else { return };
        if value {
            more.satisfy(&mut recorder.record.totals, recorder.trigger.time());
        } else if more.is_range() {
            // They continue the range that the log ends with.
            recorder.violate(more.first, more.last.position, more.count, direct.node);
        } else {
            recorder.record.totals.violate(more.count, recorder.trigger);
        }
    }

    /// Satisfies the oldest obligations while `is_done`. They are ordered by time, so the first took longest.
    #[inline]
    fn satisfy_front(&mut self, is_done: impl Fn(&TracePosition) -> bool, until: Timestamp, totals: &mut Totals) {
        let Some(first) = self.due.front().filter(|at| is_done(at)).map(|at| at.origin.time) else { return };
        if self.due.len() == 1 {
            self.due.clear();
            totals.satisfy(until - first);
            return;
        }
        let (mut count, mut last, mut times) = (0, first, 0);
        for at in self.due.iter().take_while(|at| is_done(at)) {
            count += 1;
            last = at.origin.time;
            times += last.ticks();
        }
        if count == self.due.len() {
            self.due.clear();
        } else {
            self.due.drain(..count);
        }
        totals.satisfy_group(count as u64, first, last, times, until);
    }

    fn learn_consequent(&mut self, fact: Fact, recorder: &mut ClauseRecorder<'_, '_, '_, '_>) {
        let index = self.due.partition_point(|at| at.position < fact.from);
        while let Some(at) = self.due.get(index).copied().filter(|at| at.position <= fact.to) {
            self.due.remove(index);
            recorder.settle(at, fact.value, fact.blame);
        }
        let known = ConsequentValue { value: fact.value, blame: fact.blame.0, time: recorder.trigger.time() };
        self.retain_undecided(fact, |one| {
            one.consequent = Some(known);
            if one.active {
                recorder.settle_known(one.at, known);
            }
            !one.active
        });
    }

    fn learn_antecedent(&mut self, fact: Fact, recorder: &mut ClauseRecorder<'_, '_, '_, '_>) {
        self.retain_undecided(fact, |one| {
            if !fact.value {
                return false;
            }
            recorder.record.totals.activated += 1;
            one.active = true;
            if let Some(known) = one.consequent {
                recorder.settle_known(one.at, known);
            }
            one.consequent.is_none()
        });
    }

    /// Removes the undecided positions in the range of a fact, except those for which `keep` returns true.
    fn retain_undecided(&mut self, fact: Fact, mut keep: impl FnMut(&mut UndecidedPosition) -> bool) {
        let mut index = self.undecided.partition_point(|one| one.at.position < fact.from);
        while let Some(one) = self.undecided.get_mut(index).filter(|one| one.at.position <= fact.to) {
            if keep(one) {
                index += 1;
            } else {
                self.undecided.remove(index);
            }
        }
    }

    fn pending(&self) -> u64 {
        let active = self.undecided.iter().filter(|one| one.active).count();
        (self.due.len() + active) as u64 + self.more_due.map_or(0, |more| more.count)
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.due.is_empty() && self.more_due.is_none() && self.undecided.is_empty()
    }
}

/// Calls `settle` with a recorder for obligations that the present position settles.
#[inline]
fn recorder(
    clause: &FormulaClause,
    evaluator: &mut Evaluator<'_>,
    record: &mut ObligationRecord,
    settle: impl FnOnce(&mut ClauseRecorder<'_, '_, '_, '_>),
) {
    let trigger = evaluator.position.trigger();
    settle(&mut ClauseRecorder { clause, trigger, evidence: &mut Evidence::Present(evaluator), record });
}
