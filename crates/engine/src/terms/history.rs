// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a function of the past remembers.

use std::collections::VecDeque;

use gnomon_core::time::{Duration, Timestamp};
use serde::{Deserialize, Serialize};

use super::numbers::Numbers;
use super::reading::Kept;

/// The state of one function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum History {
    Recall(Recall),
    Elapsed(Elapsed),
    Times(Times),
    Numbers(Numbers),
}

/// `past`: what a term was where something happened, the latest last.
///
/// COST: O(1); memory: as many values as it looks back.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Recall {
    values: VecDeque<Option<Kept>>,
    /// Whether there was a state before this one, and what it was there, where starts of activities are meant.
    has_before: bool,
    before: Option<Kept>,
}

impl Recall {
    pub(crate) fn push(&mut self, value: Option<Kept>, back: u64) {
        self.values.push_back(value);
        while self.values.len() as u64 > back {
            self.values.pop_front();
        }
    }

    /// The state before this one turns out to be the start of an activity.
    pub(crate) fn push_before(&mut self, back: u64) {
        if std::mem::take(&mut self.has_before) {
            let value = self.before.take();
            self.push(value, back);
        }
    }

    pub(crate) fn set_before(&mut self, value: Option<Kept>) {
        (self.has_before, self.before) = (true, value);
    }

    pub(crate) fn get(&self, back: u64) -> Option<&Kept> {
        // There are never more than `back`.
        let oldest = (self.values.len() as u64 == back).then(|| self.values.front());
        oldest??.as_ref()
    }
}

/// `elapsed`: when something last happened.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Elapsed {
    pub(crate) last: Option<Timestamp>,
    /// The time of the state before this one, where starts of activities are meant.
    pub(crate) before: Option<Timestamp>,
}

/// `count`: when something held, in the last K.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Times {
    reach: Duration,
    times: VecDeque<Timestamp>,
}

impl Times {
    pub(crate) fn new(reach: Duration) -> Self {
        Times { reach, times: VecDeque::new() }
    }

    pub(crate) fn push(&mut self, time: Timestamp) {
        self.times.push_back(time);
    }

    pub(crate) fn count(&mut self, now: Timestamp) -> usize {
        while self.times.front().is_some_and(|time| now - *time > self.reach) {
            self.times.pop_front();
        }
        self.times.len()
    }
}
