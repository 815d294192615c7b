// SPDX-License-Identifier: MIT OR Apache-2.0
//! Visits the positions of a block that concern a formula: those with a match, those after a deadline, and all of them while the state
//! requires it.

use gnomon_core::{Origin, Simultaneous, Timestamp, TracePosition};

use super::engine::NetworkEngine;
use super::layout::IdleEffect;
use super::plain::PlainAtoms;
use super::{Network, NetworkState};
use crate::block::{BlockEffect, BlockMatch, PositionBlock};
use crate::scheduler::CompletePosition;
use crate::terms::variables::Variables;

impl NetworkEngine {
    /// Takes in the positions of a block, and the matches of the position that stays open after it. `scheduled` is the time after
    /// which the scheduler would wake the unit.
    pub(crate) fn visit_block(
        &mut self,
        network: &Network,
        block: &PositionBlock<'_>,
        mut matches: &[BlockMatch],
        mut scheduled: Timestamp,
        variables: &Variables,
    ) -> BlockEffect {
        let count = block.firsts.len();
        let mut at = 0;
        loop {
            let next_match = match matches.first() {
                // Only the first position can have matches from before the block.
                _ if !self.atoms.is_idle() => at,
                Some(next) => next.position as usize,
                None => count,
            };
            if self.state.idle == IdleEffect::Opens {
                at = network.open_idle(&mut self.state, block, at..next_match, &mut scheduled);
            }
            if self.state.skips_idle() {
                at += network.count_before(&block.firsts[at..next_match], self.state.wake);
            }
            let Some(first) = block.firsts.get(at) else { break };
            let previous = if at == 0 { block.previous.as_ref() } else { block.firsts.get(at - 1) };
            let position = CompletePosition { index: block.index + at as u64, first, previous };
            let frontier = network.frontier_after(first);
            if scheduled < frontier {
                let wake = self.state.wake;
                scheduled = if wake < frontier { Timestamp::MAX } else { wake };
            }
            if let (Some(plain), [only, rest @ ..]) = (&network.plain, matches)
                && only.position as usize == at
                && rest.first().is_none_or(|next| next.position != only.position)
                && self.atoms.is_idle()
            {
                let decider = &block.events[only.event as usize];
                let is_of = |clause: usize| {
                    network.clauses[clause].antecedent_atoms.first().is_some_and(|atoms| atoms & only.bits != 0)
                };
                let origin = |clause| if is_of(clause) { *decider } else { *first };
                let atoms = PlainAtoms { letter: only.bits, decider, origin };
                if network.take_in_plainly(plain, &mut self.state, &position, &atoms) {
                    if self.state.skips_idle() {
                        scheduled = scheduled.min(self.state.wake);
                    }
                    (matches, at) = (rest, at + 1);
                    continue;
                }
            }
            while let Some((next, rest)) = matches.split_first()
                && next.position as usize == at
            {
                self.take_in(network, next, block.events);
                matches = rest;
            }
            network.position(&mut self.state, &mut self.scratch, &position, &self.atoms, variables);
            self.atoms.clear();
            if self.state.skips_idle() {
                scheduled = scheduled.min(self.state.wake.max(frontier));
            }
            at += 1;
        }
        if block.firsts.last().is_some_and(|last| scheduled < network.frontier_after(last)) {
            scheduled = self.state.wake;
        }
        for next in matches {
            self.take_in(network, next, block.events);
        }
        BlockEffect {
            wakeup: scheduled,
            sees_every_position: !self.state.skips_idle(),
            is_affected: !self.atoms.is_idle(),
        }
    }

    fn take_in(&mut self, network: &Network, next: &BlockMatch, events: &[Origin]) {
        let again = self.atoms.add(network, next.word as usize, next.bits, events[next.event as usize]);
        self.state.merged |= again && network.core.simultaneous == Simultaneous::Merge;
    }
}

impl Network {
    /// Returns the earliest time of a position after one that begins with this event.
    #[inline]
    pub(super) fn frontier_after(&self, first: &Origin) -> Timestamp {
        Timestamp::from_ticks(first.time.ticks() + self.least_gap)
    }

    /// Counts leading positions after which a deadline has not passed.
    #[inline]
    fn count_before(&self, firsts: &[Origin], deadline: Timestamp) -> usize {
        let is_before = |first: &Origin| self.frontier_after(first) <= deadline;
        if firsts.last().is_none_or(is_before) { firsts.len() } else { firsts.partition_point(is_before) }
    }

    /// Opens obligations at positions of the block where no atom is true, while no deadline passes. Returns the first position that is
    /// left.
    fn open_idle(
        &self,
        state: &mut NetworkState,
        block: &PositionBlock<'_>,
        positions: std::ops::Range<usize>,
        scheduled: &mut Timestamp,
    ) -> usize {
        let mut at = positions.start;
        for first in &block.firsts[positions] {
            let frontier = self.frontier_after(first);
            if frontier > state.wake {
                break;
            }
            if *scheduled < frontier {
                *scheduled = state.wake;
            }
            let position = TracePosition { position: block.index + at as u64, origin: *first };
            state.obligations.open_idle(&self.clauses, position, &mut state.wake);
            (state.last_time, state.frontier) = (first.time, frontier);
            at += 1;
        }
        at
    }
}
