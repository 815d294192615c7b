// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything known before the first question: the events of a service or of a sample log, and the spec to be extended.

use gnomon_core::diagnostic::Span;
use gnomon_core::list::unique;
use gnomon_core::similar::nearest;
use gnomon_ir::{Alternative, EventDeclaration, Participant, Path, Spec};
use serde::{Deserialize, Serialize};

/// The knowledge that a session starts with.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SessionContext {
    /// Events offered for selection.
    pub events: Vec<KnownEvent>,
    /// The spec that the property will be added to; the default where there is none.
    pub spec: Spec,
    /// True if the log has dates, so that the unit of its times is known.
    pub has_dates: bool,
}

/// An event that a catalogue describes or a sample log contains.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct KnownEvent {
    /// Its name in the log.
    pub name: String,
    /// Its fields.
    #[serde(default)]
    pub fields: Vec<KnownField>,
    /// Its sender and receiver.
    #[serde(default)]
    pub participants: Option<(String, String)>,
    /// Its description.
    #[serde(default)]
    pub about: Option<String>,
}

/// A field of a known event.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct KnownField {
    /// The field's name.
    pub name: String,
    /// The path to it inside the event.
    pub path: Vec<String>,
    /// True if every such event has it.
    pub required: bool,
}

impl SessionContext {
    /// Returns the known event of this name.
    pub fn event(&self, name: &str) -> Option<&KnownEvent> {
        self.events.iter().find(|event| event.name == name)
    }

    /// Returns all event names that can be chosen, declared ones first.
    pub fn names(&self) -> Vec<&str> {
        let declared = self.spec.events.iter().map(|event| event.name.as_str());
        unique(declared.chain(self.events.iter().map(|event| event.name.as_str())))
    }

    /// Returns the known name of which this one is almost certainly a misspelling. Short names, and names that differ in their numbers
    /// only, are assumed to differ on purpose.
    pub(crate) fn similar(&self, name: &str) -> Option<&str> {
        let letters = |text: &str| text.chars().filter(|character| !character.is_numeric()).collect::<String>();
        let names = self.names();
        let allowed = match name.chars().count() {
            0..=3 => 0,
            4..=9 => 1,
            _ => 2,
        };
        if names.contains(&name) {
            return None;
        }
        let alike = letters(name);
        nearest(name, names.into_iter().filter(|known| letters(known) != alike), allowed)
    }

    /// Describes the names of events that are not known, if any are known.
    pub(crate) fn unknown_events<'a>(&self, events: impl Iterator<Item = &'a str>) -> Vec<String> {
        let names = self.names();
        let unknown = unique(events.filter(|event| !names.is_empty() && !names.contains(event)));
        let describe = |event: &str| match self.similar(event) {
            Some(similar) => format!("no known event is called `{event}`; there is one called `{similar}`"),
            None => format!("no known event is called `{event}`"),
        };
        unknown.into_iter().map(describe).collect()
    }

    /// Returns the parameters of an event that the spec declares.
    pub(crate) fn declared(&self, name: &str) -> Option<&[String]> {
        self.spec.event(name).map(|event| event.parameters.as_deref().unwrap_or_default())
    }

    /// Returns the fields of an event that a question can offer. A declaration takes precedence over a catalogue.
    pub fn fields(&self, name: &str) -> Vec<&str> {
        if let Some(parameters) = self.declared(name) {
            return parameters.iter().map(String::as_str).collect();
        }
        self.event(name).map_or(vec![], |event| event.fields.iter().map(|field| field.name.as_str()).collect())
    }

    /// Returns the fields that every event of this name has. They are its parameters if the user types parentheses.
    pub(crate) fn parameters(&self, name: &str) -> Vec<String> {
        let fields = self.event(name).map_or(&[][..], |event| &event.fields);
        fields.iter().filter(|field| field.required).map(|field| field.name.clone()).collect()
    }

    /// Builds the declaration of an event with these parameters; `None` if it is declared already or needs no declaration.
    ///
    /// A field inside another one (`order/id`) becomes a parameter named by the last step of its path, with a rename.
    pub(crate) fn declaration(&self, name: &str, parameters: &[String]) -> Option<EventDeclaration> {
        let event = self.event(name);
        let participants = event.and_then(|event| event.participants.as_ref());
        if self.spec.event(name).is_some() || (parameters.is_empty() && participants.is_none()) {
            return None;
        }
        let span = Span::default();
        let path = |parameter: &String| {
            let known = event.and_then(|event| event.fields.iter().find(|field| field.name == *parameter));
            let steps =
                known.map_or_else(|| parameter.split('/').map(str::to_owned).collect(), |known| known.path.clone());
            let (field, steps) = steps.split_first()?;
            Some(Path { field: field.clone(), steps: steps.to_vec() })
        };
        let short_name = |parameter: &String| last_step(parameter).to_owned();
        let paths = parameters.iter().filter_map(|parameter| Some((path(parameter)?, short_name(parameter))));
        let renames = paths.filter(|(path, name)| !path.steps.is_empty() || path.field != *name).collect();
        let participant = |name: &String| Participant::Named(name.clone());
        Some(EventDeclaration {
            name: name.to_owned(),
            name_span: span,
            parameters: (!parameters.is_empty()).then(|| parameters.iter().map(short_name).collect()),
            alternatives: vec![Alternative { event: name.to_owned(), condition: None, renames, span }],
            participants: participants.map(|(from, to)| (participant(from), participant(to))),
        })
    }
}

/// Returns the last step of a path: `id` of `order/id`.
pub(crate) fn last_step(field: &str) -> &str {
    field.rsplit('/').next().unwrap_or(field)
}
