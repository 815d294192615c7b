// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages: obligations with deadlines, found by the values that their messages have in common.
//!
//! [`messages`] reads what a message is to each rule, once for all rules; `paired`, `any_future` and `any_past` keep what is
//! alive of a rule, each in its way, in a [`crowd`]; [`desk`] says what a settled supposition means and tallies it. No message
//! is stored: only suppositions that wait, and when their contexts began.

mod any_future;
mod any_past;
mod book;
mod context;
mod crowd;
mod desk;
mod instance;
mod messages;
mod paired;
mod run;
mod story;
mod tally;

use gnomon_core::verdict::Origin;
use gnomon_ir::core::{Direction, RuleCore};
use gnomon_ir::rule::Matching;

use crate::slice::matches::Mask;
use crate::slice::values::Id;
use any_future::AnyFuture;
use any_past::AnyPast;
use context::{Actions, Context};
use crowd::Layout;
use paired::Paired;

pub(crate) use book::Book;
pub(crate) use messages::Messages;

/// A rule ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub(crate) core: RuleCore,
    context: Context,
    /// How what is alive of it is laid out.
    layout: Layout,
    /// How single activations are, where they are kept apart from that.
    activations: Layout,
}

impl Compiled {
    pub(crate) fn new(core: &RuleCore) -> Self {
        let columns = match (core.matching, core.direction) {
            (Matching::Paired, _) => Paired::COLUMNS,
            (Matching::Any, Direction::Future) => AnyFuture::COLUMNS,
            (Matching::Any, Direction::Past) => AnyPast::COLUMNS,
        };
        Compiled {
            core: core.clone(),
            context: Context::new(core),
            layout: Layout::new(core.correlations.len(), columns, &asked(core)),
            activations: AnyFuture::activations(),
        }
    }
}

/// The correlation sets that the rule's messages have, if no field is absent, and what two of them have in common.
fn asked(core: &RuleCore) -> Vec<Mask> {
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

/// What a message is to a rule.
struct Message<'m> {
    origin: Origin,
    /// Its value in each correlation set.
    ids: &'m [Id],
    /// The actions of the context that it is.
    actions: Actions,
    /// Whether it is the supposition.
    supposes: bool,
}
