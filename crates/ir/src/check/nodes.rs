// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of nodes: equal nodes are one node, constants are folded where three-valued logic allows it.

use gnomon_core::diagnostic::Span;
use gnomon_core::interval::Interval;
use rustc_hash::FxHashMap;

use crate::core::{Edge, MAX_PARTS, Node, NodeId};

pub(super) struct Nodes {
    ids: FxHashMap<Node, NodeId>,
    list: Vec<Node>,
    spans: Vec<Span>,
}

impl Default for Nodes {
    /// Node 0 is `True`, always.
    fn default() -> Self {
        let mut nodes = Nodes { ids: FxHashMap::default(), list: Vec::new(), spans: Vec::new() };
        nodes.add(Node::True, Span::default());
        nodes
    }
}

impl Nodes {
    pub(super) fn add(&mut self, node: Node, span: Span) -> Edge {
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
                Node::True if edge.negated => return self.constant(false),
                Node::True => {}
                // A conjunction in a conjunction is one conjunction.
                Node::And(inner) if !edge.negated && parts.len() + inner.len() < MAX_PARTS => parts.extend(inner),
                _ => parts.push(edge),
            }
        }
        let mut unique: Vec<Edge> = Vec::with_capacity(parts.len());
        for edge in parts {
            if !unique.contains(&edge) {
                unique.push(edge);
            }
        }
        match unique.as_slice() {
            [] => self.constant(true),
            [only] => *only,
            _ => self.add(Node::And(unique), span),
        }
    }

    pub(super) fn until(&mut self, interval: Interval, left: Edge, right: Edge, span: Span) -> Edge {
        if right == self.constant(false) {
            return right;
        }
        self.add(Node::Until { interval, left, right }, span)
    }

    pub(super) fn since(&mut self, interval: Interval, left: Edge, right: Edge, span: Span) -> Edge {
        if right == self.constant(false) {
            return right;
        }
        self.add(Node::Since { interval, left, right }, span)
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.list[id.0 as usize]
    }

    pub(super) fn finish(self) -> (Vec<Node>, Vec<Span>) {
        (self.list, self.spans)
    }
}
