// SPDX-License-Identifier: MIT OR Apache-2.0
//! A rule's context as a function of the actions that were seen.

use gnomon_ir::core::{ActionCore, ContextCore, RuleCore};

/// A set of actions, a bit for each.
pub(crate) type Actions = u64;

/// What is known of a context.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Truth {
    False,
    Unknown,
    True,
}

/// Contexts of at most this many actions are looked up instead of evaluated.
const TABULATED: usize = 8;

#[derive(Clone, Debug)]
pub(crate) struct Context {
    tree: ContextCore,
    negated: Actions,
    /// By the set of actions seen; empty for large contexts.
    table: Vec<Truth>,
}

impl Context {
    pub(crate) fn new(core: &RuleCore) -> Self {
        let bit = |(at, action): (usize, &ActionCore)| Actions::from(action.negated) << at;
        let negated = core.actions.iter().enumerate().map(bit).fold(0, |all, bit| all | bit);
        let mut context = Context { tree: core.context.clone(), negated, table: Vec::new() };
        if core.actions.len() <= TABULATED {
            context.table = (0..1 << core.actions.len()).map(|seen| context.evaluate(&context.tree, seen)).collect();
        }
        context
    }

    /// RULE N5: an action is unknown until it is seen; a negated one is true until then, and false from then on.
    #[inline]
    pub(crate) fn truth(&self, seen: Actions) -> Truth {
        match self.table.get(seen as usize) {
            Some(truth) => *truth,
            None => self.evaluate(&self.tree, seen),
        }
    }

    fn evaluate(&self, part: &ContextCore, seen: Actions) -> Truth {
        match part {
            ContextCore::Action(action) => match (seen >> action & 1 == 1, self.negated >> action & 1 == 1) {
                (true, false) | (false, true) => Truth::True,
                (true, true) => Truth::False,
                (false, false) => Truth::Unknown,
            },
            ContextCore::And(parts) => parts.iter().map(|part| self.evaluate(part, seen)).min().unwrap_or(Truth::True),
            ContextCore::Or(parts) => parts.iter().map(|part| self.evaluate(part, seen)).max().unwrap_or(Truth::False),
        }
    }

    /// The actions that must be seen.
    pub(crate) fn positive(&self) -> Actions {
        !self.negated
    }
}
