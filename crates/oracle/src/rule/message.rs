// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a rule sees of an event.
// RULE N1, N2, N4

use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_ir::core::{AtomId, CorrelationCore, RuleCore};

use super::Values;
use crate::atom;
use crate::trace::OracleEvent;

/// An event, as a rule sees it.
pub(crate) struct Message {
    pub(crate) time: Timestamp,
    /// Whether it is the supposition.
    pub(crate) asks: bool,
    /// For each action of the context, whether it is its message.
    pub(crate) hits: Vec<bool>,
    /// Its values for the correlation sets.
    pub(crate) values: Values,
}

impl Message {
    pub(super) fn new(core: &RuleCore, event: &OracleEvent) -> Message {
        let is = |id: AtomId| atom::matches(&core.atoms[id.0 as usize], event, &[]);
        Message {
            time: event.time,
            asks: core.supposition.iter().any(|id| is(*id)),
            hits: core.actions.iter().map(|action| is(action.atom)).collect(),
            values: Values { of: core.correlations.iter().map(|set| value(set, event).cloned()).collect() },
        }
    }

    /// Whether it is a message of the context.
    pub(super) fn is_of_context(&self) -> bool {
        self.hits.contains(&true)
    }
}

/// That of the first member which the event is of and whose field it has.
fn value<'e>(set: &CorrelationCore, event: &'e OracleEvent) -> Option<&'e Value<'static>> {
    let places = set.members.iter().flat_map(|member| &member.places);
    let mut values = places.filter_map(|(pattern, field)| {
        atom::values(pattern, event)?;
        event.at_path(field)
    });
    values.next()
}
