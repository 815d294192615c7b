// SPDX-License-Identifier: MIT OR Apache-2.0
//! All that is pending at one moment, as nodes of positive Boolean formulae. Parts stand before what they are part of, so
//! nothing here recurses, however long the word.

use std::collections::BTreeMap;

use crate::automaton::{Automaton, State, StateId};
use crate::positive::{Copy, Positive};

/// What is pending, or not any more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Pending {
    /// Settled.
    Constant(bool),
    /// A copy that was not made because one runs already: where it would stand there is nothing.
    Nothing,
    /// Waiting for the copies of this node.
    Node(u32),
}

/// How far equal things are one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Merging {
    /// Not at all: every copy is one of its own.
    Nothing,
    /// Copies with the same state and counter are one, and so are formulae of the same parts.
    Equal,
    /// Besides, a part that another one implies is left out.
    Implied,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Node {
    Copy(Copy),
    And(Vec<u32>),
    Or(Vec<u32>),
}

/// The nodes.
pub(crate) struct Pool<'a> {
    automaton: &'a Automaton,
    merging: Merging,
    nodes: Vec<Node>,
    /// Whether a copy was made by the symbol that has just been read.
    fresh: Vec<bool>,
    known: BTreeMap<Node, u32>,
    live: Vec<bool>,
}

impl<'a> Pool<'a> {
    pub(crate) fn new(automaton: &'a Automaton, merging: Merging) -> Self {
        let (nodes, fresh, live) = (Vec::new(), Vec::new(), Vec::new());
        Pool { automaton, merging, nodes, fresh, known: BTreeMap::new(), live }
    }

    /// The same pool in the making, after the next symbol.
    pub(crate) fn successor(&self) -> Self {
        Pool::new(self.automaton, self.merging)
    }

    /// The copies that something waits for, each with its node.
    pub(crate) fn copies(&self) -> impl Iterator<Item = (usize, Copy)> + '_ {
        self.nodes.iter().enumerate().filter(|(index, _)| self.live[*index]).filter_map(|(index, node)| match node {
            Node::Copy(copy) => Some((index, *copy)),
            _ => None,
        })
    }

    /// Whether the copy at this node was made by the last symbol.
    pub(crate) fn is_fresh(&self, node: usize) -> bool {
        self.fresh[node]
    }

    /// Forgets what none of these waits for.
    pub(crate) fn keep(&mut self, roots: impl Iterator<Item = Pending>) {
        self.live = vec![false; self.nodes.len()];
        for root in roots {
            if let Pending::Node(node) = root {
                self.live[node as usize] = true;
            }
        }
        // Parts stand before what they are part of.
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if let (Node::And(parts) | Node::Or(parts), true) = (node, self.live[index]) {
                for part in parts {
                    self.live[*part as usize] = true;
                }
            }
        }
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Puts each node's successor in its place, given those of the copies.
    pub(crate) fn translate(&self, successors: &mut [Pending], into: &mut Pool<'_>) {
        for (index, node) in self.nodes.iter().enumerate().filter(|(index, _)| self.live[*index]) {
            if let Node::And(parts) | Node::Or(parts) = node {
                let parts = parts.iter().map(|part| successors[*part as usize]).collect();
                successors[index] = into.join(parts, matches!(node, Node::Or(_)));
            }
        }
    }

    /// Each node's value at the end, given each copy's.
    pub(crate) fn values(&self, of: &dyn Fn(Copy) -> bool) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            values.push(match node {
                Node::Copy(copy) => of(*copy),
                Node::And(parts) => parts.iter().all(|part| values[*part as usize]),
                Node::Or(parts) => parts.iter().any(|part| values[*part as usize]),
            });
        }
        values
    }

    /// A formula's node. `admit` says of each copy, in the order of the formula, whether it may be made, and whether it is a
    /// new one.
    pub(crate) fn insert(&mut self, formula: &Positive, admit: &mut dyn FnMut(Copy) -> Option<bool>) -> Pending {
        match formula {
            Positive::Constant(value) => Pending::Constant(*value),
            Positive::Copy(copy) => match admit(*copy) {
                None => Pending::Nothing,
                Some(is_new) => self.add(Node::Copy(*copy), is_new),
            },
            Positive::And(parts) => {
                let parts = parts.iter().map(|part| self.insert(part, admit)).collect();
                self.join(parts, false)
            }
            Positive::Or(parts) => {
                let parts = parts.iter().map(|part| self.insert(part, admit)).collect();
                self.join(parts, true)
            }
        }
    }

    fn add(&mut self, node: Node, fresh: bool) -> Pending {
        let next = self.nodes.len() as u32;
        if self.merging != Merging::Nothing {
            if let Some(known) = self.known.get(&node) {
                return Pending::Node(*known);
            }
            self.known.insert(node.clone(), next);
        }
        self.nodes.push(node);
        self.fresh.push(fresh);
        Pending::Node(next)
    }

    /// All of these, or one of these.
    pub(crate) fn join(&mut self, parts: Vec<Pending>, is_or: bool) -> Pending {
        let mut kept: Vec<u32> = Vec::with_capacity(parts.len());
        let mut is_nothing = !parts.is_empty();
        for part in parts {
            is_nothing &= part == Pending::Nothing;
            match part {
                Pending::Constant(value) if value == is_or => return part,
                Pending::Constant(_) | Pending::Nothing => {}
                Pending::Node(node) => match (&self.nodes[node as usize], is_or) {
                    (Node::And(inner), false) | (Node::Or(inner), true) if self.merging != Merging::Nothing => {
                        kept.extend(inner);
                    }
                    _ => kept.push(node),
                },
            }
        }
        if is_nothing {
            return Pending::Nothing;
        }
        if self.merging != Merging::Nothing {
            kept.sort_unstable();
            kept.dedup();
        }
        if self.merging == Merging::Implied {
            kept = self.without_implied(&kept, is_or);
        }
        match kept.as_slice() {
            [] => Pending::Constant(!is_or),
            [only] => Pending::Node(*only),
            _ if is_or => self.add(Node::Or(kept), false),
            _ => self.add(Node::And(kept), false),
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
            Node::Copy(_) => self.strength(part).is_some_and(|(state, strength)| best.get(&state) != Some(&strength)),
            Node::And(inner) | Node::Or(inner) => {
                inner.iter().any(|part| parts.binary_search(part).is_ok() || is_covered(*part) == Some(true))
            }
        };
        parts.iter().copied().filter(|part| !is_spare(*part)).collect()
    }

    /// How strong the claim of a copy is among those of its state, where they differ only in that: what must come sooner, and
    /// what must last longer, is the stronger claim.
    fn strength(&self, node: u32) -> Option<(StateId, i128)> {
        let Node::Copy(copy) = &self.nodes[node as usize] else { return None };
        match self.automaton.state(copy.state) {
            State::Within { .. } => Some((copy.state, copy.counter.ticks())),
            State::Throughout { .. } => Some((copy.state, -copy.counter.ticks())),
            _ => None,
        }
    }
}
