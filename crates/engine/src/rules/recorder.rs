// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts settled suppositions, and explains those that are violated.

use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::{Binding, Cause, Origin, TracePosition, Violation};
use gnomon_ir::core::{RuleContextCore, RuleCore};
use gnomon_ir::describe::rule as describe;
use gnomon_ir::rule::Modality;

use super::actions::ActionSet;
use super::instance::{RuleInstance, Truth};
use super::{RuleMessage, RulePlan};
use crate::accounting::{Explanation, ObligationRecord, Trigger, entry};
use crate::slice::storage::values::{Id, NONE, ValueInterner};

/// Records the results of suppositions of a rule.
pub(crate) struct RuleRecorder<'d> {
    pub(crate) values: &'d mut ValueInterner,
    pub(crate) record: &'d mut ObligationRecord,
}

/// The correlation values of a violation: for each set, the value in the first of these lists that has one.
pub(crate) type Ids<'i> = [&'i [Id]; 2];

/// The context that a supposition finds in the past.
pub(crate) struct PastContext<'c> {
    pub(crate) seen: &'c ActionSet,
    /// The first message of the context, if it is stored.
    pub(crate) first: Option<&'c Origin>,
    /// The time since the context began.
    pub(crate) took: Duration,
}

impl RuleRecorder<'_> {
    /// Records a supposition whose window ended.
    pub(crate) fn close(&mut self, rule: &RulePlan, open: &RuleInstance, deadline: Timestamp, ids: Ids<'_>) {
        if is_fine(rule, rule.context.truth(&open.seen) == Truth::True) {
            self.record.totals.satisfy(deadline - open.origin.time);
        } else {
            self.violate(rule, open.at(), Trigger::Deadline(deadline), ids, || closed(rule, open));
        }
    }

    /// Records a supposition whose context a message made certain.
    pub(crate) fn serve(
        &mut self,
        rule: &RulePlan,
        open: &RuleInstance,
        message: &RuleMessage<'_>,
        ids: Ids<'_>,
        came_true: bool,
    ) {
        if is_fine(rule, came_true) {
            self.record.totals.satisfy(message.origin.time - open.origin.time);
        } else {
            self.violate(rule, open.at(), message.trigger(), ids, || served(rule, open, message, came_true));
        }
    }

    /// Records a supposition by the context that it finds in the past.
    pub(crate) fn look_back(
        &mut self,
        rule: &RulePlan,
        message: &RuleMessage<'_>,
        ids: Ids<'_>,
        came_true: bool,
        before: &PastContext<'_>,
    ) {
        if is_fine(rule, came_true) {
            self.record.totals.satisfy(before.took);
        } else {
            let explain = || looked_back(rule, *message.origin, came_true, before);
            self.violate(rule, message.at(), message.trigger(), ids, explain);
        }
    }

    /// Records a violation of a supposition whose window is open at the end of the trace.
    pub(crate) fn leave_open(&mut self, rule: &RulePlan, open: &RuleInstance, last: Timestamp, ids: Ids<'_>) {
        self.violate(rule, open.at(), Trigger::End(last), ids, || left_open(rule, open));
    }

    fn violate(
        &mut self,
        rule: &RulePlan,
        at: TracePosition,
        trigger: Trigger<'_>,
        ids: Ids<'_>,
        explain: impl FnOnce() -> Explanation,
    ) {
        self.record.totals.violate(1, trigger);
        self.record.log.push(|| {
            let id = |set: usize| ids.iter().filter_map(|ids| ids.get(set)).find(|id| **id != NONE);
            let sets = rule.core.correlations.iter().enumerate();
            let values = sets.filter_map(|(set, own)| Some((own.name.clone(), self.values.get(*id(set)?))));
            let binding = Binding { values: values.collect() };
            Violation { binding, ..entry(at, at.position, rule.core.context_span, trigger, explain()) }
        });
    }
}

/// RULE N5. Returns true if the modality permits a context that came true, or did not.
fn is_fine(rule: &RulePlan, came_true: bool) -> bool {
    came_true == (rule.core.modality == Modality::Permission)
}

/// Explains a supposition whose window ended.
fn closed(rule: &RulePlan, open: &RuleInstance) -> Explanation {
    let core = &rule.core;
    let window = describe::window(core);
    let asks = because(open.origin, describe::asks(core));
    let summary = match core.modality {
        Modality::Prohibition => format!("{}{window}, which is forbidden", describe::happened(core)),
        Modality::Permission => missing(core, &open.seen),
    };
    (summary, vec![asks])
}

/// Explains a supposition that a message decided.
fn served(rule: &RulePlan, open: &RuleInstance, message: &RuleMessage<'_>, came_true: bool) -> Explanation {
    let core = &rule.core;
    let came = describe::messages(core, message.actions.iter());
    let asks = because(open.origin, describe::asks(core));
    if came_true {
        let summary = format!("{}{}, which is forbidden", describe::happened(core), describe::window(core));
        return (summary, vec![asks, because(*message.origin, format!("{came}: decided here"))]);
    }
    let summary = format!("{came} came{}, which rules {} out", describe::window(core), describe::wanted(core));
    (summary, vec![asks, because(*message.origin, "came here".to_owned())])
}

/// Explains a supposition by the context in the past.
fn looked_back(rule: &RulePlan, at: Origin, came_true: bool, before: &PastContext<'_>) -> Explanation {
    let core = &rule.core;
    let mut because_of: Vec<Cause> = Vec::new();
    let summary = if came_true {
        format!("{}{}, which is forbidden", describe::happened(core), describe::window(core))
    } else if before.first.is_some() && before.took < core.lower {
        format!("{} began too late: not{}", describe::wanted(core), describe::window(core))
    } else {
        missing(core, before.seen)
    };
    if let Some(first) = before.first {
        let seen = describe::messages(core, before.seen.iter());
        because_of.push(because(*first, format!("the context began here; seen since: {seen}")));
    }
    because_of.push(because(at, describe::asks(core)));
    (summary, because_of)
}

/// Explains a supposition that is open at the end of the trace.
fn left_open(rule: &RulePlan, open: &RuleInstance) -> Explanation {
    let core = &rule.core;
    let summary = format!(
        "the trace ended before it was clear whether {} came{}",
        describe::wanted(core),
        describe::window(core)
    );
    (summary, vec![because(open.origin, describe::asks(core))])
}

fn because(origin: Origin, note: String) -> Cause {
    Cause { origin, note }
}

/// Describes a context that did not come true: "no `a` within 3 s", "no match for `a` and `b` within 3 s; seen: `a`".
fn missing(core: &RuleCore, seen: &ActionSet) -> String {
    let (context, window) = (describe::wanted(core), describe::window(core));
    match &core.context {
        RuleContextCore::Action(action) if !core.actions[*action].negated => format!("no {context}{window}"),
        _ if seen.is_empty() => format!("no match for {context}{window}"),
        _ => format!("no match for {context}{window}; seen: {}", describe::messages(core, seen.iter())),
    }
}
