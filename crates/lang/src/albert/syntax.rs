// SPDX-License-Identifier: MIT OR Apache-2.0
//! A formula or a value as written. Parentheses may hold either, so both are read into one tree and told apart when it is
//! lowered.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::formula::Connective;
use gnomon_ir::spec::{QuantifierKind, Variable};
use gnomon_ir::term::{Operation, Reference};

use super::operator::Operator;
use crate::specfile::atom::AtomSyntax;

/// A formula or a value, and where it stands.
#[derive(Debug)]
pub(super) struct Syntax {
    /// In a box, to keep the frames of the recursive parser small.
    pub(super) kind: Box<Kind>,
    /// Without the parentheses around it.
    pub(super) span: Span,
    /// With them.
    pub(super) outer: Span,
    /// How high the tree is that it stands for.
    pub(super) depth: u32,
    /// How many parts that tree has.
    pub(super) size: u32,
}

/// The forms of a formula or a value.
#[derive(Debug)]
pub(super) enum Kind {
    /// Nothing that can be understood; it has been reported.
    Missing,
    /// `true`, `false`: a formula, or a value that is compared.
    Constant(bool),
    /// A number, a text or null.
    Literal(Value<'static>),
    /// `10s`
    Time(Quantity),
    /// `$order/items`
    Variable(Reference),
    /// A name without a `$` or an `onEvent` around it.
    Name(AtomSyntax),
    Operation(Operation, Syntax, Syntax),
    Compare(Syntax, Comparison, Syntax),
    Not(Syntax),
    Connective(Connective, Syntax, Syntax),
    /// `Within(f, 10)`, `max($x, 60)`
    Call(Operator, Vec<Argument>),
    /// `(forall x in $items; f)`
    Each {
        kind: QuantifierKind,
        variable: Variable,
        list: Reference,
        of: Syntax,
    },
}

/// What stands between an operator's parentheses.
#[derive(Debug)]
pub(super) enum Argument {
    /// A formula, a value, or `onEvent(X)`.
    Part(Syntax),
    /// The event of `onEvent`.
    Event(AtomSyntax),
    /// A length of time.
    Window(Quantity, Span),
    /// A number of times.
    Times(u64),
    /// Nothing that can be understood; it has been reported.
    Missing,
}

impl Syntax {
    /// What stands where something should be.
    pub(super) fn missing(span: Span) -> Syntax {
        Syntax::new(Kind::Missing, span)
    }

    /// A formula or a value; its measures follow from its parts.
    pub(super) fn new(kind: Kind, span: Span) -> Syntax {
        let (depth, size) = match &kind {
            Kind::Not(of) | Kind::Each { of, .. } => above(&[of], 1, 0),
            Kind::Operation(_, left, right) | Kind::Compare(left, _, right) | Kind::Connective(_, left, right) => {
                above(&[left, right], 1, 0)
            }
            Kind::Call(operator, arguments) => {
                let parts: Vec<&Syntax> = arguments.iter().filter_map(Argument::part).collect();
                // These two stand for formulae in which their first part stands twice.
                let doubled = matches!(operator, Operator::Becomes | Operator::Between);
                let again = if doubled { parts.first().map_or(0, |part| part.size) } else { 0 };
                above(&parts, if doubled { 3 } else { 1 }, again)
            }
            _ => (1, 1),
        };
        Syntax { kind: Box::new(kind), span, outer: span, depth, size }
    }

    /// Whether it is a value, and not a formula.
    pub(super) fn is_value(&self) -> bool {
        match self.kind.as_ref() {
            Kind::Literal(_) | Kind::Time(_) | Kind::Variable(_) | Kind::Operation(..) => true,
            Kind::Call(operator, _) => operator.is_value(),
            _ => false,
        }
    }
}

/// The measures of a tree with these parts below so many levels, and so many parts more.
fn above(parts: &[&Syntax], levels: u32, more: u32) -> (u32, u32) {
    let depth = parts.iter().map(|part| part.depth).max().unwrap_or(0);
    let size = parts.iter().map(|part| part.size).fold(more, u32::saturating_add);
    (depth + levels, size.saturating_add(levels))
}

impl Argument {
    fn part(&self) -> Option<&Syntax> {
        match self {
            Argument::Part(part) => Some(part),
            _ => None,
        }
    }
}
