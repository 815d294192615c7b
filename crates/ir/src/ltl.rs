// SPDX-License-Identifier: MIT OR Apache-2.0
//! Linear temporal logic with past over *unit instants*, and the mapping of SOLOIST to it.
//!
//! An instant is one unit of the trace's time, the first is time 0, the last carries the last position. The marker `e`
//! is true at the instants that carry a position. [`translate`] brings a property to this form, [`print`](fn@print) writes it
//! down; nothing here evaluates it. `docs/languages/ltl.md` states the mapping and where it departs from the published
//! one.
//!
//! The operators are the usual ones, over finite words: `U S G F H O` include the present instant; `X` is false at the
//! last instant and `Y` at the first. A formula is a graph in which equal parts are one node, because the mapping of
//! counts and gaps repeats itself beyond all bounds when it is written out.

mod build;
mod count;
mod gap;
mod metric;
mod print;
mod refusal;
mod translate;

pub use build::{Builder, LimitExceeded, Limits};
pub use print::print;
pub use refusal::{GrowthCause, LtlRefusal, RefusalReason};
pub use translate::translate;

use crate::atom::Atom;

/// A node's number. A node's parts have smaller numbers than the node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LtlId(u32);

impl LtlId {
    /// Its place among the nodes.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LtlNode {
    /// `true`, `false`
    Constant(bool),
    /// `e`: the instant carries a position.
    Marker,
    /// An event, by its place among the formula's propositions.
    Proposition(usize),
    /// `!f`
    Not(LtlId),
    /// `f && g`
    And(LtlId, LtlId),
    /// `f || g`
    Or(LtlId, LtlId),
    /// `f -> g`
    Implies(LtlId, LtlId),
    /// `X f`: there is a next instant, and f is true there.
    Next(LtlId),
    /// `Y f`: there is a previous instant, and f is true there.
    Previous(LtlId),
    /// `f U g`
    Until(LtlId, LtlId),
    /// `f S g`
    Since(LtlId, LtlId),
    /// `G f`
    Always(LtlId),
    /// `F f`
    Eventually(LtlId),
    /// `H f`
    Historically(LtlId),
    /// `O f`
    Once(LtlId),
}

impl LtlNode {
    /// The nodes directly below it.
    pub fn parts(self) -> impl Iterator<Item = LtlId> {
        let (first, second) = match self {
            LtlNode::Constant(_) | LtlNode::Marker | LtlNode::Proposition(_) => (None, None),
            LtlNode::Not(of)
            | LtlNode::Next(of)
            | LtlNode::Previous(of)
            | LtlNode::Always(of)
            | LtlNode::Eventually(of)
            | LtlNode::Historically(of)
            | LtlNode::Once(of) => (Some(of), None),
            LtlNode::And(left, right)
            | LtlNode::Or(left, right)
            | LtlNode::Implies(left, right)
            | LtlNode::Until(left, right)
            | LtlNode::Since(left, right) => (Some(left), Some(right)),
        };
        first.into_iter().chain(second)
    }
}

/// A formula: true of a word if its root is true at the first instant.
#[derive(Clone, PartialEq, Debug)]
pub struct LtlFormula {
    /// The nodes, parts first; each is there once.
    pub nodes: Vec<LtlNode>,
    /// The whole formula.
    pub root: LtlId,
    /// The events it refers to, each as it is first written in the property.
    pub propositions: Vec<Atom>,
    /// Number of nodes when written out; shared parts count once for each use.
    pub written: u64,
}
