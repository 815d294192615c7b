// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages, with deadlines and data correlation, as written.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::{Quantity, Unit};

use crate::pattern::{Atom, Path};

/// `P(supposition | O[m,n] context) / {{a.id, b.id}}`
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// Whether the context must happen or must not.
    pub modality: Modality,
    /// The messages that ask for the context: one of these. None is negated.
    pub supposition: Vec<Action>,
    /// When the context happens.
    pub window: Window,
    /// What happens.
    pub context: Context,
    /// What the messages of one instance have in common.
    pub correlations: Vec<Correlation>,
    /// `matching paired` or `matching any`
    pub matching: Matching,
    /// `strict-end`: an instance that is pending at the end of a complete trace is violated.
    pub strict_end: bool,
}

impl Rule {
    /// Its messages, as they are written.
    pub fn atoms(&self) -> Vec<&Atom> {
        let mut atoms: Vec<&Atom> = self.supposition.iter().map(|action| &action.message).collect();
        self.context.actions(&mut |action| atoms.push(&action.message));
        atoms
    }
}

/// Permission or prohibition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Modality {
    /// `P`: where the supposition is, the context must be.
    Permission,
    /// `F`: where the supposition is, the context must not be.
    Prohibition,
}

impl Modality {
    /// The letter that opens a rule.
    pub const fn letter(self) -> char {
        match self {
            Modality::Permission => 'P',
            Modality::Prohibition => 'F',
        }
    }
}

/// Which messages serve which suppositions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Matching {
    /// A message serves the oldest instance that it fits, and is used up by it.
    #[default]
    Paired,
    /// A message serves every supposition that it fits.
    Any,
}

/// `done(!logoutReq[code = 0])`
#[derive(Clone, PartialEq, Debug)]
pub struct Action {
    /// Whether its start or its end is meant.
    pub phase: Phase,
    /// Whether it must not happen.
    pub negated: bool,
    /// The message.
    pub message: Atom,
    /// Where it is written.
    pub span: Span,
}

/// The two ends of an action. Where a trace does not tell them apart, both are the message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// `start(A)`
    Start,
    /// `done(A)`
    Done,
}

impl Phase {
    /// How it is written.
    pub const fn word(self) -> &'static str {
        match self {
            Phase::Start => "start",
            Phase::Done => "done",
        }
    }
}

/// What happens in a rule's window.
#[derive(Clone, PartialEq, Debug)]
pub enum Context {
    /// This.
    Action(Action),
    /// `&&`
    And(Box<Context>, Box<Context>),
    /// `||`
    Or(Box<Context>, Box<Context>),
}

/// `O[m,n]`: from m to n after the supposition if m is at most n, from m to n before it otherwise.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Window {
    /// m; `None`: `inf`
    pub from: Option<Quantity>,
    /// n; `None`: `inf`
    pub to: Option<Quantity>,
    /// Where it is written.
    pub span: Span,
}

/// `{a.id, b.id}`: fields of different messages that are equal.
#[derive(Clone, PartialEq, Debug)]
pub struct Correlation {
    /// The fields.
    pub members: Vec<Member>,
    /// Where it is written.
    pub span: Span,
}

/// `a.id`
#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    /// The message, as the rule's atoms name it.
    pub message: String,
    /// The field.
    pub field: Path,
    /// Where it is written.
    pub span: Span,
}

impl Window {
    /// Its bounds as they are written, and the unit that they share, if they do: it is written behind them.
    pub fn written(&self) -> (String, String, Option<Unit>) {
        let unit = |bound: Option<Quantity>| bound.and_then(|bound| bound.unit);
        let apart = self.from.is_some() && self.to.is_some() && unit(self.from) != unit(self.to);
        let own = |bound: Quantity| if apart { bound } else { Quantity { unit: None, ..bound } };
        let text = |bound: Option<Quantity>| bound.map_or("inf".to_owned(), |bound| own(bound).to_string());
        let shared = unit(self.from).or(unit(self.to)).filter(|_| !apart);
        (text(self.from), text(self.to), shared)
    }
}

impl Context {
    /// Calls `visit` on every action, in the order of the text.
    pub fn actions<'a>(&'a self, visit: &mut dyn FnMut(&'a Action)) {
        match self {
            Context::Action(action) => visit(action),
            Context::And(left, right) | Context::Or(left, right) => {
                left.actions(visit);
                right.actions(visit);
            }
        }
    }
}
