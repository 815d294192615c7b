// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where suppositions are settled: the modality decides what a context that came true, or did not, means.

use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::{At, Binding, Decided, Origin, Violation};
use gnomon_ir::rule::Modality;

use super::context::{Actions, Truth};
use super::instance::Instance;
use super::story;
use super::tally::Tally;
use super::{Compiled, Message};
use crate::slice::values::{Id, NONE, Values};

pub(crate) struct Desk<'d> {
    pub(crate) values: &'d mut Values,
    pub(crate) tally: &'d mut Tally,
}

/// Of each correlation set, the value in the first of these that has one.
pub(crate) type Ids<'i> = [&'i [Id]; 2];

/// What a supposition finds when it looks back.
pub(crate) struct Before {
    pub(crate) seen: Actions,
    /// The first message of the context, where one is remembered.
    pub(crate) first: Option<Origin>,
    /// How long ago the context began.
    pub(crate) took: Duration,
}

impl Desk<'_> {
    /// The window of a supposition ended.
    pub(crate) fn close(&mut self, rule: &Compiled, open: Instance, deadline: Timestamp, ids: Ids<'_>) {
        let came_true = rule.context.truth(open.seen) == Truth::True;
        if is_fine(rule, came_true) {
            self.tally.satisfy(deadline - open.origin.time);
            return;
        }
        let Desk { values, tally } = self;
        tally.violate(|| {
            let story = story::closed(rule, &open);
            violation(rule, values, open.origin, Decided::Deadline(deadline), ids, story)
        });
    }

    /// A message made the context of a supposition certain.
    pub(crate) fn serve(
        &mut self,
        rule: &Compiled,
        open: Instance,
        message: &Message<'_>,
        ids: Ids<'_>,
        came_true: bool,
    ) {
        if is_fine(rule, came_true) {
            self.tally.satisfy(message.origin.time - open.origin.time);
            return;
        }
        let Desk { values, tally } = self;
        tally.violate(|| {
            let story = story::served(rule, &open, message, came_true);
            violation(rule, values, open.origin, Decided::Event(message.origin), ids, story)
        });
    }

    /// A message asks for a context before it.
    pub(crate) fn look_back(
        &mut self,
        rule: &Compiled,
        message: &Message<'_>,
        ids: Ids<'_>,
        came_true: bool,
        before: &Before,
    ) {
        if is_fine(rule, came_true) {
            self.tally.satisfy(before.took);
            return;
        }
        let Desk { values, tally } = self;
        tally.violate(|| {
            let story = story::looked_back(rule, message.origin, came_true, before);
            violation(rule, values, message.origin, Decided::Event(message.origin), ids, story)
        });
    }

    /// The trace ended before the window did, and that counts.
    pub(crate) fn leave_open(&mut self, rule: &Compiled, open: Instance, last: Timestamp, ids: Ids<'_>) {
        let Desk { values, tally } = self;
        tally.violate(|| {
            let story = story::left_open(rule, &open);
            violation(rule, values, open.origin, Decided::End(last), ids, story)
        });
    }
}

/// RULE N5
fn is_fine(rule: &Compiled, came_true: bool) -> bool {
    came_true == (rule.core.modality == Modality::Permission)
}

fn violation(
    rule: &Compiled,
    values: &Values,
    at: Origin,
    decided: Decided,
    ids: Ids<'_>,
    (summary, because): story::Story,
) -> Violation {
    let mut binding = Binding::default();
    for (set, correlation) in rule.core.correlations.iter().enumerate() {
        let known = ids.iter().filter_map(|ids| ids.get(set)).find(|id| **id != NONE);
        binding.values.extend(known.map(|id| (correlation.name.clone(), values.get(*id))));
    }
    Violation {
        at: At { position: at.event_index, origin: at },
        until_position: None,
        decided,
        binding,
        failed: rule.core.context_span,
        summary,
        because,
    }
}
