// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the states and arrows alone say of the future, guards ignored.
// RULE A9

use gnomon_ir::automaton::Otherwise;
use gnomon_ir::core::AutomatonCore;

/// For each state, the states that arrows lead to from it, itself included.
pub(super) struct Graph {
    reachable: Vec<Vec<usize>>,
    accepting: Vec<bool>,
    immortal: Vec<bool>,
}

impl Graph {
    pub(super) fn new(core: &AutomatonCore) -> Graph {
        Graph {
            reachable: (0..core.states.len()).map(|state| reachable(core, state)).collect(),
            accepting: core.states.iter().map(|state| state.accepting).collect(),
            immortal: core.states.iter().map(|state| state.otherwise == Otherwise::Stay).collect(),
        }
    }

    /// Whether an accepting state can be reached.
    pub(super) fn may_accept(&self, state: usize) -> bool {
        self.reachable[state].iter().any(|there| self.accepting[*there])
    }

    /// Whether every state that can be reached accepts, and lets no run die.
    pub(super) fn stays_accepting(&self, state: usize) -> bool {
        self.reachable[state].iter().all(|there| self.accepting[*there] && self.immortal[*there])
    }
}

fn reachable(core: &AutomatonCore, from: usize) -> Vec<usize> {
    let mut found = vec![from];
    let mut next = 0;
    while let Some(state) = found.get(next) {
        let branches = core.states[*state].transitions.iter().flat_map(|transition| &transition.branches);
        let new: Vec<usize> = branches.map(|branch| branch.target).filter(|target| !found.contains(target)).collect();
        for target in new {
            if !found.contains(&target) {
                found.push(target);
            }
        }
        next += 1;
    }
    found
}
