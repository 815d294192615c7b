// SPDX-License-Identifier: MIT OR Apache-2.0
//! The engine of a rule over messages.

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Outcome, Simultaneous, Violation};
use gnomon_ir::core::ContextDirection;
use gnomon_ir::rule::Matching;
use serde::{Deserialize, Serialize};

use super::RulePlan;
use super::any_future::AnyFutureInstances;
use super::any_past::AnyPastInstances;
use super::messages::{Correlations, MessageRoles};
use super::paired::PairedInstances;
use super::recorder::RuleRecorder;
use crate::accounting::{ObligationRecord, Totals, ViolationLog};
use crate::engine::{Engine, MOST_TOUCHED, Observation, SharedState, TouchedEvent};
use crate::monitor::MemoryUse;
use crate::scheduler::{CompletePosition, EventEffect};
use crate::slice::machine::Extent;
use crate::slice::storage::values::ValueInterner;

/// The state of one rule. Each message is a position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RuleEngine {
    instances: LiveInstances,
    record: ObligationRecord,
    /// A time before which no window ends.
    next_deadline: Timestamp,
}

/// The live instances of a rule.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum LiveInstances {
    Paired(PairedInstances),
    AnyFuture(AnyFutureInstances),
    AnyPast(AnyPastInstances),
}

/// Evaluates an expression for the matching of a rule.
macro_rules! with {
    ($instances:expr, |$own:ident| $body:expr) => {
        match $instances {
            LiveInstances::Paired($own) => $body,
            LiveInstances::AnyFuture($own) => $body,
            LiveInstances::AnyPast($own) => $body,
        }
    };
}

impl RuleEngine {
    /// RULE N9: closes the windows that ended before `now`.
    #[inline]
    fn close(&mut self, rule: &RulePlan, now: Timestamp, values: &mut ValueInterner) {
        if self.next_deadline < now {
            let recorder = &mut RuleRecorder { values, record: &mut self.record };
            self.next_deadline = with!(&mut self.instances, |instances| {
                instances.close(rule, now, recorder);
                instances.deadline(rule)
            });
        }
    }
}

impl Engine for RuleEngine {
    type Plan = RulePlan;
    type Test = MessageRoles;

    fn simultaneous(_: &RulePlan) -> Simultaneous {
        Simultaneous::Sequence
    }

    fn start(rule: &RulePlan, max_violations: usize) -> Self {
        let instances = match (rule.core.matching, rule.core.direction) {
            (Matching::Paired, _) => LiveInstances::Paired(PairedInstances::new(rule)),
            (Matching::Any, ContextDirection::Future) => LiveInstances::AnyFuture(AnyFutureInstances::new(rule)),
            (Matching::Any, ContextDirection::Past) => LiveInstances::AnyPast(AnyPastInstances::new(rule)),
        };
        // Each supposition is a violation of its own.
        let log = ViolationLog::of_single_positions(max_violations);
        let record = ObligationRecord { totals: Totals::default(), log };
        RuleEngine { instances, record, next_deadline: Timestamp::MAX }
    }

    #[inline]
    fn observe(
        &mut self,
        rule: &RulePlan,
        own: &MessageRoles,
        observation: &Observation<'_>,
        position: Option<u64>,
        shared: &mut SharedState,
    ) -> EventEffect {
        let position = position.expect("each event is a position, and none is visited that is not a message");
        let Correlations { values, cache } = &mut shared.correlations;
        let Some(message) = cache.message(own, observation, position, values) else { return EventEffect::None };
        let now = observation.origin.time;
        self.close(rule, now, values);
        let recorder = &mut RuleRecorder { values, record: &mut self.record };
        with!(&mut self.instances, |instances| instances.step(rule, &message, recorder));
        if let Some(upper) = rule.core.upper {
            // A new instance has the latest deadline. Testing whether one was created would cost more.
            self.next_deadline = self.next_deadline.min(now.saturating_add(upper));
        }
        EventEffect::Processed(self.next_deadline)
    }

    fn exceeds_cache(&self, shared: &SharedState) -> bool {
        shared.correlations.values.exceeds_cache()
    }

    fn touch<'e>(
        &self,
        rule: &RulePlan,
        events: impl Iterator<Item = TouchedEvent<'e, MessageRoles>>,
        shared: &SharedState,
    ) {
        let mut found = [None; MOST_TOUCHED];
        for (found, TouchedEvent { test, row, messages }) in found.iter_mut().zip(events) {
            *found = messages.and_then(|tests| test.find(tests, &row, &shared.correlations));
        }
        for (set, id) in found.into_iter().flatten() {
            with!(&self.instances, |instances| instances.touch(rule, set, id));
        }
    }

    fn visit(&mut self, rule: &RulePlan, position: &CompletePosition<'_>, shared: &mut SharedState) -> Timestamp {
        self.close(rule, position.first.time, &mut shared.correlations.values);
        self.next_deadline
    }

    fn advance(&mut self, rule: &RulePlan, to: Timestamp, shared: &mut SharedState) {
        self.close(rule, to, &mut shared.correlations.values);
    }

    fn wakeup(&self, _: &RulePlan) -> Timestamp {
        self.next_deadline
    }

    fn sees_every_position(&self, _: &RulePlan) -> bool {
        false
    }

    fn finish(&mut self, rule: &RulePlan, extent: Extent, end: End, shared: &mut SharedState) -> Outcome {
        let strict = rule.core.strict_end;
        let pending = match rule.core.direction {
            ContextDirection::Past => 0,
            ContextDirection::Future => with!(&self.instances, |instances| instances.live()) as u64,
        };
        if end == End::Complete && strict && pending > 0 {
            let recorder = &mut RuleRecorder { values: &mut shared.correlations.values, record: &mut self.record };
            match &self.instances {
                LiveInstances::Paired(instances) => instances.end(rule, extent.last_time, recorder),
                LiveInstances::AnyFuture(instances) => instances.end(rule, extent.last_time, recorder),
                LiveInstances::AnyPast(_) => {}
            }
        } else {
            self.record.totals.pending = pending;
        }
        // RULE N10
        self.record.clone().conclude(end, pending == 0 || !strict, extent.positions)
    }

    fn violation_count(&self, _: &RulePlan) -> u64 {
        self.record.totals.violated
    }

    fn drain_settled(&mut self, _: &RulePlan, positions: u64) -> Vec<Violation> {
        self.record.log.drain_settled(positions)
    }

    fn drain(&mut self, _: &RulePlan, keep: usize) -> Vec<Violation> {
        self.record.log.drain(keep)
    }

    fn memory_use(&self, rule: &RulePlan, shared: &SharedState) -> MemoryUse {
        let values = if rule.is_first { shared.correlations.values.bytes() } else { 0 };
        with!(&self.instances, |instances| MemoryUse { bindings: instances.live(), bytes: instances.bytes() + values })
    }

    fn rebuild(&mut self, rule: &RulePlan, shared: &SharedState) -> bool {
        let bound = shared.correlations.values.bound();
        match (&mut self.instances, rule.core.matching, rule.core.direction) {
            (LiveInstances::Paired(instances), Matching::Paired, _) => instances.rebuild(rule, bound),
            (LiveInstances::AnyFuture(instances), Matching::Any, ContextDirection::Future) => {
                instances.rebuild(rule, bound)
            }
            (LiveInstances::AnyPast(instances), Matching::Any, ContextDirection::Past) => {
                instances.rebuild(rule, bound)
            }
            _ => false,
        }
    }
}
