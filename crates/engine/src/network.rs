// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operators of one property, wired up: how a position, the passing of time and the end run through them.

mod idle;
mod lag;
mod layout;
pub(crate) mod present;
mod recollect;
mod rounds;

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{At, End, Origin, Outcome, Verdict, Violation};
use gnomon_ir::core::{FormulaCore, Node, NodeId};
use serde::{Deserialize, Serialize};

use crate::delayed::window::Window;
use crate::fact::Fact;
use crate::future::chain::Chain;
use crate::future::conjunction::Conjunction;
use crate::future::in_future::InFuture;
use crate::future::until::Until;
use crate::instant::Instant;
use crate::ledger::{Clause, Ledger, Reach, Trigger};
use crate::past::Past;
use crate::positions::Gathered;
use crate::terms::history::History;
use crate::terms::variables::Variables;
pub(crate) use idle::Idle;
use lag::Lag;
pub(crate) use layout::Part;

/// A property ready to run. Immutable; shared by all its runs.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(crate) core: FormulaCore,
    /// What is known at once.
    now: Wiring,
    /// What is known with the next position, if something is.
    lagging: Option<Wiring>,
    /// For each node, whether it looks ahead.
    waits: Vec<bool>,
    /// For each node, its place among the waiting nodes, if it waits for the future.
    pub(crate) later_slots: Vec<Option<u32>>,
    /// The waiting nodes, children first.
    later_nodes: Vec<Waiter>,
    /// What the ledger keeps account of.
    pub(crate) clauses: Vec<Clause>,
    /// What positions where no atom is true do once every clause has started.
    idle: Idle,
    /// Where the variables of its state are among those of all properties.
    pub(crate) variables: Vec<usize>,
    /// How far apart two positions are at least, in ticks.
    least_gap: i128,
    /// Whether a time may come after which nothing can change.
    may_settle: bool,
}

/// What remembers something when it is evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Wiring {
    /// For each node, the slot of its [`Past`] state, if it has one.
    pub(crate) past_slots: Vec<Option<u32>>,
    /// The nodes with [`Past`] state, parents first: each is brought up to date before its parts are.
    past_nodes: Vec<NodeId>,
    /// Which terms take something in at a position, and when.
    terms: recollect::Tasks,
}

/// A node that waits for the future.
#[derive(Clone, Debug)]
struct Waiter {
    id: NodeId,
    parts: Vec<Part>,
    /// Who needs its value at the positions after those that it waits for itself: their slots.
    asked_by: Vec<usize>,
    /// The upper end of its interval, if it has deadlines of its own.
    hi: Option<gnomon_core::time::Duration>,
}

/// The state of a waiting node.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Later {
    Until(Until),
    Chain(Chain),
    Conjunction(Conjunction),
    Window(Window),
    InFuture(InFuture),
    /// Known with the next position. The position where it is asked for.
    Lagging(Option<u64>),
}

impl Later {
    /// Whether values of its parts at a new position may matter to it.
    fn is_waiting(&self) -> bool {
        match self {
            Later::Until(until) => until.is_waiting(),
            Later::Chain(chain) => chain.is_waiting(),
            Later::Conjunction(conjunction) => conjunction.is_waiting(),
            Later::Window(_) => true,
            Later::InFuture(in_future) => in_future.is_waiting(),
            Later::Lagging(wanted) => wanted.is_some(),
        }
    }
}

/// The state of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    past: Vec<Past>,
    /// For each term, what it remembers, if it is a function of the past.
    histories: Vec<Option<History>>,
    /// The position that waits for the next one.
    lag: Option<Box<Lag>>,
    later: Vec<Later>,
    ledger: Ledger,
    /// Positions so far, as of the last visit.
    positions: u64,
    last_time: Timestamp,
    /// No later position is earlier than this.
    frontier: Timestamp,
    /// No deadline is before this.
    wake: Timestamp,
    /// What positions where no atom is true do from now on, unless a deadline passes.
    idle: Idle,
    /// Nothing can change any more; positions are only counted.
    settled: bool,
    /// Positions merged events that the property could have told apart.
    pub(crate) merged: bool,
}

/// Buffers that live for one round: one set serves all runs of a network. Snapshots leave them out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// The round's number.
    stamp: u64,
    /// For each node: the round its value was computed in, and the value.
    memo: Vec<(u64, bool)>,
    /// For each waiting node: what it told in this round, and whether it is wanted at the new position.
    facts: Vec<Vec<Fact>>,
    wanted: Vec<bool>,
}

impl State {
    /// Whether positions where no atom is true can be passed over until [`State::wake`].
    #[inline]
    pub(crate) fn skips_idle(&self) -> bool {
        matches!(self.idle, Idle::Nothing | Idle::Satisfies)
    }

    /// No deadline is before this.
    #[inline]
    pub(crate) fn wake(&self) -> Timestamp {
        self.wake
    }

    /// See [`crate::slice::machine::Machine::busy_until`].
    pub(crate) fn busy_until(&self) -> Timestamp {
        if self.settled {
            return Timestamp::MIN;
        }
        if !self.ledger.is_quiet() || self.later.iter().any(Later::is_waiting) {
            return Timestamp::MAX;
        }
        self.past.iter().map(Past::busy_until).max().unwrap_or(Timestamp::MIN)
    }

    /// Whether nothing can change any more.
    pub(crate) fn is_settled(&self) -> bool {
        self.settled
    }

    /// Whether anything was counted, or is counted at every position.
    pub(crate) fn has_counted(&self) -> bool {
        self.idle == Idle::Satisfies || self.ledger.has_counted()
    }

    /// The violations that are listed.
    pub(crate) fn listed(&self) -> &[Violation] {
        self.ledger.listed()
    }

    pub(crate) fn violated(&self) -> u64 {
        self.ledger.violated()
    }

    /// Violations that were not told yet, this many positions having been seen.
    pub(crate) fn news(&mut self, positions: u64) -> &[Violation] {
        self.ledger.news(positions)
    }

    /// Violations that are new; of those that were told the first `keep` stay listed.
    pub(crate) fn tell(&mut self, keep: usize) -> Vec<Violation> {
        self.ledger.tell(keep)
    }

    /// Forgets listed violations beyond so many.
    pub(crate) fn trim(&mut self, keep: usize) {
        self.ledger.trim(keep);
    }
}

impl Network {
    /// Positions that were passed over went by.
    pub(crate) fn catch_up(&self, state: &mut State, positions: u64, last_time: Timestamp, frontier: Timestamp) {
        if state.idle == Idle::Satisfies {
            state.ledger.pass(&self.clauses, positions - state.positions);
        }
        state.positions = positions;
        state.last_time = last_time;
        state.frontier = state.frontier.max(frontier);
    }

    /// Whether a position where no atom is true never has to be looked at once the property has started.
    pub(crate) fn skips_idle(&self) -> bool {
        matches!(self.idle, Idle::Nothing | Idle::Satisfies)
    }

    /// Whether what a position does to a run in which nothing is open depends on its atoms alone, not on its time.
    pub(crate) fn is_steady(&self) -> bool {
        let always_in_reach = |clause: &Clause| match &clause.reach {
            Reach::First => true,
            Reach::After { interval, .. } => interval.hi.is_none() && interval.lo.ticks() <= self.least_gap,
        };
        self.clauses.iter().all(always_in_reach)
    }

    /// What a run owns, in bytes, roughly.
    pub(crate) fn weight(&self) -> usize {
        let parts = self.now.past_nodes.len() * size_of::<Past>() + self.later_nodes.len() * size_of::<Later>();
        parts + Ledger::weight(self.clauses.len())
    }

    /// A run that has seen nothing.
    pub(crate) fn start(&self, max_violations: usize) -> State {
        State {
            past: self.new_past(&self.now),
            histories: self.new_histories(),
            lag: self.new_lag(),
            later: self.new_later(),
            ledger: Ledger::new(self.clauses.len(), max_violations),
            positions: 0,
            last_time: Timestamp::MIN,
            frontier: Timestamp::MIN,
            wake: Timestamp::MAX,
            idle: Idle::Matters,
            settled: false,
            merged: false,
        }
    }

    /// The buffers for its rounds.
    pub(crate) fn scratch(&self) -> Scratch {
        Scratch {
            stamp: 0,
            memo: vec![(0, false); self.core.nodes.len()],
            facts: vec![Vec::new(); self.later_nodes.len()],
            wanted: vec![false; self.later_nodes.len()],
        }
    }

    /// Whether a state has the shape of this network's: a damaged snapshot may not.
    pub(crate) fn fits(&self, state: &State) -> bool {
        state.past.len() == self.now.past_nodes.len()
            && self.lag_fits(state.lag.as_deref())
            && state.later.len() == self.later_nodes.len()
            && self.histories_fit(&state.histories)
            && state.ledger.fits(self.clauses.len())
    }

    /// A new position. Its time is not before the frontier.
    #[allow(clippy::inline_always)] // one call, in the innermost loop: measured
    #[inline(always)]
    pub(crate) fn position(
        &self,
        state: &mut State,
        scratch: &mut Scratch,
        position: u64,
        gathered: &Gathered,
        variables: &Variables,
        first: &Origin,
    ) {
        if state.settled {
            return;
        }
        let time = first.time;
        let frontier = Timestamp::from_ticks(time.ticks() + self.least_gap);
        if state.idle == Idle::Owes && gathered.is_idle() && frontier <= state.wake {
            let at = At { position, origin: *first };
            state.ledger.owe(&self.clauses, at, &mut state.wake);
            state.last_time = time;
            state.frontier = frontier;
            return;
        }
        self.advance(state, scratch, time);
        if state.idle == Idle::Satisfies {
            state.ledger.pass(&self.clauses, position - state.positions);
        }
        state.positions = position + 1;
        state.last_time = time;
        state.frontier = frontier;
        self.run_position(state, scratch, &Instant { position, time, first, gathered, variables });
        if state.wake < state.frontier {
            state.wake = self.next_deadline(state).map_or(Timestamp::MAX, |(deadline, _)| deadline);
        }
        if state.idle != self.idle && state.ledger.has_started() {
            state.idle = self.idle;
        }
        if self.may_settle && state.ledger.settled(&self.clauses, state.frontier) {
            state.settled = true;
            // From now on positions are only counted, whatever is true at them.
            state.idle = Idle::Nothing;
            state.wake = Timestamp::MAX;
        }
    }

    /// Nothing earlier than `to` will come.
    #[inline]
    pub(crate) fn advance(&self, state: &mut State, scratch: &mut Scratch, to: Timestamp) {
        if to > state.frontier {
            if state.wake < to && !state.settled {
                self.run_deadlines(state, scratch, to);
            }
            state.frontier = to;
        }
    }

    /// The trace ends.
    pub(crate) fn finish(&self, state: &mut State, scratch: &mut Scratch, end: End) -> Outcome {
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

    fn complete(&self, state: &mut State, scratch: &mut Scratch) -> Outcome {
        if state.positions == 0 {
            let holds = self.core.if_empty;
            state.ledger.empty(&self.clauses, holds);
            return Self::outcome(state, if holds { Verdict::Holds } else { Verdict::Violated });
        }
        if !state.settled {
            self.run_end(state, scratch);
        }
        let trigger = Trigger::End(state.last_time);
        state.ledger.end(&self.clauses, trigger);
        let verdict = self.verdict(state, End::Complete);
        Self::outcome(state, verdict)
    }

    fn verdict(&self, state: &State, end: End) -> Verdict {
        // RULE V12: before the first position, what constants say must hold of no position too.
        let is_open = state.positions == 0 && end == End::Prefix && self.core.formula.negated == self.core.if_empty;
        // What follows from constants alone is known even where nothing else is.
        if !is_open && *self.core.node(self.core.formula.node) == Node::True {
            return if self.core.formula.negated { Verdict::Violated } else { Verdict::Holds };
        }
        if state.ledger.violated() > 0 {
            Verdict::Violated
        } else if end == End::Complete || state.ledger.decided(&self.clauses, state.frontier) {
            Verdict::Holds
        } else {
            Verdict::Inconclusive
        }
    }

    pub(crate) fn outcome(state: &State, verdict: Verdict) -> Outcome {
        let mut outcome = state.ledger.outcome();
        outcome.verdict = verdict;
        outcome.positions = state.positions;
        outcome.merged_simultaneous = state.merged;
        outcome
    }
}
