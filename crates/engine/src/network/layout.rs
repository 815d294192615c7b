// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which node is known at once, which waits, and in what order they run.

use gnomon_core::interval::Interval;
use gnomon_core::time::Duration;
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::core::{Edge, FormulaCore, Node, NodeId};

use super::{Idle, Later, Network, Waiter};
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
        let clauses = Clause::of(&core, &waits(&core));
        let needed = needed(&core, &clauses);
        let mut network = Network {
            past_slots: vec![None; core.nodes.len()],
            past_nodes: Vec::new(),
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

    /// Children have smaller numbers than their parents, so one pass upwards tells which nodes wait.
    fn place(&mut self, needed: &[bool]) {
        for index in (0..self.core.nodes.len()).filter(|index| needed[*index]) {
            let node = &self.core.nodes[index];
            let id = NodeId(index as u32);
            let parts: Vec<Part> = node.children().into_iter().map(|edge| self.part(edge)).collect();
            let waits = parts.iter().any(|part| matches!(part, Part::Later { .. }));
            if waits || matches!(node, Node::Until { .. } | Node::InFuture { .. }) {
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
                self.later_slots[index] = Some(self.later_nodes.len() as u32);
                self.later_nodes.push(Waiter { id, parts, asked_by: vec![], hi });
            } else if is_stateful(node) {
                self.past_slots[index] = Some(self.past_nodes.len() as u32);
                self.past_nodes.push(id);
            }
        }
        // Slots were given children first; the order of updates is the reverse.
        self.past_nodes.reverse();
        let count = self.past_nodes.len() as u32;
        for slot in self.past_slots.iter_mut().flatten() {
            *slot = count - 1 - *slot;
        }
    }

    pub(crate) fn part(&self, edge: Edge) -> Part {
        match self.later_slots[edge.node.0 as usize] {
            Some(slot) => Part::Later { slot: slot as usize, negated: edge.negated },
            None => Part::Now(edge),
        }
    }

    pub(super) fn new_past(&self) -> Vec<Past> {
        self.past_nodes
            .iter()
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
                _ => Later::Window(Window::default()),
            })
            .collect()
    }
}

fn is_stateful(node: &Node) -> bool {
    matches!(
        node,
        Node::Since { .. } | Node::Count { .. } | Node::Maximum { .. } | Node::Gap { .. } | Node::Fold { .. }
    )
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

/// Which nodes look ahead.
fn waits(core: &FormulaCore) -> Vec<bool> {
    let mut waits: Vec<bool> = Vec::with_capacity(core.nodes.len());
    for node in &core.nodes {
        let inside = node.children().iter().any(|edge| waits[edge.node.0 as usize]);
        waits.push(inside || matches!(node, Node::Until { .. } | Node::InFuture { .. }));
    }
    waits
}

/// The nodes that the clauses can reach. The formula's own outer operators are the ledger's business.
fn needed(core: &FormulaCore, clauses: &[Clause]) -> Vec<bool> {
    let mut needed = vec![false; core.nodes.len()];
    let mut pending: Vec<NodeId> = clauses.iter().flat_map(Clause::roots).collect();
    while let Some(id) = pending.pop() {
        if !std::mem::replace(&mut needed[id.0 as usize], true) {
            pending.extend(core.parts(core.node(id)).iter().map(|edge| edge.node));
        }
    }
    needed
}
