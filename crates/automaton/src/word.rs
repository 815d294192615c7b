// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words that an automaton reads: the states of a process, each with its time and the propositions that hold in it.

use gnomon_core::time::Timestamp;

use crate::automaton::PropositionId;

/// The states of a process, as far as they are known.
pub trait Word {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// When the state at this place is. Times never go back.
    fn time(&self, position: usize) -> Timestamp;

    /// Whether a proposition holds in the state at this place.
    fn holds(&self, position: usize, proposition: PropositionId) -> bool;
}

/// A word written down.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    /// The time of each state.
    pub times: Vec<Timestamp>,
    /// For each proposition, whether it holds in each state.
    pub truth: Vec<Vec<bool>>,
}

impl Word for Table {
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
