// SPDX-License-Identifier: MIT OR Apache-2.0
//! Matching `any` into the past: a message serves every later supposition that it agrees with.

use std::collections::VecDeque;
use std::hint::black_box;
use std::ops::Range;

use gnomon_core::time::{Duration, Timestamp};
use serde::{Deserialize, Serialize};

use super::actions::ActionSet;
use super::instance::{self, RuleInstance, Truth};
use super::instance_table::RuleInstanceTable;
use super::recorder::{PastContext, RuleRecorder};
use super::{RuleMessage, RulePlan};
use crate::slice::storage::index::Slot;
use crate::slice::storage::values::Id;

/// The times at which the actions of the context were last seen, for each combination of values.
///
/// A supposition asks for the latest time of each action in its window. Of the times that the window has reached, only the latest can
/// still be the answer; younger ones are kept until the window reaches them. Times behind every window are forgotten.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AnyPastInstances {
    /// Groups of messages with the same values; the group with the latest message is the youngest.
    groups: RuleInstanceTable,
    /// For each group and action, the latest time; [`Timestamp::MIN`] if it was not seen.
    latest: Vec<Timestamp>,
    /// For each group and action, the earlier times that may still be the answer. Used only if the lower end of the window is not 0.
    earlier: Vec<VecDeque<Timestamp>>,
    #[serde(skip)]
    found: Vec<Slot>,
}

impl AnyPastInstances {
    /// The number of columns of a group: its latest message.
    pub(crate) const COLUMNS: usize = instance::COLUMNS;

    pub(crate) fn new(rule: &RulePlan) -> Self {
        AnyPastInstances {
            groups: RuleInstanceTable::new(&rule.layout),
            latest: vec![],
            earlier: vec![],
            found: vec![],
        }
    }

    pub(crate) fn live(&self) -> usize {
        self.groups.live()
    }

    pub(crate) fn bytes(&self) -> usize {
        let times = self.latest.capacity() * size_of::<Timestamp>();
        let earlier: usize = self.earlier.iter().map(|times| 32 + times.capacity() * size_of::<Timestamp>()).sum();
        self.groups.bytes() + times + earlier
    }

    /// Returns the time at which the latest message of the oldest group lies behind every window.
    #[inline]
    pub(crate) fn deadline(&self, rule: &RulePlan) -> Timestamp {
        match (self.groups.oldest(), rule.core.upper) {
            (Some(oldest), Some(upper)) => self.last(rule, oldest).saturating_add(upper),
            _ => Timestamp::MAX,
        }
    }

    /// Reads the messages with a value: see [`Monitor::step_block`](crate::Monitor::step_block).
    pub(crate) fn touch(&self, rule: &RulePlan, set: usize, id: Id) {
        if let Some(group) = self.groups.touch(&rule.layout, set, id) {
            black_box(self.latest.get(places(rule, group).start).copied());
        }
    }

    fn last(&self, rule: &RulePlan, group: Slot) -> Timestamp {
        RuleInstance::unpack(self.groups.data(&rule.layout, group)).origin.time
    }

    pub(crate) fn close(&mut self, rule: &RulePlan, now: Timestamp, recorder: &mut RuleRecorder<'_>) {
        while self.deadline(rule) < now {
            let Some(group) = self.groups.oldest() else { return };
            for place in places(rule, group) {
                self.latest[place] = Timestamp::MIN;
                if let Some(times) = self.earlier.get_mut(place) {
                    *times = VecDeque::new();
                }
            }
            self.groups.remove(&rule.layout, group, recorder.values);
        }
    }

    /// RULE N8. A message looks for its context in the past, then may become the context of later ones.
    pub(crate) fn step(&mut self, rule: &RulePlan, message: &RuleMessage<'_>, recorder: &mut RuleRecorder<'_>) {
        if message.is_supposition {
            recorder.record.totals.activated += 1;
            let (seen, took) = self.look_back(rule, message);
            let came_true = rule.context.truth(&seen) == Truth::True;
            let before = PastContext { seen: &seen, first: None, took };
            recorder.look_back(rule, message, [message.ids, &[]], came_true, &before);
        }
        if !message.actions.is_empty() {
            self.add_actions(rule, message, recorder);
        }
    }

    /// Returns the actions that lie in the window, and the distance of the latest one that is not negated.
    fn look_back(&mut self, rule: &RulePlan, message: &RuleMessage<'_>) -> (ActionSet, Duration) {
        let now = message.origin.time;
        let until = now.saturating_sub(rule.core.lower);
        let from = rule.core.upper.map_or(Timestamp::MIN, |upper| now.saturating_sub(upper));
        let (mut seen, mut last) = (ActionSet::EMPTY, None);
        let mut found = std::mem::take(&mut self.found);
        self.groups.each(&rule.layout, message.ids, &mut found);
        for group in found.drain(..) {
            for (action, place) in places(rule, group).enumerate() {
                let time = self.latest_until(place, until).filter(|time| *time >= from);
                if let Some(time) = time {
                    seen.insert(action);
                    if !rule.context.is_negated(action) {
                        last = last.max(Some(time));
                    }
                }
            }
        }
        self.found = found;
        (seen, last.map_or(Duration::ZERO, |last| now - last))
    }

    fn latest_until(&self, place: usize, until: Timestamp) -> Option<Timestamp> {
        let latest = self.latest[place];
        if latest == Timestamp::MIN {
            return None;
        }
        if latest <= until {
            return Some(latest);
        }
        let earlier = self.earlier.get(place)?;
        let after = earlier.partition_point(|time| *time <= until);
        earlier.get(after.checked_sub(1)?).copied()
    }

    /// Stores the time of the actions of a message.
    fn add_actions(&mut self, rule: &RulePlan, message: &RuleMessage<'_>, recorder: &mut RuleRecorder<'_>) {
        let data = message.columns(&ActionSet::EMPTY);
        let group = match self.groups.exact(&rule.layout, message.ids) {
            Some(group) => {
                self.groups.data_mut(&rule.layout, group).copy_from_slice(&data);
                self.groups.renew(&rule.layout, group);
                group
            }
            None => self.groups.add(&rule.layout, message.ids, &data, recorder.values),
        };
        let places = places(rule, group);
        if self.latest.len() < places.end {
            self.latest.resize(places.end, Timestamp::MIN);
        }
        let now = message.origin.time;
        for action in message.actions.iter() {
            let place = places.start + action;
            let before = std::mem::replace(&mut self.latest[place], now);
            if rule.core.lower > Duration::ZERO && before != Timestamp::MIN {
                self.add_earlier(place, before, now.saturating_sub(rule.core.lower));
            }
        }
    }

    /// Stores a time that is no longer the latest. Of the times up to `until`, only the last can still be the answer.
    fn add_earlier(&mut self, place: usize, time: Timestamp, until: Timestamp) {
        if self.earlier.len() <= place {
            self.earlier.resize_with(place + 1, VecDeque::new);
        }
        let times = &mut self.earlier[place];
        if times.back() != Some(&time) {
            times.push_back(time);
        }
        while times.get(1).is_some_and(|second| *second <= until) {
            times.pop_front();
        }
    }

    pub(crate) fn rebuild(&mut self, rule: &RulePlan, bound: usize) -> bool {
        self.groups.rebuild(&rule.layout, bound, instance::position)
            && self.latest.len() >= self.groups.bound() * rule.core.actions.len()
    }
}

/// Returns the indices of the actions of a group in the lists of times.
fn places(rule: &RulePlan, group: Slot) -> Range<usize> {
    let actions = rule.core.actions.len();
    group as usize * actions..(group as usize + 1) * actions
}
