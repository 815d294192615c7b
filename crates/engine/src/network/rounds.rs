// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs one round of the network: a new position, a passed deadline, or the end of the trace.
//!
//! Comparisons over starts of activities are known of a position only with the next one, because an activity starts in the state
//! before the event that shows it. Such a position is held back in a [`DelayBuffer`] with its atoms and variables. The state of these
//! comparisons is one position behind everything else.

use gnomon_core::{Origin, Timestamp};
use gnomon_ir::{Edge, FormulaNode, NodeId};
use serde::{Deserialize, Serialize};

use super::evaluator::Evaluator;
use super::explain::Evidence;
use super::position::{Position, PositionAtoms};
use super::{FormulaPart, Later, Network, NetworkState, Scratch, WaitingNode};
use crate::accounting::Trigger;
use crate::future::{Fact, PartInput, Round};
use crate::past::PastOperator;
use crate::terms::history::TermHistory;
use crate::terms::variables::Variables;
use crate::work;

impl Network {
    #[allow(clippy::inline_always)] // one call, in the innermost loop: measured
    #[inline(always)]
    pub(super) fn run_position(&self, state: &mut NetworkState, scratch: &mut Scratch, position: &Position<'_>) {
        let NetworkState { past, histories, delay, later, obligations, frontier, wake, .. } = state;
        if let Some(delay) = delay {
            self.release(delay, later, scratch, Some(position.atoms));
        }
        let (mut evaluator, facts, wanted) = Evaluator::new(self, past, histories, scratch, position);
        if !self.core.measures.is_empty() {
            evaluator.add_measures();
        }
        let has_terms = !self.now.terms.is_empty();
        if has_terms {
            evaluator.update_terms_before();
        }
        if self.later_nodes.is_empty() {
            obligations.open(&self.clauses, &mut evaluator, &mut [], wake);
        } else {
            for (wanted, waiter) in wanted.iter_mut().zip(&self.later_nodes) {
                *wanted = waiter.wanted_by.iter().any(|slot| later[*slot].is_waiting());
            }
            obligations.open(&self.clauses, &mut evaluator, wanted, wake);
            self.run_waiters(later, &mut evaluator, facts, wanted, *frontier, wake);
            obligations.settle(&self.clauses, facts, position.trigger(), &mut Evidence::Present(&mut evaluator));
            clear(facts);
        }
        if *wake < *frontier {
            let evidence = &mut Evidence::Present(&mut evaluator);
            obligations.expire(&self.clauses, *frontier, false, position.trigger(), evidence);
        }
        if !self.now.past_nodes.is_empty() {
            evaluator.update_past();
        }
        if has_terms {
            evaluator.update_terms_after();
        }
        if let Some(delay) = delay {
            delay.hold(position);
        }
    }

    /// Runs every waiting node at the present position.
    fn run_waiters(
        &self,
        later: &mut [Later],
        evaluator: &mut Evaluator<'_>,
        facts: &mut [Vec<Fact>],
        wanted: &mut [bool],
        frontier: Timestamp,
        wake: &mut Timestamp,
    ) {
        let position = evaluator.position;
        self.propagate_wanted(evaluator, wanted);
        work::add(self.later_nodes.len());
        let round = Round { new: Some((position.index, position.time)), wanted: false, frontier, ended: false };
        for (slot, waiter) in self.later_nodes.iter().enumerate() {
            let (earlier, own) = facts.split_at_mut(slot);
            let round = Round { wanted: wanted[slot], ..round };
            if round.wanted
                && let Some(hi) = waiter.hi
            {
                *wake = (*wake).min(position.time.saturating_add(hi));
            }
            match (&mut later[slot], &*waiter.parts) {
                (Later::Until(until), [FormulaPart::Now(left), FormulaPart::Now(right)]) => {
                    until.round(waiter.id, evaluator.value(*left), evaluator.value(*right), round, &mut own[0]);
                }
                (Later::Delayed(wanted), _) => {
                    if round.wanted {
                        *wanted = evaluator.emit_if_certain(waiter.id, &mut own[0]);
                    }
                }
                (later, _) => self.run_waiter(waiter, later, round, earlier, &mut own[0], Some(evaluator)),
            }
        }
    }

    /// Marks the nodes that wanted nodes need at the new position. A conjunction needs its waiting parts unless a known part is false.
    fn propagate_wanted(&self, evaluator: &mut Evaluator<'_>, wanted: &mut [bool]) {
        for (slot, waiter) in self.later_nodes.iter().enumerate().rev() {
            let is_and = matches!(self.core.node(waiter.id), FormulaNode::And(_));
            // The target of `InFuture` may be the present position.
            if !wanted[slot] || !(is_and || matches!(self.core.node(waiter.id), FormulaNode::InFuture { .. })) {
                continue;
            }
            let is_false = is_and
                && waiter.parts.iter().any(|part| match part {
                    FormulaPart::Now(edge) => !evaluator.value(*edge),
                    FormulaPart::Later { .. } => false,
                });
            for part in &waiter.parts {
                if let FormulaPart::Later { slot, .. } = *part {
                    wanted[slot] |= !is_false;
                }
            }
        }
    }

    /// Runs a round for every deadline before `to`, in order.
    pub(super) fn run_deadlines(&self, state: &mut NetworkState, scratch: &mut Scratch, to: Timestamp) {
        loop {
            let next = self.next_deadline(state);
            state.wake = next.map_or(Timestamp::MAX, |(deadline, _)| deadline);
            let Some((deadline, reported)) = next.filter(|(deadline, _)| *deadline < to) else { return };
            state.frontier = Timestamp::from_ticks(deadline.ticks() + 1);
            self.run_without_position(state, scratch, false, Trigger::Deadline(reported));
            if state.settled {
                return;
            }
        }
    }

    /// Returns the earliest deadline, and the time that is reported for it.
    pub(super) fn next_deadline(&self, state: &NetworkState) -> Option<(Timestamp, Timestamp)> {
        let deadlines = state.later.iter().zip(&self.later_nodes).filter_map(|(later, waiter)| {
            let deadline = match later {
                Later::Until(until) => until.deadline(),
                Later::ThreeValuedUntil(chain) => chain.deadline(),
                Later::Conjunction(_) | Later::PastOverFuture(_) | Later::InFuture(_) | Later::Delayed(_) => None,
            }?;
            let open = matches!(self.core.node(waiter.id), FormulaNode::Until { interval, .. } if interval.open_above);
            Some((deadline, Timestamp::from_ticks(deadline.ticks() + i128::from(open))))
        });
        deadlines.chain(state.obligations.deadline(&self.clauses)).min()
    }

    pub(super) fn run_end(&self, state: &mut NetworkState, scratch: &mut Scratch) {
        self.run_without_position(state, scratch, true, Trigger::End(state.last_time));
    }

    fn run_without_position(&self, state: &mut NetworkState, scratch: &mut Scratch, ended: bool, trigger: Trigger<'_>) {
        let NetworkState { delay, later, obligations, frontier, .. } = state;
        if let (Some(delay), true) = (delay, ended) {
            self.release(delay, later, scratch, None);
        }
        let facts = &mut scratch.facts;
        let round = Round { new: None, wanted: false, frontier: *frontier, ended };
        for (slot, waiter) in self.later_nodes.iter().enumerate() {
            let (earlier, own) = facts.split_at_mut(slot);
            self.run_waiter(waiter, &mut later[slot], round, earlier, &mut own[0], None);
        }
        obligations.settle(&self.clauses, facts, trigger, &mut Evidence::None(self));
        clear(facts);
        obligations.expire(&self.clauses, *frontier, ended, trigger, &mut Evidence::None(self));
    }

    /// Runs one waiting node: reads its parts and emits facts.
    #[inline]
    fn run_waiter(
        &self,
        waiter: &WaitingNode,
        later: &mut Later,
        round: Round,
        earlier: &[Vec<Fact>],
        out: &mut Vec<Fact>,
        mut evaluator: Option<&mut Evaluator<'_>>,
    ) {
        let mut input = |part: &FormulaPart| match *part {
            FormulaPart::Now(edge) => PartInput::Now(evaluator.as_deref_mut().map(|evaluator| evaluator.value(edge))),
            FormulaPart::Later { slot, negated } => PartInput::Later { facts: &earlier[slot], negated },
        };
        match (later, waiter.parts.as_slice()) {
            (Later::Until(until), _) => until.round(waiter.id, true, false, round, out),
            (Later::ThreeValuedUntil(chain), [left, right]) => {
                chain.round(waiter.id, input(left), input(right), round, out);
            }
            (Later::PastOverFuture(window), parts) => {
                let first = parts.first().map_or(PartInput::Now(None), &mut input);
                let second = parts.get(1).map_or(PartInput::Now(None), &mut input);
                window.round(waiter.id, self.core.node(waiter.id), [first, second], round, out);
            }
            (Later::InFuture(in_future), parts) => {
                let of = parts.first().map_or(PartInput::Now(None), &mut input);
                in_future.round(waiter.id, of, round, out);
            }
            (Later::Conjunction(conjunction), parts) => {
                if let Some((position, _)) = round.new
                    && round.wanted
                {
                    match open_parts(parts, &mut input) {
                        Ok(open) => conjunction.open(position, open),
                        Err(part) => out.push(false_part(waiter.id, position, parts[part])),
                    }
                }
                for (index, part) in parts.iter().enumerate() {
                    if let FormulaPart::Later { slot, negated } = *part {
                        for fact in &earlier[slot] {
                            // A negated part has no text of its own.
                            let blame = if negated { waiter.id } else { fact.blame };
                            let fact = Fact { value: fact.value != negated, blame, ..*fact };
                            conjunction.learn(waiter.id, index, fact, out);
                        }
                    }
                }
            }
            // `layout` gives every Until two parts; a delayed node waits for a position, not for its parts.
            (Later::ThreeValuedUntil(_) | Later::Delayed(_), _) => {}
        }
    }
}

/// Returns the parts that are unknown at a new position, as bits, or the index of the first that is false.
fn open_parts<'a>(parts: &[FormulaPart], input: &mut impl FnMut(&FormulaPart) -> PartInput<'a>) -> Result<u64, usize> {
    let mut open = 0;
    for (index, part) in parts.iter().enumerate() {
        match (part, input(part)) {
            (FormulaPart::Later { .. }, _) => open |= 1 << index,
            (FormulaPart::Now(_), PartInput::Now(Some(false))) => return Err(index),
            (FormulaPart::Now(_), _) => {}
        }
    }
    Ok(open)
}

/// Returns the fact that a conjunction is false because of one part.
fn false_part(id: NodeId, position: u64, part: FormulaPart) -> Fact {
    let blame = match part {
        FormulaPart::Now(edge) if !edge.negated => edge.node,
        FormulaPart::Now(_) | FormulaPart::Later { .. } => id,
    };
    Fact { from: position, to: position, value: false, blame }
}

#[inline]
fn clear(facts: &mut [Vec<Fact>]) {
    for emitted in facts {
        emitted.clear();
    }
}

/// Holds back one position until the next one comes, for comparisons that need it.
///
/// COST: the state of these comparisons again, and a copy of the variables at each position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct DelayBuffer {
    past: Vec<PastOperator>,
    histories: Vec<Option<TermHistory>>,
    held: Option<HeldPosition>,
}

/// A position that is held back.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct HeldPosition {
    index: u64,
    time: Timestamp,
    first: Origin,
    atoms: PositionAtoms,
    variables: Variables,
}

impl Network {
    pub(super) fn new_delay_buffer(&self) -> Option<Box<DelayBuffer>> {
        let layout = self.delayed.as_ref()?;
        Some(Box::new(DelayBuffer { past: self.new_past(layout), histories: self.new_histories(), held: None }))
    }

    /// Returns true if a restored buffer is one of this network.
    pub(super) fn delay_buffer_fits(&self, delay: Option<&DelayBuffer>) -> bool {
        match (&self.delayed, delay) {
            (None, None) => true,
            (Some(layout), Some(delay)) => {
                delay.past.len() == layout.past_nodes.len()
                    && self.histories_fit(&delay.histories)
                    && delay.held.as_ref().is_none_or(|held| held.atoms.fits(self))
            }
            _ => false,
        }
    }

    /// Evaluates the held-back position, whose next one has these atoms or does not exist, and emits the facts that are wanted.
    pub(super) fn release(
        &self,
        delay: &mut DelayBuffer,
        later: &mut [Later],
        scratch: &mut Scratch,
        next: Option<&PositionAtoms>,
    ) {
        let (Some(layout), Some(held)) = (&self.delayed, delay.held.take()) else { return };
        let HeldPosition { index, time, first, atoms, variables } = &held;
        let position = Position { index: *index, time: *time, first, atoms, variables };
        let state = (&mut *delay.past, &mut *delay.histories);
        let (mut evaluator, facts) = Evaluator::at_held((self, layout), state, scratch, &position, next);
        evaluator.update_terms_before();
        for ((later, waiter), out) in later.iter_mut().zip(&self.later_nodes).zip(facts) {
            if let Later::Delayed(wanted) = later
                && wanted.take().is_some()
            {
                let value = evaluator.value(Edge { node: waiter.id, negated: false });
                out.push(Fact { from: *index, to: *index, value, blame: waiter.id });
            }
        }
        evaluator.update_past();
        evaluator.update_terms_after();
    }
}

impl Evaluator<'_> {
    /// Emits the value of a delayed node if it is certain already; otherwise returns the position where it is wanted.
    pub(super) fn emit_if_certain(&mut self, id: NodeId, out: &mut Vec<Fact>) -> Option<u64> {
        let index = self.position.index;
        let Some(value) = self.certain(Edge { node: id, negated: false }) else { return Some(index) };
        out.push(Fact { from: index, to: index, value, blame: id });
        None
    }
}

impl DelayBuffer {
    /// Holds back the present position.
    pub(super) fn hold(&mut self, position: &Position<'_>) {
        self.held = Some(HeldPosition {
            index: position.index,
            time: position.time,
            first: *position.first,
            atoms: position.atoms.clone(),
            variables: position.variables.clone(),
        });
    }
}
