// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paired matching: a message serves the oldest instance that it fits, and no other.

use gnomon_core::{Duration, Timestamp};
use gnomon_ir::ContextDirection;
use serde::{Deserialize, Serialize};

use super::instance::{COLUMNS, RuleInstance, Truth, older, position, set_seen};
use super::instance_table::RuleInstanceTable;
use super::recorder::{PastContext, RuleRecorder};
use super::{RuleMessage, RulePlan};
use crate::slice::storage::index::Slot;

/// The live instances of a rule with paired matching.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PairedInstances {
    instances: RuleInstanceTable,
}

impl PairedInstances {
    /// The number of columns of an instance.
    pub(crate) const COLUMNS: usize = COLUMNS;

    pub(crate) fn new(rule: &RulePlan) -> Self {
        PairedInstances { instances: RuleInstanceTable::new(&rule.layout) }
    }

    pub(crate) fn live(&self) -> usize {
        self.instances.live()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.instances.bytes()
    }

    /// Returns the time at which the window of the oldest instance ends.
    #[inline]
    pub(crate) fn deadline(&self, rule: &RulePlan) -> Timestamp {
        rule.deadline(&self.instances, &rule.layout)
    }

    #[inline]
    fn get(&self, rule: &RulePlan, slot: Slot) -> RuleInstance {
        RuleInstance::unpack(self.instances.data(&rule.layout, slot))
    }

    /// RULE N9. Removes instances whose window ended before `now`.
    pub(crate) fn close(&mut self, rule: &RulePlan, now: Timestamp, recorder: &mut RuleRecorder<'_>) {
        while self.deadline(rule) < now {
            let deadline = self.deadline(rule);
            let Some(slot) = self.instances.oldest() else { return };
            if rule.core.direction == ContextDirection::Future {
                let instance = self.get(rule, slot);
                let ids = [self.instances.values(&rule.layout, slot), &[]];
                recorder.close(rule, instance, deadline, ids);
            }
            self.instances.remove(&rule.layout, slot, recorder.values);
        }
    }

    /// Takes in a message.
    #[inline]
    pub(crate) fn step(&mut self, rule: &RulePlan, message: &RuleMessage<'_>, recorder: &mut RuleRecorder<'_>) {
        match rule.core.direction {
            ContextDirection::Future => self.future(rule, message, recorder),
            ContextDirection::Past => self.past(rule, message, recorder),
        }
    }

    /// RULE N6
    fn future(&mut self, rule: &RulePlan, message: &RuleMessage<'_>, recorder: &mut RuleRecorder<'_>) {
        if message.actions != 0
            && let Some(slot) = self.instances.candidate(&rule.layout, message.ids, older)
        {
            self.serve(rule, slot, message, recorder);
        }
        if message.is_supposition {
            recorder.record.totals.activated += 1;
            let instance = message.instance(0);
            self.instances.add(&rule.layout, message.ids, &instance.pack(), recorder.values);
        }
    }

    fn serve(&mut self, rule: &RulePlan, slot: Slot, message: &RuleMessage<'_>, recorder: &mut RuleRecorder<'_>) {
        let instance = self.get(rule, slot);
        if message.origin.time - instance.origin.time < rule.core.lower {
            return;
        }
        let seen = instance.seen | message.actions;
        let truth = rule.context.truth(seen);
        if truth == Truth::Unknown {
            set_seen(self.instances.data_mut(&rule.layout, slot), seen);
            self.instances.learn(&rule.layout, slot, message.ids, recorder.values, older);
            return;
        }
        let ids = [self.instances.values(&rule.layout, slot), message.ids];
        recorder.serve(rule, RuleInstance { seen, ..instance }, message, ids, truth == Truth::True);
        self.instances.remove(&rule.layout, slot, recorder.values);
    }

    /// RULE N7
    fn past(&mut self, rule: &RulePlan, message: &RuleMessage<'_>, recorder: &mut RuleRecorder<'_>) {
        let candidate = self.instances.candidate(&rule.layout, message.ids, older);
        match (message.is_supposition, candidate) {
            (true, Some(slot)) => {
                recorder.record.totals.activated += 1;
                let instance = self.get(rule, slot);
                let took = message.origin.time - instance.origin.time;
                let came_true = took >= rule.core.lower && rule.context.truth(instance.seen) == Truth::True;
                let ids = [self.instances.values(&rule.layout, slot), message.ids];
                let before = PastContext { seen: instance.seen, first: Some(instance.origin), took };
                recorder.look_back(rule, message, ids, came_true, &before);
                self.instances.remove(&rule.layout, slot, recorder.values);
            }
            (true, None) => {
                recorder.record.totals.activated += 1;
                let came_true = rule.context.truth(0) == Truth::True;
                let before = PastContext { seen: 0, first: None, took: Duration::ZERO };
                recorder.look_back(rule, message, [message.ids, &[]], came_true, &before);
            }
            (false, _) if message.actions == 0 => {}
            (false, Some(slot)) => {
                let seen = self.get(rule, slot).seen | message.actions;
                set_seen(self.instances.data_mut(&rule.layout, slot), seen);
                self.instances.learn(&rule.layout, slot, message.ids, recorder.values, older);
            }
            (false, None) => {
                let instance = message.instance(message.actions);
                self.instances.add(&rule.layout, message.ids, &instance.pack(), recorder.values);
            }
        }
    }

    /// RULE N9. With `strict-end`, pending instances are violated at the end of the trace.
    pub(crate) fn end(&self, rule: &RulePlan, last: Timestamp, recorder: &mut RuleRecorder<'_>) {
        for slot in self.instances.by_age(&rule.layout) {
            recorder.leave_open(rule, self.get(rule, slot), last, [self.instances.values(&rule.layout, slot), &[]]);
        }
    }

    pub(crate) fn rebuild(&mut self, rule: &RulePlan, bound: usize) -> bool {
        self.instances.rebuild(&rule.layout, bound, position)
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
            let instance = RuleInstance { position: 7, origin, seen: 1 << 63 | 5 };
            let back = RuleInstance::unpack(&instance.pack());
            assert_eq!((back.origin, back.seen), (instance.origin, instance.seen));
        }
    }
}
