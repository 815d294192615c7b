// SPDX-License-Identifier: MIT OR Apache-2.0
//! A position as a network sees it.

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::Origin;
use gnomon_ir::core::AtomId;

/// One position of a property: its time and the atoms that are true at it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant<'a> {
    /// The property's own count, from 0.
    pub(crate) position: u64,
    pub(crate) time: Timestamp,
    /// A bit for each atom.
    pub(crate) atoms: &'a [u64],
    /// The first event of the position.
    pub(crate) first: Origin,
    /// The first event that matched any atom of the property.
    pub(crate) concerned: Option<Origin>,
    /// For each invariant, the first event that matched an atom of its antecedent.
    pub(crate) antecedents: &'a [Option<Origin>],
}

impl Instant<'_> {
    #[inline]
    pub(crate) fn has(&self, atom: AtomId) -> bool {
        self.atoms[atom.0 as usize / 64] >> (atom.0 % 64) & 1 == 1
    }

    /// The event that stands for the position in an invariant's violation.
    pub(crate) fn origin(&self, invariant: usize) -> Origin {
        self.antecedents.get(invariant).copied().flatten().unwrap_or(self.first)
    }

    /// The event that decides something at this position.
    pub(crate) fn decider(&self) -> Origin {
        self.concerned.unwrap_or(self.first)
    }
}
