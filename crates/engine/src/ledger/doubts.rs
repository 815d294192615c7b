// SPDX-License-Identifier: MIT OR Apache-2.0
//! Positions where it is not yet known whether the antecedent holds, because it looks ahead itself.

use std::collections::VecDeque;

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::At;
use serde::{Deserialize, Serialize};

use crate::fact::Fact;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Doubts {
    open: VecDeque<Doubt>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Doubt {
    at: At,
    /// Whether the antecedent is known to hold, and only the consequent waits.
    active: bool,
    consequent: Option<Known>,
}

/// What is known of the consequent, who decided it, and when.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Known {
    pub(super) value: bool,
    pub(super) blame: u32,
    pub(super) time: Timestamp,
}

/// What a fact brought about.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// Antecedents that turned out to hold.
    pub(super) activated: u64,
    /// Obligations of which both sides are known now.
    pub(super) known: Vec<(At, Known)>,
}

impl Doubts {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn open(&mut self, at: At, consequent: Option<Known>) {
        self.open.push_back(Doubt { at, active: false, consequent });
    }

    pub(super) fn learn_antecedent(&mut self, fact: Fact) -> Settled {
        let mut settled = Settled::default();
        self.change(fact, |doubt| {
            if !fact.value {
                return false;
            }
            settled.activated += 1;
            doubt.active = true;
            settled.known.extend(doubt.consequent.map(|known| (doubt.at, known)));
            doubt.consequent.is_none()
        });
        settled
    }

    pub(super) fn learn_consequent(&mut self, fact: Fact, known: Known) -> Settled {
        let mut settled = Settled::default();
        self.change(fact, |doubt| {
            doubt.consequent = Some(known);
            if doubt.active {
                settled.known.push((doubt.at, known));
            }
            !doubt.active
        });
        settled
    }

    /// Calls `keep` on each that a fact speaks of, and takes those off that it does not keep.
    fn change(&mut self, fact: Fact, mut keep: impl FnMut(&mut Doubt) -> bool) {
        let mut index = self.open.partition_point(|doubt| doubt.at.position < fact.from);
        while let Some(doubt) = self.open.get_mut(index) {
            if doubt.at.position > fact.to {
                return;
            }
            if keep(doubt) {
                index += 1;
            } else {
                self.open.remove(index);
            }
        }
    }

    /// How many have an antecedent that holds.
    pub(super) fn active(&self) -> u64 {
        self.open.iter().filter(|doubt| doubt.active).count() as u64
    }

    /// Whether each is met, whatever its antecedent turns out to be.
    pub(super) fn all_met(&self) -> bool {
        self.open.iter().all(|doubt| doubt.consequent.is_some_and(|known| known.value))
    }
}
