// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paired matching: a message serves the oldest instance that it fits, and no other.

use gnomon_core::time::{Duration, Timestamp};
use gnomon_ir::core::Direction;
use serde::{Deserialize, Serialize};

use super::context::Truth;
use super::crowd::Crowd;
use super::desk::{Before, Desk};
use super::instance::{COLUMNS, Instance, index, older, set_seen};
use super::{Compiled, Message};
use crate::slice::index::Slot;

/// The instances of a rule that are alive, oldest first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Paired {
    crowd: Crowd,
}

impl Paired {
    /// How many columns an instance takes.
    pub(crate) const COLUMNS: usize = COLUMNS;

    pub(crate) fn new(rule: &Compiled) -> Self {
        Paired { crowd: Crowd::new(&rule.layout) }
    }

    pub(crate) fn live(&self) -> usize {
        self.crowd.live()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.crowd.bytes()
    }

    /// When the oldest window ends; what comes later finds it closed.
    #[inline]
    pub(crate) fn deadline(&self, rule: &Compiled) -> Timestamp {
        match (self.crowd.oldest(), rule.core.upper) {
            (Some(oldest), Some(upper)) => self.get(rule, oldest).origin.time.saturating_add(upper),
            _ => Timestamp::MAX,
        }
    }

    #[inline]
    fn get(&self, rule: &Compiled, slot: Slot) -> Instance {
        Instance::unpack(self.crowd.data(&rule.layout, slot))
    }

    /// RULE N9: instances whose window ended before `now` leave.
    pub(crate) fn close(&mut self, rule: &Compiled, now: Timestamp, desk: &mut Desk<'_>) {
        while self.deadline(rule) < now {
            let deadline = self.deadline(rule);
            let Some(slot) = self.crowd.oldest() else { return };
            if rule.core.direction == Direction::Future {
                let instance = self.get(rule, slot);
                let ids = [self.crowd.values(&rule.layout, slot), &[]];
                desk.close(rule, instance, deadline, ids);
            }
            self.crowd.remove(&rule.layout, slot, desk.values);
        }
    }

    /// A message comes.
    #[inline]
    pub(crate) fn step(&mut self, rule: &Compiled, message: &Message<'_>, desk: &mut Desk<'_>) {
        match rule.core.direction {
            Direction::Future => self.future(rule, message, desk),
            Direction::Past => self.past(rule, message, desk),
        }
    }

    /// RULE N6
    fn future(&mut self, rule: &Compiled, message: &Message<'_>, desk: &mut Desk<'_>) {
        if message.actions != 0
            && let Some(slot) = self.crowd.candidate(&rule.layout, message.ids, older)
        {
            self.serve(rule, slot, message, desk);
        }
        if message.supposes {
            desk.tally.activated += 1;
            let instance = Instance { origin: message.origin, seen: 0 };
            self.crowd.add(&rule.layout, message.ids, &instance.pack(), desk.values);
        }
    }

    fn serve(&mut self, rule: &Compiled, slot: Slot, message: &Message<'_>, desk: &mut Desk<'_>) {
        let instance = self.get(rule, slot);
        if message.origin.time - instance.origin.time < rule.core.lower {
            return;
        }
        let seen = instance.seen | message.actions;
        let truth = rule.context.truth(seen);
        if truth == Truth::Unknown {
            set_seen(self.crowd.data_mut(&rule.layout, slot), seen);
            self.crowd.learn(&rule.layout, slot, message.ids, desk.values, older);
            return;
        }
        let ids = [self.crowd.values(&rule.layout, slot), message.ids];
        desk.serve(rule, Instance { seen, ..instance }, message, ids, truth == Truth::True);
        self.crowd.remove(&rule.layout, slot, desk.values);
    }

    /// RULE N7
    fn past(&mut self, rule: &Compiled, message: &Message<'_>, desk: &mut Desk<'_>) {
        let candidate = self.crowd.candidate(&rule.layout, message.ids, older);
        match (message.supposes, candidate) {
            (true, Some(slot)) => {
                desk.tally.activated += 1;
                let instance = self.get(rule, slot);
                let took = message.origin.time - instance.origin.time;
                let came_true = took >= rule.core.lower && rule.context.truth(instance.seen) == Truth::True;
                let ids = [self.crowd.values(&rule.layout, slot), message.ids];
                let before = Before { seen: instance.seen, first: Some(instance.origin), took };
                desk.look_back(rule, message, ids, came_true, &before);
                self.crowd.remove(&rule.layout, slot, desk.values);
            }
            (true, None) => {
                desk.tally.activated += 1;
                let came_true = rule.context.truth(0) == Truth::True;
                let before = Before { seen: 0, first: None, took: Duration::ZERO };
                desk.look_back(rule, message, [message.ids, &[]], came_true, &before);
            }
            (false, _) if message.actions == 0 => {}
            (false, Some(slot)) => {
                let seen = self.get(rule, slot).seen | message.actions;
                set_seen(self.crowd.data_mut(&rule.layout, slot), seen);
                self.crowd.learn(&rule.layout, slot, message.ids, desk.values, older);
            }
            (false, None) => {
                let instance = Instance { origin: message.origin, seen: message.actions };
                self.crowd.add(&rule.layout, message.ids, &instance.pack(), desk.values);
            }
        }
    }

    /// RULE N9: with `strict-end`, what is pending is violated.
    pub(crate) fn end(&self, rule: &Compiled, last: Timestamp, desk: &mut Desk<'_>) {
        for slot in self.crowd.by_age(&rule.layout) {
            desk.leave_open(rule, self.get(rule, slot), last, [self.crowd.values(&rule.layout, slot), &[]]);
        }
    }

    pub(crate) fn rebuild(&mut self, rule: &Compiled, bound: usize) -> bool {
        self.crowd.rebuild(&rule.layout, bound, index)
    }
}

#[cfg(test)]
mod tests {
    use gnomon_core::symbols::Name;
    use gnomon_core::verdict::Origin;

    use super::*;

    #[test]
    fn an_instance_comes_back_from_its_columns() {
        for ticks in [0, -1, i128::from(i64::MAX) * 1_000_000_000, i128::MIN] {
            let origin = Origin { event_index: u64::MAX - 3, time: Timestamp::from_ticks(ticks), event: Name(7) };
            let instance = Instance { origin, seen: 1 << 63 | 5 };
            let back = Instance::unpack(&instance.pack());
            assert_eq!((back.origin, back.seen), (instance.origin, instance.seen));
        }
    }
}
