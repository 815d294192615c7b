// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gathers the atoms of the events that form one position of a property.

use gnomon_core::number::Number;
use gnomon_core::verdict::Origin;
use gnomon_ir::core::{AtomId, MeasureId};
use serde::{Deserialize, Serialize};

use crate::network::Network;

/// What is known so far of one property's open position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Gathered {
    atoms: Vec<u64>,
    concerned: Option<Origin>,
    antecedents: Vec<Option<Origin>>,
    /// What the measures of the property say of the events.
    numbers: Vec<(u32, Origin, Number)>,
}

impl Gathered {
    pub(crate) fn new(network: &Network) -> Self {
        Gathered {
            atoms: vec![0; network.core.atoms.len().div_ceil(64)],
            concerned: None,
            antecedents: vec![None; network.clauses.len()],
            numbers: Vec::new(),
        }
    }

    pub(crate) fn fits(&self, network: &Network) -> bool {
        self.atoms.len() == network.core.atoms.len().div_ceil(64) && self.antecedents.len() == network.clauses.len()
    }

    /// These atoms are true of an event of the position. Tells whether an earlier event mattered already.
    #[inline]
    pub(crate) fn add(&mut self, network: &Network, word: usize, bits: u64, origin: Origin) -> bool {
        self.atoms[word] |= bits;
        for (first, clause) in self.antecedents.iter_mut().zip(&network.clauses) {
            if first.is_none() && clause.antecedent_atoms.get(word).is_some_and(|mentioned| mentioned & bits != 0) {
                *first = Some(origin);
            }
        }
        self.concerned.get_or_insert(origin).event_index != origin.event_index
    }

    /// An event of the position has a number for a measure.
    pub(crate) fn measure(&mut self, measure: MeasureId, origin: Origin, number: Number) {
        self.numbers.push((measure.0, origin, number));
    }

    /// The numbers that a measure has at this position, in the order of its events.
    pub(crate) fn numbers(&self, measure: MeasureId) -> impl Iterator<Item = (Origin, Number)> {
        let own = self.numbers.iter().filter(move |(known, ..)| *known == measure.0);
        own.map(|(_, origin, number)| (*origin, *number))
    }

    #[inline]
    pub(crate) fn has(&self, atom: AtomId) -> bool {
        self.atoms[atom.0 as usize / 64] >> (atom.0 % 64) & 1 == 1
    }

    /// The first event that matched any atom of the property.
    #[inline]
    pub(crate) fn concerned(&self) -> Option<&Origin> {
        self.concerned.as_ref()
    }

    /// The first event that matched an atom of a clause's antecedent.
    #[inline]
    pub(crate) fn antecedent(&self, clause: usize) -> Option<&Origin> {
        self.antecedents.get(clause).and_then(Option::as_ref)
    }

    /// Whether no event so far matters.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.concerned.is_none()
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        if self.concerned.take().is_some() {
            self.atoms.fill(0);
            self.antecedents.fill(None);
            self.numbers.clear();
        }
    }
}
