// SPDX-License-Identifier: MIT OR Apache-2.0
//! One round of the network: a new position, a passed deadline, or the end.

use gnomon_core::time::Timestamp;
use gnomon_ir::core::{Node, NodeId};

use super::present::Present;
use super::{Later, Network, Part, Scratch, State, Waiter};
use crate::fact::Fact;
use crate::future::{Input, Round};
use crate::instant::Instant;
use crate::ledger::Trigger;
use crate::reasons::Evidence;

impl Network {
    #[allow(clippy::inline_always)] // one call, in the innermost loop: measured
    #[inline(always)]
    pub(super) fn run_position(&self, state: &mut State, scratch: &mut Scratch, instant: &Instant<'_>) {
        let State { past, histories, lag, later, ledger, frontier, wake, .. } = state;
        if let Some(lag) = lag {
            self.release(lag, later, scratch, Some(instant.gathered));
        }
        let (mut present, facts, wanted) = Present::new(self, past, histories, scratch, instant);
        if !self.core.measures.is_empty() {
            present.measure();
        }
        present.remember();
        if self.later_nodes.is_empty() {
            ledger.open(&self.clauses, &mut present, &mut [], wake);
        } else {
            for (wanted, waiter) in wanted.iter_mut().zip(&self.later_nodes) {
                *wanted = waiter.asked_by.iter().any(|slot| later[*slot].is_waiting());
            }
            ledger.open(&self.clauses, &mut present, wanted, wake);
            self.run_waiters(later, &mut present, facts, wanted, *frontier, wake);
            ledger.settle(&self.clauses, facts, Trigger::at(instant), &mut Evidence::Present(&mut present));
            clear(facts);
        }
        if *wake < *frontier {
            let evidence = &mut Evidence::Present(&mut present);
            ledger.expire(&self.clauses, *frontier, false, Trigger::at(instant), evidence);
        }
        // What operators take into the past is as it was before this position became something to look back on.
        present.update();
        present.recollect();
        if let Some(lag) = lag {
            lag.hold(instant);
        }
    }

    /// Lets every waiting node take in the present position.
    fn run_waiters(
        &self,
        later: &mut [Later],
        present: &mut Present<'_>,
        facts: &mut [Vec<Fact>],
        wanted: &mut [bool],
        frontier: Timestamp,
        wake: &mut Timestamp,
    ) {
        let instant = present.instant;
        self.spread_wants(present, wanted);
        let round = Round { new: Some((instant.position, instant.time)), wanted: false, frontier, ended: false };
        for (slot, waiter) in self.later_nodes.iter().enumerate() {
            let (told, own) = facts.split_at_mut(slot);
            let round = Round { wanted: wanted[slot], ..round };
            if round.wanted
                && let Some(hi) = waiter.hi
            {
                *wake = (*wake).min(instant.time.saturating_add(hi));
            }
            match (&mut later[slot], &*waiter.parts) {
                (Later::Until(until), [Part::Now(left), Part::Now(right)]) => {
                    until.round(waiter.id, present.value(*left), present.value(*right), round, &mut own[0]);
                }
                (Later::Lagging(wanted), _) => {
                    if round.wanted {
                        *wanted = present.tell_if_certain(waiter.id, &mut own[0]);
                    }
                }
                (later, _) => self.run_waiter(waiter, later, round, told, &mut own[0], Some(present)),
            }
        }
    }

    /// Who is wanted at the new position: a conjunction wants its waiting parts unless a known one is false.
    fn spread_wants(&self, present: &mut Present<'_>, wanted: &mut [bool]) {
        for (slot, waiter) in self.later_nodes.iter().enumerate().rev() {
            let is_and = matches!(self.core.node(waiter.id), Node::And(_));
            // The last position in reach may be the present one.
            if !wanted[slot] || !(is_and || matches!(self.core.node(waiter.id), Node::InFuture { .. })) {
                continue;
            }
            let hopeless = is_and
                && waiter.parts.iter().any(|part| match part {
                    Part::Now(edge) => !present.value(*edge),
                    Part::Later { .. } => false,
                });
            for part in &waiter.parts {
                if let Part::Later { slot, .. } = *part {
                    wanted[slot] |= !hopeless;
                }
            }
        }
    }

    /// Lets every deadline before `to` pass, in order.
    pub(super) fn run_deadlines(&self, state: &mut State, scratch: &mut Scratch, to: Timestamp) {
        loop {
            let next = self.next_deadline(state);
            state.wake = next.map_or(Timestamp::MAX, |(deadline, _)| deadline);
            let Some((deadline, told)) = next.filter(|(deadline, _)| *deadline < to) else { return };
            state.frontier = Timestamp::from_ticks(deadline.ticks() + 1);
            self.run_without_position(state, scratch, false, Trigger::Deadline(told));
            if state.settled {
                return;
            }
        }
    }

    /// The earliest deadline, and how it is told.
    pub(super) fn next_deadline(&self, state: &State) -> Option<(Timestamp, Timestamp)> {
        let deadlines = state.later.iter().zip(&self.later_nodes).filter_map(|(later, waiter)| {
            let deadline = match later {
                Later::Until(until) => until.deadline(),
                Later::Chain(chain) => chain.deadline(),
                Later::Conjunction(_) | Later::Window(_) | Later::InFuture(_) | Later::Lagging(_) => None,
            }?;
            let open = matches!(self.core.node(waiter.id), Node::Until { interval, .. } if interval.open_above);
            Some((deadline, Timestamp::from_ticks(deadline.ticks() + i128::from(open))))
        });
        deadlines.chain(state.ledger.deadline(&self.clauses)).min()
    }

    pub(super) fn run_end(&self, state: &mut State, scratch: &mut Scratch) {
        self.run_without_position(state, scratch, true, Trigger::End(state.last_time));
    }

    fn run_without_position(&self, state: &mut State, scratch: &mut Scratch, ended: bool, trigger: Trigger) {
        let State { lag, later, ledger, frontier, .. } = state;
        if let (Some(lag), true) = (lag, ended) {
            self.release(lag, later, scratch, None);
        }
        let facts = &mut scratch.facts;
        let round = Round { new: None, wanted: false, frontier: *frontier, ended };
        for (slot, waiter) in self.later_nodes.iter().enumerate() {
            let (told, own) = facts.split_at_mut(slot);
            self.run_waiter(waiter, &mut later[slot], round, told, &mut own[0], None);
        }
        ledger.settle(&self.clauses, facts, trigger, &mut Evidence::None(self));
        clear(facts);
        ledger.expire(&self.clauses, *frontier, ended, trigger, &mut Evidence::None(self));
    }

    /// Lets one waiting node take in what its parts say.
    #[inline]
    fn run_waiter(
        &self,
        waiter: &Waiter,
        later: &mut Later,
        round: Round,
        told: &[Vec<Fact>],
        out: &mut Vec<Fact>,
        mut present: Option<&mut Present<'_>>,
    ) {
        let mut input = |part: &Part| match *part {
            Part::Now(edge) => Input::Now(present.as_deref_mut().map(|present| present.value(edge))),
            Part::Later { slot, negated } => Input::Later { facts: &told[slot], negated },
        };
        match (later, waiter.parts.as_slice()) {
            (Later::Until(until), _) => until.round(waiter.id, true, false, round, out),
            (Later::Chain(chain), [left, right]) => chain.round(waiter.id, input(left), input(right), round, out),
            (Later::Window(window), parts) => {
                let first = parts.first().map_or(Input::Now(None), &mut input);
                let second = parts.get(1).map_or(Input::Now(None), &mut input);
                window.round(waiter.id, self.core.node(waiter.id), [first, second], round, out);
            }
            (Later::InFuture(in_future), parts) => {
                let of = parts.first().map_or(Input::Now(None), &mut input);
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
                    if let Part::Later { slot, negated } = *part {
                        for fact in &told[slot] {
                            // A negated part has no text of its own to blame.
                            let blame = if negated { waiter.id } else { fact.blame };
                            let fact = Fact { value: fact.value != negated, blame, ..*fact };
                            conjunction.learn(waiter.id, index, fact, out);
                        }
                    }
                }
            }
            // `layout` gives every Until two parts; what lags waits for a position, not for its parts.
            (Later::Chain(_) | Later::Lagging(_), _) => {}
        }
    }
}

/// The parts that a new position waits for, or the first that is false already.
fn open_parts<'a>(parts: &[Part], input: &mut impl FnMut(&Part) -> Input<'a>) -> Result<u64, usize> {
    let mut open = 0;
    for (index, part) in parts.iter().enumerate() {
        match (part, input(part)) {
            (Part::Later { .. }, _) => open |= 1 << index,
            (Part::Now(_), Input::Now(Some(false))) => return Err(index),
            (Part::Now(_), _) => {}
        }
    }
    Ok(open)
}

/// A conjunction is false at once because of one part.
fn false_part(id: NodeId, position: u64, part: Part) -> Fact {
    let blame = match part {
        Part::Now(edge) if !edge.negated => edge.node,
        Part::Now(_) | Part::Later { .. } => id,
    };
    Fact { from: position, to: position, value: false, blame }
}

#[inline]
fn clear(facts: &mut [Vec<Fact>]) {
    for told in facts {
        told.clear();
    }
}
