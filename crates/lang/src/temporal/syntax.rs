// SPDX-License-Identifier: MIT OR Apache-2.0
//! A formula as written: what the parser has seen, before it is given a meaning.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_core::value::Comparison;
use gnomon_ir::formula::{Binary, Bounds, Connective, Fold, Unary};
use gnomon_ir::pattern::Path;

use crate::specfile::atom::AtomSyntax;

/// A formula and where it stands.
#[derive(Debug)]
pub(crate) struct Syntax {
    /// In a box, to keep the frames of the recursive parser small.
    pub(crate) kind: Box<Kind>,
    /// Without the parentheses around it.
    pub(crate) span: Span,
    /// With them.
    pub(crate) outer: Span,
    /// How high the tree is.
    pub(crate) depth: u32,
}

/// The forms of a formula.
#[derive(Debug)]
pub(crate) enum Kind {
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
pub(crate) struct Exponent {
    /// `None` if it is no whole number, or a very large one.
    pub(crate) number: Option<u32>,
    pub(crate) span: Span,
}

/// Which quantity an aggregate speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Measure {
    /// `C`, `count`
    Count,
    /// `U`, `avg`
    Average,
    /// `M`, `max`
    Maximum,
    /// `D`, `gap`
    Gap,
    /// `sum` and the like, of a field
    Fold(Fold),
}

impl Measure {
    /// Whether the window is cut into steps.
    pub(crate) fn has_step(self) -> bool {
        matches!(self, Measure::Average | Measure::Maximum)
    }

    /// How many formulae it is about.
    pub(crate) fn arity(self) -> usize {
        if self == Measure::Gap { 2 } else { 1 }
    }
}

/// An aggregate, complete or not.
#[derive(Debug)]
pub(crate) struct Aggregate {
    pub(crate) measure: Measure,
    /// `K`, or `K` and `h`.
    pub(crate) window: Option<Vec<Quantity>>,
    pub(crate) compared: Option<(Comparison, Quantity)>,
    pub(crate) arguments: Vec<Syntax>,
    /// The field whose numbers are folded.
    pub(crate) field: Option<Path>,
}

impl Syntax {
    /// What stands where a formula should be.
    pub(crate) fn missing(span: Span) -> Syntax {
        Syntax::new(Kind::Missing, span)
    }

    /// A formula; its height follows from its parts.
    pub(crate) fn new(kind: Kind, span: Span) -> Syntax {
        let below = match &kind {
            Kind::Missing | Kind::Constant(_) | Kind::Atom(_) => 0,
            Kind::Not(of) | Kind::Unary { of, .. } => of.depth,
            Kind::Connective(_, left, right) | Kind::Binary { left, right, .. } => left.depth.max(right.depth),
            Kind::Aggregate(aggregate) => aggregate.arguments.iter().map(|part| part.depth).max().unwrap_or(0),
        };
        Syntax { kind: Box::new(kind), span, outer: span, depth: below + 1 }
    }
}
