// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of a state: variables, arithmetic, and functions of the past, as written.

use gnomon_core::{Quantity, Span, Value};

use crate::{Atom, Fold, Formula};

/// A term and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    /// Operator with its operands.
    pub kind: TermKind,
    /// Source location.
    pub span: Span,
}

impl Term {
    /// The terms directly inside this one.
    pub fn children(&self) -> Vec<&Term> {
        match &self.kind {
            TermKind::Operation(_, left, right) => vec![left, right],
            TermKind::Past { of, .. } | TermKind::Fold { of, .. } => vec![of],
            TermKind::Literal(_)
            | TermKind::Time(_)
            | TermKind::Variable(_)
            | TermKind::Count { .. }
            | TermKind::Elapsed(_) => vec![],
        }
    }
}

/// The forms of a term. A term may have no value: then it is undefined.
#[derive(Clone, PartialEq, Debug)]
pub enum TermKind {
    /// A number, a text, a Boolean or null.
    Literal(Value<'static>),
    /// `10s`: an amount of time.
    Time(Quantity),
    /// `$order/items`
    Variable(Reference),
    /// Arithmetic on two numbers.
    Operation(Operation, Box<Term>, Box<Term>),
    /// `past(e, onEvent(X), n)`: e in the n-th latest state before this one where X happened.
    Past {
        /// e
        of: Box<Term>,
        /// X
        event: Occurrence,
        /// n
        back: u64,
    },
    /// `count(f, K)`: in how many states from K ago to now f holds.
    Count {
        /// f
        of: Box<Formula>,
        /// K
        window: Quantity,
    },
    /// `sum(e, K)` and the like: over the numeric values of e in the states from K ago to now; undefined if there are none.
    Fold {
        /// Aggregate function.
        fold: Fold,
        /// e
        of: Box<Term>,
        /// K
        window: Quantity,
    },
    /// `elapsed(onEvent(X))`: the time since the latest state before this one where X happened.
    Elapsed(Occurrence),
}

/// `$name/step/step`: a variable of the state, or one that a quantifier binds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reference {
    /// The variable's name, without the `$`.
    pub name: String,
    /// The steps into its value.
    pub steps: Vec<String>,
    /// Source location.
    pub span: Span,
}

gnomon_core::words! {
    /// `+ - * /`
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Operation as symbol {
        /// `+`
        Add = "+",
        /// `-`
        Subtract = "-",
        /// `*`
        Multiply = "*",
        /// `/`: exact; division by zero has no value.
        Divide = "/",
    }
}

/// `onEvent(X)`, `onEvent(end_X)`, `onEvent(start_X)`
#[derive(Clone, PartialEq, Debug)]
pub struct Occurrence {
    /// The event as it is written.
    pub event: Atom,
    /// Activity whose start or end a name that begins with `start_` or `end_` may stand for.
    pub activity: Option<(ActivityPhase, Atom)>,
    /// Source location.
    pub span: Span,
}

/// The two ends of an activity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ActivityPhase {
    /// `start_X`: X is an event of the next state.
    Start,
    /// `end_X`: X is an event of this one.
    End,
}
