// SPDX-License-Identifier: MIT OR Apache-2.0
//! Divides the state of a network by the variables on which its parts depend.
//!
//! Each operator over the past depends on the atoms below it, and these on the variables that they bind. Example:
//! `forall u, f. G(access(u, f) -> (!logout(u) S login(u)) && (!close(f) S open(f)))`. The first S depends on u alone, the second on f
//! alone. Nothing else of the state changes before an event `access(u, f)`: the antecedent is false without one. So the state of a
//! binding (u, f) need not be kept. It is assembled from those of (u, _) and (_, f) when such an event comes, and dropped as
//! soon as no obligation is open.
//!
//! The division exists if, for every clause and every operator over the past:
//! - The clause's antecedent is false at positions where no atom with all variables is true.
//! - The operator has no state before such a position (an S whose right side is false without one); or all atoms below it
//!   that bind a variable bind the same ones, and not all.

use gnomon_core::time::Timestamp;
use gnomon_ir::core::{Edge, FormulaNode, NodeId};

use super::clause::{ClauseReach, FormulaClause, atoms_under};
use super::layout::{IdleEffect, along};
use super::{FormulaPart, Network, NetworkState};
use crate::past::PastOperator;
use crate::slice::storage::index::Mask;
use gnomon_core::list::all_true;

/// The variables on which the state of an operator over the past depends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StatePart {
    /// Some of the variables.
    Of(Mask),
    /// All variables. The state is initial until an event binds all of them.
    Whole,
}

impl Network {
    /// See [`crate::slice::machine::Machine::divide`].
    pub(crate) fn divide(&mut self, atoms: &[Mask], variables: usize) -> Option<Vec<Mask>> {
        let full = ((1_u64 << variables) - 1) as Mask;
        let has_terms = !self.core.terms.is_empty() || !self.core.measures.is_empty();
        let is_partial = |mask: &Mask| *mask != 0 && *mask != full;
        if self.idle != IdleEffect::Nothing || has_terms || !atoms.contains(&full) || !atoms.iter().any(is_partial) {
            return None;
        }
        let values = self.values_without(atoms, full);
        if !self.clauses.iter().all(|clause| is_inactive(clause, &values)) {
            return None;
        }
        let part = |id: &NodeId| self.state_part(*id, atoms, full, &values);
        self.parts = self.now.past_nodes.iter().map(part).collect::<Option<Vec<StatePart>>>()?;
        let mut masks: Vec<Mask> = self.parts.iter().filter_map(|part| part.mask()).filter(|mask| *mask != 0).collect();
        masks.sort_unstable();
        masks.dedup();
        Some(masks)
    }

    fn state_part(&self, id: NodeId, atoms: &[Mask], full: Mask, values: &[Option<bool>]) -> Option<StatePart> {
        let is_never = |edge: &Edge| along(*edge, values) == Some(false);
        let is_initial = match self.core.node(id) {
            FormulaNode::Since { right, .. } => is_never(right),
            FormulaNode::Gap { from, .. } => is_never(from),
            node => node.children().iter().all(is_never),
        };
        if is_initial {
            return Some(StatePart::Whole);
        }
        let below = atoms_under(&self.core, Edge { node: id, negated: false });
        let is_below = |atom: usize| below[atom / 64] >> (atom % 64) & 1 == 1;
        let mut masks =
            (0..atoms.len()).filter(|atom| is_below(*atom)).map(|atom| atoms[atom]).filter(|mask| *mask != 0);
        let first = masks.next().unwrap_or(0);
        (first != full && masks.all(|mask| mask == first)).then_some(StatePart::Of(first))
    }

    /// Computes for each node its value at positions where no atom with all variables is true nor was before, if it is the same at all of them.
    fn values_without(&self, atoms: &[Mask], full: Mask) -> Vec<Option<bool>> {
        let mut values: Vec<Option<bool>> = Vec::with_capacity(self.core.nodes.len());
        for node in &self.core.nodes {
            let value = match node {
                FormulaNode::True => Some(true),
                FormulaNode::Atom(atom) => (atoms[atom.0 as usize] == full).then_some(false),
                FormulaNode::And(edges) => all_true(edges.iter().map(|edge| along(*edge, &values))),
                FormulaNode::Since { right, .. } => along(*right, &values).filter(|value| !value),
                _ => None,
            };
            values.push(value);
        }
        values
    }

    /// See [`crate::slice::machine::Machine::assemble`].
    pub(crate) fn assemble(&self, root: &NetworkState, parts: &[(Mask, &NetworkState)]) -> NetworkState {
        let mut state = root.clone();
        for (slot, part) in self.parts.iter().enumerate() {
            if let Some((_, from)) = parts.iter().find(|(mask, _)| part.mask() == Some(*mask)) {
                state.past[slot].clone_from(&from.past[slot]);
            }
        }
        state
    }

    /// See [`crate::slice::machine::Machine::schedule_assembled`].
    pub(crate) fn busy_until_assembled(&self, state: &NetworkState) -> Timestamp {
        if !state.is_quiet() && !state.settled {
            return Timestamp::MAX;
        }
        let own = state.past.iter().zip(&self.parts).filter(|(_, part)| **part == StatePart::Whole);
        own.map(|(operator, _)| match operator {
            // Explanations cite events that nothing else remembers.
            PastOperator::Since(since) if since.remembers() => Timestamp::MAX,
            _ => operator.busy_until(),
        })
        .max()
        .unwrap_or(Timestamp::MIN)
    }
}

impl StatePart {
    fn mask(self) -> Option<Mask> {
        match self {
            StatePart::Of(mask) => Some(mask),
            StatePart::Whole => None,
        }
    }
}

/// Returns true if a clause has no obligation where an antecedent has its value of `values`.
fn is_inactive(clause: &FormulaClause, values: &[Option<bool>]) -> bool {
    let starts_immediately = matches!(&clause.reach, ClauseReach::After { nexts, .. } if nexts.is_empty());
    let is_now = matches!(clause.antecedent_part, FormulaPart::Now(_));
    starts_immediately && is_now && clause.antecedent.is_some_and(|edge| along(edge, values) == Some(false))
}
