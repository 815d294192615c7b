// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operators of one property, wired up: how a position, the passing of time and the end run through them.

mod idle;
mod layout;
pub(crate) mod present;
mod rounds;

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{At, End, Origin, Outcome, Verdict, Violation};
use gnomon_ir::core::{FormulaCore, Node, NodeId};
use serde::{Deserialize, Serialize};

use crate::delayed::window::Window;
use crate::fact::Fact;
use crate::future::chain::Chain;
use crate::future::conjunction::Conjunction;
use crate::future::until::Until;
use crate::instant::Instant;
use crate::ledger::{Clause, Ledger, Trigger};
use crate::past::Past;
use crate::positions::Gathered;
pub(crate) use idle::Idle;
pub(crate) use layout::Part;

/// A property ready to run. Immutable; shared by all its runs.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(crate) core: FormulaCore,
    /// For each node, the slot of its [`Past`] state, if it has one.
    pub(crate) past_slots: Vec<Option<u32>>,
    /// The nodes with [`Past`] state, parents first: each is brought up to date before its parts are.
    past_nodes: Vec<NodeId>,
    /// For each node, its place among the waiting nodes, if it waits for the future.
    pub(crate) later_slots: Vec<Option<u32>>,
    /// The waiting nodes, children first.
    later_nodes: Vec<Waiter>,
    /// What the ledger keeps account of.
    pub(crate) clauses: Vec<Clause>,
    /// What positions where no atom is true do once every clause has started.
    idle: Idle,
    /// How far apart two positions are at least, in ticks.
    least_gap: i128,
    /// Whether a time may come after which nothing can change.
    may_settle: bool,
}

/// A node that waits for the future.
#[derive(Clone, Debug)]
struct Waiter {
    id: NodeId,
    parts: Vec<Part>,
    /// Whether someone needs its value at every position.
    always: bool,
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
}

/// The state of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    past: Vec<Past>,
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
    scratch: Scratch,
}

/// Buffers that live for one round. Snapshots leave them out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// For each node: the position + 1 its value was computed at, and the value.
    memo: Vec<(u64, bool)>,
    /// For each waiting node: what it told in this round, and whether it is wanted at the new position.
    facts: Vec<Vec<Fact>>,
    wanted: Vec<bool>,
}

impl Serialize for Scratch {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<'de> Deserialize<'de> for Scratch {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <()>::deserialize(deserializer).map(|()| Scratch::default())
    }
}

impl State {
    /// Whether positions where no atom is true can be passed over until [`State::wake`].
    #[inline]
    pub(crate) fn skips_idle(&self) -> bool {
        self.idle == Idle::Nothing
    }

    /// No deadline is before this.
    #[inline]
    pub(crate) fn wake(&self) -> Timestamp {
        self.wake
    }

    /// Positions that were passed over went by.
    pub(crate) fn catch_up(&mut self, positions: u64, last_time: Timestamp, frontier: Timestamp) {
        self.positions = positions;
        self.last_time = last_time;
        self.frontier = self.frontier.max(frontier);
    }

    pub(crate) fn violated(&self) -> u64 {
        self.ledger.violated()
    }

    /// Violations that were not told yet, this many positions having been seen.
    pub(crate) fn news(&mut self, positions: u64) -> &[Violation] {
        self.ledger.news(positions)
    }
}

impl Network {
    /// A run that has seen nothing.
    pub(crate) fn start(&self, max_violations: usize) -> State {
        let mut state = State {
            past: self.new_past(),
            later: self.new_later(),
            ledger: Ledger::new(self.clauses.len(), max_violations),
            positions: 0,
            last_time: Timestamp::MIN,
            frontier: Timestamp::MIN,
            wake: Timestamp::MAX,
            idle: Idle::Matters,
            settled: false,
            merged: false,
            scratch: Scratch::default(),
        };
        self.ready(&mut state);
        state
    }

    /// Gives a restored state its buffers.
    pub(crate) fn ready(&self, state: &mut State) {
        state.scratch = Scratch {
            memo: vec![(0, false); self.core.nodes.len()],
            facts: vec![Vec::new(); self.later_nodes.len()],
            wanted: vec![false; self.later_nodes.len()],
        };
    }

    /// Whether a state has the shape of this network's: a damaged snapshot may not.
    pub(crate) fn fits(&self, state: &State) -> bool {
        state.past.len() == self.past_nodes.len()
            && state.later.len() == self.later_nodes.len()
            && state.ledger.fits(self.clauses.len())
    }

    /// A new position. Its time is not before the frontier.
    #[allow(clippy::inline_always)] // one call, in the innermost loop: measured
    #[inline(always)]
    pub(crate) fn position(&self, state: &mut State, position: u64, gathered: &Gathered, first: &Origin) {
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
        self.advance(state, time);
        state.last_time = time;
        state.frontier = frontier;
        self.run_position(state, &Instant { position, time, first, gathered });
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
    pub(crate) fn advance(&self, state: &mut State, to: Timestamp) {
        if to > state.frontier {
            if state.wake < to && !state.settled {
                self.run_deadlines(state, to);
            }
            state.frontier = to;
        }
    }

    /// The trace ends.
    pub(crate) fn finish(&self, state: &mut State, end: End) -> Outcome {
        if end == End::Complete {
            return self.complete(state);
        }
        let verdict = self.verdict(state, End::Prefix);
        let presumably = (verdict == Verdict::Inconclusive).then(|| {
            let mut ended = state.clone();
            self.complete(&mut ended).verdict == Verdict::Holds
        });
        Outcome { presumably, ..Self::outcome(state, verdict) }
    }

    fn complete(&self, state: &mut State) -> Outcome {
        if state.positions == 0 {
            let holds = self.empty(self.core.formula);
            state.ledger.empty(&self.clauses, holds);
            return Self::outcome(state, if holds { Verdict::Holds } else { Verdict::Violated });
        }
        if !state.settled {
            self.run_end(state);
        }
        let trigger = Trigger::End(state.last_time);
        state.ledger.end(&self.clauses, trigger);
        let verdict = self.verdict(state, End::Complete);
        Self::outcome(state, verdict)
    }

    fn verdict(&self, state: &State, end: End) -> Verdict {
        // What follows from constants alone is known even where nothing else is.
        if *self.core.node(self.core.formula.node) == Node::True {
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

    fn outcome(state: &State, verdict: Verdict) -> Outcome {
        let mut outcome = state.ledger.outcome();
        outcome.verdict = verdict;
        outcome.positions = state.positions;
        outcome.merged_simultaneous = state.merged;
        outcome
    }
}
