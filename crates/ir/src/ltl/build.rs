// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae as graphs: equal parts become one node, constants fold, and nothing grows beyond its limits.

use rustc_hash::FxHashMap;

use super::{Id, Ltl, Node};
use crate::pattern::Atom;

/// How large a formula may become. It is refused while it grows, so that memory is bounded by the limits and not by
/// what the formula would have needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Nodes in memory.
    pub shared: usize,
    /// Nodes when written out.
    pub written: u64,
}

/// A few hundred megabytes.
const MOST_SHARED: u64 = 4_000_000;

impl Limits {
    /// For a formula that is to be written out with at most this many nodes.
    pub fn written(nodes: u64) -> Self {
        // Folding leaves nodes behind that are not part of the formula, seldom as many as those that are. A large formula
        // repeats itself, and what does not would fill the memory long before it is written.
        let shared = nodes.saturating_mul(2).min(MOST_SHARED);
        Limits { shared: usize::try_from(shared).unwrap_or(usize::MAX), written: nodes }
    }
}

/// The formula outgrew its limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

/// Makes formulae.
#[derive(Clone, Debug)]
pub struct Builder {
    limits: Limits,
    nodes: Vec<Node>,
    /// For each node, its size when written out.
    written: Vec<u64>,
    known: FxHashMap<Node, Id>,
}

impl Builder {
    /// A builder with nothing in it but the constants.
    pub fn new(limits: Limits) -> Self {
        let mut builder = Builder { limits, nodes: vec![], written: vec![], known: FxHashMap::default() };
        for node in [Node::Constant(false), Node::Constant(true), Node::Marker] {
            builder.insert(node, 1);
        }
        builder
    }

    /// The formula whose root this is.
    pub fn finish(self, root: Id, propositions: Vec<Atom>) -> Ltl {
        let written = self.written(root);
        Ltl { nodes: self.nodes, root, propositions, written }
    }

    /// How many nodes may be in memory.
    pub(super) fn most_shared(&self) -> usize {
        self.limits.shared
    }

    /// How many nodes a part has when written out.
    pub fn written(&self, id: Id) -> u64 {
        self.written[id.index()]
    }

    /// The constant that a part is.
    pub fn is(&self, id: Id, constant: bool) -> bool {
        self.nodes[id.index()] == Node::Constant(constant)
    }

    /// `true`, `false`
    pub fn constant(&self, value: bool) -> Id {
        self.known[&Node::Constant(value)]
    }

    /// `e`
    pub fn marker(&self) -> Id {
        self.known[&Node::Marker]
    }

    /// The event at this place among the propositions.
    pub fn proposition(&mut self, index: usize) -> Result<Id, Full> {
        self.add(Node::Proposition(index))
    }

    /// `!of`
    pub fn not(&mut self, of: Id) -> Result<Id, Full> {
        match self.nodes[of.index()] {
            Node::Constant(value) => Ok(self.constant(!value)),
            Node::Not(inner) => Ok(inner),
            _ => self.add(Node::Not(of)),
        }
    }

    /// `left && right`
    pub fn and(&mut self, left: Id, right: Id) -> Result<Id, Full> {
        if self.is(left, false) || self.is(right, true) || left == right {
            return Ok(left);
        }
        // `e && (e && f)` is `e && f`: guards meet where a part is asked about from elsewhere.
        let repeats = matches!(self.nodes[right.index()], Node::And(first, _) if first == left);
        if repeats || self.is(right, false) || self.is(left, true) {
            return Ok(right);
        }
        self.add(Node::And(left, right))
    }

    /// `left || right`
    pub fn or(&mut self, left: Id, right: Id) -> Result<Id, Full> {
        if self.is(left, true) || self.is(right, false) || left == right {
            return Ok(left);
        }
        if self.is(right, true) || self.is(left, false) { Ok(right) } else { self.add(Node::Or(left, right)) }
    }

    /// `left -> right`
    pub fn implies(&mut self, left: Id, right: Id) -> Result<Id, Full> {
        if self.is(left, true) || self.is(right, true) {
            return Ok(right);
        }
        if self.is(left, false) {
            return Ok(self.constant(true));
        }
        if self.is(right, false) { self.not(left) } else { self.add(Node::Implies(left, right)) }
    }

    /// `condition && yes || !condition && no`
    pub fn choose(&mut self, condition: Id, yes: Id, no: Id) -> Result<Id, Full> {
        if yes == no {
            return Ok(yes);
        }
        let holds = self.and(condition, yes)?;
        let fails = self.not(condition)?;
        let fails = self.and(fails, no)?;
        self.or(holds, fails)
    }

    /// `X of`
    pub fn next(&mut self, of: Id) -> Result<Id, Full> {
        if self.is(of, false) { Ok(of) } else { self.add(Node::Next(of)) }
    }

    /// `Y of`
    pub fn previous(&mut self, of: Id) -> Result<Id, Full> {
        if self.is(of, false) { Ok(of) } else { self.add(Node::Previous(of)) }
    }

    /// `left U right`
    pub fn until(&mut self, left: Id, right: Id) -> Result<Id, Full> {
        if self.is(right, false) || self.is(right, true) || self.is(left, false) {
            return Ok(right);
        }
        if self.is(left, true) { self.add(Node::Eventually(right)) } else { self.add(Node::Until(left, right)) }
    }

    /// `left S right`
    pub fn since(&mut self, left: Id, right: Id) -> Result<Id, Full> {
        if self.is(right, false) || self.is(right, true) || self.is(left, false) {
            return Ok(right);
        }
        if self.is(left, true) { self.add(Node::Once(right)) } else { self.add(Node::Since(left, right)) }
    }

    /// `G of`
    pub fn always(&mut self, of: Id) -> Result<Id, Full> {
        if self.is(of, true) || self.is(of, false) { Ok(of) } else { self.add(Node::Always(of)) }
    }

    /// `H of`
    pub fn historically(&mut self, of: Id) -> Result<Id, Full> {
        if self.is(of, true) || self.is(of, false) { Ok(of) } else { self.add(Node::Historically(of)) }
    }

    fn add(&mut self, node: Node) -> Result<Id, Full> {
        if let Some(id) = self.known.get(&node) {
            return Ok(*id);
        }
        let written = node.parts().fold(1_u64, |sum, part| sum.saturating_add(self.written(part)));
        if self.nodes.len() >= self.limits.shared || written > self.limits.written {
            return Err(Full);
        }
        Ok(self.insert(node, written))
    }

    fn insert(&mut self, node: Node, written: u64) -> Id {
        let id = Id(u32::try_from(self.nodes.len()).expect("memory holds fewer nodes than that"));
        self.nodes.push(node);
        self.written.push(written);
        self.known.insert(node, id);
        id
    }
}
