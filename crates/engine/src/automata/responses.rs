// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timed responses as the machine of a binding: `G(a -> F[0,10] b)` and its like, in a few bytes.
//!
//! Where an Until and all that it is made of depend on nothing but the atoms of a position, what a position does to a
//! clause can be looked up: whether it asks for something, whether it meets or breaks what is open. Time does the rest.

use std::collections::VecDeque;

use gnomon_core::diagnostic::Span;
use gnomon_core::interval::Interval;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::{At, Because, End, Outcome, Simultaneous, Verdict, Violation};
use gnomon_ir::core::NodeId;
use serde::{Deserialize, Serialize};

use super::desk::{Asked, Cause, Counted, Desk};
use super::rules::{ASKS, BREAKS, FALSE_NOW, MEETS, Rules, TRUE_NOW};
use crate::instant::Instant;
use crate::ledger::{Consequent, Trigger};
use crate::network::Network;
use crate::network::present::Present;
use crate::positions::Gathered;
use crate::reasons::Evidence;
use crate::slice::Named;
use crate::slice::machine::{Extent, Machine, Moment, Sink};
use crate::slice::matches::Mask;
use crate::slice::values::{Id, Values};
use crate::terms::variables::Variables;

/// A property of `G(a -> b)`s, each with an Until of atoms, or with nothing but atoms, for `b`.
///
/// COST: O(clauses) per position that concerns the binding and O(1) per obligation. Memory: the open obligations.
#[derive(Clone, Debug)]
pub(crate) struct Responses {
    /// The same property as a network: it says what the clauses are, and tells the stories.
    network: Network,
    rules: Rules,
    waits: Vec<Wait>,
}

/// How long a clause waits, and for what.
#[derive(Clone, Copy, Debug)]
struct Wait {
    interval: Interval,
    /// Whether what comes must not come.
    negated: bool,
}

impl Wait {
    fn of(consequent: &Consequent) -> Self {
        match consequent {
            Consequent::Direct(direct) => Wait { interval: direct.interval, negated: direct.negated },
            Consequent::Now(_) | Consequent::Later { .. } => Wait { interval: Interval::ANY, negated: false },
        }
    }

    /// The last time at which something can come.
    #[inline]
    fn deadline(&self, one: &Asked) -> Timestamp {
        self.interval.hi.map_or(Timestamp::MAX, |hi| one.time().saturating_add(hi))
    }

    /// The deadline as it is written.
    fn told(&self, one: &Asked) -> Timestamp {
        Timestamp::from_ticks(self.deadline(one).ticks() + i128::from(self.interval.open_above))
    }
}

/// What is open for one binding: a line of the cache.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(align(64))]
pub(crate) struct Waiting {
    due: Due,
    /// For a binding that counts for itself, and for what is found while time passes.
    counted: Option<Box<Counted>>,
    met: Met,
}

/// Nearly always nothing or one thing is open. With a tag of its own, for which there is room: it is quicker to read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[repr(u8)]
enum Due {
    #[default]
    None,
    One(Asked),
    /// For each clause, oldest first.
    Many(Vec<VecDeque<Asked>>),
}

/// Obligations of one clause that were met because time passed: they all took equally long.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Met {
    clause: u8,
    count: u32,
}

impl Met {
    /// `false` if it is not one of them.
    fn add(&mut self, clause: u8) -> bool {
        let fits = self.count == 0 || (self.clause == clause && self.count < u32::MAX);
        if fits {
            self.clause = clause;
            self.count += 1;
        }
        fits
    }
}

impl Due {
    fn is_empty(&self) -> bool {
        match self {
            Due::None => true,
            Due::One(_) => false,
            Due::Many(queues) => queues.iter().all(VecDeque::is_empty),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Asked> {
        let (one, many) = match self {
            Due::None => (None, [].as_slice()),
            Due::One(one) => (Some(one), [].as_slice()),
            Due::Many(queues) => (None, queues.as_slice()),
        };
        one.into_iter().chain(many.iter().flatten())
    }
}

impl Responses {
    /// Gives the network back if the property does not have the form.
    pub(crate) fn new(network: Network) -> Result<Self, Box<Network>> {
        let in_sequence = network.core.simultaneous == Simultaneous::Sequence;
        match Rules::new(&network.core, &network.clauses).filter(|_| in_sequence) {
            Some(rules) => {
                let waits = network.clauses.iter().map(|clause| Wait::of(&clause.consequent_part)).collect();
                Ok(Responses { network, rules, waits })
            }
            None => Err(Box::new(network)),
        }
    }

    #[inline]
    fn wait(&self, one: &Asked) -> &Wait {
        &self.waits[one.clause as usize]
    }

    /// The earliest deadline; [`Timestamp::MAX`] if there is none.
    #[allow(clippy::inline_always)] // several times for every event
    #[inline(always)]
    fn next_deadline(&self, due: &Due) -> Timestamp {
        match due {
            Due::None => Timestamp::MAX,
            Due::One(one) => self.wait(one).deadline(one),
            Due::Many(queues) => self.next_of_many(queues),
        }
    }

    fn next_of_many(&self, queues: &[VecDeque<Asked>]) -> Timestamp {
        let oldest = queues.iter().filter_map(VecDeque::front);
        oldest.map(|one| self.wait(one).deadline(one)).min().unwrap_or(Timestamp::MAX)
    }

    /// Takes an obligation out whose deadline is before a time, the earliest first.
    fn take_expired(&self, due: &mut Due, to: Timestamp) -> Option<Asked> {
        let deadline = self.next_deadline(due);
        if deadline >= to {
            return None;
        }
        match due {
            Due::None => None,
            Due::One(one) => {
                let one = *one;
                *due = Due::None;
                Some(one)
            }
            Due::Many(queues) => {
                let is_it = |one: &Asked| self.wait(one).deadline(one) == deadline;
                queues.iter_mut().find(|queue| queue.front().is_some_and(is_it))?.pop_front()
            }
        }
    }

    /// Lets a position meet and break what is open in a clause. RULE K5: at every open obligation the left side has held
    /// ever since.
    #[inline]
    fn meet(&self, due: &mut Due, clause: u8, rule: u8, why: Cause<'_>, desk: &mut Desk<'_>) {
        let wait = &self.waits[clause as usize];
        let fate = |one: &Asked| {
            if rule & MEETS != 0 && why.time() - one.time() >= wait.interval.lo {
                Some(!wait.negated)
            } else {
                (rule & BREAKS != 0).then_some(wait.negated)
            }
        };
        match due {
            Due::One(one) if one.clause == clause => {
                if let Some(value) = fate(one) {
                    self.settle(one, value, why, desk);
                    *due = Due::None;
                }
            }
            Due::None | Due::One(_) => {}
            Due::Many(queues) => {
                let queue = &mut queues[clause as usize];
                while let Some((one, value)) = queue.front().and_then(|one| Some((*one, fate(one)?))) {
                    queue.pop_front();
                    self.settle(&one, value, why, desk);
                }
            }
        }
    }

    #[inline]
    fn ask(&self, due: &mut Due, one: Asked) {
        match due {
            Due::None => *due = Due::One(one),
            Due::One(first) => {
                let mut queues = vec![VecDeque::new(); self.waits.len()];
                queues[first.clause as usize].push_back(*first);
                queues[one.clause as usize].push_back(one);
                *due = Due::Many(queues);
            }
            Due::Many(queues) => queues[one.clause as usize].push_back(one),
        }
    }

    #[inline]
    fn settle(&self, one: &Asked, value: bool, why: Cause<'_>, desk: &mut Desk<'_>) {
        if value {
            let time = one.time();
            desk.satisfy(1, time, time, time.ticks(), why.time());
        } else {
            self.violate(one, why, desk);
        }
    }

    /// What is open when its time has passed.
    fn expire(&self, one: &Asked, desk: &mut Desk<'_>) {
        let wait = self.wait(one);
        self.settle(one, wait.negated, Cause::Deadline(wait.told(one)), desk);
    }

    #[cold]
    fn violate(&self, one: &Asked, why: Cause<'_>, desk: &mut Desk<'_>) {
        desk.sum.violated += 1;
        if !desk.lists(one.position()) {
            return;
        }
        let network = &self.network;
        let (trigger, letter) = match why {
            Cause::Position { position, decider, letter } => {
                (Trigger::Position { position, decider: *decider }, Some((position, decider, letter)))
            }
            Cause::Deadline(time) => (Trigger::Deadline(time), None),
            Cause::End(time) => (Trigger::End(time), None),
        };
        let Some((position, first, letter)) = letter else {
            self.list(one, trigger, why, &mut Evidence::None(network), desk);
            return;
        };
        let mut gathered = Gathered::new(network);
        gathered.add(network, 0, letter as u64, *first);
        let variables = Variables::default();
        let instant = Instant { position, time: first.time, first, gathered: &gathered, variables: &variables };
        let mut scratch = Network::scratch(network);
        let (mut present, ..) = Present::new(network, &mut [], &mut [], &mut scratch, &instant);
        self.list(one, trigger, why, &mut Evidence::Present(&mut present), desk);
    }

    fn list(
        &self,
        one: &Asked,
        trigger: Trigger,
        why: Cause<'_>,
        evidence: &mut Evidence<'_, '_>,
        desk: &mut Desk<'_>,
    ) {
        let (clause, at): (_, At) = (&self.network.clauses[one.clause as usize], one.at());
        let blame: NodeId = match &clause.consequent_part {
            Consequent::Direct(direct) => direct.node,
            Consequent::Now(_) | Consequent::Later { .. } => clause.consequent.node,
        };
        let blame = evidence.narrow(clause, at, blame);
        let is_whole = blame == clause.consequent.node;
        let failed = if is_whole { clause.consequent_span } else { self.network.core.span(blame) };
        let tell = || -> (String, Vec<Because>) { evidence.story(clause, at, trigger, blame) };
        desk.list(at, at.position, failed, why, tell);
    }

    /// All that the binding itself has counted.
    fn count(&self, counted: Option<Counted>, met: Met, most_listed: usize) -> Counted {
        let mut counted = counted.unwrap_or_else(|| Counted::new(most_listed));
        if met.count > 0 {
            let took = self.waits[met.clause as usize].interval.written_hi().unwrap_or(Duration::ZERO);
            let (asked, count) = (Timestamp::default(), u64::from(met.count));
            counted.desk().satisfy(count, asked, asked, 0, asked.saturating_add(took));
        }
        counted
    }
}

impl Machine for Responses {
    type State = Waiting;
    type Scratch = ();
    const COUNTS_IN_SINK: bool = true;

    fn scratch(&self) {}

    fn start(&self, _: usize) -> Waiting {
        Waiting { due: Due::None, counted: None, met: Met::default() }
    }

    #[inline]
    fn visit(&self, state: &mut Waiting, (): &mut (), moment: &Moment<'_>, sink: &mut Sink<'_>) {
        let Waiting { due, counted, .. } = state;
        let letter = moment.letter() as usize;
        let has_expired = self.next_deadline(due) < moment.first.time;
        if !has_expired && self.rules.does_nothing(letter, due.is_empty()) {
            return;
        }
        Desk::with(sink, counted, |desk| {
            while has_expired && let Some(one) = self.take_expired(due, moment.first.time) {
                self.expire(&one, desk);
            }
            let Some(decider) = moment.matches().next().map(|one| &one.origin) else { return };
            let why = Cause::Position { position: moment.position, decider, letter };
            for clause in 0..self.waits.len() as u8 {
                let rule = self.rules.of(letter, clause);
                if rule & (MEETS | BREAKS) != 0 {
                    self.meet(due, clause, rule, why, desk);
                }
                if rule & ASKS == 0 {
                    continue;
                }
                desk.sum.activated += 1;
                let one = Asked::new(clause, moment.position, decider);
                if rule & (TRUE_NOW | FALSE_NOW) != 0 {
                    self.settle(&one, rule & TRUE_NOW != 0, why, desk);
                } else {
                    self.ask(due, one);
                }
            }
        });
    }

    fn reacts(&self, state: &Waiting, moment: &Moment<'_>) -> bool {
        !self.rules.does_nothing(moment.letter() as usize, state.due.is_empty())
    }

    fn splits(&self) -> Mask {
        0
    }

    fn replay(&self, from: &Waiting, _: &[Id], _: &Values) -> Waiting {
        from.clone()
    }

    fn advance(&self, state: &mut Waiting, (): &mut (), to: Timestamp, most_listed: usize) {
        let Waiting { due, counted, met } = state;
        while let Some(one) = self.take_expired(due, to) {
            if !self.wait(&one).negated || !met.add(one.clause) {
                let counted = counted.get_or_insert_with(|| Box::new(Counted::new(most_listed)));
                self.expire(&one, &mut counted.desk());
            }
        }
    }

    fn skips_idle(&self, _: &Waiting) -> bool {
        true
    }

    fn rests(&self) -> bool {
        true
    }

    #[inline]
    fn deadline(&self, state: &Waiting) -> Timestamp {
        self.next_deadline(&state.due)
    }

    #[inline]
    fn busy_until(&self, state: &Waiting) -> Timestamp {
        if state.due.is_empty() { Timestamp::MIN } else { Timestamp::MAX }
    }

    fn is_settled(&self, _: &Waiting) -> bool {
        false
    }

    fn has_counted(&self, state: &Waiting) -> bool {
        state.counted.is_some() || state.met.count > 0
    }

    fn violations<'s>(&self, state: &'s Waiting) -> (u64, &'s [Violation]) {
        state.counted.as_ref().map_or((0, &[]), |counted| counted.violations())
    }

    fn trim(&self, state: &mut Waiting, keep: usize) {
        Counted::trim(&mut state.counted, keep);
    }

    fn outcome(&self, state: &Waiting) -> Outcome {
        let counted = state.counted.as_ref().map(|counted| (**counted).clone());
        self.count(counted, state.met, 0).outcome(Verdict::Inconclusive, None, 0)
    }

    fn finish(&self, state: &mut Waiting, (): &mut (), extent: Extent, end: End) -> Outcome {
        let counted = state.counted.take().map(|counted| *counted);
        let mut counted = self.count(counted, std::mem::take(&mut state.met), extent.most_listed);
        let due = std::mem::take(&mut state.due);
        let if_complete = counted.sum.violated == 0 && due.iter().all(|one| self.wait(one).negated);
        if end == End::Prefix {
            counted.sum.pending = due.iter().count() as u64;
        } else {
            let why = Cause::End(extent.last_time);
            due.iter().for_each(|one| self.settle(one, self.wait(one).negated, why, &mut counted.desk()));
        }
        counted.conclude(end, if_complete, extent.positions)
    }

    fn name(&self, _: &mut Waiting, _: Named) {}

    fn admits(&self, _: &[Id], _: &Values) -> bool {
        true
    }

    fn is_choosy(&self) -> bool {
        false
    }

    fn whole(&self) -> (Span, bool) {
        self.network.whole()
    }

    fn remembers_all(&self) -> bool {
        false
    }

    fn is_steady(&self) -> bool {
        true
    }

    fn weight(&self) -> usize {
        0
    }
}

/// Kept here so that a change of the layout is noticed.
const _: () = assert!(size_of::<Waiting>() == 64);

#[cfg(test)]
mod tests;
