// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of the present position at once: computed when asked for, once.

use gnomon_ir::core::{Edge, Node, NodeId};

use super::{Network, Scratch, Wiring};
use crate::fact::Fact;
use crate::instant::Instant;
use crate::past::Past;
use crate::positions::Gathered;
use crate::terms::history::History;

/// The present position of one run.
pub(crate) struct Present<'a> {
    pub(crate) network: &'a Network,
    pub(crate) wiring: &'a Wiring,
    pub(crate) past: &'a mut [Past],
    pub(crate) histories: &'a mut [Option<History>],
    /// The elements that the quantifiers around stand at.
    pub(crate) elements: Vec<gnomon_core::value::Value<'static>>,
    pub(crate) stamp: u64,
    pub(crate) memo: &'a mut [(u64, bool)],
    pub(crate) instant: &'a Instant<'a>,
    /// What the next position has, where that has come already.
    next: Option<&'a Gathered>,
}

impl Present<'_> {
    /// The value of a node that is known at once.
    #[inline]
    pub(crate) fn value(&mut self, edge: Edge) -> bool {
        self.node(edge.node) != edge.negated
    }

    #[inline]
    fn node(&mut self, id: NodeId) -> bool {
        let network = self.network;
        match network.core.node(id) {
            Node::True => true,
            Node::Atom(atom) => self.instant.has(*atom),
            Node::TimeAtLeast(age) => self.instant.time.ticks() >= age.ticks(),
            node => self.remembered(id, node),
        }
    }

    fn remembered(&mut self, id: NodeId, node: &Node) -> bool {
        if !self.elements.is_empty() {
            // What holds of one element need not hold of the next.
            return self.compute(id, node);
        }
        let stamp = self.stamp;
        let (when, value) = self.memo[id.0 as usize];
        if when == stamp {
            return value;
        }
        let value = self.compute(id, node);
        self.memo[id.0 as usize] = (stamp, value);
        value
    }

    fn compute(&mut self, id: NodeId, node: &Node) -> bool {
        let time = self.instant.time;
        match node {
            Node::True | Node::Atom(_) | Node::TimeAtLeast(_) | Node::InFuture { .. } => false,
            Node::Until { right, .. } => self.starts(*right),
            Node::Compare { left, comparison, right } => self.compare(*left, *comparison, *right),
            Node::Each { list, of } => self.each(*list, *of),
            Node::And(edges) => edges.iter().all(|edge| self.value(*edge)),
            Node::Since { .. } => match self.state(id) {
                Past::Since(since) => since.query(time),
                _ => false,
            },
            Node::Count { of, comparison, bound, .. } => {
                let holds = self.value(*of);
                match self.state(id) {
                    Past::Count(count) => bound.compared_by(*comparison, i128::from(count.query(time, holds)), 1),
                    _ => false,
                }
            }
            Node::Maximum { of, comparison, bound, .. } => {
                let holds = self.value(*of);
                match self.state(id) {
                    Past::Maximum(maximum) => {
                        bound.compared_by(*comparison, i128::from(maximum.query(time, holds).count), 1)
                    }
                    _ => false,
                }
            }
            Node::Fold { fold, comparison, bound, .. } => match self.state(id) {
                Past::Fold(numbers) => numbers.query(time, *fold, *comparison, *bound),
                _ => false,
            },
            Node::Gap { to, comparison, bound, .. } => {
                let ends = self.value(*to);
                match self.state(id) {
                    Past::Gap(gap) => {
                        let mean = gap.query(time, ends);
                        mean.count > 0 && bound.compared_by(*comparison, mean.sum, i128::from(mean.count))
                    }
                    _ => false,
                }
            }
        }
    }

    /// Whether an activity starts: all that what is known with the next position asks of that one.
    fn starts(&self, event: Edge) -> bool {
        let Node::Atom(atom) = self.network.core.node(event.node) else { return false };
        self.next.is_some_and(|next| next.has(*atom))
    }

    /// INVARIANT: only nodes that `layout` gave a slot of their own kind come here.
    pub(crate) fn state(&mut self, id: NodeId) -> &mut Past {
        let slot = self.wiring.past_slots[id.0 as usize].expect("layout gives every stateful node a slot");
        &mut self.past[slot as usize]
    }

    /// Takes the numbers of the present position in: they count from the present on.
    #[inline]
    pub(crate) fn measure(&mut self) {
        let (network, wiring) = (self.network, self.wiring);
        for (slot, id) in wiring.past_nodes.iter().enumerate() {
            if let (Node::Fold { measure, .. }, Past::Fold(fold)) = (network.core.node(*id), &mut self.past[slot]) {
                for (origin, number) in self.instant.gathered.numbers(*measure) {
                    fold.add(origin, number);
                }
            }
        }
    }

    /// Takes the present position into the past.
    #[inline]
    pub(crate) fn update(&mut self) {
        let (network, wiring) = (self.network, self.wiring);
        for (slot, id) in wiring.past_nodes.iter().enumerate() {
            let origin = self.instant.decider();
            match network.core.node(*id) {
                Node::Since { left, right, .. } => {
                    let (left, right) = (self.value(*left), self.value(*right));
                    if left && !right {
                        continue;
                    }
                    if let Past::Since(since) = &mut self.past[slot] {
                        since.update(origin, left, right);
                    }
                }
                Node::Count { of, .. } | Node::Maximum { of, .. } => {
                    if !self.value(*of) {
                        continue;
                    }
                    match &mut self.past[slot] {
                        Past::Count(count) => count.update(origin, true),
                        Past::Maximum(maximum) => maximum.update(origin, true),
                        Past::Since(_) | Past::Gap(_) | Past::Fold(_) => {}
                    }
                }
                Node::Gap { from, to, .. } => {
                    let (starts, ends) = (self.value(*from), self.value(*to));
                    if let Past::Gap(gap) = &mut self.past[slot] {
                        gap.update(origin, starts, ends);
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'a> Present<'a> {
    pub(crate) fn new(
        network: &'a Network,
        past: &'a mut [Past],
        histories: &'a mut [Option<History>],
        scratch: &'a mut Scratch,
        instant: &'a Instant<'a>,
    ) -> (Self, &'a mut [Vec<Fact>], &'a mut [bool]) {
        let Scratch { stamp, memo, facts, wanted } = scratch;
        *stamp += 1;
        let (wiring, elements) = (&network.now, Vec::new());
        (
            Present { network, wiring, past, histories, elements, stamp: *stamp, memo, instant, next: None },
            facts,
            wanted,
        )
    }

    /// A position whose next one has come, or never will. Whatever lags is known of it.
    pub(super) fn lagging(
        (network, wiring): (&'a Network, &'a Wiring),
        (past, histories): (&'a mut [Past], &'a mut [Option<History>]),
        scratch: &'a mut Scratch,
        instant: &'a Instant<'a>,
        next: Option<&'a Gathered>,
    ) -> (Self, &'a mut [Vec<Fact>]) {
        let (present, facts, _) = Present::new(network, past, histories, scratch, instant);
        (Present { wiring, next, ..present }, facts)
    }
}
