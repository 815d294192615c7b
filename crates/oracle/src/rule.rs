// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages: the suppositions of a trace and the decision on each of them.
//!
//! First, every event is matched against the rule ([`RuleMessage`]). Then the messages are processed in order, with
//! plain lists and loops, by one of the two matching modes: `paired` consumes messages, `any` does not.

mod any;
mod message;
mod paired;

use gnomon_core::{Duration, End, Timestamp};
use gnomon_ir::{ContextDirection, Matching, Modality, RuleContextCore, RuleCore};

use crate::decision_time::DecisionTime;
use crate::trace::Trace;
use crate::truth::Truth;

pub(crate) use message::{ArrivedActions, CorrelationValues, RuleMessage};

/// Definition of a rule over matched messages.
// RULE N1, N3
pub(crate) struct RuleDefinition {
    pub(crate) modality: Modality,
    pub(crate) matching: Matching,
    pub(crate) strict_end: bool,
    pub(crate) direction: ContextDirection,
    pub(crate) lower: Duration,
    pub(crate) upper: Option<Duration>,
    pub(crate) context: RuleContextCore,
    /// For each action of the context, true if it is negated: it holds until its message arrives.
    pub(crate) negated: Vec<bool>,
}

/// One supposition.
pub(crate) struct Instance {
    /// The message that asked.
    pub(crate) at: usize,
    /// The values it has for the correlation sets.
    pub(crate) values: CorrelationValues,
    /// The messages that reached its context.
    pub(crate) reached: Vec<usize>,
    /// `None`: pending.
    pub(crate) decision: Option<Decision>,
}

/// Decision on a supposition.
pub(crate) struct Decision {
    pub(crate) satisfied: bool,
    pub(crate) when: DecisionTime,
    /// Time from the supposition to the decision.
    // RULE N11
    pub(crate) duration: Duration,
}

impl RuleDefinition {
    pub(crate) fn new(core: &RuleCore) -> RuleDefinition {
        RuleDefinition {
            modality: core.modality,
            matching: core.matching,
            strict_end: core.strict_end,
            direction: core.direction,
            lower: core.lower,
            upper: core.upper,
            context: core.context.clone(),
            negated: core.actions.iter().map(|action| action.negated).collect(),
        }
    }

    /// The suppositions of a trace, in the order in which they were settled, then those that are pending. Before the
    /// time `now` nothing came after the last message.
    pub(crate) fn instances(&self, messages: &[RuleMessage], end: End, now: Option<Timestamp>) -> Vec<Instance> {
        let mut instances = match (self.matching, self.direction) {
            (Matching::Paired, ContextDirection::Future) => paired::future(self, messages, now),
            (Matching::Paired, ContextDirection::Past) => paired::past(self, messages),
            (Matching::Any, ContextDirection::Future) => any::future(self, messages, now),
            (Matching::Any, ContextDirection::Past) => any::past(self, messages),
        };
        // RULE N9
        if self.strict_end && end == End::Complete {
            for instance in instances.iter_mut().filter(|instance| instance.decision.is_none()) {
                let decision = Decision { satisfied: false, when: DecisionTime::End, duration: Duration::ZERO };
                instance.decision = Some(decision);
            }
        }
        instances
    }

    /// Returns the truth value of the context once the messages of these actions have arrived.
    // RULE N5
    pub(crate) fn context_truth(&self, arrived: &ArrivedActions) -> Truth {
        self.part_truth(&self.context, arrived)
    }

    pub(crate) fn part_truth(&self, part: &RuleContextCore, arrived: &ArrivedActions) -> Truth {
        match part {
            RuleContextCore::Action(number) if self.negated[*number] => Truth::from(!arrived.of[*number]),
            RuleContextCore::Action(number) if arrived.of[*number] => Truth::True,
            RuleContextCore::Action(_) => Truth::Unknown,
            RuleContextCore::And(parts) => {
                parts.iter().map(|part| self.part_truth(part, arrived)).min().unwrap_or(Truth::True)
            }
            RuleContextCore::Or(parts) => {
                parts.iter().map(|part| self.part_truth(part, arrived)).max().unwrap_or(Truth::False)
            }
        }
    }

    /// Returns true if a message belongs to an action that is not negated.
    fn wants(&self, message: &RuleMessage) -> bool {
        message.hits.iter().zip(&self.negated).any(|(hit, negated)| *hit && !negated)
    }

    /// Returns true if a context with this truth value satisfies the rule.
    // RULE N5
    fn satisfies(&self, context: Truth) -> bool {
        (context == Truth::True) == (self.modality == Modality::Permission)
    }

    /// Returns true if the window of an activation has closed when nothing earlier than `time` can come.
    // RULE N3
    pub(crate) fn is_closed(&self, activated: Timestamp, time: Timestamp) -> bool {
        self.upper.is_some_and(|upper| time - activated > upper)
    }

    /// The decision on a future instance whose window has closed.
    // RULE N6, N8, N11
    fn closed(&self, activated: Timestamp, context: Truth) -> Decision {
        let upper = self.upper.unwrap_or(Duration::ZERO);
        let when = DecisionTime::Deadline(activated.saturating_add(upper));
        Decision { satisfied: self.satisfies(context), when, duration: upper }
    }
}

/// Returns the truth value of a rule, given the decisions on its suppositions.
// RULE N10
pub(crate) fn truth(instances: &[Instance], end: End) -> Truth {
    let is_violated = |instance: &Instance| instance.decision.as_ref().is_some_and(|decision| !decision.satisfied);
    match end {
        _ if instances.iter().any(is_violated) => Truth::False,
        End::Complete => Truth::True,
        End::Prefix => Truth::Unknown,
    }
}

/// Matches each event of a trace against the messages of a rule.
pub(crate) fn messages(core: &RuleCore, trace: &Trace) -> Vec<RuleMessage> {
    trace.events().iter().map(|event| RuleMessage::new(core, event)).collect()
}
