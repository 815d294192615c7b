// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of nodes: equal nodes are one node, constants are folded where three-valued logic allows it.

use gnomon_core::list::unique;
use gnomon_core::{Duration, Interval, Span};
use rustc_hash::FxHashMap;

use crate::{Edge, FormulaNode, MAX_PARTS, NodeId};

pub(super) struct Nodes {
    ids: FxHashMap<FormulaNode, NodeId>,
    list: Vec<FormulaNode>,
    spans: Vec<Span>,
    inclusives: Vec<(Edge, NodeId)>,
}

impl Default for Nodes {
    /// Node 0 is `True`, always.
    fn default() -> Self {
        let mut nodes =
            Nodes { ids: FxHashMap::default(), list: Vec::new(), spans: Vec::new(), inclusives: Vec::new() };
        nodes.add(FormulaNode::True, Span::default());
        nodes
    }
}

impl Nodes {
    pub(super) fn add(&mut self, node: FormulaNode, span: Span) -> Edge {
        let next = NodeId(u32::try_from(self.list.len()).expect("the parser bounds the size of a formula"));
        let id = *self.ids.entry(node.clone()).or_insert(next);
        if id == next {
            self.list.push(node);
            self.spans.push(span);
        }
        Edge { node: id, negated: false }
    }

    // Needs no self, but constants belong to the table: they are its node 0.
    #[allow(clippy::unused_self)]
    pub(super) fn constant(&self, value: bool) -> Edge {
        Edge { node: NodeId(0), negated: !value }
    }

    pub(super) fn and(&mut self, edges: Vec<Edge>, span: Span) -> Edge {
        let mut parts: Vec<Edge> = Vec::new();
        for edge in edges {
            match &self.list[edge.node.0 as usize] {
                FormulaNode::True if edge.negated => return self.constant(false),
                FormulaNode::True => {}
                // A conjunction in a conjunction is one conjunction.
                FormulaNode::And(inner) if !edge.negated && parts.len() + inner.len() < MAX_PARTS => {
                    parts.extend(inner);
                }
                _ => parts.push(edge),
            }
        }
        let parts = unique(parts);
        match parts.as_slice() {
            [] => self.constant(true),
            [only] => *only,
            _ => self.add(FormulaNode::And(parts), span),
        }
    }

    pub(super) fn until(&mut self, interval: Interval, left: Edge, right: Edge, span: Span) -> Edge {
        if right == self.constant(false) {
            return right;
        }
        self.add(FormulaNode::Until { interval, left, right }, span)
    }

    pub(super) fn since(&mut self, interval: Interval, left: Edge, right: Edge, span: Span) -> Edge {
        if right == self.constant(false) {
            return right;
        }
        self.add(FormulaNode::Since { interval, left, right }, span)
    }

    /// `right` here, if no distance is allowed; else `left` here and `right` where the strict operator says.
    pub(super) fn include_present(
        &mut self,
        interval: Interval,
        left: Edge,
        right: Edge,
        strict: Edge,
        span: Span,
    ) -> Edge {
        let elsewhere = self.and(vec![left, strict], span);
        if !interval.contains(Duration::ZERO) {
            return elsewhere;
        }
        let edge = !self.and(vec![!right, !elsewhere], span);
        let is_known = self.inclusives.iter().any(|(known, _)| *known == edge);
        if matches!(self.node(edge.node), FormulaNode::And(_)) && !is_known {
            self.inclusives.push((edge, strict.node));
        }
        edge
    }

    /// RULE D8. What an operator that includes the present says of the next position is what its strict form says here.
    pub(super) fn next(&mut self, interval: Interval, no: Edge, of: Edge, span: Span) -> Edge {
        match self.strict_form(interval, of) {
            Some((edge, FormulaNode::Until { .. })) => edge,
            _ => self.until(interval, no, of, span),
        }
    }

    /// RULE D8, towards the past.
    pub(super) fn previous(&mut self, interval: Interval, no: Edge, of: Edge, span: Span) -> Edge {
        match self.strict_form(interval, of) {
            Some((edge, FormulaNode::Since { .. })) => edge,
            _ => self.since(interval, no, of, span),
        }
    }

    /// The strict operator behind one that includes the present, where no distance matters to either.
    fn strict_form(&self, outer: Interval, of: Edge) -> Option<(Edge, &FormulaNode)> {
        let (_, id) = self.inclusives.iter().find(|(edge, _)| *edge == of)?;
        let node = self.node(*id);
        let (FormulaNode::Until { interval, .. } | FormulaNode::Since { interval, .. }) = node else { return None };
        (outer == Interval::ANY && *interval == Interval::ANY).then_some((Edge { node: *id, negated: false }, node))
    }

    pub(super) fn node(&self, id: NodeId) -> &FormulaNode {
        &self.list[id.0 as usize]
    }

    pub(super) fn finish(self) -> (Vec<FormulaNode>, Vec<Span>, Vec<(Edge, NodeId)>) {
        (self.list, self.spans, self.inclusives)
    }
}
