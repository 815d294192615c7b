// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which node is known at once, which waits, and in what order they run.

use gnomon_core::interval::Interval;
use gnomon_core::time::Duration;
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::core::{Edge, FormulaCore, Node, NodeId};

use super::recollect::Tasks;
use super::{Idle, Later, Network, Waiter, Wiring};
use crate::delayed::window::Window;
use crate::future::chain::Chain;
use crate::future::conjunction::Conjunction;
use crate::future::in_future::InFuture;
use crate::future::until::Until;
use crate::ledger::Clause;
use crate::past::{Past, count, fold, gap, maximum, since};

/// A part of a waiting node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// Known at once.
    Now(Edge),
    /// Waits too: the place of its node among the waiting ones.
    Later { slot: usize, negated: bool },
}

impl Network {
    pub(crate) fn new(core: FormulaCore) -> Self {
        let core = normalise(core);
        let waits = core.waits();
        let clauses = Clause::of(&core, &waits);
        let lags = |id: NodeId| waits[id.0 as usize] && is_lagging(core.node(id));
        let roots: Vec<NodeId> = clauses.iter().flat_map(Clause::roots).collect();
        let needed = reachable(&core, roots.clone(), lags);
        let lagging: Vec<NodeId> = numbered(&needed).filter(|id| lags(*id)).collect();
        // What is asked of elements is evaluated as far as it goes.
        let compares = |id: NodeId| lags(id) && matches!(core.node(id), Node::Compare { .. });
        let evaluated = reachable(&core, roots, compares);
        let mut network = Network {
            now: Wiring::new(&core, |id| evaluated[id.0 as usize] && !waits[id.0 as usize]),
            lagging: (!lagging.is_empty()).then(|| {
                let reached = reachable(&core, lagging, |_| false);
                Wiring::new(&core, |id| reached[id.0 as usize])
            }),
            later_slots: vec![None; core.nodes.len()],
            later_nodes: Vec::new(),
            clauses,
            idle: Idle::Matters,
            least_gap: match core.simultaneous {
                Simultaneous::Merge => 1,
                Simultaneous::Sequence => 0,
            },
            may_settle: false,
            variables: Vec::new(),
            waits,
            core,
        };
        network.place(&needed);
        let mut clauses = std::mem::take(&mut network.clauses);
        for clause in &mut clauses {
            clause.connect(&network);
        }
        network.clauses = clauses;
        network.idle = network.analyse_idle();
        let idle: Vec<Idle> = network.clauses.iter().map(|clause| network.idle_clause(clause)).collect();
        for (clause, idle) in network.clauses.iter_mut().zip(idle) {
            clause.owes_when_idle = idle == Idle::Owes;
            clause.satisfied_when_idle = idle == Idle::Satisfies;
        }
        network.may_settle = network.clauses.iter().all(Clause::may_end);
        network
    }

    /// Gives those of these nodes that wait their places, children first.
    fn place(&mut self, needed: &[bool]) {
        for id in numbered(needed).filter(|id| self.waits[id.0 as usize]).collect::<Vec<NodeId>>() {
            let node = self.core.node(id);
            // What lags has its parts to itself.
            let children = if is_lagging(node) { vec![] } else { node.children() };
            let parts: Vec<Part> = children.into_iter().map(|edge| self.part(edge)).collect();
            let hi = match node {
                Node::Until { interval, .. } => interval.hi,
                _ => None,
            };
            let always_wants_parts = !matches!(node, Node::And(_));
            let own = self.later_nodes.len();
            for part in &parts {
                if let Part::Later { slot, .. } = *part
                    && always_wants_parts
                {
                    self.later_nodes[slot].asked_by.push(own);
                }
            }
            self.later_slots[id.0 as usize] = Some(own as u32);
            self.later_nodes.push(Waiter { id, parts, asked_by: vec![], hi });
        }
    }

    pub(crate) fn part(&self, edge: Edge) -> Part {
        match self.later_slots[edge.node.0 as usize] {
            Some(slot) => Part::Later { slot: slot as usize, negated: edge.negated },
            None => Part::Now(edge),
        }
    }

    pub(super) fn new_past(&self, wiring: &Wiring) -> Vec<Past> {
        let nodes = wiring.past_nodes.iter();
        nodes
            .map(|id| match self.core.node(*id) {
                Node::Count { reach, .. } => Past::Count(count::Count::new(*reach)),
                Node::Maximum { window, step, .. } => Past::Maximum(maximum::Maximum::new(*window, *step)),
                Node::Gap { reach, .. } => Past::Gap(gap::Gap::new(*reach)),
                Node::Since { interval, .. } => Past::Since(since::Since::new(*interval)),
                Node::Fold { fold, reach, .. } => Past::Fold(fold::Fold::new(*fold, *reach)),
                stateless => unreachable!("{stateless:?} keeps no state"),
            })
            .collect()
    }

    pub(super) fn new_later(&self) -> Vec<Later> {
        self.later_nodes
            .iter()
            .map(|waiter| match self.core.node(waiter.id) {
                Node::And(_) => Later::Conjunction(Conjunction::default()),
                Node::Until { interval, .. } => {
                    if waiter.parts.iter().all(|part| matches!(part, Part::Now(_))) {
                        Later::Until(Until::new(*interval))
                    } else {
                        Later::Chain(Chain::new(*interval))
                    }
                }
                Node::InFuture { reach, .. } => Later::InFuture(InFuture::new(*reach, self.least_gap == 0)),
                node if is_lagging(node) => Later::Lagging(None),
                _ => Later::Window(Window::default()),
            })
            .collect()
    }
}

impl Wiring {
    /// Of the nodes that are evaluated.
    fn new(core: &FormulaCore, is_evaluated: impl Fn(NodeId) -> bool) -> Self {
        let evaluated = || (0..core.nodes.len() as u32).map(NodeId).filter(|id| is_evaluated(*id));
        let mut past_nodes: Vec<NodeId> = evaluated().filter(|id| is_stateful(core.node(*id))).collect();
        // Children have smaller numbers than their parents.
        past_nodes.reverse();
        let mut past_slots = vec![None; core.nodes.len()];
        for (slot, id) in (0..).zip(&past_nodes) {
            past_slots[id.0 as usize] = Some(slot);
        }
        let compared = evaluated().flat_map(|id| core.node(id).terms());
        Wiring { past_slots, past_nodes, terms: Tasks::of(&core.terms, compared.collect()) }
    }
}

fn is_stateful(node: &Node) -> bool {
    matches!(
        node,
        Node::Since { .. } | Node::Count { .. } | Node::Maximum { .. } | Node::Gap { .. } | Node::Fold { .. }
    )
}

/// Whether a node that waits, waits for no more than the next position.
fn is_lagging(node: &Node) -> bool {
    matches!(node, Node::Compare { .. } | Node::Each { .. })
}

/// Where times strictly increase every other position is at least a tick away, so that a lower end of one tick asks
/// for nothing.
fn normalise(mut core: FormulaCore) -> FormulaCore {
    let one_tick = Duration::from_ticks(1);
    let simplify = |interval: &mut Interval| {
        if interval.lo <= one_tick {
            interval.lo = Duration::ZERO;
        }
    };
    if core.simultaneous == Simultaneous::Merge {
        for node in &mut core.nodes {
            if let Node::Until { interval, .. } | Node::Since { interval, .. } = node {
                simplify(interval);
            }
        }
    }
    core
}

/// The nodes that these lead to, not further than `stops` says. The formula's own outer operators are the ledger's business.
fn reachable(core: &FormulaCore, from: Vec<NodeId>, stops: impl Fn(NodeId) -> bool) -> Vec<bool> {
    let mut reached = vec![false; core.nodes.len()];
    let mut pending = from;
    while let Some(id) = pending.pop() {
        if !std::mem::replace(&mut reached[id.0 as usize], true) && !stops(id) {
            pending.extend(core.parts(core.node(id)).iter().map(|edge| edge.node));
        }
    }
    reached
}

/// The nodes that are marked, children first.
fn numbered(marked: &[bool]) -> impl Iterator<Item = NodeId> {
    (0..).map(NodeId).zip(marked).filter(|(_, marked)| **marked).map(|(id, _)| id)
}
