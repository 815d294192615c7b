// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known before the first question: the events of a service or of a sample log, and what a spec says already.

use gnomon_core::diagnostic::Span;
use gnomon_ir::pattern::Path;
use gnomon_ir::spec::{Alternative, EventDeclaration, Participant, Spec};
use serde::{Deserialize, Serialize};

/// What is known before the first question.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Known {
    /// The events that can be chosen.
    pub events: Vec<KnownEvent>,
    /// The spec that the property will be added to; the default where there is none.
    pub spec: Spec,
    /// Whether the times of the log say themselves what they count.
    pub has_dates: bool,
}

/// An event that can be chosen.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct KnownEvent {
    /// Its name in the log.
    pub name: String,
    /// The data that it carries.
    #[serde(default)]
    pub fields: Vec<KnownField>,
    /// Who sends it to whom.
    #[serde(default)]
    pub participants: Option<(String, String)>,
    /// What is said about it.
    #[serde(default)]
    pub about: Option<String>,
}

/// A piece of data that an event carries.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct KnownField {
    /// What it is called.
    pub name: String,
    /// Where it is in the event.
    pub path: Vec<String>,
    /// Whether every such event has it.
    pub required: bool,
}

impl Known {
    /// The event of this name. What the spec declares goes before what a catalogue says.
    pub fn event(&self, name: &str) -> Option<&KnownEvent> {
        self.events.iter().find(|event| event.name == name)
    }

    /// Every name that can be chosen: declared events first.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.spec.events.iter().map(|event| event.name.as_str()).collect();
        for event in &self.events {
            if !names.contains(&event.name.as_str()) {
                names.push(&event.name);
            }
        }
        names
    }

    /// The parameters that the spec gives an event.
    pub(crate) fn declared(&self, name: &str) -> Option<&[String]> {
        self.spec.event(name).map(|event| event.parameters.as_deref().unwrap_or_default())
    }

    /// The data of an event that a question can offer.
    pub fn fields(&self, name: &str) -> Vec<&str> {
        if let Some(parameters) = self.declared(name) {
            return parameters.iter().map(String::as_str).collect();
        }
        self.event(name).map_or(vec![], |event| event.fields.iter().map(|field| field.name.as_str()).collect())
    }

    /// The data that every event of this name carries: its parameters, if somebody writes parentheses.
    pub(crate) fn parameters(&self, name: &str) -> Vec<String> {
        let fields = self.event(name).map_or(&[][..], |event| &event.fields);
        fields.iter().filter(|field| field.required).map(|field| field.name.clone()).collect()
    }

    /// The declaration of an event with these parameters; `None` where it would say nothing.
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
        let own = |parameter: &String| parameter_name(parameter).to_owned();
        let moved = parameters.iter().filter_map(|parameter| Some((path(parameter)?, own(parameter))));
        let renames = moved.filter(|(path, own)| !path.steps.is_empty() || path.field != *own).collect();
        let end = |name: &String| Participant::Named(name.clone());
        Some(EventDeclaration {
            name: name.to_owned(),
            name_span: span,
            parameters: (!parameters.is_empty()).then(|| parameters.iter().map(own).collect()),
            alternatives: vec![Alternative { event: name.to_owned(), condition: None, renames, span }],
            participants: participants.map(|(from, to)| (end(from), end(to))),
        })
    }
}

/// A piece of data deep inside an event is called by the last step of the way to it.
fn parameter_name(field: &str) -> &str {
    field.rsplit('/').next().unwrap_or(field)
}
