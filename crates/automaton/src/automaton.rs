// SPDX-License-Identifier: MIT OR Apache-2.0
//! Alternating automata: each state is an obligation that a copy may carry.
//!
//! A run is a set of copies, each in one state. Example: for `G(a -> F b)` one copy stays in the invariant; whenever it reads `a`, it
//! starts another copy in the state `F b`, which ends when it reads `b`. The trace is accepted if no copy is left that must still read
//! something. The automaton is built from a formula ([`AlternatingAutomaton::of`]), run over a word ([`crate::run`]) and drawn ([`crate::show`]).

use gnomon_core::{Clock, Duration, Quantity, Simultaneous};
use gnomon_ir::formula::Formula;

/// The number of an atomic proposition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PropositionId(pub u32);

/// The number of a state that stands for a temporal operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(pub u32);

/// An alternating automaton with counters of time. Besides the listed states it has three others: the invariant, in which it begins and
/// in which one copy stays for ever, an accepting and a rejecting state.
#[derive(Clone, PartialEq, Debug)]
pub struct AlternatingAutomaton {
    /// The atomic propositions, each a formula about one state of the process.
    pub propositions: Vec<Formula>,
    /// A state for each temporal operator, those of its parts first.
    pub states: Vec<State>,
    /// Demand of the invariant on every state of the process.
    pub body: Expression,
    /// Treatment of events with equal times.
    pub simultaneous: Simultaneous,
    /// The trace's unit.
    pub clock: Clock,
    /// Amounts of time of the formula, as they are written.
    pub lengths: Vec<(Duration, Quantity)>,
}

/// A state: a temporal operator, or the dual of one. Negation has been pushed down to the propositions.
#[derive(Clone, PartialEq, Debug)]
pub enum State {
    /// `right` now or later, and `left` until then.
    Until {
        /// Operand that holds until `right` does.
        left: Expression,
        /// Operand that holds at the end.
        right: Expression,
    },
    /// The dual: `right` now and later, up to and including where `left` is, if ever.
    Release {
        /// Releasing operand.
        left: Expression,
        /// Operand that must hold until then.
        right: Expression,
    },
    /// `of` now or at most `reach` later.
    Within {
        /// Greatest distance.
        reach: Duration,
        /// Operand.
        of: Expression,
    },
    /// The dual: `of` now and up to `reach` later.
    Throughout {
        /// Length of time.
        reach: Duration,
        /// Operand.
        of: Expression,
    },
    /// `of` in the last state at most `reach` later.
    InFuture {
        /// Distance.
        reach: Duration,
        /// Operand.
        of: Expression,
        /// Value if the trace ends before the operand is known; true under a negation.
        weak: bool,
    },
    /// `of` in the next state.
    Next {
        /// Operand.
        of: Expression,
        /// Value if there is no next state.
        weak: bool,
    },
}

/// Demand on a state of the process.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// Nothing, or too much.
    Constant(bool),
    /// A proposition, or its negation.
    Literal {
        /// Proposition.
        proposition: PropositionId,
        /// True if the negation is demanded.
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
        /// Operand.
        of: Box<Expression>,
        /// Value in the first state.
        weak: bool,
    },
}

impl AlternatingAutomaton {
    /// Counts the states: one for each temporal operator, the invariant, acceptance and rejection.
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

    /// Prints an amount of time as the formula writes it, with its unit if one is known.
    pub(crate) fn print_length(&self, length: Duration) -> String {
        match self.lengths.iter().find(|(known, _)| *known == length) {
            Some((_, quantity)) => Quantity { unit: quantity.unit.or(self.clock.unit), ..*quantity }.to_string(),
            None => self.clock.print_duration(length),
        }
    }

    /// Returns true if another state may come at the same time.
    pub(crate) fn has_ties(&self) -> bool {
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
