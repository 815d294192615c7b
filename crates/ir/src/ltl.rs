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

pub use build::{Builder, Full, Limits};
pub use print::print;
pub use refusal::{Cause, Reason, Refusal};
pub use translate::translate;

use crate::pattern::Atom;

/// A node's number. A node's parts have smaller numbers than the node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Id(u32);

impl Id {
    /// Its place among the nodes.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// `true`, `false`
    Constant(bool),
    /// `e`: the instant carries a position.
    Marker,
    /// An event, by its place among the formula's propositions.
    Proposition(usize),
    /// `!f`
    Not(Id),
    /// `f && g`
    And(Id, Id),
    /// `f || g`
    Or(Id, Id),
    /// `f -> g`
    Implies(Id, Id),
    /// `X f`: there is a next instant, and f is true there.
    Next(Id),
    /// `Y f`: there is a previous instant, and f is true there.
    Previous(Id),
    /// `f U g`
    Until(Id, Id),
    /// `f S g`
    Since(Id, Id),
    /// `G f`
    Always(Id),
    /// `F f`
    Eventually(Id),
    /// `H f`
    Historically(Id),
    /// `O f`
    Once(Id),
}

impl Node {
    /// The nodes directly below it.
    pub fn parts(self) -> impl Iterator<Item = Id> {
        let (first, second) = match self {
            Node::Constant(_) | Node::Marker | Node::Proposition(_) => (None, None),
            Node::Not(of)
            | Node::Next(of)
            | Node::Previous(of)
            | Node::Always(of)
            | Node::Eventually(of)
            | Node::Historically(of)
            | Node::Once(of) => (Some(of), None),
            Node::And(left, right)
            | Node::Or(left, right)
            | Node::Implies(left, right)
            | Node::Until(left, right)
            | Node::Since(left, right) => (Some(left), Some(right)),
        };
        first.into_iter().chain(second)
    }
}

/// A formula: true of a word if its root is true at the first instant.
#[derive(Clone, PartialEq, Debug)]
pub struct Ltl {
    /// The nodes, parts first; each is there once.
    pub nodes: Vec<Node>,
    /// The whole formula.
    pub root: Id,
    /// The events it speaks of, each as it is first written in the property.
    pub propositions: Vec<Atom>,
    /// How many nodes it has when it is written out, parts that occur twice counted twice.
    pub written: u64,
}
