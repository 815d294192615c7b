// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of a state: variables, arithmetic, and functions of the past, as written.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_core::value::Value;

use crate::formula::{Fold, Formula};
use crate::pattern::Atom;

/// A term and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    /// What it is.
    pub kind: TermKind,
    /// Where it is written.
    pub span: Span,
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
    /// Of two numbers.
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
    /// `sum(e, K)` and the like: of the numbers that e is in the states from K ago to now. Of none there is no value.
    Fold {
        /// What is made of them.
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
    /// Where it is written.
    pub span: Span,
}

/// `+ - * /`
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`: exact; by zero there is no value.
    Divide,
}

impl Operation {
    /// How it is written.
    pub const fn symbol(self) -> char {
        match self {
            Operation::Add => '+',
            Operation::Subtract => '-',
            Operation::Multiply => '*',
            Operation::Divide => '/',
        }
    }
}

/// `onEvent(X)`, `onEvent(end_X)`, `onEvent(start_X)`
#[derive(Clone, PartialEq, Debug)]
pub struct Occurrence {
    /// The event as it is written.
    pub event: Atom,
    /// For a name that begins with `start_` or `end_`: the event whose start or end it may stand for.
    pub activity: Option<(Moment, Atom)>,
    /// Where it is written.
    pub span: Span,
}

/// The two ends of an activity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Moment {
    /// `start_X`: X is an event of the next state.
    Start,
    /// `end_X`: X is an event of this one.
    End,
}
