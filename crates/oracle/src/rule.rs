// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages: every supposition of a trace, and what became of it.
//!
//! What a rule sees of an event is worked out first, one [`Message`] for each; then all messages are walked through,
//! with lists and loops, in one of the two ways in which messages serve suppositions.

mod any;
mod context;
mod message;
mod paired;
mod values;

use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::End;
use gnomon_ir::core::{Direction, RuleCore};
use gnomon_ir::rule::{Matching, Modality};

use crate::trace::Trace;
use crate::truth::Truth;

pub(crate) use context::Context;
pub(crate) use message::Message;
pub(crate) use values::Values;

/// What a rule asks of messages that are known already.
// RULE N1, N3
pub(crate) struct Terms {
    pub(crate) modality: Modality,
    pub(crate) matching: Matching,
    pub(crate) strict_end: bool,
    pub(crate) direction: Direction,
    pub(crate) lower: Duration,
    pub(crate) upper: Option<Duration>,
    pub(crate) context: Context,
}

/// One supposition.
pub(crate) struct Instance {
    /// The message that asked.
    pub(crate) at: usize,
    /// The values it has for the correlation sets.
    pub(crate) values: Values,
    /// `None`: pending.
    pub(crate) decision: Option<Decision>,
}

/// What became of a supposition.
pub(crate) struct Decision {
    pub(crate) satisfied: bool,
    pub(crate) when: When,
    /// How long it took.
    // RULE N11
    pub(crate) duration: Duration,
}

/// When it became so.
#[derive(Clone, Copy)]
pub(crate) enum When {
    /// With this message.
    Message(usize),
    /// When this time had passed.
    Closed(Timestamp),
    /// With the end of the trace.
    End,
}

impl Terms {
    pub(crate) fn new(core: &RuleCore) -> Terms {
        Terms {
            modality: core.modality,
            matching: core.matching,
            strict_end: core.strict_end,
            direction: core.direction,
            lower: core.lower,
            upper: core.upper,
            context: Context::new(&core.context, &core.actions),
        }
    }

    /// The suppositions of a trace, in the order in which they were settled, then those that are pending. Before the
    /// time `now` nothing came after the last message.
    pub(crate) fn instances(&self, messages: &[Message], end: End, now: Option<Timestamp>) -> Vec<Instance> {
        let mut instances = match (self.matching, self.direction) {
            (Matching::Paired, Direction::Future) => paired::future(self, messages, now),
            (Matching::Paired, Direction::Past) => paired::past(self, messages),
            (Matching::Any, Direction::Future) => any::future(self, messages, now),
            (Matching::Any, Direction::Past) => any::past(self, messages),
        };
        // RULE N9
        if self.strict_end && end == End::Complete {
            for instance in instances.iter_mut().filter(|instance| instance.decision.is_none()) {
                let decision = Decision { satisfied: false, when: When::End, duration: Duration::ZERO };
                instance.decision = Some(decision);
            }
        }
        instances
    }

    /// Whether a context that came out like this is what the rule asks for.
    // RULE N5
    fn satisfies(&self, context: Truth) -> bool {
        (context == Truth::True) == (self.modality == Modality::Permission)
    }

    /// Whether the window of an activation has closed when nothing earlier than `time` can come.
    // RULE N3
    fn is_closed(&self, activated: Timestamp, time: Timestamp) -> bool {
        self.upper.is_some_and(|upper| time - activated > upper)
    }

    /// The decision on a future instance whose window has closed.
    // RULE N6, N8, N11
    fn closed(&self, activated: Timestamp, context: Truth) -> Decision {
        let upper = self.upper.unwrap_or(Duration::ZERO);
        let when = When::Closed(activated.saturating_add(upper));
        Decision { satisfied: self.satisfies(context), when, duration: upper }
    }
}

/// What is known of a rule, given what became of its suppositions.
// RULE N10
pub(crate) fn truth(instances: &[Instance], end: End) -> Truth {
    let is_violated = |instance: &Instance| instance.decision.as_ref().is_some_and(|decision| !decision.satisfied);
    match end {
        _ if instances.iter().any(is_violated) => Truth::False,
        End::Complete => Truth::True,
        End::Prefix => Truth::Unknown,
    }
}

/// What a rule sees of each event of a trace.
pub(crate) fn messages(core: &RuleCore, trace: &Trace) -> Vec<Message> {
    trace.events().iter().map(|event| Message::new(core, event)).collect()
}
