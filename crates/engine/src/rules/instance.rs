// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rule instances, and the evaluation of a rule's context by the set of actions seen.

use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Origin, TracePosition};
use gnomon_ir::core::{RuleContextCore, RuleCore};

use super::actions::ActionSet;

/// The three-valued truth of a context.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Truth {
    False,
    Unknown,
    True,
}

/// The greatest number of actions for which a context is tabulated.
const TABULATED: usize = 8;

/// The context of a rule.
#[derive(Clone, Debug)]
pub(crate) struct RuleContext {
    tree: RuleContextCore,
    negated: ActionSet,
    /// The truth by the set of actions seen; empty for large contexts.
    table: Vec<Truth>,
}

impl RuleContext {
    pub(crate) fn new(core: &RuleCore) -> Self {
        let mut negated = ActionSet::EMPTY;
        for (number, _) in core.actions.iter().enumerate().filter(|(_, action)| action.negated) {
            negated.insert(number);
        }
        let mut context = RuleContext { tree: core.context.clone(), negated, table: Vec::new() };
        if core.actions.len() <= TABULATED {
            let sets = (0..1 << core.actions.len()).map(|seen| ActionSet::from_words(seen, std::iter::empty()));
            context.table = sets.map(|seen| context.evaluate(&context.tree, &seen)).collect();
        }
        context
    }

    /// RULE N5. Evaluates the context: an action is unknown until it is seen, then true; a negated one is true until it is seen, then
    /// false.
    #[inline]
    pub(crate) fn truth(&self, seen: &ActionSet) -> Truth {
        match self.table.get(seen.first_word() as usize) {
            Some(truth) => *truth,
            None => self.evaluate(&self.tree, seen),
        }
    }

    fn evaluate(&self, part: &RuleContextCore, seen: &ActionSet) -> Truth {
        match part {
            RuleContextCore::Action(action) => match (seen.contains(*action), self.negated.contains(*action)) {
                (true, false) | (false, true) => Truth::True,
                (true, true) => Truth::False,
                (false, false) => Truth::Unknown,
            },
            RuleContextCore::And(parts) => {
                parts.iter().map(|part| self.evaluate(part, seen)).min().unwrap_or(Truth::True)
            }
            RuleContextCore::Or(parts) => {
                parts.iter().map(|part| self.evaluate(part, seen)).max().unwrap_or(Truth::False)
            }
        }
    }

    pub(crate) fn is_negated(&self, action: usize) -> bool {
        self.negated.contains(action)
    }
}

/// The number of columns of an instance in a table, with its first 32 actions.
pub(crate) const COLUMNS: usize = 10;

/// The message that created an instance, and the actions of the context seen since. Stored as columns of a row: there may be millions
/// of instances.
#[derive(Clone, Debug)]
pub(crate) struct RuleInstance {
    /// The position of the message.
    pub(crate) position: u64,
    pub(crate) origin: Origin,
    pub(crate) seen: ActionSet,
}

impl RuleInstance {
    /// Returns the instance with these columns, without actions from the 32nd on.
    #[inline]
    pub(crate) fn unpack(data: &[u32]) -> Self {
        let part = |at: usize| u128::from(data[4 + at]) << (32 * at);
        let time = Timestamp::from_ticks((part(0) | part(1) | part(2) | part(3)) as i128);
        let origin = Origin { event_index: whole(data[8], data[9]), time, event: Name(data[3]) };
        let seen = ActionSet::from_words(data[0], std::iter::empty());
        RuleInstance { position: position(data), origin, seen }
    }

    pub(crate) fn at(&self) -> TracePosition {
        TracePosition { position: self.position, origin: self.origin }
    }
}

/// Returns the columns of an instance, without actions from the 32nd on.
#[inline]
pub(crate) fn pack(position: u64, origin: &Origin, seen: &ActionSet) -> [u32; COLUMNS] {
    let ticks = origin.time.ticks() as u128;
    let part = |at: u32| (ticks >> (32 * at)) as u32;
    let (low, high) = halves(position);
    let (index_low, index_high) = halves(origin.event_index);
    [seen.first_word(), low, high, origin.event.0, part(0), part(1), part(2), part(3), index_low, index_high]
}

/// Returns the position of an instance's message, which orders instances by age.
#[inline]
pub(crate) fn position(data: &[u32]) -> u64 {
    whole(data[1], data[2])
}

/// Returns true if the first instance is older than the second.
#[inline]
pub(crate) fn older(left: &[u32], right: &[u32]) -> bool {
    position(left) < position(right)
}

#[inline]
fn halves(whole: u64) -> (u32, u32) {
    (whole as u32, (whole >> 32) as u32)
}

#[inline]
fn whole(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}
