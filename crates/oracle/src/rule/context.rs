// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a context is worth once some of its messages have come.
// RULE N5

use gnomon_ir::core::{ActionCore, ContextCore};

use super::Message;
use crate::truth::Truth;

/// A context whose actions are numbered.
pub(crate) enum Context {
    /// `done(A)`, or `done(!A)` if it is negated.
    Action {
        /// Its number.
        number: usize,
        /// Whether it is true until the message comes.
        negated: bool,
    },
    /// All of these.
    And(Vec<Context>),
    /// One of these.
    Or(Vec<Context>),
}

impl Context {
    pub(super) fn new(context: &ContextCore, actions: &[ActionCore]) -> Context {
        let parts = |parts: &[ContextCore]| parts.iter().map(|part| Context::new(part, actions)).collect();
        match context {
            ContextCore::Action(number) => Context::Action { number: *number, negated: actions[*number].negated },
            ContextCore::And(of) => Context::And(parts(of)),
            ContextCore::Or(of) => Context::Or(parts(of)),
        }
    }

    /// What it is worth if the messages of these actions have come.
    pub(super) fn truth(&self, seen: &Seen) -> Truth {
        match self {
            Context::Action { number, negated: true } => Truth::from(!seen.of[*number]),
            Context::Action { number, .. } if seen.of[*number] => Truth::True,
            Context::Action { .. } => Truth::Unknown,
            Context::And(parts) => parts.iter().map(|part| part.truth(seen)).min().unwrap_or(Truth::True),
            Context::Or(parts) => parts.iter().map(|part| part.truth(seen)).max().unwrap_or(Truth::False),
        }
    }

    /// Whether a message is one of an action that is not negated.
    pub(super) fn wants(&self, message: &Message) -> bool {
        match self {
            Context::Action { number, negated } => message.hits[*number] && !negated,
            Context::And(parts) | Context::Or(parts) => parts.iter().any(|part| part.wants(message)),
        }
    }
}

/// For each action of a context, whether its message has come.
pub(super) struct Seen {
    of: Vec<bool>,
}

impl Seen {
    pub(super) fn nothing(actions: usize) -> Seen {
        Seen { of: vec![false; actions] }
    }

    pub(super) fn see(&mut self, message: &Message) {
        for (seen, hit) in self.of.iter_mut().zip(&message.hits) {
            *seen |= hit;
        }
    }
}
