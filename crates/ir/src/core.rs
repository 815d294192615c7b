// SPDX-License-Identifier: MIT OR Apache-2.0
//! One property with few operators: what the oracle explains and the engine runs.

use gnomon_core::diagnostic::Span;
use gnomon_core::interval::Interval;
use gnomon_core::time::{Clock, Duration};
use gnomon_core::value::Comparison;
use gnomon_core::verdict::Simultaneous;

use crate::pattern::Pattern;

/// A node's number. A node's children have smaller numbers than the node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// An atom's number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(pub u32);

/// A node, or its negation. Negation is a mark on the way to a node, never a node: it costs nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// The node.
    pub node: NodeId,
    /// Whether its negation is meant.
    pub negated: bool,
}

impl std::ops::Not for Edge {
    type Output = Edge;
    fn not(self) -> Edge {
        Edge { negated: !self.negated, ..self }
    }
}

/// The most parts that one [`Node::And`] has; a longer conjunction is nested.
pub const MAX_PARTS: usize = 64;

/// The operators of the kernel. All temporal operators are strict: they never look at the present position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// True everywhere.
    True,
    /// Some event of the position matches one of the atom's patterns.
    Atom(AtomId),
    /// The position's time is at least this long after the trace's origin.
    TimeAtLeast(Duration),
    /// All of these.
    And(Vec<Edge>),
    /// Some later position at a distance in the interval satisfies `right`, all positions strictly between `left`.
    Until {
        /// Distances.
        interval: Interval,
        /// In between.
        left: Edge,
        /// At the end.
        right: Edge,
    },
    /// Some earlier position at a distance in the interval satisfies `right`, all positions strictly between `left`.
    Since {
        /// Distances.
        interval: Interval,
        /// In between.
        left: Edge,
        /// At the beginning.
        right: Edge,
    },
    /// How many positions at most `reach` back (the present one included) satisfy `of`, compared with the bound.
    Count {
        /// The greatest distance that counts; negative: the window is empty.
        reach: Duration,
        /// What is counted.
        of: Edge,
        /// How the number is compared.
        comparison: Comparison,
        /// With what.
        bound: Ratio,
    },
    /// The greatest number of positions that satisfy `of` in one step of the window, compared with the bound: step
    /// `m` covers the times in `(max(t - window, t - (m+1)·step), t - m·step]`, for `m = 0 ..= window / step`.
    Maximum {
        /// K
        window: Duration,
        /// h
        step: Duration,
        /// What is counted.
        of: Edge,
        /// How the number is compared.
        comparison: Comparison,
        /// With what.
        bound: Ratio,
    },
    /// The mean distance from each position at most `reach` back that satisfies `from` to the first later one, up to
    /// the present, that satisfies `to`, compared with the bound in ticks; false if there is no such pair.
    Gap {
        /// The greatest distance at which a start counts; negative: the window is empty.
        reach: Duration,
        /// Starts.
        from: Edge,
        /// Ends.
        to: Edge,
        /// How the mean is compared.
        comparison: Comparison,
        /// With what, in ticks.
        bound: Ratio,
    },
}

/// An exact fraction with a positive denominator: a number of things, or of ticks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ratio {
    /// Above.
    pub numerator: i128,
    /// Below; positive.
    pub denominator: i128,
}

impl Ratio {
    /// How `number / count` compares with it. `count` is positive.
    #[inline]
    pub fn compared_by(self, comparison: Comparison, number: i128, count: i128) -> bool {
        // Saturation keeps the order right unless both sides leave 128 bits, which no trace can reach: times are
        // below 2^110 ticks and counts below 2^64 with denominators of 10^9 at most.
        let left = number.saturating_mul(self.denominator);
        let right = self.numerator.saturating_mul(count);
        comparison.accepts(left.cmp(&right))
    }
}

/// An atom of the property.
#[derive(Clone, PartialEq, Debug)]
pub struct AtomDefinition {
    /// The name that the property uses.
    pub name: String,
    /// It is true of an event that one of these matches.
    pub patterns: Vec<Pattern>,
}

/// One property in kernel form.
#[derive(Clone, PartialEq, Debug)]
pub struct Core {
    /// The property's name.
    pub name: String,
    /// How events with equal times become positions.
    pub simultaneous: Simultaneous,
    /// The trace's unit.
    pub clock: Clock,
    /// The first constant with a unit, where none is declared: such a spec only fits traces with date-times.
    pub needs_unit: Option<Span>,
    /// The atoms.
    pub atoms: Vec<AtomDefinition>,
    /// The nodes, children first.
    pub nodes: Vec<Node>,
    /// For each node, the text it came from.
    pub spans: Vec<Span>,
    /// The whole formula: the property is true if this is true at the first position.
    pub formula: Edge,
    /// How violations are told apart.
    pub reading: Reading,
}

/// How a formula is read for reporting. It changes no verdict, only what counts as one violation.
#[derive(Clone, PartialEq, Debug)]
pub enum Reading {
    /// A conjunction of `X^n G body`: each position in reach where a body is false is a violation.
    Invariants(Vec<Invariant>),
    /// Any other form: one violation, at the first position.
    Whole(Whole),
}

/// `X^n G_I body`
#[derive(Clone, PartialEq, Debug)]
pub struct Invariant {
    /// The interval of each `X`, outermost first.
    pub nexts: Vec<Interval>,
    /// The distances from the position after the `X`s that `G` reaches. `G` is strict.
    pub reach: Interval,
    /// `a` of a body `a -> b`; `None` for other bodies.
    pub antecedent: Option<Edge>,
    /// `b` of a body `a -> b`, else the body.
    pub consequent: Edge,
    /// Where the consequent is written.
    pub consequent_span: Span,
    /// Where the whole `X^n G body` is written.
    pub span: Span,
    /// Whether the consequent looks into the future, so that time may pass until it is satisfied.
    pub takes_time: bool,
}

/// Any other form of formula.
#[derive(Clone, PartialEq, Debug)]
pub struct Whole {
    /// Where it is written.
    pub span: Span,
    /// Whether it looks into the future.
    pub takes_time: bool,
}

impl Core {
    /// The node of this number.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Where a node came from.
    pub fn span(&self, id: NodeId) -> Span {
        self.spans[id.0 as usize]
    }
}

impl Node {
    /// The edges to its children.
    pub fn children(&self) -> Vec<Edge> {
        match self {
            Node::True | Node::Atom(_) | Node::TimeAtLeast(_) => vec![],
            Node::And(edges) => edges.clone(),
            Node::Until { left, right, .. } | Node::Since { left, right, .. } => vec![*left, *right],
            Node::Count { of, .. } | Node::Maximum { of, .. } => vec![*of],
            Node::Gap { from, to, .. } => vec![*from, *to],
        }
    }
}
