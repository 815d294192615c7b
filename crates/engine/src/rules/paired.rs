// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paired matching: a message serves the oldest instance that it fits, and no other.

use gnomon_core::time::{Duration, Timestamp};
use gnomon_ir::core::{ContextDirection, RuleCore};
use serde::{Deserialize, Serialize};

use super::actions::ActionSet;
use super::instance::{COLUMNS, RuleInstance, Truth, older, position};
use super::instance_table::RuleInstanceTable;
use super::recorder::{PastContext, RuleRecorder};
use super::{RuleMessage, RulePlan};
use crate::slice::storage::index::Slot;
use crate::slice::storage::values::{Id, ValueInterner};

/// The live instances of a rule with paired matching.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PairedInstances {
    instances: RuleInstanceTable,
}

impl PairedInstances {
    /// Returns the number of columns of an instance. One holds 32 actions of the context.
    pub(crate) fn columns(core: &RuleCore) -> usize {
        COLUMNS + core.actions.len().saturating_sub(1) / ActionSet::INLINE
    }

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
        match (self.instances.oldest(), rule.core.upper) {
            (Some(oldest), Some(upper)) => self.get(rule, oldest).origin.time.saturating_add(upper),
            _ => Timestamp::MAX,
        }
    }

    /// Reads the instances with a value: see [`Monitor::step_block`](crate::Monitor::step_block).
    pub(crate) fn touch(&self, rule: &RulePlan, set: usize, id: Id) {
        self.instances.touch(&rule.layout, set, id);
    }

    #[inline]
    fn get(&self, rule: &RulePlan, slot: Slot) -> RuleInstance {
        let data = self.instances.data(&rule.layout, slot);
        let mut instance = RuleInstance::unpack(data);
        if data.len() > COLUMNS {
            instance.seen = ActionSet::from_words(data[0], data[COLUMNS..].iter().copied());
        }
        instance
    }

    fn add(&mut self, rule: &RulePlan, message: &RuleMessage<'_>, seen: &ActionSet, values: &mut ValueInterner) {
        let slot = self.instances.add(&rule.layout, message.ids, &message.columns(seen), values);
        if rule.core.actions.len() > ActionSet::INLINE {
            self.set_seen(rule, slot, seen);
        }
    }

    #[inline]
    fn set_seen(&mut self, rule: &RulePlan, slot: Slot, seen: &ActionSet) {
        let data = self.instances.data_mut(&rule.layout, slot);
        data[0] = seen.first_word();
        let words = seen.more_words().iter().copied().chain(std::iter::repeat(0));
        data[COLUMNS..].iter_mut().zip(words).for_each(|(column, word)| *column = word);
    }

    /// RULE N9. Removes instances whose window ended before `now`.
    pub(crate) fn close(&mut self, rule: &RulePlan, now: Timestamp, recorder: &mut RuleRecorder<'_>) {
        while self.deadline(rule) < now {
            let deadline = self.deadline(rule);
            let Some(slot) = self.instances.oldest() else { return };
            if rule.core.direction == ContextDirection::Future {
                let instance = self.get(rule, slot);
                let ids = [self.instances.values(&rule.layout, slot), &[]];
                recorder.close(rule, &instance, deadline, ids);
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
        if !message.actions.is_empty()
            && let Some(slot) = self.instances.candidate(&rule.layout, message.ids, older)
        {
            self.serve(rule, slot, message, recorder);
        }
        if message.is_supposition {
            recorder.record.totals.activated += 1;
            self.add(rule, message, &ActionSet::EMPTY, recorder.values);
        }
    }

    fn serve(&mut self, rule: &RulePlan, slot: Slot, message: &RuleMessage<'_>, recorder: &mut RuleRecorder<'_>) {
        let mut instance = self.get(rule, slot);
        if message.origin.time - instance.origin.time < rule.core.lower {
            return;
        }
        instance.seen.extend(message.actions);
        let truth = rule.context.truth(&instance.seen);
        if truth == Truth::Unknown {
            self.set_seen(rule, slot, &instance.seen);
            self.instances.learn(&rule.layout, slot, message.ids, recorder.values, older);
            return;
        }
        let ids = [self.instances.values(&rule.layout, slot), message.ids];
        recorder.serve(rule, &instance, message, ids, truth == Truth::True);
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
                let came_true = took >= rule.core.lower && rule.context.truth(&instance.seen) == Truth::True;
                let ids = [self.instances.values(&rule.layout, slot), message.ids];
                let before = PastContext { seen: &instance.seen, first: Some(&instance.origin), took };
                recorder.look_back(rule, message, ids, came_true, &before);
                self.instances.remove(&rule.layout, slot, recorder.values);
            }
            (true, None) => {
                recorder.record.totals.activated += 1;
                let came_true = rule.context.truth(&ActionSet::EMPTY) == Truth::True;
                let before = PastContext { seen: &ActionSet::EMPTY, first: None, took: Duration::ZERO };
                recorder.look_back(rule, message, [message.ids, &[]], came_true, &before);
            }
            (false, _) if message.actions.is_empty() => {}
            (false, Some(slot)) => {
                let mut seen = self.get(rule, slot).seen;
                seen.extend(message.actions);
                self.set_seen(rule, slot, &seen);
                self.instances.learn(&rule.layout, slot, message.ids, recorder.values, older);
            }
            (false, None) => {
                self.add(rule, message, message.actions, recorder.values);
            }
        }
    }

    /// RULE N9. With `strict-end`, pending instances are violated at the end of the trace.
    pub(crate) fn end(&self, rule: &RulePlan, last: Timestamp, recorder: &mut RuleRecorder<'_>) {
        for slot in self.instances.by_age(&rule.layout) {
            recorder.leave_open(rule, &self.get(rule, slot), last, [self.instances.values(&rule.layout, slot), &[]]);
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

    use super::super::instance::pack;
    use super::*;

    #[test]
    fn an_instance_comes_back_from_its_columns() {
        for ticks in [0, -1, i128::from(i64::MAX) * 1_000_000_000, i128::MIN] {
            let origin = Origin { event_index: u64::MAX - 3, time: Timestamp::from_ticks(ticks), event: Name(7) };
            let seen = ActionSet::from_words(1 << 31 | 5, std::iter::empty());
            let back = RuleInstance::unpack(&pack(7, &origin, &seen));
            assert_eq!((back.position, back.origin, back.seen), (7, origin, seen));
        }
    }
}
