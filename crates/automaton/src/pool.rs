// SPDX-License-Identifier: MIT OR Apache-2.0
//! Obligations pending at one moment, as nodes of positive Boolean formulae.
//!
//! A pool is a shared graph: leaves are copies of the automaton (a state with its counter), inner nodes are
//! conjunctions and disjunctions. Operands always precede the nodes that use them, so every pass is a loop over the
//! nodes; nothing recurses, however long the word. Reading a symbol builds the successor pool: each live copy is
//! replaced by the formula it turns into, then inner nodes are rebuilt bottom-up ([`CopyPool::translate`]).
//!
//! Example: `G(a -> F[0,5] b)` on `a@1 a@3 c@4`. Each `a` starts a copy of the `Within` state. With
//! [`MergePolicy::Nothing`] the pool holds two copies with counters 3 and 1. With [`MergePolicy::Implied`] the
//! conjunction keeps only the copy with counter 3: its deadline is earlier, so it implies the other one.

use std::collections::BTreeMap;

use crate::automaton::{AlternatingAutomaton, State, StateId};
use crate::positive::{PositiveFormula, StateCopy};

/// Value of an obligation: settled or pending.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum PoolValue {
    /// Settled.
    Constant(bool),
    /// A copy that was not made because one runs already: where it would stand there is nothing.
    Nothing,
    /// Waiting for the copies of this node.
    Node(u32),
}

/// Sharing of equal nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum MergePolicy {
    /// Not at all: every copy is one of its own.
    Nothing,
    /// Copies with the same state and counter are one, and so are formulae of the same parts.
    Equal,
    /// Besides, a part that another one implies is left out.
    Implied,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum PoolNode {
    Copy(StateCopy),
    And(Vec<u32>),
    Or(Vec<u32>),
}

/// The nodes.
pub(crate) struct CopyPool<'a> {
    automaton: &'a AlternatingAutomaton,
    merging: MergePolicy,
    nodes: Vec<PoolNode>,
    /// For each node, true if it is a copy made by the last symbol.
    fresh: Vec<bool>,
    known: BTreeMap<PoolNode, u32>,
    live: Vec<bool>,
}

impl<'a> CopyPool<'a> {
    pub(crate) fn new(automaton: &'a AlternatingAutomaton, merging: MergePolicy) -> Self {
        let (nodes, fresh, live) = (Vec::new(), Vec::new(), Vec::new());
        CopyPool { automaton, merging, nodes, fresh, known: BTreeMap::new(), live }
    }

    /// The copies that something waits for, each with its node.
    pub(crate) fn copies(&self) -> impl Iterator<Item = (usize, StateCopy)> + '_ {
        self.nodes.iter().enumerate().filter(|(index, _)| self.live[*index]).filter_map(|(index, node)| match node {
            PoolNode::Copy(copy) => Some((index, *copy)),
            _ => None,
        })
    }

    /// Returns true if the copy at this node was made by the last symbol.
    pub(crate) fn is_fresh(&self, node: usize) -> bool {
        self.fresh[node]
    }

    /// Forgets what none of these waits for.
    pub(crate) fn keep(&mut self, roots: impl Iterator<Item = PoolValue>) {
        self.live = vec![false; self.nodes.len()];
        for root in roots {
            if let PoolValue::Node(node) = root {
                self.live[node as usize] = true;
            }
        }
        // Parts stand before what they are part of.
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if let (PoolNode::And(parts) | PoolNode::Or(parts), true) = (node, self.live[index]) {
                for part in parts {
                    self.live[*part as usize] = true;
                }
            }
        }
    }

    /// Counts the nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Puts each node's successor in its place, given those of the copies.
    pub(crate) fn translate(&self, successors: &mut [PoolValue], into: &mut CopyPool<'_>) {
        for (index, node) in self.nodes.iter().enumerate().filter(|(index, _)| self.live[*index]) {
            if let PoolNode::And(parts) | PoolNode::Or(parts) = node {
                let parts = parts.iter().map(|part| successors[*part as usize]).collect();
                successors[index] = into.join(parts, matches!(node, PoolNode::Or(_)));
            }
        }
    }

    /// Each node's value at the end, given each copy's.
    pub(crate) fn values(&self, of: &dyn Fn(StateCopy) -> bool) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            values.push(match node {
                PoolNode::Copy(copy) => of(*copy),
                PoolNode::And(parts) => parts.iter().all(|part| values[*part as usize]),
                PoolNode::Or(parts) => parts.iter().any(|part| values[*part as usize]),
            });
        }
        values
    }

    /// A formula's node. `admit` says of each copy, in the order of the formula, whether it may be made, and whether it is a
    /// new one.
    pub(crate) fn insert(
        &mut self,
        formula: &PositiveFormula,
        admit: &mut dyn FnMut(StateCopy) -> Option<bool>,
    ) -> PoolValue {
        match formula {
            PositiveFormula::Constant(value) => PoolValue::Constant(*value),
            PositiveFormula::Copy(copy) => match admit(*copy) {
                None => PoolValue::Nothing,
                Some(is_new) => self.add(PoolNode::Copy(*copy), is_new),
            },
            PositiveFormula::And(parts) => {
                let parts = parts.iter().map(|part| self.insert(part, admit)).collect();
                self.join(parts, false)
            }
            PositiveFormula::Or(parts) => {
                let parts = parts.iter().map(|part| self.insert(part, admit)).collect();
                self.join(parts, true)
            }
        }
    }

    fn add(&mut self, node: PoolNode, fresh: bool) -> PoolValue {
        let next = self.nodes.len() as u32;
        if self.merging != MergePolicy::Nothing {
            if let Some(known) = self.known.get(&node) {
                return PoolValue::Node(*known);
            }
            self.known.insert(node.clone(), next);
        }
        self.nodes.push(node);
        self.fresh.push(fresh);
        PoolValue::Node(next)
    }

    /// All of these, or one of these.
    pub(crate) fn join(&mut self, parts: Vec<PoolValue>, is_or: bool) -> PoolValue {
        let mut kept: Vec<u32> = Vec::with_capacity(parts.len());
        let mut is_nothing = !parts.is_empty();
        for part in parts {
            is_nothing &= part == PoolValue::Nothing;
            match part {
                PoolValue::Constant(value) if value == is_or => return part,
                PoolValue::Constant(_) | PoolValue::Nothing => {}
                PoolValue::Node(node) => match (&self.nodes[node as usize], is_or) {
                    (PoolNode::And(inner), false) | (PoolNode::Or(inner), true)
                        if self.merging != MergePolicy::Nothing =>
                    {
                        kept.extend(inner);
                    }
                    _ => kept.push(node),
                },
            }
        }
        if is_nothing {
            return PoolValue::Nothing;
        }
        if self.merging != MergePolicy::Nothing {
            kept.sort_unstable();
            kept.dedup();
        }
        if self.merging == MergePolicy::Implied {
            kept = self.without_implied(&kept, is_or);
        }
        match kept.as_slice() {
            [] => PoolValue::Constant(!is_or),
            [only] => PoolValue::Node(*only),
            _ if is_or => self.add(PoolNode::Or(kept), false),
            _ => self.add(PoolNode::And(kept), false),
        }
    }

    /// Leaves out of a conjunction what another part implies, and out of a disjunction what implies another part.
    fn without_implied(&self, parts: &[u32], is_or: bool) -> Vec<u32> {
        let mut best: BTreeMap<StateId, i128> = BTreeMap::new();
        for (state, strength) in parts.iter().filter_map(|part| self.strength(*part)) {
            let kept = best.entry(state).or_insert(strength);
            *kept = if is_or { strength.min(*kept) } else { strength.max(*kept) };
        }
        let is_covered = |part: u32| {
            let (state, strength) = self.strength(part)?;
            let best = best.get(&state)?;
            Some(if is_or { strength >= *best } else { strength <= *best })
        };
        let is_spare = |part: u32| match &self.nodes[part as usize] {
            PoolNode::Copy(_) => {
                self.strength(part).is_some_and(|(state, strength)| best.get(&state) != Some(&strength))
            }
            PoolNode::And(inner) | PoolNode::Or(inner) => {
                inner.iter().any(|part| parts.binary_search(part).is_ok() || is_covered(*part) == Some(true))
            }
        };
        parts.iter().copied().filter(|part| !is_spare(*part)).collect()
    }

    /// Returns the strength of a copy among the copies of its state that differ only in the counter: a `Within` is
    /// stronger the earlier its deadline, a `Throughout` the longer it still lasts.
    fn strength(&self, node: u32) -> Option<(StateId, i128)> {
        let PoolNode::Copy(copy) = &self.nodes[node as usize] else { return None };
        match self.automaton.state(copy.state) {
            State::Within { .. } => Some((copy.state, copy.counter.ticks())),
            State::Throughout { .. } => Some((copy.state, -copy.counter.ticks())),
            _ => None,
        }
    }
}
