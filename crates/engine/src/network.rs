// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operator network of one formula.
//!
//! A formula is a graph of nodes ([`FormulaCore`]); equal parts are one node. [`layout`] divides the nodes that are needed into those
//! that are known when a position comes, which [`evaluator`] computes on demand, and those that wait for the future, which [`rounds`]
//! runs once per round in an order that has parts before the nodes that contain them. [`obligations`] reads the formula as clauses
//! ([`clause`]), opens an obligation where an antecedent holds, and settles it when the consequent's value is known.
//!
//! A position runs through these steps (`Network::run_position` in [`rounds`]):
//! 1. The position before is released from the delay buffer, if a comparison waited for this one.
//! 2. Windows that include the present take in its numbers.
//! 3. Clauses settle what they wait for, and open obligations.
//! 4. Waiting nodes emit facts; clauses settle obligations by them.
//! 5. Operators over the past are updated with the position.
//!
//! Most positions make no atom of a property true. [`IdleEffect`] is what such a position does; where it does nothing, the scheduler
//! need not visit the property at all.

mod block;
mod clause;
mod division;
mod engine;
pub(crate) mod evaluator;
mod explain;
mod layout;
mod obligations;
mod plain;
mod position;
mod rest;
mod rounds;
mod terms;

use gnomon_core::{End, Outcome, Timestamp, TracePosition, Verdict};
use gnomon_ir::{FormulaCore, FormulaNode, NodeId};
use serde::{Deserialize, Serialize};

use crate::accounting::{ObligationRecord, Trigger};
use crate::future::Fact;
use crate::future::conjunction::Conjunction;
use crate::future::in_future::InFuture;
use crate::future::three_valued_until::ThreeValuedUntil;
use crate::future::until::Until;
use crate::past::PastOperator;
use crate::past_over_future::PastOverFuture;
use crate::scheduler::CompletePosition;
use crate::terms::history::TermHistory;
use crate::terms::variables::Variables;
pub(crate) use clause::{ClauseReach, Consequent, FormulaClause};
pub(crate) use engine::NetworkEngine;
pub(crate) use explain::Evidence;
pub(crate) use layout::FormulaPart;
use layout::IdleEffect;
use obligations::ObligationTracker;
use plain::PlainAtoms;
pub(crate) use position::{Position, PositionAtoms};
use rounds::DelayBuffer;

/// A formula compiled for running: immutable, shared by all its runs.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(crate) core: FormulaCore,
    /// The state of nodes and terms that are known immediately.
    now: StateLayout,
    /// The state of nodes and terms that are known with the next position, if there are any.
    delayed: Option<StateLayout>,
    /// For each node, true if it looks ahead.
    waits: Vec<bool>,
    /// For each node that waits for the future, its index in `later_nodes`.
    pub(crate) later_slots: Vec<Option<u32>>,
    /// The waiting nodes, children first.
    later_nodes: Vec<WaitingNode>,
    /// The clauses that the formula is read as.
    pub(crate) clauses: Vec<FormulaClause>,
    /// The effect of a position where no atom is true, once every clause has started.
    idle: IdleEffect,
    /// For each node, its value where no atom is true, if it depends on nothing else.
    idle_values: Vec<Option<bool>>,
    /// For each variable of its terms, the index among the variables of all properties.
    pub(crate) variables: Vec<usize>,
    /// The least distance of two positions, in ticks.
    least_gap: i128,
    /// True if a time may come after which nothing can change.
    may_settle: bool,
    /// The state in which idle positions change nothing, if their effect depends on the state.
    rest: Option<rest::RestingState>,
    /// The tests of atoms, if the formula is plain.
    plain: Option<plain::PlainFormula>,
    /// For each operator over the past, the variables on which its state depends, where states are assembled ([`division`]).
    parts: Vec<division::StatePart>,
}

/// The nodes and terms with state of one evaluation.
#[derive(Clone, Debug)]
pub(crate) struct StateLayout {
    /// For each node, the slot of its [`PastOperator`] state, if it has one.
    pub(crate) past_slots: Vec<Option<u32>>,
    /// The nodes with [`PastOperator`] state, parents first: each is updated before its parts.
    past_nodes: Vec<NodeId>,
    /// The terms that are updated at a position.
    terms: terms::TermUpdates,
}

/// A node that waits for the future.
#[derive(Clone, Debug)]
struct WaitingNode {
    id: NodeId,
    parts: Vec<FormulaPart>,
    /// The slots of the waiting nodes that need its value at further positions while they are waiting.
    wanted_by: Vec<usize>,
    /// The upper end of its interval, if it has deadlines of its own.
    hi: Option<gnomon_core::time::Duration>,
}

/// The state of a waiting node.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Later {
    Until(Until),
    ThreeValuedUntil(ThreeValuedUntil),
    Conjunction(Conjunction),
    PastOverFuture(PastOverFuture),
    InFuture(InFuture),
    /// A comparison that is known with the next position. Holds the position where its value is wanted.
    Delayed(Option<u64>),
}

impl Later {
    /// Returns true if values of its parts at a new position may matter to it.
    fn is_waiting(&self) -> bool {
        match self {
            Later::Until(until) => until.is_waiting(),
            Later::ThreeValuedUntil(chain) => chain.is_waiting(),
            Later::Conjunction(conjunction) => conjunction.is_waiting(),
            Later::PastOverFuture(_) => true,
            Later::InFuture(in_future) => in_future.is_waiting(),
            Later::Delayed(wanted) => wanted.is_some(),
        }
    }
}

/// The state of one run of a network.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NetworkState {
    past: Vec<PastOperator>,
    /// For each term, its state, if it is a function of the past.
    histories: Vec<Option<TermHistory>>,
    /// The position that waits for the next one.
    delay: Option<Box<DelayBuffer>>,
    later: Vec<Later>,
    obligations: ObligationTracker,
    /// Number of positions, as of the last visit.
    positions: u64,
    last_time: Timestamp,
    /// No later position is earlier than this.
    frontier: Timestamp,
    /// No deadline is before this.
    wake: Timestamp,
    /// The effect of a position where no atom is true, from now on and unless a deadline passes.
    idle: IdleEffect,
    /// True if nothing can change any more; positions are only counted.
    settled: bool,
    /// True if a position merged several events that match the property.
    pub(crate) merged: bool,
}

/// Buffers for one round. All runs of a network use the same ones; snapshots do not contain them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// The round's number.
    stamp: u64,
    /// For each node: the round its value was computed in, and the value.
    memo: Vec<(u64, bool)>,
    /// For each waiting node: the facts that it emitted in this round, and true if its value at the new position is wanted.
    facts: Vec<Vec<Fact>>,
    wanted: Vec<bool>,
    /// For each node, its value at an idle position ([`rest`]).
    idle_values: Vec<Option<bool>>,
}

impl NetworkState {
    /// Returns true if positions where no atom is true need no visit until [`NetworkState::wake`].
    #[inline]
    pub(crate) fn skips_idle(&self) -> bool {
        matches!(self.idle, IdleEffect::Nothing | IdleEffect::Satisfies)
    }

    /// Returns a time before which there is no deadline.
    #[inline]
    pub(crate) fn wake(&self) -> Timestamp {
        self.wake
    }

    /// Returns true if nothing can change any more.
    pub(crate) fn is_settled(&self) -> bool {
        self.settled
    }

    /// Returns true if anything was counted, or is counted at every position.
    pub(crate) fn has_counted(&self) -> bool {
        self.idle == IdleEffect::Satisfies || self.obligations.record.totals.activated > 0
    }

    /// Returns true if no obligation is open and no operator waits for the future.
    fn is_quiet(&self) -> bool {
        self.obligations.is_quiet() && !self.later.iter().any(Later::is_waiting)
    }

    /// Returns the totals and the violations so far.
    pub(crate) fn record(&self) -> &ObligationRecord {
        &self.obligations.record
    }

    pub(crate) fn record_mut(&mut self) -> &mut ObligationRecord {
        &mut self.obligations.record
    }
}

impl Network {
    /// See [`crate::slice::machine::Schedule::busy_until`].
    pub(crate) fn busy_until(&self, state: &NetworkState) -> Timestamp {
        if state.settled {
            return Timestamp::MIN;
        }
        if !state.is_quiet() {
            return Timestamp::MAX;
        }
        match &self.rest {
            None => state.past.iter().map(PastOperator::busy_until).max().unwrap_or(Timestamp::MIN),
            Some(_) if !state.skips_idle() => Timestamp::MAX,
            Some(rest) => rest.busy_until(&state.past),
        }
    }

    /// Counts positions that needed no visit.
    pub(crate) fn catch_up(&self, state: &mut NetworkState, positions: u64, last_time: Timestamp, frontier: Timestamp) {
        if state.idle == IdleEffect::Satisfies {
            let (states, record) = state.obligations.parts();
            ObligationTracker::count_idle(states, record, &self.clauses, positions - state.positions);
        }
        state.positions = positions;
        state.last_time = last_time;
        state.frontier = state.frontier.max(frontier);
    }

    /// Returns true if positions where no atom is true need no visit once every clause has started.
    pub(crate) fn skips_idle(&self) -> bool {
        self.rest.is_some() || matches!(self.idle, IdleEffect::Nothing | IdleEffect::Satisfies)
    }

    /// Returns true if the effect of a position on a run without open obligations depends on its atoms alone, not on its time.
    pub(crate) fn is_time_invariant(&self) -> bool {
        let always_in_reach = |clause: &FormulaClause| match &clause.reach {
            ClauseReach::First => true,
            ClauseReach::After { interval, .. } => interval.hi.is_none() && interval.lo.ticks() <= self.least_gap,
        };
        // An event that leaves a state at rest may still be the last one that an explanation cites.
        self.clauses.iter().all(always_in_reach) && (self.rest.is_none() || self.now.past_nodes.is_empty())
    }

    /// Returns the approximate number of bytes that a run owns.
    pub(crate) fn heap_bytes(&self) -> usize {
        let parts = self.now.past_nodes.len() * size_of::<PastOperator>() + self.later_nodes.len() * size_of::<Later>();
        parts + ObligationTracker::heap_bytes(self.clauses.len())
    }

    /// Creates the state before the first position.
    pub(crate) fn start(&self, max_violations: usize) -> NetworkState {
        NetworkState {
            past: self.new_past(&self.now),
            histories: self.new_histories(),
            delay: self.new_delay_buffer(),
            later: self.new_later(),
            obligations: ObligationTracker::new(self.clauses.len(), max_violations),
            positions: 0,
            last_time: Timestamp::MIN,
            frontier: Timestamp::MIN,
            wake: Timestamp::MAX,
            idle: IdleEffect::NeedsVisit,
            settled: false,
            merged: false,
        }
    }

    /// Creates the buffers for rounds.
    pub(crate) fn scratch(&self) -> Scratch {
        Scratch {
            stamp: 0,
            memo: vec![(0, false); self.core.nodes.len()],
            facts: vec![Vec::new(); self.later_nodes.len()],
            wanted: vec![false; self.later_nodes.len()],
            idle_values: vec![],
        }
    }

    /// Returns true if a restored state is one of this network: the state of a damaged snapshot may not be.
    pub(crate) fn fits(&self, state: &NetworkState) -> bool {
        state.past.len() == self.now.past_nodes.len()
            && self.delay_buffer_fits(state.delay.as_deref())
            && state.later.len() == self.later_nodes.len()
            && self.histories_fit(&state.histories)
            && state.obligations.fits(self.clauses.len())
    }

    /// Takes in a new position. Its time is not before the frontier.
    #[allow(clippy::inline_always)] // one call, in the innermost loop: measured
    #[inline(always)]
    pub(crate) fn position(
        &self,
        state: &mut NetworkState,
        scratch: &mut Scratch,
        position: &CompletePosition<'_>,
        atoms: &PositionAtoms,
        variables: &Variables,
    ) {
        if state.settled {
            return;
        }
        let CompletePosition { index: position, first, previous } = *position;
        let time = first.time;
        let frontier = Timestamp::from_ticks(time.ticks() + self.least_gap);
        if state.idle == IdleEffect::Opens && atoms.is_idle() && frontier <= state.wake {
            let at = TracePosition { position, origin: *first };
            state.obligations.open_idle(&self.clauses, at, &mut state.wake);
            state.last_time = time;
            state.frontier = frontier;
            return;
        }
        if let Some(plain) = &self.plain {
            let (letter, decider) = (atoms.letter(), atoms.decider(first));
            let atoms = PlainAtoms { letter, decider, origin: |clause| atoms.origin(clause, first) };
            if self.take_in_plainly(plain, state, &CompletePosition { index: position, first, previous }, &atoms) {
                return;
            }
        }
        if let Some(previous) = previous
            && self.reads_previous()
            && position > state.positions
        {
            self.refresh(state, scratch, previous);
        }
        self.advance(state, scratch, time);
        if state.idle == IdleEffect::Satisfies {
            let (states, record) = state.obligations.parts();
            ObligationTracker::count_idle(states, record, &self.clauses, position - state.positions);
        }
        state.positions = position + 1;
        state.last_time = time;
        state.frontier = frontier;
        self.run_position(state, scratch, &Position { index: position, time, first, atoms, variables });
        if state.wake < state.frontier {
            state.wake = self.next_deadline(state).map_or(Timestamp::MAX, |(deadline, _)| deadline);
        } else if self.later_nodes.is_empty() && state.obligations.is_quiet() {
            state.wake = Timestamp::MAX;
        }
        if self.rest.is_some() {
            state.idle = self.idle_effect(state, scratch);
        } else if state.idle != self.idle && state.obligations.has_started() {
            state.idle = self.idle;
        }
        if self.may_settle && state.obligations.is_settled(&self.clauses, state.frontier) {
            state.settled = true;
            state.idle = IdleEffect::Nothing;
            state.wake = Timestamp::MAX;
        }
    }

    /// Advances time: no position earlier than `to` will come.
    #[inline]
    pub(crate) fn advance(&self, state: &mut NetworkState, scratch: &mut Scratch, to: Timestamp) {
        if to > state.frontier {
            if state.wake < to && !state.settled {
                self.run_deadlines(state, scratch, to);
            }
            state.frontier = to;
        }
    }

    /// Ends the trace and returns the outcome.
    pub(crate) fn finish(&self, state: &mut NetworkState, scratch: &mut Scratch, end: End) -> Outcome {
        if end == End::Complete {
            return self.complete(state, scratch);
        }
        let verdict = self.verdict(state, End::Prefix);
        let presumably = (verdict == Verdict::Inconclusive).then(|| {
            let mut ended = state.clone();
            self.complete(&mut ended, scratch).verdict == Verdict::Holds
        });
        Outcome { presumably, ..Self::outcome(state, verdict) }
    }

    fn complete(&self, state: &mut NetworkState, scratch: &mut Scratch) -> Outcome {
        if state.positions == 0 {
            let holds = self.core.if_empty;
            state.obligations.end_empty(&self.clauses, holds);
            return Self::outcome(state, if holds { Verdict::Holds } else { Verdict::Violated });
        }
        if !state.settled {
            self.run_end(state, scratch);
        }
        let trigger = Trigger::End(state.last_time);
        state.obligations.end(&self.clauses, trigger);
        let verdict = self.verdict(state, End::Complete);
        Self::outcome(state, verdict)
    }

    fn verdict(&self, state: &NetworkState, end: End) -> Verdict {
        // RULE V12: before the first position, a verdict by constants must also hold of the empty trace.
        let is_open = state.positions == 0 && end == End::Prefix && self.core.formula.negated == self.core.if_empty;
        // A formula that is constant is decided, whatever else is open.
        if !is_open && *self.core.node(self.core.formula.node) == FormulaNode::True {
            return if self.core.formula.negated { Verdict::Violated } else { Verdict::Holds };
        }
        if state.obligations.record.totals.violated > 0 {
            Verdict::Violated
        } else if end == End::Complete || state.obligations.is_decided(&self.clauses, state.frontier) {
            Verdict::Holds
        } else {
            Verdict::Inconclusive
        }
    }

    pub(crate) fn outcome(state: &NetworkState, verdict: Verdict) -> Outcome {
        let outcome = state.obligations.outcome(verdict, state.positions);
        Outcome { merged_simultaneous: state.merged, ..outcome }
    }
}
