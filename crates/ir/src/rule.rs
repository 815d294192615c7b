// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages, with deadlines and data correlation, as written.

use gnomon_core::{Quantity, Span, Unit};

use crate::atom::{Atom, Path};

/// `P(supposition | O[m,n] context) / {{a.id, b.id}}`
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// Permission or prohibition of the context.
    pub modality: Modality,
    /// The messages that ask for the context: one of these. None is negated.
    pub supposition: Vec<RuleAction>,
    /// Window in which the context happens.
    pub window: RuleWindow,
    /// Actions that happen.
    pub context: RuleContext,
    /// Correlations between the messages of one instance.
    pub correlations: Vec<Correlation>,
    /// `matching paired` or `matching any`
    pub matching: Matching,
    /// `strict-end`: an instance that is pending at the end of a complete trace is violated.
    pub strict_end: bool,
}

gnomon_core::words! {
    /// Permission or prohibition.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Modality as letter {
        /// `P`: where the supposition is, the context must be.
        Permission = "P",
        /// `F`: where the supposition is, the context must not be.
        Prohibition = "F",
    }
}

gnomon_core::words! {
    /// Assignment of messages to suppositions.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub enum Matching as word {
        /// A message serves the oldest instance that it fits, and is used up by it.
        #[default]
        Paired = "paired",
        /// A message serves every supposition that it fits.
        Any = "any",
    }
}

/// `done(!logoutReq[code = 0])`
#[derive(Clone, PartialEq, Debug)]
pub struct RuleAction<M = Atom> {
    /// Start or end of the action.
    pub phase: ActionPhase,
    /// True if the action must not happen.
    pub negated: bool,
    /// The message.
    pub message: M,
    /// Source location.
    pub span: Span,
}

gnomon_core::words! {
    /// The two ends of an action. In a trace that does not distinguish them, both are the message.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum ActionPhase as word {
        /// `start(A)`
        Start = "start",
        /// `done(A)`
        Done = "done",
    }
}

/// Actions in a rule's window.
#[derive(Clone, PartialEq, Debug)]
pub enum RuleContext<M = Atom> {
    /// An action, or its absence.
    Action(RuleAction<M>),
    /// `&&`
    And(Box<Self>, Box<Self>),
    /// `||`
    Or(Box<Self>, Box<Self>),
}

/// `O[m,n]`: from m to n after the supposition if m is at most n, from m to n before it otherwise.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RuleWindow {
    /// m; `None`: `inf`
    pub from: Option<Quantity>,
    /// n; `None`: `inf`
    pub to: Option<Quantity>,
    /// Source location.
    pub span: Span,
}

/// `{a.id, b.id}`: fields of different messages that are equal.
#[derive(Clone, PartialEq, Debug)]
pub struct Correlation<F = CorrelationMember> {
    /// The fields.
    pub members: Vec<F>,
    /// Source location.
    pub span: Span,
}

/// `a.id`
#[derive(Clone, PartialEq, Debug)]
pub struct CorrelationMember {
    /// The message, as the rule's atoms name it.
    pub message: String,
    /// The field.
    pub field: Path,
    /// Source location.
    pub span: Span,
}

impl RuleWindow {
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

impl RuleContext {
    /// Calls `visit` on every action, in the order of the text.
    pub fn actions<'a>(&'a self, visit: &mut dyn FnMut(&'a RuleAction)) {
        match self {
            RuleContext::Action(action) => visit(action),
            RuleContext::And(left, right) | RuleContext::Or(left, right) => {
                left.actions(visit);
                right.actions(visit);
            }
        }
    }
}
