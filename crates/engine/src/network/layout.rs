// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lays out the nodes of a formula: those that are known immediately, those that wait, and the order in which they run. Computed once
//! per plan.
//!
//! A node *waits* if its value depends on later positions. Example: in `G(a -> F[0,5] (b && X c))` the atoms are known immediately; `X c`,
//! the conjunction and `F` wait. Waiting nodes get slots with parts before the nodes that contain them, so that one pass in the order of
//! the slots carries a fact from `X c` to `F`.
//!
//! Most positions are *idle* for a property: none of its atoms is true. [`IdleEffect`] is the effect of such a position, derived from the
//! values that the nodes have there. For the example it is [`IdleEffect::NeedsVisit`] at first, because `X c` looks at every position; for
//! `G(a -> F[0,5] b)` it is [`IdleEffect::Nothing`], and the scheduler skips these positions.

use std::collections::BTreeSet;

use gnomon_core::list::{all_true, reachable};
use gnomon_core::{Duration, Interval, Simultaneous};
use gnomon_ir::{Edge, FormulaCore, FormulaNode, NodeId};
use serde::{Deserialize, Serialize};

use super::clause::{ClauseReach, Consequent, FormulaClause};
use super::plain::PlainFormula;
use super::terms::TermUpdates;
use super::{Later, Network, StateLayout, WaitingNode};
use crate::future::conjunction::Conjunction;
use crate::future::in_future::InFuture;
use crate::future::three_valued_until::ThreeValuedUntil;
use crate::future::until::Until;
use crate::past::PastOperator;
use crate::past_over_future::PastOverFuture;

/// A part of a waiting node or of a clause.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FormulaPart {
    /// Known immediately.
    Now(Edge),
    /// The part waits for the future: the slot of its node.
    Later { slot: usize, negated: bool },
}

impl Network {
    pub(crate) fn new(core: FormulaCore) -> Self {
        let core = normalise(core);
        let waits = core.waits();
        let clauses = FormulaClause::of(&core, &waits);
        let is_delayed_node = |id: NodeId| waits[id.0 as usize] && is_delayed(core.node(id));
        let roots: Vec<NodeId> = clauses.iter().flat_map(FormulaClause::roots).collect();
        let needed = needed_for(&core, &roots, is_delayed_node);
        let delayed: Vec<NodeId> = needed.iter().copied().filter(|id| is_delayed_node(*id)).collect();
        // A quantifier over a list is evaluated as far as the present position allows.
        let compares = |id: NodeId| is_delayed_node(id) && matches!(core.node(id), FormulaNode::Compare { .. });
        let evaluated = needed_for(&core, &roots, compares).into_iter().filter(|id| !waits[id.0 as usize]);
        let mut network = Network {
            now: StateLayout::new(&core, &evaluated.collect()),
            delayed: (!delayed.is_empty()).then(|| StateLayout::new(&core, &needed_for(&core, &delayed, |_| false))),
            later_slots: vec![None; core.nodes.len()],
            later_nodes: Vec::new(),
            clauses,
            idle: IdleEffect::NeedsVisit,
            idle_values: idle_values(&core),
            least_gap: match core.simultaneous {
                Simultaneous::Merge => 1,
                Simultaneous::Sequence => 0,
            },
            may_settle: false,
            rest: None,
            plain: None,
            parts: vec![],
            variables: Vec::new(),
            waits,
            core,
        };
        network.assign_slots(needed);
        let mut clauses = std::mem::take(&mut network.clauses);
        for clause in &mut clauses {
            clause.connect(&network);
        }
        network.clauses = clauses;
        network.idle = network.analyse_idle();
        let idle: Vec<IdleEffect> = network.clauses.iter().map(|clause| network.idle_clause(clause)).collect();
        for (clause, idle) in network.clauses.iter_mut().zip(idle) {
            clause.opens_when_idle = idle == IdleEffect::Opens;
            clause.satisfied_when_idle = idle == IdleEffect::Satisfies;
        }
        network.rest = network.resting_state();
        network.may_settle = network.clauses.iter().all(FormulaClause::may_end);
        network.plain = PlainFormula::of(&network);
        network
    }

    /// Gives slots to the waiting nodes among these, children first.
    fn assign_slots(&mut self, needed: BTreeSet<NodeId>) {
        for id in needed {
            if !self.waits[id.0 as usize] {
                continue;
            }
            let node = self.core.node(id);
            // A delayed node evaluates its parts itself.
            let children = if is_delayed(node) { vec![] } else { node.children() };
            let parts: Vec<FormulaPart> = children.into_iter().map(|edge| self.part(edge)).collect();
            let hi = match node {
                FormulaNode::Until { interval, .. } => interval.hi,
                _ => None,
            };
            let always_wants_parts = !matches!(node, FormulaNode::And(_));
            let own = self.later_nodes.len();
            for part in &parts {
                if let FormulaPart::Later { slot, .. } = *part
                    && always_wants_parts
                {
                    self.later_nodes[slot].wanted_by.push(own);
                }
            }
            self.later_slots[id.0 as usize] = Some(own as u32);
            self.later_nodes.push(WaitingNode { id, parts, wanted_by: vec![], hi });
        }
    }

    pub(crate) fn part(&self, edge: Edge) -> FormulaPart {
        match self.later_slots[edge.node.0 as usize] {
            Some(slot) => FormulaPart::Later { slot: slot as usize, negated: edge.negated },
            None => FormulaPart::Now(edge),
        }
    }

    pub(super) fn new_past(&self, layout: &StateLayout) -> Vec<PastOperator> {
        layout.past_nodes.iter().filter_map(|id| PastOperator::new(self.core.node(*id))).collect()
    }

    pub(super) fn new_later(&self) -> Vec<Later> {
        self.later_nodes
            .iter()
            .map(|waiter| match self.core.node(waiter.id) {
                FormulaNode::And(_) => Later::Conjunction(Conjunction::default()),
                FormulaNode::Until { interval, .. } => {
                    if waiter.parts.iter().all(|part| matches!(part, FormulaPart::Now(_))) {
                        Later::Until(Until::new(*interval))
                    } else {
                        Later::ThreeValuedUntil(ThreeValuedUntil::new(*interval))
                    }
                }
                FormulaNode::InFuture { reach, .. } => Later::InFuture(InFuture::new(*reach, self.least_gap == 0)),
                node if is_delayed(node) => Later::Delayed(None),
                _ => Later::PastOverFuture(PastOverFuture::default()),
            })
            .collect()
    }
}

impl StateLayout {
    /// Lays out the state of the nodes that are evaluated.
    fn new(core: &FormulaCore, evaluated: &BTreeSet<NodeId>) -> Self {
        // Children have smaller numbers than their parents.
        let parents_first = evaluated.iter().copied().rev();
        let past_nodes: Vec<NodeId> = parents_first.filter(|id| PastOperator::new(core.node(*id)).is_some()).collect();
        let mut past_slots = vec![None; core.nodes.len()];
        for (slot, id) in (0..).zip(&past_nodes) {
            past_slots[id.0 as usize] = Some(slot);
        }
        let compared = evaluated.iter().flat_map(|id| core.node(*id).terms());
        StateLayout { past_slots, past_nodes, terms: TermUpdates::of(&core.terms, compared) }
    }
}

/// Returns true if a waiting node waits for the next position only.
fn is_delayed(node: &FormulaNode) -> bool {
    matches!(node, FormulaNode::Compare { .. } | FormulaNode::Each { .. })
}

/// Removes lower ends of one tick where times strictly increase: every other position is at least a tick away.
fn normalise(mut core: FormulaCore) -> FormulaCore {
    let one_tick = Duration::from_ticks(1);
    let simplify = |interval: &mut Interval| {
        if interval.lo <= one_tick {
            interval.lo = Duration::ZERO;
        }
    };
    if core.simultaneous == Simultaneous::Merge {
        for node in &mut core.nodes {
            if let FormulaNode::Until { interval, .. } | FormulaNode::Since { interval, .. } = node {
                simplify(interval);
            }
        }
    }
    core
}

/// Returns the nodes reachable from these, not beyond nodes where `stops` is true, children first.
fn needed_for(core: &FormulaCore, from: &[NodeId], stops: impl Fn(NodeId) -> bool) -> BTreeSet<NodeId> {
    reachable(from.iter().copied(), |id| {
        let parts = if stops(id) { vec![] } else { core.parts(core.node(id)) };
        parts.into_iter().map(|edge| edge.node)
    })
}

/// The effect of an idle position, where no atom is true, once every clause has started, apart from the passing of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum IdleEffect {
    /// None: it opens and settles no obligation, and leaves every operator over the past unchanged.
    Nothing,
    /// It opens obligations and satisfies them immediately, and does nothing else.
    Satisfies,
    /// It opens obligations of clauses that wait for them without a node, and does nothing else.
    Opens,
    /// Any: the position must be visited.
    NeedsVisit,
}

impl Network {
    fn analyse_idle(&self) -> IdleEffect {
        let is = |edge: &Edge, value: bool| self.idle_value(*edge) == Some(value);
        let past = self.now.past_nodes.iter().all(|id| match self.core.node(*id) {
            FormulaNode::Since { left, right, .. } => is(left, true) && is(right, false),
            // Numbers come with events that match; the other operators count nothing where nothing is true.
            node => node.children().iter().all(|of| is(of, false)),
        });
        let later = self.later_nodes.iter().all(|waiter| match self.core.node(waiter.id) {
            // The nodes above a conjunction know their value at an idle position without it.
            FormulaNode::And(_) => true,
            FormulaNode::Until { left, right, .. } => is(left, true) && is(right, false),
            _ => false,
        });
        if !past || !later || !self.terms_are_idle() {
            return IdleEffect::NeedsVisit;
        }
        let clauses = self.clauses.iter().map(|clause| self.idle_clause(clause));
        clauses.fold(IdleEffect::Nothing, |all, one| match (all, one) {
            (IdleEffect::NeedsVisit, _)
            | (_, IdleEffect::NeedsVisit)
            | (IdleEffect::Opens, IdleEffect::Satisfies)
            | (IdleEffect::Satisfies, IdleEffect::Opens) => IdleEffect::NeedsVisit,
            (IdleEffect::Opens, _) | (_, IdleEffect::Opens) => IdleEffect::Opens,
            (IdleEffect::Satisfies, _) | (_, IdleEffect::Satisfies) => IdleEffect::Satisfies,
            (IdleEffect::Nothing, IdleEffect::Nothing) => IdleEffect::Nothing,
        })
    }

    /// Returns the effect of an idle position on one clause.
    fn idle_clause(&self, clause: &FormulaClause) -> IdleEffect {
        let is = |edge: &Edge, value: bool| self.idle_value(*edge) == Some(value);
        let least_gap = Duration::from_ticks(self.least_gap);
        // An obligation whose interval ends before the next position can come is violated immediately.
        let waits_itself = match &clause.consequent_part {
            Consequent::Direct(direct) if is(&direct.left, true) && is(&direct.right, false) => {
                direct.interval.hi.is_none_or(|hi| hi >= least_gap)
            }
            Consequent::Direct(_) => return IdleEffect::NeedsVisit,
            Consequent::Now(_) | Consequent::Later { .. } => false,
        };
        match &clause.reach {
            ClauseReach::First => IdleEffect::Nothing,
            ClauseReach::After { interval, .. } => {
                let always_in_reach = interval.hi.is_none() && interval.lo <= least_gap;
                match &clause.antecedent {
                    Some(edge) if is(edge, false) => IdleEffect::Nothing,
                    Some(edge) if !is(edge, true) => IdleEffect::NeedsVisit,
                    _ if waits_itself && always_in_reach => IdleEffect::Opens,
                    _ if always_in_reach && self.idle_consequent(clause) == Some(true) => IdleEffect::Satisfies,
                    _ => IdleEffect::NeedsVisit,
                }
            }
        }
    }

    /// Returns the value of the consequent where no atom is true, if it is known immediately.
    fn idle_consequent(&self, clause: &FormulaClause) -> Option<bool> {
        match &clause.consequent_part {
            Consequent::Now(edge) => self.idle_value(*edge),
            Consequent::Later { .. } | Consequent::Direct(_) => None,
        }
    }

    /// Returns the value where no atom is true, if it depends on nothing else.
    pub(super) fn idle_value(&self, edge: Edge) -> Option<bool> {
        along(edge, &self.idle_values)
    }
}

/// Computes for each node its value where no atom is true, if it depends on nothing else.
fn idle_values(core: &FormulaCore) -> Vec<Option<bool>> {
    let mut values: Vec<Option<bool>> = Vec::with_capacity(core.nodes.len());
    for node in &core.nodes {
        let value = match node {
            FormulaNode::True => Some(true),
            FormulaNode::Atom(_) => Some(false),
            FormulaNode::And(edges) => all_true(edges.iter().map(|edge| along(*edge, &values))),
            _ => None,
        };
        values.push(value);
    }
    values
}

/// Returns the value of an edge from those of the nodes.
pub(super) fn along(edge: Edge, values: &[Option<bool>]) -> Option<bool> {
    values[edge.node.0 as usize].map(|value| value != edge.negated)
}
