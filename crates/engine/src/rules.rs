// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs rules over messages: obligations with deadlines, correlated by the values that their messages have in common.
//!
//! A rule says that near each message that is its *supposition* the messages of a *context* must occur (or must not), within a
//! window of time. An *instance* is one supposition that waits for its context. Messages belong to the same instance if they agree in
//! the fields of the rule's *correlation sets*.
//!
//! Example: "each `request` is followed by a `reply` within 10 s, correlated by `id`". `request(id=1)` at time 0 creates an instance
//! with the value 1. `reply(id=2)` does not agree with it; `reply(id=1)` at time 4 makes its context true and removes it. Without the
//! reply, the instance is violated when time passes 10.
//!
//! [`engine`] runs one rule. [`messages`] tests an event once for all rules. `paired`, `any_future` and `any_past` implement the
//! matchings, each with an [`instance_table`]. [`actions`] are the sets of actions that an instance has seen. [`recorder`] counts and explains settled suppositions. Messages are not stored, only
//! the suppositions that wait and the times at which contexts began.

mod actions;
mod any_future;
mod any_past;
mod engine;
mod instance;
mod instance_table;
mod messages;
mod paired;
mod recorder;

use gnomon_core::verdict::{Origin, TracePosition};
use gnomon_ir::core::{ContextDirection, RuleCore};
use gnomon_ir::rule::Matching;

use crate::accounting::Trigger;
use crate::slice::storage::index::Mask;
use crate::slice::storage::values::Id;
use actions::ActionSet;
use any_future::AnyFutureInstances;
use any_past::AnyPastInstances;
use instance::RuleContext;
use instance_table::TableLayout;
use paired::PairedInstances;

pub(crate) use engine::RuleEngine;
pub(crate) use messages::{Correlations, MessageTests};

/// A rule compiled for running.
#[derive(Clone, Debug)]
pub(crate) struct RulePlan {
    pub(crate) core: RuleCore,
    context: RuleContext,
    /// The layout of the table of instances, or of groups of them.
    layout: TableLayout,
    /// The layout of the table of activations, where groups and activations are separate.
    activations: TableLayout,
    /// True for the first rule of the plan, which reports the memory that all rules share.
    is_first: bool,
}

impl RulePlan {
    pub(crate) fn new(core: &RuleCore, is_first: bool) -> Self {
        let columns = match (core.matching, core.direction) {
            (Matching::Paired, _) => PairedInstances::columns(core),
            (Matching::Any, ContextDirection::Future) => AnyFutureInstances::COLUMNS,
            (Matching::Any, ContextDirection::Past) => AnyPastInstances::COLUMNS,
        };
        RulePlan {
            core: core.clone(),
            context: RuleContext::new(core),
            layout: TableLayout::new(core.correlations.len(), columns, &lookup_masks(core)),
            activations: AnyFutureInstances::activations(),
            is_first,
        }
    }
}

/// Returns the sets of correlation sets by which instances are looked up: those of each message of the rule, with all its fields
/// present, and the common ones of each two messages.
fn lookup_masks(core: &RuleCore) -> Vec<Mask> {
    let sets_of = |event: &str| {
        let has = |set: usize| {
            let mut places = core.correlations[set].members.iter().flat_map(|member| &member.places);
            places.any(|(pattern, _)| pattern.event == event)
        };
        (0..core.correlations.len()).filter(|set| has(*set)).fold(0, |mask, set| mask | 1 << set)
    };
    let patterns = core.atoms.iter().flat_map(|atom| &atom.patterns);
    let mut masks: Vec<Mask> = patterns.map(|pattern| sets_of(&pattern.event)).collect();
    masks.sort_unstable();
    masks.dedup();
    let common = masks.iter().flat_map(|left| masks.iter().map(move |right| left & right));
    let mut all: Vec<Mask> = common.collect();
    all.sort_unstable_by_key(|mask| std::cmp::Reverse(mask.count_ones()));
    all.dedup();
    all
}

/// An event as a message of one rule.
struct RuleMessage<'m> {
    position: u64,
    origin: &'m Origin,
    /// The value in each correlation set.
    ids: &'m [Id],
    /// The actions of the context that the message is.
    actions: &'m ActionSet,
    /// True if the message is the supposition.
    is_supposition: bool,
}

impl RuleMessage<'_> {
    fn trigger(&self) -> Trigger<'_> {
        Trigger::Position { position: self.position, decider: self.origin, letter: 0 }
    }

    fn at(&self) -> TracePosition {
        TracePosition { position: self.position, origin: *self.origin }
    }

    /// Returns the columns of the instance that the message creates.
    #[inline]
    fn columns(&self, seen: &ActionSet) -> [u32; instance::COLUMNS] {
        instance::pack(self.position, self.origin, seen)
    }
}
