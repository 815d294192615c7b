// SPDX-License-Identifier: MIT OR Apache-2.0
//! Matching `any`, looking back: a message serves every supposition that it fits.

use std::collections::VecDeque;
use std::ops::Range;

use gnomon_core::time::{Duration, Timestamp};
use serde::{Deserialize, Serialize};

use super::context::{Actions, Truth};
use super::crowd::Crowd;
use super::desk::{Before, Desk};
use super::instance::{self, Instance};
use super::{Compiled, Message};
use crate::slice::index::{Slot, bits};

/// When the actions of the context were last seen, for each combination of values.
///
/// Of an action only the times matter, and of those only the latest one that every later supposition may find, and the
/// younger ones that the window has yet to reach. What lies behind every window is forgotten.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AnyPast {
    /// Messages with the same values; the one with the latest message is the youngest.
    groups: Crowd,
    /// For each group and action, the latest time; [`Timestamp::MIN`]: never.
    latest: Vec<Timestamp>,
    /// For each group and action, the times before that one which count; used only if the window begins later than at once.
    earlier: Vec<VecDeque<Timestamp>>,
    #[serde(skip)]
    found: Vec<Slot>,
}

impl AnyPast {
    /// A group's columns: its latest message.
    pub(crate) const COLUMNS: usize = instance::COLUMNS;

    pub(crate) fn new(rule: &Compiled) -> Self {
        AnyPast { groups: Crowd::new(&rule.layout), latest: vec![], earlier: vec![], found: vec![] }
    }

    pub(crate) fn live(&self) -> usize {
        self.groups.live()
    }

    pub(crate) fn bytes(&self) -> usize {
        let times = self.latest.capacity() * size_of::<Timestamp>();
        let earlier: usize = self.earlier.iter().map(|times| 32 + times.capacity() * size_of::<Timestamp>()).sum();
        self.groups.bytes() + times + earlier
    }

    /// When the group that was silent for longest lies behind every window.
    #[inline]
    pub(crate) fn deadline(&self, rule: &Compiled) -> Timestamp {
        match (self.groups.oldest(), rule.core.upper) {
            (Some(oldest), Some(upper)) => self.last(rule, oldest).saturating_add(upper),
            _ => Timestamp::MAX,
        }
    }

    fn last(&self, rule: &Compiled, group: Slot) -> Timestamp {
        Instance::unpack(self.groups.data(&rule.layout, group)).origin.time
    }

    pub(crate) fn close(&mut self, rule: &Compiled, now: Timestamp, desk: &mut Desk<'_>) {
        while self.deadline(rule) < now {
            let Some(group) = self.groups.oldest() else { return };
            for place in places(rule, group) {
                self.latest[place] = Timestamp::MIN;
                if let Some(times) = self.earlier.get_mut(place) {
                    *times = VecDeque::new();
                }
            }
            self.groups.remove(&rule.layout, group, desk.values);
        }
    }

    /// RULE N8: a message asks for what came before it, then may be what later ones ask for.
    pub(crate) fn step(&mut self, rule: &Compiled, message: &Message<'_>, desk: &mut Desk<'_>) {
        if message.supposes {
            desk.tally.activated += 1;
            let (seen, took) = self.look_back(rule, message);
            let came_true = rule.context.truth(seen) == Truth::True;
            let before = Before { seen, first: None, took };
            desk.look_back(rule, message, [message.ids, &[]], came_true, &before);
        }
        if message.actions != 0 {
            self.note(rule, message, desk);
        }
    }

    /// The actions that lie in the window, and how long ago the latest of those that were asked for was.
    fn look_back(&mut self, rule: &Compiled, message: &Message<'_>) -> (Actions, Duration) {
        let now = message.origin.time;
        let until = now.saturating_sub(rule.core.lower);
        let from = rule.core.upper.map_or(Timestamp::MIN, |upper| now.saturating_sub(upper));
        let (mut seen, mut last) = (0, None);
        let mut found = std::mem::take(&mut self.found);
        self.groups.each(&rule.layout, message.ids, &mut found);
        for group in found.drain(..) {
            for (action, place) in places(rule, group).enumerate() {
                let time = self.latest_until(place, until).filter(|time| *time >= from);
                if let Some(time) = time {
                    seen |= 1 << action;
                    if rule.context.positive() >> action & 1 == 1 {
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

    fn note(&mut self, rule: &Compiled, message: &Message<'_>, desk: &mut Desk<'_>) {
        let data = Instance { origin: message.origin, seen: 0 }.pack();
        let group = match self.groups.exact(&rule.layout, message.ids) {
            Some(group) => {
                self.groups.data_mut(&rule.layout, group).copy_from_slice(&data);
                self.groups.renew(&rule.layout, group);
                group
            }
            None => self.groups.add(&rule.layout, message.ids, &data, desk.values),
        };
        let places = places(rule, group);
        if self.latest.len() < places.end {
            self.latest.resize(places.end, Timestamp::MIN);
        }
        let now = message.origin.time;
        for action in actions(message.actions) {
            let place = places.start + action;
            let before = std::mem::replace(&mut self.latest[place], now);
            if rule.core.lower > Duration::ZERO && before != Timestamp::MIN {
                self.keep(place, before, now.saturating_sub(rule.core.lower));
            }
        }
    }

    /// Keeps a time that is not the latest any more. Of those up to `until`, only the last can still be asked for.
    fn keep(&mut self, place: usize, time: Timestamp, until: Timestamp) {
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

    pub(crate) fn rebuild(&mut self, rule: &Compiled, bound: usize) -> bool {
        self.groups.rebuild(&rule.layout, bound, instance::index)
            && self.latest.len() >= self.groups.bound() * rule.core.actions.len()
    }
}

/// Where the actions of a group are.
fn places(rule: &Compiled, group: Slot) -> Range<usize> {
    let actions = rule.core.actions.len();
    group as usize * actions..(group as usize + 1) * actions
}

/// The numbers of some actions.
fn actions(set: Actions) -> impl Iterator<Item = usize> {
    let (low, high) = (set as u32, (set >> 32) as u32);
    bits(low).chain(bits(high).map(|at| at + 32))
}
