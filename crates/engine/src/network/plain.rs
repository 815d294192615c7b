// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fast path of plain formulae: response, precedence, since and count over atoms.
//!
//! A formula is *plain* if each of its clauses `antecedent -> consequent` asks only for sets of atoms, at the present position, as operands of
//! one U that the clause waits for, or as operands of one S or C over the past. Examples: `G(a -> F[0,10] b)`, `G(a -> (!a) S b)`,
//! `G(a -> count[600](b) <= 3)`. A set of atoms is tested with one mask, without the nodes.
//!
//! The fast path takes a position in only if it opens obligations, satisfies them or updates operators over the past. A position
//! that may violate something or comes after a deadline is left to the general path, which explains violations.
//!
//! INVARIANT: a position that is taken in here leaves the state that the general path would leave (tests: engine and oracle on every cut).

use gnomon_core::{Duration, Origin, Timestamp, TracePosition};
use gnomon_ir::{Edge, FormulaCore, FormulaNode, NodeId};

use super::clause::{ClauseReach, Consequent, FormulaClause};
use super::layout::IdleEffect;
use super::obligations::{ClauseState, ObligationTracker};
use super::{Network, NetworkState};
use crate::past::PastOperator;
use crate::scheduler::CompletePosition;
use crate::work;

/// A formula as tests of atoms.
#[derive(Clone, Debug)]
pub(super) struct PlainFormula {
    clauses: Vec<PlainClause>,
    /// The operands of each operator over the past, in the order of their states.
    past: Vec<PlainPast>,
}

/// True if some atom of a set is true, or if none is.
#[derive(Clone, Copy, Debug)]
struct AtomSet {
    mask: u64,
    expected: bool,
}

#[derive(Clone, Debug)]
struct PlainClause {
    antecedent: AtomSet,
    /// True if every position after the start is in reach.
    is_always_reached: bool,
    consequent: PlainConsequent,
}

#[derive(Clone, Copy, Debug)]
enum PlainConsequent {
    Atoms(AtomSet),
    /// The value of an operator over the past, or its negation. The operand is that of a C.
    Past {
        slot: usize,
        node: NodeId,
        operand: AtomSet,
        negated: bool,
    },
    /// A U that the clause waits for.
    Until {
        left: AtomSet,
        right: AtomSet,
    },
}

/// The operands of an operator over the past.
#[derive(Clone, Copy, Debug)]
enum PlainPast {
    Since { left: AtomSet, right: AtomSet },
    Count { of: AtomSet },
}

impl AtomSet {
    /// Returns the set that an edge tests, if it is one.
    fn of(core: &FormulaCore, edge: Edge) -> Option<AtomSet> {
        let (mask, expected) = match core.node(edge.node) {
            FormulaNode::True => (0, false),
            FormulaNode::Atom(atom) if atom.0 < u64::BITS => (1 << atom.0, true),
            // Each operand is that no atom of a set is true.
            FormulaNode::And(edges) => {
                let operands = edges.iter().map(|edge| AtomSet::of(core, *edge).filter(|set| !set.expected));
                (operands.map(|set| set.map(|set| set.mask)).try_fold(0, |all, mask| Some(all | mask?))?, false)
            }
            _ => return None,
        };
        Some(AtomSet { mask, expected: expected != edge.negated })
    }

    #[inline]
    fn holds(self, letter: u64) -> bool {
        (letter & self.mask != 0) == self.expected
    }
}

impl PlainFormula {
    /// Returns the tests of a formula, if it is plain.
    pub(super) fn of(network: &Network) -> Option<PlainFormula> {
        let core = &network.core;
        let has_more = !network.later_nodes.is_empty()
            || network.delayed.is_some()
            || network.rest.is_some()
            || network.may_settle
            || network.idle == IdleEffect::NeedsVisit
            || !network.now.terms.is_empty()
            || !core.measures.is_empty();
        if has_more || core.atoms.len() > u64::BITS as usize {
            return None;
        }
        let clauses = network.clauses.iter().map(|clause| PlainClause::of(network, clause)).collect::<Option<_>>()?;
        let past = network.now.past_nodes.iter().map(|id| PlainPast::of(core, *id)).collect::<Option<_>>()?;
        Some(PlainFormula { clauses, past })
    }
}

impl PlainClause {
    fn of(network: &Network, clause: &FormulaClause) -> Option<PlainClause> {
        let core = &network.core;
        let antecedent = AtomSet::of(core, clause.antecedent.unwrap_or(Edge::TRUE))?;
        let consequent = match &clause.consequent_part {
            Consequent::Now(edge) => match network.now.past_slots[edge.node.0 as usize] {
                Some(slot) => {
                    let operand = match PlainPast::of(core, edge.node)? {
                        PlainPast::Since { right, .. } => right,
                        PlainPast::Count { of } => of,
                    };
                    PlainConsequent::Past { slot: slot as usize, node: edge.node, operand, negated: edge.negated }
                }
                None => PlainConsequent::Atoms(AtomSet::of(core, *edge)?),
            },
            Consequent::Direct(direct) => {
                // Obligations that end before the next position are left to the general path.
                let lasts = direct.interval.hi.is_none_or(|hi| hi >= Duration::from_ticks(network.least_gap));
                let (left, right) = (AtomSet::of(core, direct.left)?, AtomSet::of(core, direct.right)?);
                (lasts && !direct.negated).then_some(PlainConsequent::Until { left, right })?
            }
            Consequent::Later { .. } => return None,
        };
        let least_gap = Duration::from_ticks(network.least_gap);
        let is_always_reached = matches!(&clause.reach, ClauseReach::After { nexts, interval, .. }
            if nexts.is_empty() && interval.hi.is_none() && interval.lo <= least_gap);
        Some(PlainClause { antecedent, is_always_reached, consequent })
    }
}

impl PlainPast {
    fn of(core: &FormulaCore, id: NodeId) -> Option<PlainPast> {
        match core.node(id) {
            FormulaNode::Since { left, right, .. } => {
                Some(PlainPast::Since { left: AtomSet::of(core, *left)?, right: AtomSet::of(core, *right)? })
            }
            FormulaNode::Count { of, .. } => Some(PlainPast::Count { of: AtomSet::of(core, *of)? }),
            _ => None,
        }
    }
}

/// The atoms of a position.
pub(super) struct PlainAtoms<'a, F> {
    /// A bit for each atom that is true.
    pub(super) letter: u64,
    /// The event that decides something at the position.
    pub(super) decider: &'a Origin,
    /// Returns the event that represents the position in a violation of a clause.
    pub(super) origin: F,
}

impl Network {
    /// Takes in a position of a plain formula. Returns false, and has changed nothing that matters, if the position needs the general
    /// path.
    #[inline]
    pub(super) fn take_in_plainly(
        &self,
        plain: &PlainFormula,
        state: &mut NetworkState,
        position: &CompletePosition<'_>,
        atoms: &PlainAtoms<'_, impl Fn(usize) -> Origin>,
    ) -> bool {
        let (letter, time) = (atoms.letter, position.first.time);
        let frontier = self.frontier_after(position.first);
        if state.idle != self.idle || state.wake < frontier {
            return false;
        }
        let (states, record) = state.obligations.parts();
        for (index, clause) in plain.clauses.iter().enumerate() {
            if !clause.is_settled(self, index, &states[index], &mut state.past, (letter, time)) {
                return false;
            }
        }
        if state.idle == IdleEffect::Satisfies {
            ObligationTracker::count_idle(states, record, &self.clauses, position.index - state.positions);
        }
        let mut is_quiet = true;
        for (index, clause) in plain.clauses.iter().enumerate() {
            work::add(1);
            let own = &mut states[index];
            let is_active = clause.is_active(&self.clauses[index], own, letter, time);
            record.totals.activated += u64::from(is_active);
            match (clause.consequent, &self.clauses[index].consequent_part) {
                (PlainConsequent::Until { right, .. }, Consequent::Direct(direct)) => {
                    let is_met = right.holds(letter);
                    if is_met {
                        own.satisfy_ripe(direct, time, &mut record.totals);
                    }
                    if is_active && direct.inclusive && is_met {
                        record.totals.satisfy(Duration::ZERO);
                    } else if is_active {
                        let at = TracePosition { position: position.index, origin: (atoms.origin)(index) };
                        own.wait_for(direct, at, &mut state.wake, record.log.limit());
                    }
                    is_quiet &= own.is_quiet();
                }
                _ if is_active => record.totals.satisfy(Duration::ZERO),
                _ => {}
            }
        }
        if is_quiet {
            state.wake = Timestamp::MAX;
        }
        (state.positions, state.last_time, state.frontier) = (position.index + 1, time, frontier);
        for (operator, operands) in state.past.iter_mut().zip(&plain.past) {
            operands.update(operator, atoms.decider, letter);
        }
        true
    }
}

impl PlainClause {
    /// Returns true if an obligation arises at a position.
    #[inline]
    fn is_active(&self, clause: &FormulaClause, state: &ClauseState, letter: u64, time: Timestamp) -> bool {
        self.antecedent.holds(letter) && (self.is_always_reached || state.is_reached(clause, time))
    }

    /// Returns true if a position violates nothing.
    #[inline]
    fn is_settled(
        &self,
        network: &Network,
        index: usize,
        state: &ClauseState,
        past: &mut [PastOperator],
        (letter, time): (u64, Timestamp),
    ) -> bool {
        let is_active = || self.is_active(&network.clauses[index], state, letter, time);
        match self.consequent {
            PlainConsequent::Atoms(atoms) => atoms.holds(letter) || !is_active(),
            PlainConsequent::Past { slot, node, operand, negated } => {
                let mut value = || match &mut past[slot] {
                    PastOperator::Since(since) => since.query(time),
                    other => other.aggregate(network.core.node(node), time, operand.holds(letter)),
                };
                !is_active() || value() != negated
            }
            // Where `left` fails, all obligations that are open are left to the general path.
            PlainConsequent::Until { left, .. } => {
                state.has_one_queue() && (left.holds(letter) || (state.has_none_due() && !is_active()))
            }
        }
    }
}

impl PlainPast {
    #[inline]
    fn update(self, operator: &mut PastOperator, decider: &Origin, letter: u64) {
        match (self, operator) {
            (PlainPast::Since { left, right }, PastOperator::Since(since)) => {
                let (left, right) = (left.holds(letter), right.holds(letter));
                if !left || right {
                    since.update(*decider, left, right);
                }
            }
            (PlainPast::Count { of }, PastOperator::Count(window)) if of.holds(letter) => window.add(*decider),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use gnomon_ir::Core;
    use gnomon_ir::check::check;

    use super::*;

    fn is_plain(property: &str) -> bool {
        let (spec, diagnostics) = gnomon_lang::parse(property);
        assert!(diagnostics.is_empty(), "{property}: {diagnostics:?}");
        match check(&spec, &spec.properties[0]).0 {
            Some(Core::Formula(core)) => Network::new(core).plain.is_some(),
            _ => panic!("{property} is not a formula"),
        }
    }

    #[test]
    fn plain_formulae_are_recognised() {
        for property in [
            "soloist p { G(a -> F(0,10] b) }",
            "soloist p { G(a -> (!a) S b) }",
            "soloist p { G(a -> C^{600}_{<=3}(b)) }",
            "soloist p { G(F(0,10] a) }",
            "mtl p { G(a -> F[0,10] b) }",
            "mtl p { G(a || b -> (!c && !d) U (a || d)) }",
            "mtl p { G(a -> !b) && G(c -> F b) }",
        ] {
            assert!(is_plain(property), "{property}");
        }
        for property in [
            "mtl p { F a }",
            "mtl p { G(a -> X b) }",
            "mtl p { G(a -> F (b && F c)) }",
            "mtl p { G(a -> Y b) }",
            "mtl p { G(a -> (b S c) && (b S d)) }",
            "mtl p { G(a -> !(b U c)) }",
        ] {
            assert!(!is_plain(property), "{property}");
        }
    }
}
