// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timed responses as a machine: `G(a -> F[0,10] b)` and the like, in a few bytes per binding.
//!
//! Where the operands of an Until depend on nothing but the atoms of a position, the effect of a position on a clause is looked up
//! ([`LetterEffects`]): whether it activates an obligation, and whether it meets or breaks the open ones. The rest is decided by
//! deadlines. For one binding of the example, `a` at 3 opens an obligation with the deadline 13; `b` at 7 meets it; without `b`
//! it is violated as soon as an event or a progress marker is later than 13.

use std::collections::VecDeque;

use gnomon_core::diagnostic::Span;
use gnomon_core::interval::Interval;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::{End, Origin, Outcome, Simultaneous, TracePosition, Verdict};
use gnomon_ir::core::{AtomId, NodeId};
use serde::{Deserialize, Serialize};

use super::letter_effects::{ACTIVATES, BREAKS, FALSE_NOW, LetterEffects, MEETS, TRUE_NOW};
use super::recorder::{self, Activation, Recorder};
use crate::accounting::{ObligationRecord, Trigger};
use crate::network::evaluator::Evaluator;
use crate::network::{Consequent, Evidence, Network, Position, PositionAtoms};
use crate::slice::machine::{BindingPosition, Capabilities, Extent, Machine, Schedule, Sink, StateCounts};
use crate::terms::variables::Variables;

/// A property of `G(a -> b)`s, each with an Until of atoms, or with nothing but atoms, for `b`.
///
/// COST: O(clauses) per position that concerns the binding and O(1) per obligation. Memory: the open obligations.
#[derive(Clone, Debug)]
pub(crate) struct Responses {
    /// The property as a network, which defines the clauses and explains violations.
    network: Network,
    effects: LetterEffects,
    windows: Vec<ResponseWindow>,
}

/// The time in which the response of a clause must come.
#[derive(Clone, Copy, Debug)]
struct ResponseWindow {
    interval: Interval,
    /// The response must not come.
    negated: bool,
}

impl ResponseWindow {
    fn of(consequent: &Consequent) -> Self {
        match consequent {
            Consequent::Direct(direct) => ResponseWindow { interval: direct.interval, negated: direct.negated },
            Consequent::Now(_) | Consequent::Later { .. } => ResponseWindow { interval: Interval::ANY, negated: false },
        }
    }

    /// Returns the last time at which a response counts.
    #[inline]
    fn deadline(&self, one: &Activation) -> Timestamp {
        self.interval.hi.map_or(Timestamp::MAX, |hi| one.time().saturating_add(hi))
    }

    /// Returns the deadline as reports write it.
    fn written_deadline(&self, one: &Activation) -> Timestamp {
        Timestamp::from_ticks(self.deadline(one).ticks() + i128::from(self.interval.open_above))
    }
}

/// The open obligations of one binding: a line of the cache.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(align(64))]
pub(crate) struct OpenResponses {
    due: PendingResponses,
    /// Counts of a binding that counts for itself, and of obligations that are decided while time passes.
    counted: Option<Box<ObligationRecord>>,
    met: MetByTime,
}

/// Pending obligations, nearly always none or one. The explicit tag is quicker to read, and there is room for it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[repr(u8)]
enum PendingResponses {
    #[default]
    None,
    One(Activation),
    /// For each clause, oldest first.
    Many(Vec<VecDeque<Activation>>),
}

/// The number of obligations of one clause that were met because time passed. They all took equally long.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct MetByTime {
    clause: u8,
    count: u32,
}

impl MetByTime {
    /// Counts an obligation. Returns false if it is of another clause than those before.
    fn add(&mut self, clause: u8) -> bool {
        let fits = self.count == 0 || (self.clause == clause && self.count < u32::MAX);
        if fits {
            self.clause = clause;
            self.count += 1;
        }
        fits
    }
}

impl PendingResponses {
    #[inline]
    fn is_empty(&self) -> bool {
        match self {
            PendingResponses::None => true,
            PendingResponses::One(_) => false,
            PendingResponses::Many(queues) => queues.iter().all(VecDeque::is_empty),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Activation> {
        let (one, many) = match self {
            PendingResponses::None => (None, [].as_slice()),
            PendingResponses::One(one) => (Some(one), [].as_slice()),
            PendingResponses::Many(queues) => (None, queues.as_slice()),
        };
        one.into_iter().chain(many.iter().flatten())
    }
}

impl Responses {
    /// Returns the network as an error if the property does not have the form.
    pub(crate) fn new(network: Network) -> Result<Self, Box<Network>> {
        let in_sequence = network.core.simultaneous == Simultaneous::Sequence;
        match LetterEffects::new(&network.core, &network.clauses).filter(|_| in_sequence) {
            Some(effects) => {
                let windows =
                    network.clauses.iter().map(|clause| ResponseWindow::of(&clause.consequent_part)).collect();
                Ok(Responses { network, effects, windows })
            }
            None => Err(Box::new(network)),
        }
    }

    #[inline]
    fn window(&self, one: &Activation) -> &ResponseWindow {
        &self.windows[one.clause as usize]
    }

    /// Returns the text of the requirement that an obligation is of.
    fn part(&self, one: &Activation) -> Span {
        self.network.clauses[one.clause as usize].consequent_span
    }

    /// Returns the earliest deadline; [`Timestamp::MAX`] if there is none.
    #[inline(always)]
    fn next_deadline(&self, due: &PendingResponses) -> Timestamp {
        match due {
            PendingResponses::None => Timestamp::MAX,
            PendingResponses::One(one) => self.window(one).deadline(one),
            PendingResponses::Many(queues) => self.next_of_many(queues),
        }
    }

    fn next_of_many(&self, queues: &[VecDeque<Activation>]) -> Timestamp {
        let oldest = queues.iter().filter_map(VecDeque::front);
        oldest.map(|one| self.window(one).deadline(one)).min().unwrap_or(Timestamp::MAX)
    }

    /// Removes the obligation with the earliest deadline, if that is before a time.
    fn take_expired(&self, due: &mut PendingResponses, to: Timestamp) -> Option<Activation> {
        let deadline = self.next_deadline(due);
        if deadline >= to {
            return None;
        }
        match due {
            PendingResponses::None => None,
            PendingResponses::One(one) => {
                let one = *one;
                *due = PendingResponses::None;
                Some(one)
            }
            PendingResponses::Many(queues) => {
                let is_it = |one: &Activation| self.window(one).deadline(one) == deadline;
                queues.iter_mut().find(|queue| queue.front().is_some_and(is_it))?.pop_front()
            }
        }
    }

    /// Settles the obligations of a clause that a position meets or breaks. RULE K5: the left side has held since each open
    /// obligation was activated.
    #[inline]
    fn meet(&self, due: &mut PendingResponses, clause: u8, rule: u8, why: Trigger<'_>, recorder: &mut Recorder<'_>) {
        let window = &self.windows[clause as usize];
        let fate = |one: &Activation| {
            if rule & MEETS != 0 && why.time() - one.time() >= window.interval.lo {
                Some(!window.negated)
            } else {
                (rule & BREAKS != 0).then_some(window.negated)
            }
        };
        match due {
            PendingResponses::One(one) if one.clause == clause => {
                if let Some(value) = fate(one) {
                    self.settle(one, value, why, recorder);
                    *due = PendingResponses::None;
                }
            }
            PendingResponses::None | PendingResponses::One(_) => {}
            PendingResponses::Many(queues) => {
                let queue = &mut queues[clause as usize];
                while let Some((one, value)) = queue.front().and_then(|one| Some((*one, fate(one)?))) {
                    queue.pop_front();
                    self.settle(&one, value, why, recorder);
                }
            }
        }
    }

    #[inline]
    fn ask(&self, due: &mut PendingResponses, one: Activation) {
        match due {
            PendingResponses::None => *due = PendingResponses::One(one),
            PendingResponses::One(first) => {
                let mut queues = vec![VecDeque::new(); self.windows.len()];
                queues[first.clause as usize].push_back(*first);
                queues[one.clause as usize].push_back(one);
                *due = PendingResponses::Many(queues);
            }
            PendingResponses::Many(queues) => queues[one.clause as usize].push_back(one),
        }
    }

    #[inline]
    fn settle(&self, one: &Activation, value: bool, why: Trigger<'_>, recorder: &mut Recorder<'_>) {
        if value {
            let time = one.time();
            recorder.totals.satisfy(why.time() - time);
        } else {
            self.violate(one, why, recorder);
        }
    }

    /// Applies a position before which no obligation has expired: settles the obligations that it meets or breaks, and opens those that it
    /// activates.
    #[inline]
    fn apply(
        &self,
        due: &mut PendingResponses,
        letter: usize,
        position: u64,
        decider: &Origin,
        recorder: &mut Recorder<'_>,
    ) {
        let why = Trigger::Position { position, decider, letter: letter as u64 };
        for (clause, rule) in self.effects.of(letter).iter().enumerate() {
            let (clause, rule) = (clause as u8, *rule);
            if rule & (MEETS | BREAKS) != 0 {
                self.meet(due, clause, rule, why, recorder);
            }
            if rule & ACTIVATES == 0 {
                continue;
            }
            recorder.totals.activated += 1;
            let one = Activation::new(clause, position, decider);
            if rule & (TRUE_NOW | FALSE_NOW) != 0 {
                self.settle(&one, rule & TRUE_NOW != 0, why, recorder);
            } else {
                self.ask(due, one);
            }
        }
    }

    /// Settles an obligation whose deadline has passed.
    fn expire(&self, one: &Activation, recorder: &mut Recorder<'_>) {
        let window = self.window(one);
        self.settle(one, window.negated, Trigger::Deadline(window.written_deadline(one)), recorder);
    }

    #[cold]
    fn violate(&self, one: &Activation, why: Trigger<'_>, recorder: &mut Recorder<'_>) {
        recorder.totals.violate(1, why);
        if !recorder.log.accepts(self.part(one), one.position()) {
            return;
        }
        let network = &self.network;
        let Trigger::Position { position, decider: first, letter } = why else {
            self.list(one, why, &mut Evidence::None(network), recorder);
            return;
        };
        let mut gathered = PositionAtoms::new(network);
        gathered.add(network, 0, letter, *first);
        let variables = Variables::default();
        let position = Position { index: position, time: first.time, first, atoms: &gathered, variables: &variables };
        let mut scratch = Network::scratch(network);
        let (mut evaluator, ..) = Evaluator::new(network, &mut [], &mut [], &mut scratch, &position);
        self.list(one, why, &mut Evidence::Present(&mut evaluator), recorder);
    }

    fn list(&self, one: &Activation, why: Trigger<'_>, evidence: &mut Evidence<'_, '_>, recorder: &mut Recorder<'_>) {
        let (clause, at): (_, TracePosition) = (&self.network.clauses[one.clause as usize], one.at());
        let blame: NodeId = match &clause.consequent_part {
            Consequent::Direct(direct) => direct.node,
            Consequent::Now(_) | Consequent::Later { .. } => clause.consequent.node,
        };
        recorder.log.record(at, at.position, self.part(one), why, || {
            let blame = evidence.narrow(clause, at, blame);
            (evidence.span(clause, blame), evidence.explain(clause, at, why, blame))
        });
    }

    /// Returns the counts of the binding itself, with those met by time.
    fn count(&self, mut counted: ObligationRecord, met: MetByTime) -> ObligationRecord {
        if met.count > 0 {
            let took = self.windows[met.clause as usize].interval.written_hi().unwrap_or(Duration::ZERO);
            let (asked, count) = (Timestamp::default(), u64::from(met.count));
            counted.totals.satisfy_group(count, asked, asked, 0, asked.saturating_add(took));
        }
        counted
    }
}

impl Machine for Responses {
    type State = OpenResponses;
    type Scratch = ();
    const IS_KEYED: bool = true;

    fn capabilities(&self) -> Capabilities {
        let Capabilities { span, looks_ahead, .. } = self.network.capabilities();
        let (initial_is_quiescent, is_time_invariant) = (true, true);
        Capabilities { initial_is_quiescent, is_time_invariant, span, looks_ahead, ..Capabilities::default() }
    }

    fn start(&self, _: usize) -> OpenResponses {
        OpenResponses { due: PendingResponses::None, counted: None, met: MetByTime::default() }
    }

    #[inline]
    fn visit(&self, state: &mut OpenResponses, (): &mut (), at: &BindingPosition<'_>, sink: &mut Sink<'_>) {
        let OpenResponses { due, counted, .. } = state;
        let letter = at.letter() as usize;
        let has_expired = self.next_deadline(due) < at.first.time;
        if !has_expired && self.effects.does_nothing(letter, due.is_empty()) {
            return;
        }
        Recorder::with(sink, counted, |recorder| {
            while has_expired && let Some(one) = self.take_expired(due, at.first.time) {
                self.expire(&one, recorder);
            }
            if let Some(decider) = at.matches().next().map(|one| &one.origin) {
                self.apply(due, letter, at.position, decider, recorder);
            }
        });
    }

    #[inline]
    fn take(&self, state: &mut OpenResponses, atom: AtomId, position: u64, origin: &Origin, sink: &mut Sink<'_>) {
        let OpenResponses { due, counted, .. } = state;
        Recorder::with(sink, counted, |recorder| self.apply(due, 1 << atom.0, position, origin, recorder));
    }

    fn begins_with(&self, atom: AtomId) -> bool {
        !self.effects.does_nothing(1 << atom.0, true)
    }

    fn reacts(&self, state: &OpenResponses, at: &BindingPosition<'_>) -> bool {
        !self.effects.does_nothing(at.letter() as usize, state.due.is_empty())
    }

    fn advance(&self, state: &mut OpenResponses, (): &mut (), to: Timestamp, sink: &mut Sink<'_>) {
        let OpenResponses { due, counted, met } = state;
        while let Some(one) = self.take_expired(due, to) {
            if sink.totals.is_some() || !self.window(&one).negated || !met.add(one.clause) {
                Recorder::with(sink, counted, |recorder| self.expire(&one, recorder));
            }
        }
    }

    #[inline]
    fn schedule(&self, state: &OpenResponses) -> Schedule {
        let busy_until = if state.due.is_empty() { Timestamp::MIN } else { Timestamp::MAX };
        Schedule { busy_until, deadline: self.next_deadline(&state.due) }
    }

    #[inline]
    fn record<'s>(&self, state: &'s OpenResponses) -> Option<&'s ObligationRecord> {
        state.counted.as_deref()
    }

    fn record_mut<'s>(&self, state: &'s mut OpenResponses) -> Option<&'s mut ObligationRecord> {
        state.counted.as_deref_mut()
    }

    #[inline]
    fn counts(&self, state: &OpenResponses) -> StateCounts {
        let counts = self.record(state).map_or_else(StateCounts::default, StateCounts::of);
        StateCounts { any: counts.any || state.met.count > 0, ..counts }
    }

    fn outcome(&self, state: &OpenResponses) -> Outcome {
        let record = self.record(state).map_or_else(|| ObligationRecord::new(0), ObligationRecord::clone);
        self.count(record, state.met).outcome(Verdict::Inconclusive, None, 0)
    }

    fn finish(&self, state: &mut OpenResponses, (): &mut (), extent: Extent, end: End) -> Outcome {
        let counted = recorder::take(&mut state.counted, extent.most_listed);
        let mut counted = self.count(counted, std::mem::take(&mut state.met));
        let due = std::mem::take(&mut state.due);
        let if_complete = counted.totals.violated == 0 && due.iter().all(|one| self.window(one).negated);
        if end == End::Prefix {
            counted.totals.pending = due.iter().count() as u64;
        } else {
            let why = Trigger::End(extent.last_time);
            due.iter()
                .for_each(|one| self.settle(one, self.window(one).negated, why, &mut Recorder::new(&mut counted)));
        }
        counted.conclude(end, if_complete, extent.positions)
    }
}

/// A change of the layout must be noticed.
const _: () = assert!(size_of::<OpenResponses>() == 64);

#[cfg(test)]
mod tests;
