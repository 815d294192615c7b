// SPDX-License-Identifier: MIT OR Apache-2.0
//! `matching any`: each supposition considers all messages of its window; messages are not consumed.
// RULE N8

use gnomon_core::time::{Duration, Timestamp};

use super::{ArrivedActions, Decision, Instance, RuleDefinition, RuleMessage};
use crate::decision_time::DecisionTime;
use crate::truth::Truth;

pub(super) fn future(terms: &RuleDefinition, messages: &[RuleMessage], now: Option<Timestamp>) -> Vec<Instance> {
    instances(messages, |at, reached| ahead(terms, messages, at, now, reached))
}

pub(super) fn past(terms: &RuleDefinition, messages: &[RuleMessage]) -> Vec<Instance> {
    instances(messages, |at, reached| Some(behind(terms, messages, at, reached)))
}

/// Decides every supposition by itself. `decide` lists the messages that reach its context.
fn instances(messages: &[RuleMessage], decide: impl Fn(usize, &mut Vec<usize>) -> Option<Decision>) -> Vec<Instance> {
    let suppositions = messages.iter().enumerate().filter(|(_, message)| message.asks);
    let instance = |(at, message): (usize, &RuleMessage)| {
        let mut reached = Vec::new();
        let decision = decide(at, &mut reached);
        Instance { at, values: message.values.clone(), reached, decision }
    };
    suppositions.map(instance).collect()
}

/// Decides the supposition at this index.
fn ahead(
    terms: &RuleDefinition,
    messages: &[RuleMessage],
    at: usize,
    now: Option<Timestamp>,
    reached: &mut Vec<usize>,
) -> Option<Decision> {
    let asking = &messages[at];
    let mut arrived = ArrivedActions::nothing(asking.hits.len());
    for (index, message) in messages.iter().enumerate().skip(at + 1) {
        if terms.is_closed(asking.time, message.time) {
            return Some(terms.closed(asking.time, terms.context_truth(&arrived)));
        }
        let duration = message.time - asking.time;
        if duration >= terms.lower && message.is_of_context() && is_correlated(asking, message) {
            arrived.add(message);
            reached.push(index);
            let context = terms.context_truth(&arrived);
            if context.is_definite() {
                let satisfied = terms.satisfies(context);
                return Some(Decision { satisfied, when: DecisionTime::Position(index), duration });
            }
        }
    }
    let is_closed = now.is_some_and(|now| terms.is_closed(asking.time, now));
    is_closed.then(|| terms.closed(asking.time, terms.context_truth(&arrived)))
}

/// Decides a supposition by the messages before it.
fn behind(terms: &RuleDefinition, messages: &[RuleMessage], at: usize, reached: &mut Vec<usize>) -> Decision {
    let asking = &messages[at];
    let mut arrived = ArrivedActions::nothing(asking.hits.len());
    let mut duration = Duration::ZERO;
    for (index, message) in messages[..at].iter().enumerate().filter(|(_, message)| message.is_of_context()) {
        let distance = asking.time - message.time;
        let is_within = distance >= terms.lower && !terms.is_closed(message.time, asking.time);
        if is_within && is_correlated(asking, message) {
            arrived.add(message);
            reached.push(index);
            if terms.wants(message) {
                duration = distance;
            }
        }
    }
    let satisfied = terms.satisfies(terms.context_truth(&arrived));
    Decision { satisfied, when: DecisionTime::Position(at), duration }
}

fn is_correlated(asking: &RuleMessage, message: &RuleMessage) -> bool {
    asking.values.agreement(&message.values) != Truth::False
}
