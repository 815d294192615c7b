// SPDX-License-Identifier: MIT OR Apache-2.0
//! The automaton: its states, each an obligation that a copy may carry, and what each demands.

use gnomon_core::time::{Clock, Duration};
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::formula::Formula;

/// The number of an atomic proposition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PropositionId(pub u32);

/// The number of a state that stands for a temporal operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(pub u32);

/// An alternating automaton with counters of time. Besides the states listed in it, it has the invariant, where it
/// begins and where one copy stays for ever; acceptance; and rejection.
#[derive(Clone, PartialEq, Debug)]
pub struct Automaton {
    /// The atomic propositions, each a formula about one state of the process.
    pub propositions: Vec<Formula>,
    /// A state for each temporal operator, those of its parts first.
    pub states: Vec<State>,
    /// What the invariant demands of every state of the process.
    pub body: Expression,
    /// How events of equal times become states of the process.
    pub simultaneous: Simultaneous,
    /// The trace's unit.
    pub clock: Clock,
}

/// A state: a temporal operator, or the dual of one. Negation has been pushed down to the propositions.
#[derive(Clone, PartialEq, Debug)]
pub enum State {
    /// `right` now or later, and `left` until then.
    Until {
        /// Until then.
        left: Expression,
        /// Then.
        right: Expression,
    },
    /// The dual: `right` now and later, up to and including where `left` is, if ever.
    Release {
        /// What sets free.
        left: Expression,
        /// What must hold.
        right: Expression,
    },
    /// `of` now or at most `reach` later.
    Within {
        /// How much later.
        reach: Duration,
        /// What.
        of: Expression,
    },
    /// The dual: `of` now and up to `reach` later.
    Throughout {
        /// How much later.
        reach: Duration,
        /// What.
        of: Expression,
    },
    /// `of` in the last state at most `reach` later.
    InFuture {
        /// How much later.
        reach: Duration,
        /// What.
        of: Expression,
        /// Whether it is true if the trace ends before that is known: so under a negation.
        weak: bool,
    },
    /// `of` in the next state.
    Next {
        /// What.
        of: Expression,
        /// Whether it is true if there is no next state.
        weak: bool,
    },
}

/// What is demanded of a state of the process.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// Nothing, or too much.
    Constant(bool),
    /// A proposition, or its negation.
    Literal {
        /// Which.
        proposition: PropositionId,
        /// Whether its negation is meant.
        negated: bool,
    },
    /// All of these.
    And(Vec<Expression>),
    /// One of these.
    Or(Vec<Expression>),
    /// A temporal operator.
    Temporal(StateId),
    /// `of` in the state before.
    Previous {
        /// What.
        of: Box<Expression>,
        /// Whether it is true in the first state.
        weak: bool,
    },
}

impl Automaton {
    /// How many states there are: one for each temporal operator, the invariant, acceptance and rejection.
    pub fn size(&self) -> usize {
        self.states.len() + 3
    }

    /// The state of this number.
    pub fn state(&self, id: StateId) -> &State {
        &self.states[id.0 as usize]
    }

    /// The states with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (StateId, &State)> {
        (0..).map(StateId).zip(&self.states)
    }

    /// Whether another state may come at the same time as this one.
    pub(crate) fn ties(&self) -> bool {
        self.simultaneous == Simultaneous::Sequence
    }
}

impl Expression {
    /// All of these, with constants removed.
    pub(crate) fn and(parts: impl IntoIterator<Item = Expression>) -> Expression {
        Expression::junction(parts, false)
    }

    /// One of these, with constants removed.
    pub(crate) fn or(parts: impl IntoIterator<Item = Expression>) -> Expression {
        Expression::junction(parts, true)
    }

    /// `decisive` alone decides the whole.
    fn junction(parts: impl IntoIterator<Item = Expression>, decisive: bool) -> Expression {
        let mut kept = Vec::new();
        for part in parts {
            match (part, decisive) {
                (Expression::Constant(value), _) if value == decisive => return Expression::Constant(decisive),
                (Expression::Constant(_), _) => {}
                (Expression::And(inner), false) | (Expression::Or(inner), true) => kept.extend(inner),
                (part, _) => kept.push(part),
            }
        }
        match (kept.len(), decisive) {
            (0, _) => Expression::Constant(!decisive),
            (1, _) => kept.swap_remove(0),
            (_, true) => Expression::Or(kept),
            (_, false) => Expression::And(kept),
        }
    }
}
