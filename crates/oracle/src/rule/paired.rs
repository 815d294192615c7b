// SPDX-License-Identifier: MIT OR Apache-2.0
//! `matching paired`: one list of live instances, oldest first; a message goes to the oldest that it fits.
// RULE N6, N7

use gnomon_core::time::{Duration, Timestamp};

use super::context::Seen;
use super::{Decision, Instance, Message, Terms, Values, When};
use crate::truth::Truth;

/// An instance that is still in the list.
struct Live {
    /// The message that made it.
    at: usize,
    activated: Timestamp,
    seen: Seen,
    values: Values,
}

impl Live {
    fn new(at: usize, message: &Message) -> Live {
        let seen = Seen::nothing(message.hits.len());
        Live { at, activated: message.time, seen, values: message.values.clone() }
    }

    fn update(&mut self, message: &Message) {
        self.seen.see(message);
        self.values.learn(&message.values);
    }

    fn told(self, decision: Option<Decision>) -> Instance {
        Instance { at: self.at, values: self.values, decision }
    }
}

/// The place of the instance that the message goes to.
fn candidate(live: &[Live], message: &Message) -> Option<usize> {
    live.iter().position(|instance| instance.values.agreement(&message.values) != Truth::False)
}

// RULE N6
pub(super) fn future(terms: &Terms, messages: &[Message], now: Option<Timestamp>) -> Vec<Instance> {
    let mut live: Vec<Live> = Vec::new();
    let mut told: Vec<Instance> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        close(terms, message.time, &mut live, &mut told);
        if let Some(place) = candidate(&live, message)
            && message.time - live[place].activated >= terms.lower
            && message.is_of_context()
        {
            live[place].update(message);
            let context = terms.context.truth(&live[place].seen);
            if context.is_definite() {
                let instance = live.remove(place);
                let duration = message.time - instance.activated;
                let satisfied = terms.satisfies(context);
                told.push(instance.told(Some(Decision { satisfied, when: When::Message(index), duration })));
            }
        }
        if message.asks {
            live.push(Live::new(index, message));
        }
    }
    if let Some(now) = now {
        close(terms, now, &mut live, &mut told);
    }
    told.extend(live.into_iter().map(|instance| instance.told(None)));
    told
}

/// Takes the instances out of the list whose windows have closed.
fn close(terms: &Terms, time: Timestamp, live: &mut Vec<Live>, told: &mut Vec<Instance>) {
    for instance in std::mem::take(live) {
        if terms.is_closed(instance.activated, time) {
            let decision = terms.closed(instance.activated, terms.context.truth(&instance.seen));
            told.push(instance.told(Some(decision)));
        } else {
            live.push(instance);
        }
    }
}

// RULE N7
pub(super) fn past(terms: &Terms, messages: &[Message]) -> Vec<Instance> {
    let mut live: Vec<Live> = Vec::new();
    let mut told: Vec<Instance> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        live.retain(|instance| !terms.is_closed(instance.activated, message.time));
        let candidate = candidate(&live, message);
        if message.asks {
            told.push(asked(terms, index, message, candidate.map(|place| live.remove(place))));
        } else if message.is_of_context() {
            let place = candidate.unwrap_or_else(|| {
                live.push(Live::new(index, message));
                live.len() - 1
            });
            live[place].update(message);
        }
    }
    told
}

/// A supposition, with the instance that it uses up.
fn asked(terms: &Terms, at: usize, message: &Message, candidate: Option<Live>) -> Instance {
    let (context, duration, mut values) = match candidate {
        Some(instance) => {
            let age = message.time - instance.activated;
            let context = terms.context.truth(&instance.seen);
            (if age >= terms.lower { context } else { Truth::False }, age, instance.values)
        }
        None => (terms.context.truth(&Seen::nothing(message.hits.len())), Duration::ZERO, message.values.clone()),
    };
    values.learn(&message.values);
    let decision = Decision { satisfied: terms.satisfies(context), when: When::Message(at), duration };
    Instance { at, values, decision: Some(decision) }
}
