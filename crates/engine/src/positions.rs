// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gathers the atoms of the events that form one position of a property.

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::Origin;
use serde::{Deserialize, Serialize};

use crate::instant::Instant;
use crate::network::Network;

/// What is known so far of one property's open position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Gathered {
    atoms: Vec<u64>,
    concerned: Option<Origin>,
    antecedents: Vec<Option<Origin>>,
}

impl Gathered {
    pub(crate) fn new(network: &Network) -> Self {
        Gathered {
            atoms: vec![0; network.core.atoms.len().div_ceil(64)],
            concerned: None,
            antecedents: vec![None; network.clauses.len()],
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

    #[inline]
    pub(crate) fn instant(&self, position: u64, time: Timestamp, first: Origin) -> Instant<'_> {
        Instant { position, time, atoms: &self.atoms, first, concerned: self.concerned, antecedents: &self.antecedents }
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
        }
    }
}
