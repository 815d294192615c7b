// SPDX-License-Identifier: MIT OR Apache-2.0
//! `matching any`: each supposition looks at all messages of its window, and uses none up.
// RULE N8

use gnomon_core::time::{Duration, Timestamp};

use super::context::Seen;
use super::{Decision, Instance, Message, Terms, When};
use crate::truth::Truth;

pub(super) fn future(terms: &Terms, messages: &[Message], now: Option<Timestamp>) -> Vec<Instance> {
    let suppositions = messages.iter().enumerate().filter(|(_, message)| message.asks);
    let instances = suppositions.map(|(at, message)| Instance {
        at,
        values: message.values.clone(),
        decision: ahead(terms, messages, at, now),
    });
    instances.collect()
}

/// What becomes of the supposition at this place.
fn ahead(terms: &Terms, messages: &[Message], at: usize, now: Option<Timestamp>) -> Option<Decision> {
    let asking = &messages[at];
    let mut seen = Seen::nothing(asking.hits.len());
    for (index, message) in messages.iter().enumerate().skip(at + 1) {
        if terms.is_closed(asking.time, message.time) {
            return Some(terms.closed(asking.time, terms.context.truth(&seen)));
        }
        let duration = message.time - asking.time;
        if duration >= terms.lower && message.is_of_context() && is_correlated(asking, message) {
            seen.see(message);
            let context = terms.context.truth(&seen);
            if context.is_definite() {
                let satisfied = terms.satisfies(context);
                return Some(Decision { satisfied, when: When::Message(index), duration });
            }
        }
    }
    let is_closed = now.is_some_and(|now| terms.is_closed(asking.time, now));
    is_closed.then(|| terms.closed(asking.time, terms.context.truth(&seen)))
}

pub(super) fn past(terms: &Terms, messages: &[Message]) -> Vec<Instance> {
    let suppositions = messages.iter().enumerate().filter(|(_, message)| message.asks);
    let instances = suppositions.map(|(at, message)| Instance {
        at,
        values: message.values.clone(),
        decision: Some(behind(terms, &messages[..at], message, at)),
    });
    instances.collect()
}

/// What the messages before a supposition make of it.
fn behind(terms: &Terms, before: &[Message], asking: &Message, at: usize) -> Decision {
    let mut seen = Seen::nothing(asking.hits.len());
    let mut duration = Duration::ZERO;
    for message in before {
        let distance = asking.time - message.time;
        let is_within = distance >= terms.lower && !terms.is_closed(message.time, asking.time);
        if is_within && is_correlated(asking, message) {
            seen.see(message);
            if terms.context.wants(message) {
                duration = distance;
            }
        }
    }
    let satisfied = terms.satisfies(terms.context.truth(&seen));
    Decision { satisfied, when: When::Message(at), duration }
}

fn is_correlated(asking: &Message, message: &Message) -> bool {
    asking.values.agreement(&message.values) != Truth::False
}
