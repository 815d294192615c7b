// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a property has a key, or has none, in words.

use gnomon_core::diagnostic::Span;

use super::{Carrier, Key, Without, carrier};
use crate::pattern::Place;
use crate::spec::{Language, Property};

/// Why, and where in the spec's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// What kind of reason it is.
    pub kind: ReasonKind,
    /// In one sentence.
    pub text: String,
    /// The part of the property that is to blame.
    pub span: Span,
}

/// The kinds of reasons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReasonKind {
    /// Every event of the property has a place for the variable: a key.
    Bound,
    /// It has no variables: it speaks of all events alike.
    NoVariables,
    /// An event concerns several values.
    RelatesKeys,
    /// Combinations of values count that no event has.
    Unseen,
    /// It is not asked of each value by itself.
    NotUniversal,
    /// It tells whether there are events of other values in between.
    CountsPositions,
    /// It forbids events that it does not name.
    EveryEvent,
    /// It takes events of one time together.
    Simultaneous,
    /// There is a key, but only its place among the parameters is known, not the name of a field.
    Positional,
    /// There is a key, but it has different names in different events.
    SeveralFields,
    /// There is a key, but it is in another field.
    OtherField,
}

impl ReasonKind {
    /// The word used in reports.
    pub const fn word(self) -> &'static str {
        match self {
            ReasonKind::Bound => "bound",
            ReasonKind::NoVariables => "no-variables",
            ReasonKind::RelatesKeys => "relates-keys",
            ReasonKind::Unseen => "unseen",
            ReasonKind::NotUniversal => "not-universal",
            ReasonKind::CountsPositions => "counts-positions",
            ReasonKind::EveryEvent => "every-event",
            ReasonKind::Simultaneous => "simultaneous",
            ReasonKind::Positional => "positional",
            ReasonKind::SeveralFields => "several-fields",
            ReasonKind::OtherField => "other-field",
        }
    }
}

pub(super) fn no_variables(property: &Property) -> Reason {
    let text = match property.language {
        Language::Albert => {
            "`albert` has no variables for events: it speaks of the state that all events make together"
        }
        Language::Nomad => "it has no correlation set: any message may serve any supposition",
        _ => "it has no variables: it speaks of all events alike",
    };
    Reason { kind: ReasonKind::NoVariables, text: text.to_owned(), span: property.body_span }
}

/// Why a key is one.
pub(super) fn bound(key: &Key, span: Span) -> Reason {
    let variable = &key.variable;
    let of_each = |carrier: &Carrier| format!("{} of `{}`", shown(&carrier.places[0]), carrier.event);
    let places = match key.fields.first() {
        Some(field) => format!("in the field `{field}`"),
        None => listed(key.carriers.iter().map(of_each)),
    };
    let text = match key.without {
        Without::Ignored => format!("every event that it mentions has `{variable}`, {places}"),
        Without::Refused => {
            format!("the messages of one instance have the same value, {places}, if each of them has one")
        }
    };
    Reason { kind: ReasonKind::Bound, text, span }
}

/// There is a key, but it is not this field.
pub(super) fn not_that_field(key: &Key, fields: &[&str], field: &str, near: Option<&Reason>) -> Reason {
    let span = near.map_or(Span::default(), |reason| reason.span);
    if let [first, ..] = fields {
        let text = format!("`{field}` is no key: it may be taken apart by `{first}`");
        return Reason { kind: ReasonKind::OtherField, text, span };
    }
    let variable = &key.variable;
    if let Some((event, place)) = carrier::positional(&key.carriers) {
        let number = place + 1;
        let text = format!(
            "`{variable}` is parameter {number} of `{event}`, and only a trace tells which field that is: declare the event with \
             its fields, `event {event}({field})`"
        );
        return Reason { kind: ReasonKind::Positional, text, span };
    }
    let places =
        listed(key.carriers.iter().map(|carrier| format!("{} of `{}`", shown(&carrier.places[0]), carrier.event)));
    let text = format!(
        "no field has `{variable}` in all events: it is in {places}; give the trace one field that has it in all"
    );
    Reason { kind: ReasonKind::SeveralFields, text, span }
}

/// No reason was found: there was nothing to ask.
pub(super) fn unknown() -> Reason {
    Reason { kind: ReasonKind::NoVariables, text: "it has no variables".to_owned(), span: Span::default() }
}

fn shown(place: &Place) -> String {
    match place {
        Place::Parameter(index) => format!("parameter {}", index + 1),
        Place::Field(path) => format!("`{path}`"),
    }
}

fn listed(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    match items.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
