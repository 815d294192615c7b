// SPDX-License-Identifier: MIT OR Apache-2.0
//! A formula as written: what the parser has seen, before it is given a meaning.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_core::value::Comparison;
use gnomon_ir::formula::{Binary, Bounds, Connective, Unary};

use crate::specfile::atom::AtomSyntax;

/// A formula and where it stands.
#[derive(Debug)]
pub(super) struct Syntax {
    /// In a box, to keep the frames of the recursive parser small.
    pub(super) kind: Box<Kind>,
    /// Without the parentheses around it.
    pub(super) span: Span,
    /// With them.
    pub(super) outer: Span,
    /// How high the tree is.
    pub(super) depth: u32,
}

/// The forms of a formula.
#[derive(Debug)]
pub(super) enum Kind {
    /// Nothing that can be understood; it has been reported.
    Missing,
    Constant(bool),
    Atom(AtomSyntax),
    Not(Syntax),
    Connective(Connective, Syntax, Syntax),
    Unary {
        operator: Unary,
        exponent: Option<Exponent>,
        interval: Bounds,
        of: Syntax,
    },
    Binary {
        operator: Binary,
        interval: Bounds,
        left: Syntax,
        right: Syntax,
    },
    Aggregate(Aggregate),
}

/// `^6`
#[derive(Clone, Copy, Debug)]
pub(super) struct Exponent {
    /// `None` if it is no whole number, or a very large one.
    pub(super) number: Option<u32>,
    pub(super) span: Span,
}

/// Which quantity an aggregate speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Measure {
    /// `C`, `count`
    Count,
    /// `U`, `avg`
    Average,
    /// `M`, `max`
    Maximum,
    /// `D`, `gap`
    Gap,
}

impl Measure {
    /// Whether the window is cut into steps.
    pub(super) fn has_step(self) -> bool {
        matches!(self, Measure::Average | Measure::Maximum)
    }

    /// How many formulae it is about.
    pub(super) fn arity(self) -> usize {
        if self == Measure::Gap { 2 } else { 1 }
    }
}

/// An aggregate, complete or not.
#[derive(Debug)]
pub(super) struct Aggregate {
    pub(super) measure: Measure,
    /// `K`, or `K` and `h`.
    pub(super) window: Option<Vec<Quantity>>,
    pub(super) compared: Option<(Comparison, Quantity)>,
    pub(super) arguments: Vec<Syntax>,
}

impl Syntax {
    /// What stands where a formula should be.
    pub(super) fn missing(span: Span) -> Syntax {
        Syntax::new(Kind::Missing, span)
    }

    /// A formula; its height follows from its parts.
    pub(super) fn new(kind: Kind, span: Span) -> Syntax {
        let below = match &kind {
            Kind::Missing | Kind::Constant(_) | Kind::Atom(_) => 0,
            Kind::Not(of) | Kind::Unary { of, .. } => of.depth,
            Kind::Connective(_, left, right) | Kind::Binary { left, right, .. } => left.depth.max(right.depth),
            Kind::Aggregate(aggregate) => aggregate.arguments.iter().map(|part| part.depth).max().unwrap_or(0),
        };
        Syntax { kind: Box::new(kind), span, outer: span, depth: below + 1 }
    }
}
