// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a position where no atom is true does to a property: most positions of most properties are such.

use gnomon_core::time::Duration;
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::core::{Edge, Node};
use serde::{Deserialize, Serialize};

use super::Network;
use crate::ledger::{Clause, Consequent, Reach};

/// What an idle position does once every clause has started, apart from the passing of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Idle {
    /// Nothing: it opens no obligation, meets none, breaks none, and leaves every operator over the past as it was.
    Nothing,
    /// It meets what it asks for at once in clauses that ask at every position, and does nothing else.
    Satisfies,
    /// It opens an obligation in some clauses that wait for theirs themselves, and nothing else.
    Owes,
    /// It must be looked at like any other.
    Matters,
}

impl Network {
    pub(super) fn analyse_idle(&self) -> Idle {
        let is = |edge: &Edge, value: bool| self.idle_value(*edge) == Some(value);
        let past = self.now.past_nodes.iter().all(|id| match self.core.node(*id) {
            Node::Since { left, right, .. } => is(left, true) && is(right, false),
            // Numbers come with events that match; for the rest nothing is counted where nothing is true.
            node => node.children().iter().all(|of| is(of, false)),
        });
        let later = self.later_nodes.iter().all(|waiter| match self.core.node(waiter.id) {
            // Who looks at a conjunction or an Until from above knows its own value there without asking.
            Node::And(_) => true,
            Node::Until { left, right, .. } => is(left, true) && is(right, false),
            _ => false,
        });
        if !past || !later || !self.terms_are_idle() {
            return Idle::Matters;
        }
        let clauses = self.clauses.iter().map(|clause| self.idle_clause(clause));
        clauses.fold(Idle::Nothing, |all, one| match (all, one) {
            (Idle::Matters, _) | (_, Idle::Matters) | (Idle::Owes, Idle::Satisfies) | (Idle::Satisfies, Idle::Owes) => {
                Idle::Matters
            }
            (Idle::Owes, _) | (_, Idle::Owes) => Idle::Owes,
            (Idle::Satisfies, _) | (_, Idle::Satisfies) => Idle::Satisfies,
            (Idle::Nothing, Idle::Nothing) => Idle::Nothing,
        })
    }

    /// What an idle position does to one clause.
    pub(super) fn idle_clause(&self, clause: &Clause) -> Idle {
        let is = |edge: &Edge, value: bool| self.idle_value(*edge) == Some(value);
        let least_gap = Duration::from_ticks(i128::from(self.core.simultaneous == Simultaneous::Merge));
        // An obligation whose interval is over before the next position can come is broken at once.
        let waits_itself = match &clause.consequent_part {
            Consequent::Direct(direct) if is(&direct.left, true) && is(&direct.right, false) => {
                direct.interval.hi.is_none_or(|hi| hi >= least_gap)
            }
            Consequent::Direct(_) => return Idle::Matters,
            Consequent::Now(_) | Consequent::Later { .. } => false,
        };
        match &clause.reach {
            Reach::First => Idle::Nothing,
            Reach::After { interval, .. } => {
                let always_in_reach = interval.hi.is_none() && interval.lo <= least_gap;
                match &clause.antecedent {
                    Some(edge) if is(edge, false) => Idle::Nothing,
                    Some(edge) if !is(edge, true) => Idle::Matters,
                    _ if waits_itself && always_in_reach => Idle::Owes,
                    _ if always_in_reach && self.idle_consequent(clause) == Some(true) => Idle::Satisfies,
                    _ => Idle::Matters,
                }
            }
        }
    }

    /// What the consequent is worth where no atom is true, if it is known at once.
    fn idle_consequent(&self, clause: &Clause) -> Option<bool> {
        match &clause.consequent_part {
            Consequent::Now(edge) => self.idle_value(*edge),
            Consequent::Later { .. } | Consequent::Direct(_) => None,
        }
    }

    /// The value where no atom is true, if that does not depend on anything else.
    pub(super) fn idle_value(&self, edge: Edge) -> Option<bool> {
        let value = match self.core.node(edge.node) {
            Node::True => Some(true),
            Node::Atom(_) => Some(false),
            Node::And(edges) => {
                let values: Vec<Option<bool>> = edges.iter().map(|edge| self.idle_value(*edge)).collect();
                if values.contains(&Some(false)) {
                    Some(false)
                } else {
                    values.into_iter().all(|value| value == Some(true)).then_some(true)
                }
            }
            _ => None,
        };
        value.map(|value| value != edge.negated)
    }
}
