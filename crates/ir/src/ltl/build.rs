// SPDX-License-Identifier: MIT OR Apache-2.0
//! LTL formulae as shared graphs: equal parts become one node, constants are folded, limits are enforced.

use rustc_hash::FxHashMap;

use super::{LtlFormula, LtlId, LtlNode};
use crate::atom::Atom;

/// Limits on the size of a formula. They are checked while the formula grows, so that memory is bounded by the limits
/// and not by the size of the complete formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Nodes in memory.
    pub shared: usize,
    /// Nodes when written out.
    pub written: u64,
}

/// A few hundred megabytes.
const MAX_SHARED: u64 = 4_000_000;

impl Limits {
    /// Returns limits for a formula that is written out with at most this many nodes.
    pub fn written(nodes: u64) -> Self {
        // Folding leaves nodes behind that are not part of the formula, seldom as many as those that are. A large formula
        // repeats itself, and what does not would fill the memory long before it is written.
        let shared = nodes.saturating_mul(2).min(MAX_SHARED);
        Limits { shared: usize::try_from(shared).unwrap_or(usize::MAX), written: nodes }
    }
}

/// The formula outgrew its limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LimitExceeded;

/// Makes formulae.
#[derive(Clone, Debug)]
pub struct Builder {
    pub(super) limits: Limits,
    nodes: Vec<LtlNode>,
    /// Size of each node when written out.
    written: Vec<u64>,
    known: FxHashMap<LtlNode, LtlId>,
}

impl Builder {
    /// A builder with nothing in it but the constants.
    pub fn new(limits: Limits) -> Self {
        let mut builder = Builder { limits, nodes: vec![], written: vec![], known: FxHashMap::default() };
        for node in [LtlNode::Constant(false), LtlNode::Constant(true), LtlNode::Marker] {
            builder.insert(node, 1);
        }
        builder
    }

    /// The formula whose root this is.
    pub fn finish(self, root: LtlId, propositions: Vec<Atom>) -> LtlFormula {
        let written = self.written(root);
        LtlFormula { nodes: self.nodes, root, propositions, written }
    }

    /// Returns the size of a part when written out.
    pub fn written(&self, id: LtlId) -> u64 {
        self.written[id.index()]
    }

    /// The constant that a part is.
    pub fn is(&self, id: LtlId, constant: bool) -> bool {
        self.nodes[id.index()] == LtlNode::Constant(constant)
    }

    /// `true`, `false`
    pub fn constant(&self, value: bool) -> LtlId {
        self.known[&LtlNode::Constant(value)]
    }

    /// `e`
    pub fn marker(&self) -> LtlId {
        self.known[&LtlNode::Marker]
    }

    /// The event at this place among the propositions.
    pub fn proposition(&mut self, index: usize) -> Result<LtlId, LimitExceeded> {
        self.add(LtlNode::Proposition(index))
    }

    /// `!of`
    pub fn not(&mut self, of: LtlId) -> Result<LtlId, LimitExceeded> {
        match self.nodes[of.index()] {
            LtlNode::Constant(value) => Ok(self.constant(!value)),
            LtlNode::Not(inner) => Ok(inner),
            _ => self.add(LtlNode::Not(of)),
        }
    }

    /// `left && right`
    pub fn and(&mut self, left: LtlId, right: LtlId) -> Result<LtlId, LimitExceeded> {
        if self.is(left, false) || self.is(right, true) || left == right {
            return Ok(left);
        }
        // `e && (e && f)` is `e && f`: guards meet where a part is asked about from elsewhere.
        let repeats = matches!(self.nodes[right.index()], LtlNode::And(first, _) if first == left);
        if repeats || self.is(right, false) || self.is(left, true) {
            return Ok(right);
        }
        self.add(LtlNode::And(left, right))
    }

    /// `left || right`
    pub fn or(&mut self, left: LtlId, right: LtlId) -> Result<LtlId, LimitExceeded> {
        if self.is(left, true) || self.is(right, false) || left == right {
            return Ok(left);
        }
        if self.is(right, true) || self.is(left, false) { Ok(right) } else { self.add(LtlNode::Or(left, right)) }
    }

    /// `left -> right`
    pub fn implies(&mut self, left: LtlId, right: LtlId) -> Result<LtlId, LimitExceeded> {
        if self.is(left, true) || self.is(right, true) {
            return Ok(right);
        }
        if self.is(left, false) {
            return Ok(self.constant(true));
        }
        if self.is(right, false) { self.not(left) } else { self.add(LtlNode::Implies(left, right)) }
    }

    /// `condition && yes || !condition && no`
    pub fn choose(&mut self, condition: LtlId, yes: LtlId, no: LtlId) -> Result<LtlId, LimitExceeded> {
        if yes == no {
            return Ok(yes);
        }
        let holds = self.and(condition, yes)?;
        let fails = self.not(condition)?;
        let fails = self.and(fails, no)?;
        self.or(holds, fails)
    }

    /// `X of`
    pub fn next(&mut self, of: LtlId) -> Result<LtlId, LimitExceeded> {
        if self.is(of, false) { Ok(of) } else { self.add(LtlNode::Next(of)) }
    }

    /// `Y of`
    pub fn previous(&mut self, of: LtlId) -> Result<LtlId, LimitExceeded> {
        if self.is(of, false) { Ok(of) } else { self.add(LtlNode::Previous(of)) }
    }

    /// `left U right`
    pub fn until(&mut self, left: LtlId, right: LtlId) -> Result<LtlId, LimitExceeded> {
        if self.is(right, false) || self.is(right, true) || self.is(left, false) {
            return Ok(right);
        }
        if self.is(left, true) { self.add(LtlNode::Eventually(right)) } else { self.add(LtlNode::Until(left, right)) }
    }

    /// `left S right`
    pub fn since(&mut self, left: LtlId, right: LtlId) -> Result<LtlId, LimitExceeded> {
        if self.is(right, false) || self.is(right, true) || self.is(left, false) {
            return Ok(right);
        }
        if self.is(left, true) { self.add(LtlNode::Once(right)) } else { self.add(LtlNode::Since(left, right)) }
    }

    /// `G of`
    pub fn always(&mut self, of: LtlId) -> Result<LtlId, LimitExceeded> {
        if self.is(of, true) || self.is(of, false) { Ok(of) } else { self.add(LtlNode::Always(of)) }
    }

    /// `H of`
    pub fn historically(&mut self, of: LtlId) -> Result<LtlId, LimitExceeded> {
        if self.is(of, true) || self.is(of, false) { Ok(of) } else { self.add(LtlNode::Historically(of)) }
    }

    fn add(&mut self, node: LtlNode) -> Result<LtlId, LimitExceeded> {
        if let Some(id) = self.known.get(&node) {
            return Ok(*id);
        }
        let written = node.parts().fold(1_u64, |sum, part| sum.saturating_add(self.written(part)));
        if self.nodes.len() >= self.limits.shared || written > self.limits.written {
            return Err(LimitExceeded);
        }
        Ok(self.insert(node, written))
    }

    fn insert(&mut self, node: LtlNode, written: u64) -> LtlId {
        let id = LtlId(u32::try_from(self.nodes.len()).expect("memory holds fewer nodes than that"));
        self.nodes.push(node);
        self.written.push(written);
        self.known.insert(node, id);
        id
    }
}
