// SPDX-License-Identifier: MIT OR Apache-2.0
//! Subset construction: nondeterministic automata over sets of atoms, as tables.
//!
//! [`EventAutomaton`](super::EventAutomaton) and [`ModalFormula`](super::ModalFormula) build one where only the matching atoms matter. A step
//! is then one lookup, and the state of an instance is a number.
//!
//! Example: an automaton that is in the states {0, 2} goes with the atoms {a} to all successors of 0 and 2 on `a`, say {1, 2}. The table
//! has a row for each set of states that can be reached and a column for each set of atoms, so it exists only up to [`MOST_ATOMS`] atoms
//! and [`MOST_SETS`] sets.

use rustc_hash::FxHashMap;

/// The most atoms: there is a column for each set of them.
const MOST_ATOMS: usize = 8;
const MOST_SETS: usize = 1_000;

/// The number of a set of states.
pub(super) type Set = u16;

#[derive(Clone, Debug)]
pub(super) struct Subsets {
    /// For each set, a bit for each of its states.
    pub(super) members: Vec<u64>,
    /// For each set and set of atoms, the next set.
    next: Vec<Set>,
    pub(super) letters: usize,
}

impl Subsets {
    /// The set with the initial states alone.
    pub(super) const INITIAL: Set = 0;

    /// Builds the table from the effect of a set of atoms on a set of states. `None` if it would be large.
    pub(super) fn new(initial: u64, atoms: usize, after: impl Fn(u64, usize) -> u64) -> Option<Self> {
        if atoms > MOST_ATOMS {
            return None;
        }
        let letters = 1_usize << atoms;
        let mut subsets = Subsets { members: vec![initial], next: vec![], letters };
        let mut numbers: FxHashMap<u64, Set> = FxHashMap::from_iter([(initial, Self::INITIAL)]);
        let mut at = 0;
        while let Some(&set) = subsets.members.get(at) {
            for letter in 0..letters {
                let after = after(set, letter);
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
    pub(super) fn step(&self, set: Set, letter: usize) -> Set {
        self.next.get(set as usize * self.letters + letter).copied().unwrap_or(set)
    }

    pub(super) fn states(&self, set: Set) -> impl Iterator<Item = usize> {
        bits(self.members.get(set as usize).copied().unwrap_or(0))
    }
}

/// The members of a set.
pub(super) fn bits(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |state| set >> state & 1 == 1)
}

/// A set of those for which a condition holds.
pub(super) fn set_of(some: impl Iterator<Item = usize>) -> u64 {
    some.fold(0, |set, one| set | 1 << one)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(a|b)*a` over two atoms: state 0 loops, state 1 was reached by `a`.
    #[test]
    fn sets_of_states_become_numbers() {
        let after = |set: u64, letter: usize| if set & 1 == 0 { 0 } else { 1 | u64::from(letter & 1 == 1) << 1 };
        let subsets = Subsets::new(1, 2, after).unwrap();
        let (a, b) = (1, 2);
        let after_a = subsets.step(Subsets::INITIAL, a);
        assert_eq!(subsets.states(after_a).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(subsets.step(after_a, b), Subsets::INITIAL);
        assert_eq!(subsets.step(after_a, a | b), after_a);
        assert_eq!(subsets.step(77, a), 77, "a damaged number stays where it is");
    }

    #[test]
    fn large_tables_are_refused() {
        assert!(Subsets::new(1, MOST_ATOMS + 1, |set, _| set).is_none());
        assert!(Subsets::new(1, 8, |set, letter| set.wrapping_mul(3).wrapping_add(letter as u64)).is_none());
    }
}
