// SPDX-License-Identifier: MIT OR Apache-2.0
//! Evaluates the nodes that are known immediately at a position, on demand and at most once per round.

use gnomon_ir::{Edge, FormulaNode, NodeId};

use super::position::{Position, PositionAtoms};
use super::{Network, Scratch, StateLayout};
use crate::future::Fact;
use crate::past::PastOperator;
use crate::terms::history::TermHistory;
use crate::work;

/// Evaluates nodes and terms at the present position of one run.
pub(crate) struct Evaluator<'a> {
    pub(crate) network: &'a Network,
    pub(crate) layout: &'a StateLayout,
    pub(crate) past: &'a mut [PastOperator],
    pub(crate) histories: &'a mut [Option<TermHistory>],
    /// The elements that the enclosing quantifiers over lists are at, outermost first.
    pub(crate) elements: Vec<gnomon_core::value::Value<'static>>,
    pub(crate) stamp: u64,
    pub(crate) memo: &'a mut [(u64, bool)],
    pub(crate) position: &'a Position<'a>,
    /// The atoms of the next position, if that has come already.
    next: Option<&'a PositionAtoms>,
}

impl Evaluator<'_> {
    /// Returns the value of a node that is known immediately.
    #[inline]
    pub(crate) fn value(&mut self, edge: Edge) -> bool {
        self.node(edge.node) != edge.negated
    }

    #[inline]
    fn node(&mut self, id: NodeId) -> bool {
        work::add(1);
        let network = self.network;
        match network.core.node(id) {
            FormulaNode::True => true,
            FormulaNode::Atom(atom) => self.position.has(*atom),
            FormulaNode::TimeAtLeast(age) => self.position.time.ticks() >= age.ticks(),
            node => self.memoised(id, node),
        }
    }

    fn memoised(&mut self, id: NodeId, node: &FormulaNode) -> bool {
        if !self.elements.is_empty() {
            // The value may differ for the next element.
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

    fn compute(&mut self, id: NodeId, node: &FormulaNode) -> bool {
        let time = self.position.time;
        match node {
            FormulaNode::True | FormulaNode::Atom(_) | FormulaNode::TimeAtLeast(_) | FormulaNode::InFuture { .. } => {
                false
            }
            FormulaNode::Until { right, .. } => self.starts(*right),
            FormulaNode::Compare { left, comparison, right } => self.compare(*left, *comparison, *right),
            FormulaNode::Each { list, of } => self.each(*list, *of),
            FormulaNode::And(edges) => edges.iter().all(|edge| self.value(*edge)),
            FormulaNode::Since { .. } => match self.state(id) {
                PastOperator::Since(since) => since.query(time),
                _ => false,
            },
            FormulaNode::Count { of: part, .. }
            | FormulaNode::Maximum { of: part, .. }
            | FormulaNode::Gap { to: part, .. } => {
                let part = self.value(*part);
                self.state(id).aggregate(node, time, part)
            }
            FormulaNode::Fold { .. } | FormulaNode::Percentile { .. } | FormulaNode::Distinct { .. } => {
                self.state(id).aggregate(node, time, false)
            }
        }
    }

    /// Returns true if an activity starts: the only question about the next position.
    fn starts(&self, event: Edge) -> bool {
        let FormulaNode::Atom(atom) = self.network.core.node(event.node) else { return false };
        self.next.is_some_and(|next| next.has(*atom))
    }

    /// Returns the state of a node. INVARIANT: `layout` gives every node that is evaluated here a slot of its kind.
    pub(crate) fn state(&mut self, id: NodeId) -> &mut PastOperator {
        let slot = self.layout.past_slots[id.0 as usize].expect("layout gives every stateful node a slot");
        &mut self.past[slot as usize]
    }

    /// Adds the values of the present position to the windows, which include it.
    #[inline]
    pub(crate) fn add_measures(&mut self) {
        let (network, layout) = (self.network, self.layout);
        for (slot, id) in layout.past_nodes.iter().enumerate() {
            if let Some(measure) = network.core.node(*id).measure() {
                for (origin, value) in self.position.atoms.measured(measure) {
                    self.past[slot].add(origin, value);
                }
            }
        }
    }

    /// Updates the operators over the past with the present position.
    #[inline]
    pub(crate) fn update_past(&mut self) {
        let (network, layout) = (self.network, self.layout);
        for (slot, id) in layout.past_nodes.iter().enumerate() {
            let origin = *self.position.decider();
            match network.core.node(*id) {
                FormulaNode::Since { left, right, .. } => {
                    let (left, right) = (self.value(*left), self.value(*right));
                    if left && !right {
                        continue;
                    }
                    if let PastOperator::Since(since) = &mut self.past[slot] {
                        since.update(origin, left, right);
                    }
                }
                FormulaNode::Count { of, .. } | FormulaNode::Maximum { of, .. } => {
                    if !self.value(*of) {
                        continue;
                    }
                    if let PastOperator::Count(of) | PastOperator::Maximum(of) = &mut self.past[slot] {
                        of.add(origin);
                    }
                }
                FormulaNode::Gap { from, to, .. } => {
                    let (starts, ends) = (self.value(*from), self.value(*to));
                    if let PastOperator::Gap(gap) = &mut self.past[slot] {
                        gap.update(origin, starts, ends);
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'a> Evaluator<'a> {
    /// Starts a round at a position. Returns the evaluator, and the buffers for facts and wanted nodes.
    pub(crate) fn new(
        network: &'a Network,
        past: &'a mut [PastOperator],
        histories: &'a mut [Option<TermHistory>],
        scratch: &'a mut Scratch,
        position: &'a Position<'a>,
    ) -> (Self, &'a mut [Vec<Fact>], &'a mut [bool]) {
        let Scratch { stamp, memo, facts, wanted, .. } = scratch;
        *stamp += 1;
        let (layout, elements) = (&network.now, Vec::new());
        let stamp = *stamp;
        (Evaluator { network, layout, past, histories, elements, stamp, memo, position, next: None }, facts, wanted)
    }

    /// Starts a round at a held-back position, whose next one has come (`next`) or never will.
    pub(super) fn at_held(
        (network, layout): (&'a Network, &'a StateLayout),
        (past, histories): (&'a mut [PastOperator], &'a mut [Option<TermHistory>]),
        scratch: &'a mut Scratch,
        position: &'a Position<'a>,
        next: Option<&'a PositionAtoms>,
    ) -> (Self, &'a mut [Vec<Fact>]) {
        let (evaluator, facts, _) = Evaluator::new(network, past, histories, scratch, position);
        (Evaluator { layout, next, ..evaluator }, facts)
    }
}
