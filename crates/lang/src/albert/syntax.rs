// SPDX-License-Identifier: MIT OR Apache-2.0
//! A formula or a value as written. Parentheses may hold either, so both are read into one tree, and lowering
//! distinguishes them.

use gnomon_core::{Comparison, Quantity, Span, Value};
use gnomon_ir::{Operation, QuantifierKind, Reference, Variable};

use super::operator::Function;
use crate::syntax::{AtomSyntax, formula};

/// A formula or a value, and its position. An atom is a name without `$` or `onEvent`.
pub(super) type Syntax = formula::Syntax<AlbertForm>;

/// The forms that only this language has.
#[derive(Debug)]
pub(super) enum AlbertForm {
    /// A number, a text or null.
    Literal(Value<'static>),
    /// `10s`
    Time(Quantity),
    /// `$order/items`
    Variable(Reference),
    Operation(Operation, Syntax, Syntax),
    Compare(Syntax, Comparison, Syntax),
    /// `Within(f, 10)`, `max($x, 60)`
    Call(Function, Vec<CallArgument>),
    /// `(forall x in $items; f)`
    Each {
        kind: QuantifierKind,
        variable: Variable,
        list: Reference,
        of: Syntax,
    },
}

impl formula::LanguageForm for AlbertForm {
    fn parts(&self) -> Vec<&Syntax> {
        match self {
            AlbertForm::Literal(_) | AlbertForm::Time(_) | AlbertForm::Variable(_) => vec![],
            AlbertForm::Operation(_, left, right) | AlbertForm::Compare(left, _, right) => vec![left, right],
            AlbertForm::Call(_, arguments) => arguments
                .iter()
                .filter_map(|argument| if let CallArgument::Part(part) = argument { Some(part) } else { None })
                .collect(),
            AlbertForm::Each { of, .. } => vec![of],
        }
    }

    fn doubles(&self) -> bool {
        matches!(self, AlbertForm::Call(Function::Becomes | Function::Between, _))
    }
}

/// Returns true if a tree is a value, and not a formula.
pub(super) fn is_value(syntax: &Syntax) -> bool {
    syntax.own().is_some_and(|form| match form {
        AlbertForm::Literal(_) | AlbertForm::Time(_) | AlbertForm::Variable(_) | AlbertForm::Operation(..) => true,
        AlbertForm::Call(function, _) => function.is_value(),
        AlbertForm::Compare(..) | AlbertForm::Each { .. } => false,
    })
}

/// An argument of an operator.
#[derive(Debug)]
pub(super) enum CallArgument {
    /// A formula, a value, or `onEvent(X)`.
    Part(Syntax),
    /// The event of `onEvent`.
    Event(AtomSyntax),
    /// A length of time.
    Window(Quantity, Span),
    /// A number of times.
    Times(u64),
    /// An argument that could not be understood; it has been reported.
    Missing,
}
