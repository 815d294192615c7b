// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reasons why a property has a key or has none, as text.

use gnomon_core::diagnostic::Span;
use gnomon_core::list::enumeration;

use super::{MissingKey, PartitionKey, carrier};
use crate::{Language, Property, ValueLocation};

/// Reason with its source location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartitionReason {
    /// Kind of reason.
    pub kind: PartitionReasonKind,
    /// Explanation in one sentence.
    pub text: String,
    /// The part of the property that is the reason.
    pub span: Span,
}

gnomon_core::words! {
    /// The kinds of reasons.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum PartitionReasonKind as word {
        /// Every event of the property has a place for the variable: a key.
        Bound = "bound",
        /// No variables: the property concerns all events alike.
        NoVariables = "no-variables",
        /// An event concerns several values.
        RelatesKeys = "relates-keys",
        /// Combinations of values count that no event has.
        Unseen = "unseen",
        /// The variable is not quantified by a plain `forall`.
        NotUniversal = "not-universal",
        /// The property observes events of other classes in between.
        CountsPositions = "counts-positions",
        /// The property forbids events that it does not name.
        EveryEvent = "every-event",
        /// The property merges events of equal times.
        Simultaneous = "simultaneous",
        /// There is a key, but only its place among the parameters is known, not the name of a field.
        Positional = "positional",
        /// There is a key, but it has different names in different events.
        SeveralFields = "several-fields",
        /// There is a key, but it is in another field.
        OtherField = "other-field",
    }
}

pub(super) fn no_variables(property: &Property) -> PartitionReason {
    let text = match property.language {
        Language::Albert => {
            "`albert` has no variables for events: it describes the state that all events produce together"
        }
        Language::Nomad => "it has no correlation set: any message may serve any supposition",
        _ => "it has no variables: it describes all events alike",
    };
    PartitionReason { kind: PartitionReasonKind::NoVariables, text: text.to_owned(), span: property.body_span }
}

/// Explains why a key is one.
pub(super) fn bound(key: &PartitionKey, span: Span) -> PartitionReason {
    let variable = &key.variable;
    let places = match key.fields.first() {
        Some(field) => format!("in the field `{field}`"),
        None => places_in_events(key),
    };
    let text = match key.if_missing {
        MissingKey::Ignored => format!("every event that it mentions has `{variable}`, {places}"),
        MissingKey::Refused => {
            format!("the messages of one instance have the same value, {places}, if each of them has one")
        }
    };
    PartitionReason { kind: PartitionReasonKind::Bound, text, span }
}

/// Explains that there is a key, but not in this field.
pub(super) fn not_that_field(
    key: &PartitionKey,
    fields: &[&str],
    field: &str,
    near: Option<&PartitionReason>,
) -> PartitionReason {
    let span = near.map_or(Span::default(), |reason| reason.span);
    if let [first, ..] = fields {
        let text = format!("`{field}` is not a key: the trace can be partitioned by `{first}`");
        return PartitionReason { kind: PartitionReasonKind::OtherField, text, span };
    }
    let variable = &key.variable;
    if let Some((event, place)) = carrier::positional(&key.carriers) {
        let number = place + 1;
        let text = format!(
            "`{variable}` is parameter {number} of `{event}`, and only a trace shows which field that is: declare the event with \
             its fields, `event {event}({field})`"
        );
        return PartitionReason { kind: PartitionReasonKind::Positional, text, span };
    }
    let places = places_in_events(key);
    let text = format!(
        "no field has `{variable}` in all events: it is in {places}; give the trace one field that has it in all"
    );
    PartitionReason { kind: PartitionReasonKind::SeveralFields, text, span }
}

/// Returns the reason of a property for which there was nothing to analyse.
pub(super) fn unknown() -> PartitionReason {
    PartitionReason {
        kind: PartitionReasonKind::NoVariables,
        text: "it has no variables".to_owned(),
        span: Span::default(),
    }
}

/// Lists where each event has the key: "`user` of `login` and parameter 2 of `pay`".
fn places_in_events(key: &PartitionKey) -> String {
    let of_each = key.carriers.iter().map(|carrier| format!("{} of `{}`", shown(&carrier.places[0]), carrier.event));
    enumeration(&of_each.collect::<Vec<_>>(), "and")
}

fn shown(place: &ValueLocation) -> String {
    match place {
        ValueLocation::Parameter(index) => format!("parameter {}", index + 1),
        ValueLocation::Field(path) => format!("`{path}`"),
    }
}
