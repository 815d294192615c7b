// SPDX-License-Identifier: MIT OR Apache-2.0
//! A position as a network sees it.

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::Origin;
use gnomon_ir::core::AtomId;

use crate::positions::Gathered;
use crate::terms::variables::Variables;

/// One position of a property: its time and the atoms that are true at it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant<'a> {
    /// The property's own count, from 0.
    pub(crate) position: u64,
    pub(crate) time: Timestamp,
    /// The first event of the position.
    pub(crate) first: &'a Origin,
    /// What its events make true.
    pub(crate) gathered: &'a Gathered,
    /// The state after them.
    pub(crate) variables: &'a Variables,
}

impl Instant<'_> {
    #[inline]
    pub(crate) fn has(&self, atom: AtomId) -> bool {
        self.gathered.has(atom)
    }

    /// The event that stands for the position in an invariant's violation.
    #[inline]
    pub(crate) fn origin(&self, invariant: usize) -> Origin {
        *self.gathered.antecedent(invariant).unwrap_or(self.first)
    }

    /// The event that decides something at this position.
    #[inline]
    pub(crate) fn decider(&self) -> Origin {
        *self.gathered.concerned().unwrap_or(self.first)
    }
}
