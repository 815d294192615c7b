// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events matched against the messages of a rule, and their values for its correlation sets.
// RULE N1, N2, N4

use gnomon_core::{Comparison, Timestamp, Value};
use gnomon_ir::core::{AtomId, CorrelationCore, RuleCore};

use crate::atom;
use crate::trace::OracleEvent;
use crate::truth::Truth;

/// An event, as a rule sees it.
pub(crate) struct RuleMessage {
    pub(crate) time: Timestamp,
    /// True if the event is the supposition.
    pub(crate) asks: bool,
    /// For each action of the context, true if the event is its message.
    pub(crate) hits: Vec<bool>,
    /// Its values for the correlation sets.
    pub(crate) values: CorrelationValues,
}

impl RuleMessage {
    pub(super) fn new(core: &RuleCore, event: &OracleEvent) -> RuleMessage {
        let is = |id: AtomId| atom::matches(&core.atoms[id.0 as usize], event, &[]);
        RuleMessage {
            time: event.time,
            asks: core.supposition.iter().any(|id| is(*id)),
            hits: core.actions.iter().map(|action| is(action.atom)).collect(),
            values: CorrelationValues::of_event(core, event),
        }
    }

    /// Returns true if the event is a message of the context.
    pub(super) fn is_of_context(&self) -> bool {
        self.hits.contains(&true)
    }
}

/// Returns the value of the first member that the event matches and whose field it has.
fn value<'e>(set: &CorrelationCore, event: &'e OracleEvent) -> Option<&'e Value<'static>> {
    let places = set.members.iter().flat_map(|member| &member.places);
    let mut values = places.filter_map(|(pattern, field)| {
        atom::values(pattern, event)?;
        event.at_path(field)
    });
    values.next()
}

/// Value of each correlation set, if it has one.
#[derive(Clone)]
pub(crate) struct CorrelationValues {
    pub(crate) of: Vec<Option<Value<'static>>>,
}

impl CorrelationValues {
    /// Returns the values of an event.
    pub(crate) fn of_event(core: &RuleCore, event: &OracleEvent) -> CorrelationValues {
        CorrelationValues { of: core.correlations.iter().map(|set| value(set, event).cloned()).collect() }
    }

    /// Returns true if the values agree; unknown where no set has a value on both sides.
    pub(crate) fn agreement(&self, other: &CorrelationValues) -> Truth {
        let mut agreement = Truth::Unknown;
        for pair in self.of.iter().zip(&other.of) {
            let (Some(left), Some(right)) = pair else { continue };
            if !Comparison::Equal.holds(left, right) {
                return Truth::False;
            }
            agreement = Truth::True;
        }
        agreement
    }

    /// Takes the values that the other has and this has not.
    pub(super) fn learn(&mut self, other: &CorrelationValues) {
        for (mine, new) in self.of.iter_mut().zip(&other.of) {
            if mine.is_none() {
                mine.clone_from(new);
            }
        }
    }
}

/// For each action of a context, true if its message has arrived.
pub(crate) struct ArrivedActions {
    pub(crate) of: Vec<bool>,
}

impl ArrivedActions {
    pub(crate) fn nothing(actions: usize) -> ArrivedActions {
        ArrivedActions { of: vec![false; actions] }
    }

    pub(crate) fn add(&mut self, message: &RuleMessage) {
        for (arrived, hit) in self.of.iter_mut().zip(&message.hits) {
            *arrived |= hit;
        }
    }
}
