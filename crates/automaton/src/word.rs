// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words that an automaton reads: states of a process with their times and true propositions.

use gnomon_core::time::Timestamp;

use crate::automaton::PropositionId;

/// The states of a process, as far as they are known.
pub trait Word {
    /// Counts the states.
    fn len(&self) -> usize;

    /// Returns true if there are no states.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the time of a state. Times never decrease.
    fn time(&self, position: usize) -> Timestamp;

    /// Returns true if a proposition holds in a state.
    fn holds(&self, position: usize, proposition: PropositionId) -> bool;
}

/// A word written down.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableWord {
    /// The time of each state.
    pub times: Vec<Timestamp>,
    /// Truth value of each proposition in each state.
    pub truth: Vec<Vec<bool>>,
}

impl Word for TableWord {
    fn len(&self) -> usize {
        self.times.len()
    }

    fn time(&self, position: usize) -> Timestamp {
        self.times[position]
    }

    fn holds(&self, position: usize, proposition: PropositionId) -> bool {
        self.truth[proposition.0 as usize][position]
    }
}
