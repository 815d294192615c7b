// SPDX-License-Identifier: MIT OR Apache-2.0
//! Automata without variables or guards as tables: the sets of states that runs may be in, numbered.

use gnomon_ir::automaton::Otherwise;
use gnomon_ir::core::AutomatonCore;
use rustc_hash::FxHashMap;

/// The most atoms: there is a column for each set of them.
const MOST_ATOMS: usize = 8;
const MOST_SETS: usize = 1_000;

/// The number of a set of states.
pub(crate) type Set = u16;

#[derive(Clone, Debug)]
pub(crate) struct Subsets {
    /// For each set, a bit for each of its states.
    members: Vec<u64>,
    /// For each set and set of atoms, where it leads.
    next: Vec<Set>,
    letters: usize,
}

impl Subsets {
    /// The set with the first state alone.
    pub(crate) const INITIAL: Set = 0;

    /// `None` if something but the event decides, or if the tables would be large.
    pub(crate) fn new(core: &AutomatonCore) -> Option<Self> {
        let branches = || {
            let transitions = core.states.iter().flat_map(|state| &state.transitions);
            transitions.flat_map(|transition| &transition.branches)
        };
        let plain = core.registers.is_empty() && branches().all(|branch| branch.guard.is_none());
        if !plain || core.states.len() > 64 || core.atoms.len() > MOST_ATOMS {
            return None;
        }
        let letters = 1_usize << core.atoms.len();
        let mut subsets = Subsets { members: vec![1], next: vec![], letters };
        let mut numbers: FxHashMap<u64, Set> = FxHashMap::from_iter([(1, Self::INITIAL)]);
        let mut at = 0;
        while let Some(&set) = subsets.members.get(at) {
            for letter in 0..letters {
                let after = after(core, set, letter);
                let number = *numbers.entry(after).or_insert(subsets.members.len() as Set);
                if number as usize == subsets.members.len() {
                    subsets.members.push(after);
                }
                subsets.next.push(number);
            }
            if subsets.members.len() > MOST_SETS {
                return None;
            }
            at += 1;
        }
        Some(subsets)
    }

    #[inline]
    pub(crate) fn step(&self, set: Set, letter: usize) -> Set {
        self.next.get(set as usize * self.letters + letter).copied().unwrap_or(set)
    }

    pub(crate) fn states(&self, set: Set) -> impl Iterator<Item = usize> {
        let members = self.members.get(set as usize).copied().unwrap_or(0);
        (0..64).filter(move |state| members >> state & 1 == 1)
    }
}

/// The states after an event that matches these atoms, from these states.
fn after(core: &AutomatonCore, set: u64, letter: usize) -> u64 {
    let mut next = 0;
    if letter == 0 {
        return set;
    }
    for (number, state) in core.states.iter().enumerate().filter(|(number, _)| set >> number & 1 == 1) {
        let taken = state.transitions.iter().filter(|transition| letter >> transition.atom.0 & 1 == 1);
        let targets: u64 =
            taken.filter_map(|transition| transition.branches.first()).fold(0, |set, branch| set | 1 << branch.target);
        let stays = targets == 0 && state.otherwise == Otherwise::Stay;
        next |= targets | u64::from(stays) << number;
    }
    next
}
