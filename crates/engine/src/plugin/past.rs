// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae of the past as bits: the memory of an instance has one bit for each operator.
//!
//! The truth of `(*) f` needs that of `f` one letter ago, that of `f S g` its own. Both are the bits of the state, next to the truth of
//! the whole formula, which is the category. Example: `next => (*) hasnext` has one bit, the truth of `hasnext` at the last letter.
//!
//! COST: a letter costs the nodes of the formula, the first time that it comes in a state; after that one lookup.

use gnomon_ir::core::{Edge, LinearCore, LinearNode};

/// The state before the first letter.
const BEFORE: u32 = 0;
const FALSE: u32 = 1;
const TRUE: u32 = 2;

/// A formula ready to run. A state is a list of words: the truth of the formula, then the bits of the operators.
#[derive(Clone, Debug)]
pub(super) struct PastFormula {
    core: LinearCore,
    /// For each node with a bit, its place and the edge whose truth is remembered.
    memory: Vec<(usize, Edge)>,
}

impl PastFormula {
    pub(super) fn new(core: &LinearCore) -> Self {
        let memory = core.nodes.iter().enumerate().filter_map(|(place, node)| match node {
            LinearNode::Previous(of) => Some((place, *of)),
            LinearNode::Since(..) => Some((place, edge_to(place))),
            _ => None,
        });
        PastFormula { memory: memory.collect(), core: core.clone() }
    }

    pub(super) fn initial(&self) -> Vec<u32> {
        let mut state = vec![BEFORE];
        state.resize(1 + self.memory.len().div_ceil(32), 0);
        state
    }

    /// Returns the truth of the formula at the last letter; `None` before the first.
    pub(super) fn truth(state: &[u32]) -> Option<bool> {
        match state[0] {
            FALSE => Some(false),
            TRUE => Some(true),
            _ => None,
        }
    }

    pub(super) fn next(&self, state: &[u32], letter: u32) -> Vec<u32> {
        let mut values = vec![false; self.core.nodes.len()];
        let mut bits = (0..self.memory.len()).map(|bit| state[1 + bit / 32] >> (bit % 32) & 1 == 1);
        for (place, node) in self.core.nodes.iter().enumerate() {
            let value = |edge: &Edge| values[edge.node.0 as usize] != edge.negated;
            values[place] = match node {
                LinearNode::True => true,
                LinearNode::Letter(own) => own.0 == letter,
                LinearNode::And(parts) => parts.iter().all(value),
                LinearNode::Previous(_) => bits.next().unwrap_or(false),
                LinearNode::Since(left, right) => {
                    let before = bits.next().unwrap_or(false);
                    value(right) || (value(left) && before)
                }
                LinearNode::Next(_) | LinearNode::Until(..) => {
                    unreachable!("`ptltl` has operators of the past only: checked")
                }
            };
        }
        let value = |edge: Edge| values[edge.node.0 as usize] != edge.negated;
        let mut next = self.initial();
        next[0] = if value(self.core.root) { TRUE } else { FALSE };
        for (bit, (_, of)) in self.memory.iter().enumerate() {
            next[1 + bit / 32] |= u32::from(value(*of)) << (bit % 32);
        }
        next
    }
}

fn edge_to(place: usize) -> Edge {
    Edge { node: gnomon_ir::core::NodeId(place as u32), negated: false }
}

#[cfg(test)]
mod tests {
    use gnomon_ir::core::{LetterId, NodeId};

    use super::*;

    fn edge(node: u32) -> Edge {
        Edge { node: NodeId(node), negated: false }
    }

    #[test]
    fn since_and_previous_are_remembered() {
        // 0: a, 1: b, 2: c; nodes: true, a, b, b S a, previously (b S a).
        let letter = |number| LinearNode::Letter(LetterId(number));
        let nodes = vec![
            LinearNode::True,
            letter(0),
            letter(1),
            LinearNode::Since(edge(2), edge(1)),
            LinearNode::Previous(edge(3)),
        ];
        let formula = PastFormula::new(&LinearCore { nodes, root: edge(4) });
        let mut state = formula.initial();
        assert_eq!(PastFormula::truth(&state), None);
        let mut truths = Vec::new();
        for letter in [1, 0, 1, 1, 2, 1] {
            state = formula.next(&state, letter);
            truths.push(PastFormula::truth(&state) == Some(true));
        }
        assert_eq!(truths, [false, false, true, true, true, false]);
    }
}
