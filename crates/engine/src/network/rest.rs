// SPDX-License-Identifier: MIT OR Apache-2.0
//! States at rest: positions that need no visit because of the state, not of the formula.
//!
//! [`IdleEffect`] says what an idle position, where no atom is true, does in every state. For some formulae that depends on the
//! state. `G(a -> Y b)` must see the position after a `b`, because `Y b` is true there and false at the one after it; two positions after
//! the last `b` nothing changes any more. `G(a -> X b)` must see the position after an `a`. Such a state is *at rest* when another idle
//! position would leave it as it is:
//!
//! - Each S with operands l and r has the candidates that it would have after an idle position: no change if l is true there and r is
//!   false, otherwise a candidate if and only if r is true. The values of l and r at an idle position follow from the state, because an untimed
//!   S over the past keeps its value as long as nothing changes.
//! - No operator over the future and no obligation waits for something that an idle position decides.
//! - Idle positions open no obligation, or satisfy the ones that they open.
//!
//! A position after skipped ones is preceded by an idle position. An S that idle positions renew (`Y true` has a candidate that is one
//! position old, always) takes in that position first ([`Network::refresh`]); so its event must be known ([`CompletePosition::previous`]).
//!
//! Example: `G(open -> Y !P open)`. `Y !P open` is `false S r`, r is true until `open` comes. The initial state comes to rest with a
//! candidate. The position of an `open` is the last with r: the next one is visited and finds the candidate; after it there is none, and
//! the state is at rest again.
//!
//! COST: O(nodes) per visit, for formulae whose idle positions are not all alike.
//!
//! [`CompletePosition::previous`]: crate::scheduler::CompletePosition::previous

use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::Origin;
use gnomon_core::{interval::Interval, symbols::Name};
use gnomon_ir::core::{Edge, FormulaNode, NodeId};

use super::clause::{ClauseReach, Consequent, FormulaClause};
use super::layout::{IdleEffect, along};
use super::{Later, Network, NetworkState, Scratch};
use crate::past::{PastOperator, Since};
use crate::work;
use gnomon_core::list::all_true;

/// The state of the operators over the past that idle positions lead to, from the initial state.
#[derive(Clone, Debug)]
pub(super) struct RestingState {
    slots: Vec<RestingSlot>,
}

/// The resting state of one operator over the past.
#[derive(Clone, Copy, PartialEq, Debug)]
enum RestingSlot {
    /// Idle positions never change it.
    Constant,
    /// Idle positions renew it: whether it has a candidate.
    Renewed { has_candidate: bool },
}

impl RestingState {
    /// Returns the last time at which operators at rest may behave unlike the initial ones.
    pub(super) fn busy_until(&self, past: &[PastOperator]) -> Timestamp {
        let each = self.slots.iter().zip(past).map(|(slot, operator)| match (slot, operator) {
            (RestingSlot::Renewed { has_candidate }, PastOperator::Since(since)) => {
                if since.has_candidate() == *has_candidate { Timestamp::MIN } else { Timestamp::MAX }
            }
            _ => operator.busy_until(),
        });
        each.max().unwrap_or(Timestamp::MIN)
    }

    fn renews(&self) -> bool {
        self.slots.iter().any(|slot| *slot != RestingSlot::Constant)
    }
}

/// The effect of an idle position on an operator S.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Renewal {
    None,
    /// The operator takes in these values of its operands.
    Update {
        left: bool,
        right: bool,
    },
    /// The effect depends on more than the state.
    Unknown,
}

impl Renewal {
    fn of(interval: Interval, left: Option<bool>, right: Option<bool>) -> Self {
        match (left, right) {
            (Some(true), Some(false)) => Renewal::None,
            // Each of many idle positions is a candidate of its own.
            (Some(true), Some(true)) if interval.hi.is_some() && interval.lo > Duration::ZERO => Renewal::Unknown,
            (Some(left), Some(right)) => Renewal::Update { left, right },
            _ => Renewal::Unknown,
        }
    }

    /// Returns true if the idle position changes nothing but the age of a candidate.
    fn is_at_rest(self, since: &Since) -> bool {
        match self {
            Renewal::None => true,
            Renewal::Update { right, .. } => since.has_candidate() == right,
            Renewal::Unknown => false,
        }
    }
}

impl Network {
    /// Returns true if the effect of idle positions depends on the state.
    pub(crate) fn may_be_restless(&self) -> bool {
        self.rest.is_some()
    }

    /// Returns true if a visit must know the event of the position before.
    #[inline]
    pub(crate) fn reads_previous(&self) -> bool {
        self.rest.as_ref().is_some_and(RestingState::renews)
    }

    /// Returns the state at rest that the initial state comes to, if the effect of idle positions depends on the state.
    pub(super) fn resting_state(&self) -> Option<RestingState> {
        let is_plain = |node: &FormulaNode| matches!(node, FormulaNode::And(_) | FormulaNode::Until { .. });
        let may_rest = self.idle == IdleEffect::NeedsVisit
            && self.delayed.is_none()
            && self.terms_are_idle()
            && self.later_nodes.iter().all(|waiter| is_plain(self.core.node(waiter.id)));
        if !may_rest {
            return None;
        }
        let mut state = self.start(0);
        let mut values = Vec::new();
        let origin = Origin { event_index: 0, time: Timestamp::from_ticks(0), event: Name(0) };
        // A change passes through one operator at each position.
        for _ in 0..=state.past.len() {
            self.idle_values(&state.past, &mut values);
            self.renew(&mut state.past, &values, origin);
        }
        self.idle_values(&state.past, &mut values);
        let skips = matches!(self.effect_at(&state, &values).0, IdleEffect::Nothing | IdleEffect::Satisfies);
        let slot = |(operator, id): (&PastOperator, &NodeId)| match (operator, self.core.node(*id)) {
            (PastOperator::Since(since), FormulaNode::Since { left, right, .. })
                if self.idle_value(*left) != Some(true) || self.idle_value(*right) != Some(false) =>
            {
                RestingSlot::Renewed { has_candidate: since.has_candidate() }
            }
            _ => RestingSlot::Constant,
        };
        skips.then(|| RestingState { slots: state.past.iter().zip(&self.now.past_nodes).map(slot).collect() })
    }

    /// Takes in the idle position before the present one, after a state at rest has skipped some.
    #[cold]
    pub(super) fn refresh(&self, state: &mut NetworkState, scratch: &mut Scratch, previous: &Origin) {
        self.idle_values(&state.past, &mut scratch.idle_values);
        self.renew(&mut state.past, &scratch.idle_values, *previous);
    }

    fn renew(&self, past: &mut [PastOperator], values: &[Option<bool>], origin: Origin) {
        for (operator, id) in past.iter_mut().zip(&self.now.past_nodes) {
            if let PastOperator::Since(since) = operator
                && let Renewal::Update { left, right } = self.renewal(*id, values)
            {
                since.update(origin, left, right);
            }
        }
    }

    fn renewal(&self, id: NodeId, values: &[Option<bool>]) -> Renewal {
        match self.core.node(id) {
            FormulaNode::Since { interval, left, right } => {
                Renewal::of(*interval, along(*left, values), along(*right, values))
            }
            _ => Renewal::None,
        }
    }

    /// Returns the effect of an idle position on a state that was just visited.
    pub(super) fn idle_effect(&self, state: &mut NetworkState, scratch: &mut Scratch) -> IdleEffect {
        if !state.obligations.has_started() {
            return IdleEffect::NeedsVisit;
        }
        self.idle_values(&state.past, &mut scratch.idle_values);
        let (effect, satisfied) = self.effect_at(state, &scratch.idle_values);
        state.obligations.satisfy_when_idle(|clause| satisfied.contains(&clause));
        effect
    }

    /// Returns the effect of an idle position, and the clauses that it satisfies.
    fn effect_at(&self, state: &NetworkState, values: &[Option<bool>]) -> (IdleEffect, Vec<usize>) {
        let needs_visit = (IdleEffect::NeedsVisit, vec![]);
        let past = state.past.iter().zip(&self.now.past_nodes).all(|(operator, id)| match operator {
            PastOperator::Since(since) => self.renewal(*id, values).is_at_rest(since),
            // Numbers come with events that match; the other operators count nothing where nothing is true.
            _ => self.core.node(*id).children().iter().all(|of| along(*of, values) == Some(false)),
        });
        let later = state.later.iter().zip(&self.later_nodes).all(|(later, waiter)| match self.core.node(waiter.id) {
            FormulaNode::Until { left, right, .. } => !later.is_waiting() || self.keeps_waiting(*left, *right),
            _ => matches!(later, Later::Conjunction(_)),
        });
        if !past || !later {
            return needs_visit;
        }
        let mut satisfied = Vec::new();
        for (index, clause) in self.clauses.iter().enumerate() {
            if let Consequent::Direct(direct) = &clause.consequent_part
                && state.obligations.is_open(index)
                && !self.keeps_waiting(direct.left, direct.right)
            {
                return needs_visit;
            }
            match self.effect_on_clause(clause, values) {
                IdleEffect::Nothing => {}
                IdleEffect::Satisfies => satisfied.push(index),
                IdleEffect::Opens | IdleEffect::NeedsVisit => return needs_visit,
            }
        }
        (if satisfied.is_empty() { IdleEffect::Nothing } else { IdleEffect::Satisfies }, satisfied)
    }

    /// Returns true if an idle position decides nothing about an Until that waits.
    fn keeps_waiting(&self, left: Edge, right: Edge) -> bool {
        self.idle_value(left) == Some(true) && self.idle_value(right) == Some(false)
    }

    fn effect_on_clause(&self, clause: &FormulaClause, values: &[Option<bool>]) -> IdleEffect {
        let ClauseReach::After { interval, .. } = &clause.reach else { return IdleEffect::Nothing };
        let always_in_reach = interval.hi.is_none() && interval.lo <= Duration::from_ticks(self.least_gap);
        let consequent = match &clause.consequent_part {
            Consequent::Now(edge) => along(*edge, values),
            Consequent::Later { .. } | Consequent::Direct(_) => None,
        };
        match clause.antecedent.map_or(Some(true), |edge| along(edge, values)) {
            Some(false) => IdleEffect::Nothing,
            Some(true) if always_in_reach && consequent == Some(true) => IdleEffect::Satisfies,
            _ => IdleEffect::NeedsVisit,
        }
    }

    /// Computes for each node its value at an idle position, if that follows from a state that idle positions leave as it is.
    fn idle_values(&self, past: &[PastOperator], values: &mut Vec<Option<bool>>) {
        work::add(self.core.nodes.len());
        values.clear();
        for (index, node) in self.core.nodes.iter().enumerate() {
            let value = match node {
                FormulaNode::True => Some(true),
                FormulaNode::Atom(_) => Some(false),
                FormulaNode::And(edges) => all_true(edges.iter().map(|edge| along(*edge, values))),
                FormulaNode::Since { interval, .. } if interval.hi.is_none() && interval.lo <= Duration::ZERO => {
                    match self.now.past_slots[index].map(|slot| &past[slot as usize]) {
                        Some(PastOperator::Since(since)) => Some(since.has_candidate()),
                        _ => None,
                    }
                }
                _ => None,
            };
            values.push(value);
        }
    }
}
