// SPDX-License-Identifier: MIT OR Apache-2.0
//! One position of a property: its time, its first event and the atoms that its events make true.

use gnomon_core::{Origin, Timestamp, Value};
use gnomon_ir::{AtomId, MeasureId};
use serde::{Deserialize, Serialize};

use super::Network;
use crate::accounting::Trigger;
use crate::terms::variables::Variables;
use crate::work;

/// The atoms that events of the open position made true so far, with the events that explain them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PositionAtoms {
    /// A bit for each atom.
    words: Vec<u64>,
    /// The first event that matched any atom of the property.
    first_match: Option<Origin>,
    /// The first event that matched an atom of each clause's antecedent.
    antecedents: Vec<Option<Origin>>,
    /// The values that the events have for the measures of the property.
    measured: Vec<(u32, Origin, Value<'static>)>,
}

impl PositionAtoms {
    pub(crate) fn new(network: &Network) -> Self {
        PositionAtoms {
            words: vec![0; network.core.atoms.len().div_ceil(64)],
            first_match: None,
            antecedents: vec![None; network.clauses.len()],
            measured: Vec::new(),
        }
    }

    pub(crate) fn fits(&self, network: &Network) -> bool {
        self.words.len() == network.core.atoms.len().div_ceil(64) && self.antecedents.len() == network.clauses.len()
    }

    /// Adds the atoms that are true of an event. Returns true if an earlier event of the position matched already.
    #[inline]
    pub(crate) fn add(&mut self, network: &Network, word: usize, bits: u64, origin: Origin) -> bool {
        self.words[word] |= bits;
        for (first, clause) in self.antecedents.iter_mut().zip(&network.clauses) {
            if first.is_none() && clause.antecedent_atoms.get(word).is_some_and(|mentioned| mentioned & bits != 0) {
                *first = Some(origin);
            }
        }
        self.first_match.get_or_insert(origin).event_index != origin.event_index
    }

    /// Adds the value that an event has for a measure.
    pub(crate) fn measure(&mut self, measure: MeasureId, origin: Origin, value: Value<'static>) {
        self.measured.push((measure.0, origin, value));
    }

    /// Returns the values of a measure, in the order of the events.
    pub(crate) fn measured(&self, measure: MeasureId) -> impl Iterator<Item = (Origin, &Value<'static>)> {
        work::add(self.measured.len());
        let own = self.measured.iter().filter(move |(known, ..)| *known == measure.0);
        own.map(|(_, origin, value)| (*origin, value))
    }

    #[inline]
    pub(crate) fn has(&self, atom: AtomId) -> bool {
        self.words[atom.0 as usize / 64] >> (atom.0 % 64) & 1 == 1
    }

    /// Returns true if no event so far matched an atom.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.first_match.is_none()
    }

    /// Returns the first 64 atoms.
    #[inline]
    pub(super) fn letter(&self) -> u64 {
        self.words.first().copied().unwrap_or(0)
    }

    /// Returns the event that represents the position in a violation of a clause: the first that matched its antecedent. `first` is the
    /// first event of the position.
    #[inline]
    pub(super) fn origin(&self, clause: usize, first: &Origin) -> Origin {
        self.antecedents.get(clause).copied().flatten().unwrap_or(*first)
    }

    /// Returns the event that decides something at the position: the first that matched an atom.
    #[inline]
    pub(super) fn decider<'a>(&'a self, first: &'a Origin) -> &'a Origin {
        self.first_match.as_ref().unwrap_or(first)
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        if self.first_match.take().is_some() {
            clear(&mut self.words);
            clear(&mut self.antecedents);
            self.measured.clear();
        }
    }
}

/// Sets all to the default. Most properties have one word of atoms and one clause, for which a call costs more than the store.
#[inline]
fn clear<T: Clone + Default>(all: &mut [T]) {
    if let [one] = all { *one = T::default() } else { all.fill(T::default()) }
}

/// A complete position of a property.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position<'a> {
    /// The number of the position, counted by the property from 0.
    pub(crate) index: u64,
    pub(crate) time: Timestamp,
    /// The first event of the position.
    pub(crate) first: &'a Origin,
    /// The atoms that are true at it.
    pub(crate) atoms: &'a PositionAtoms,
    /// The variables after the events of the position.
    pub(crate) variables: &'a Variables,
}

impl<'a> Position<'a> {
    #[inline]
    pub(crate) fn has(&self, atom: AtomId) -> bool {
        self.atoms.has(atom)
    }

    /// See [`PositionAtoms::origin`].
    #[inline]
    pub(crate) fn origin(&self, clause: usize) -> Origin {
        self.atoms.origin(clause, self.first)
    }

    /// See [`PositionAtoms::decider`].
    #[inline]
    pub(crate) fn decider(&self) -> &'a Origin {
        self.atoms.decider(self.first)
    }

    /// Returns the position as the trigger that makes something certain.
    #[inline]
    pub(crate) fn trigger(&self) -> Trigger<'a> {
        Trigger::Position { position: self.index, decider: self.decider(), letter: self.atoms.letter() }
    }
}
