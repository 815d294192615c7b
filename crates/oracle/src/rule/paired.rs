// SPDX-License-Identifier: MIT OR Apache-2.0
//! `matching paired`: a list of live instances, oldest first; a message is consumed by the oldest instance that it
//! fits.
// RULE N6, N7

use gnomon_core::time::{Duration, Timestamp};

use super::{ArrivedActions, CorrelationValues, Decision, Instance, RuleDefinition, RuleMessage};
use crate::decision_time::DecisionTime;
use crate::truth::Truth;

/// An instance that is still in the list.
struct LiveInstance {
    /// The message that made it.
    at: usize,
    activated: Timestamp,
    arrived: ArrivedActions,
    reached: Vec<usize>,
    values: CorrelationValues,
}

impl LiveInstance {
    fn new(at: usize, message: &RuleMessage) -> LiveInstance {
        let arrived = ArrivedActions::nothing(message.hits.len());
        LiveInstance { at, activated: message.time, arrived, reached: vec![], values: message.values.clone() }
    }

    fn update(&mut self, index: usize, message: &RuleMessage) {
        self.arrived.add(message);
        self.reached.push(index);
        self.values.learn(&message.values);
    }

    fn decided(self, decision: Option<Decision>) -> Instance {
        Instance { at: self.at, values: self.values, reached: self.reached, decision }
    }
}

/// The place of the instance that the message goes to.
fn candidate(live: &[LiveInstance], message: &RuleMessage) -> Option<usize> {
    live.iter().position(|instance| instance.values.agreement(&message.values) != Truth::False)
}

// RULE N6
pub(super) fn future(terms: &RuleDefinition, messages: &[RuleMessage], now: Option<Timestamp>) -> Vec<Instance> {
    let mut live: Vec<LiveInstance> = Vec::new();
    let mut decided: Vec<Instance> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        close(terms, message.time, &mut live, &mut decided);
        if let Some(place) = candidate(&live, message)
            && message.time - live[place].activated >= terms.lower
            && message.is_of_context()
        {
            live[place].update(index, message);
            let context = terms.context_truth(&live[place].arrived);
            if context.is_definite() {
                let instance = live.remove(place);
                let (satisfied, when) = (terms.satisfies(context), DecisionTime::Position(index));
                let decision = Decision { satisfied, when, duration: message.time - instance.activated };
                decided.push(instance.decided(Some(decision)));
            }
        }
        if message.asks {
            live.push(LiveInstance::new(index, message));
        }
    }
    if let Some(now) = now {
        close(terms, now, &mut live, &mut decided);
    }
    decided.extend(live.into_iter().map(|instance| instance.decided(None)));
    decided
}

/// Takes the instances out of the list whose windows have closed.
fn close(terms: &RuleDefinition, time: Timestamp, live: &mut Vec<LiveInstance>, decided: &mut Vec<Instance>) {
    for instance in std::mem::take(live) {
        if terms.is_closed(instance.activated, time) {
            let decision = terms.closed(instance.activated, terms.context_truth(&instance.arrived));
            decided.push(instance.decided(Some(decision)));
        } else {
            live.push(instance);
        }
    }
}

// RULE N7
pub(super) fn past(terms: &RuleDefinition, messages: &[RuleMessage]) -> Vec<Instance> {
    let mut live: Vec<LiveInstance> = Vec::new();
    let mut decided: Vec<Instance> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        live.retain(|instance| !terms.is_closed(instance.activated, message.time));
        let candidate = candidate(&live, message);
        if message.asks {
            decided.push(asked(terms, index, message, candidate.map(|place| live.remove(place))));
        } else if message.is_of_context() {
            let place = candidate.unwrap_or_else(|| {
                live.push(LiveInstance::new(index, message));
                live.len() - 1
            });
            live[place].update(index, message);
        }
    }
    decided
}

/// A supposition, with the instance that it uses up.
fn asked(terms: &RuleDefinition, at: usize, message: &RuleMessage, candidate: Option<LiveInstance>) -> Instance {
    let (context, duration, mut values, reached) = if let Some(instance) = candidate {
        let age = message.time - instance.activated;
        let context = terms.context_truth(&instance.arrived);
        (if age >= terms.lower { context } else { Truth::False }, age, instance.values, instance.reached)
    } else {
        let context = terms.context_truth(&ArrivedActions::nothing(message.hits.len()));
        (context, Duration::ZERO, message.values.clone(), vec![])
    };
    values.learn(&message.values);
    let decision = Decision { satisfied: terms.satisfies(context), when: DecisionTime::Position(at), duration };
    Instance { at, values, reached, decision: Some(decision) }
}
