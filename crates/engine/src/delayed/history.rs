// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of one part at the latest positions.

use gnomon_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::future::Input;
use crate::runs::Runs;

/// Every position that is kept is in one of the three.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct History {
    pub(crate) trues: Runs,
    pub(crate) falses: Runs,
    pub(crate) unknowns: Runs,
}

/// The positions that facts settled (a value known at once settles nothing that was open).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Changes {
    pub(crate) earliest_change: Option<u64>,
    pub(crate) latest_change: Option<u64>,
}

impl Changes {
    pub(crate) fn add(&mut self, from: u64, to: u64) {
        self.earliest_change = Some(self.earliest_change.map_or(from, |earliest| earliest.min(from)));
        self.latest_change = self.latest_change.max(Some(to));
    }
}

impl History {
    /// Takes in what one round tells of the part.
    pub(crate) fn read(&mut self, input: Input<'_>, new: Option<(u64, Timestamp)>) -> Changes {
        let mut changes = Changes::default();
        match (input, new) {
            (Input::Now(Some(value)), Some((position, _))) => self.side(value).insert(position, position),
            (Input::Later { .. }, Some((position, _))) => self.unknowns.insert(position, position),
            _ => {}
        }
        if let Input::Later { facts, negated } = input {
            for fact in facts {
                let value = fact.value != negated;
                let History { trues, falses, unknowns } = self;
                let side = if value { trues } else { falses };
                unknowns.remove(fact.from, fact.to, |from, to| {
                    side.insert(from, to);
                    changes.add(from, to);
                });
            }
        }
        changes
    }

    fn side(&mut self, value: bool) -> &mut Runs {
        if value { &mut self.trues } else { &mut self.falses }
    }

    /// Whether it is true (`Some(true)`), false, or not yet known at a position that is kept.
    pub(crate) fn get(&self, position: u64) -> Option<bool> {
        if self.unknowns.contains(position) { None } else { Some(self.trues.contains(position)) }
    }

    pub(crate) fn forget_before(&mut self, position: u64) {
        self.trues.forget_before(position);
        self.falses.forget_before(position);
        self.unknowns.forget_before(position);
    }
}
