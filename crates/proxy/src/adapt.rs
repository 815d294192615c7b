// SPDX-License-Identifier: MIT OR Apache-2.0
//! Adapters: turn a tapped message into an event with a name and fields.
//!
//! Without configuration a SOAP message becomes the event that its body names, a JSON object the event that it names itself;
//! all others are called `request` and `response`. Rules from a file change that. No content of a message is an error: a body
//! that cannot be read yields an event with the fields of the message's head.
//!
//! ```
//! use gnomon_proxy::adapt::Adapters;
//! let adapters = Adapters::parse(r#"
//!     [[rule]]
//!     direction = "request"
//!     method = "POST"
//!     path = "/orders/{order}/items"
//!     name = "item added"
//!     fields = { sku = "{body:item/sku}", user = "{header:x-user}" }
//! "#)?;
//! assert_eq!(adapters.count(), 1);
//! # Ok::<(), gnomon_proxy::adapt::ConfigError>(())
//! ```

mod document;
mod path_pattern;
mod rule;
mod template;

use std::collections::HashMap;

use gnomon_core::number::Number;
use gnomon_core::value::Value;
use gnomon_message::ParseData;
use serde::Deserialize;

use crate::tap::{MessageDirection, TappedMessage};
use document::BodyDocument;
pub use document::UnreadableReason;
use rule::AdapterRule;
pub use rule::ConfigError;
use template::Template;

/// The rules that turn messages into events.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Adapters {
    rules: Vec<AdapterRule>,
    /// The fields of every message.
    fields: Vec<(String, Template)>,
    /// Decides on messages that cannot be read or evaluated.
    pub on_failure: FailurePolicy,
    /// True if the services get their own address as `Host`, not the client's.
    pub rewrite_host: bool,
}

gnomon_core::words! {
    /// Decides what happens to a message that cannot be read or evaluated.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum FailurePolicy as word {
        /// It is forwarded.
        #[default]
        Open = "open",
        /// It is refused.
        Closed = "closed",
    }
}

/// The event that a message becomes.
#[derive(Clone, PartialEq, Debug)]
pub struct MessageEvent {
    /// The event's name.
    pub name: String,
    /// Its fields: those of the body, of the head, of the participants, and of the rule.
    pub fields: Vec<(String, Value<'static>)>,
    /// The reason why the message could not be read completely; fields may be missing.
    pub unreadable: Option<UnreadableReason>,
}

/// A message with everything that a template can refer to.
struct TemplateContext<'m> {
    message: &'m TappedMessage,
    data: Option<&'m dyn ParseData>,
    /// The values of the holes of the rule's path.
    holes: Vec<(&'m str, String)>,
}

impl Adapters {
    /// Reads rules in TOML.
    pub fn parse(text: &str) -> Result<Adapters, ConfigError> {
        rule::parse_file(text)
    }

    /// Returns the number of rules.
    pub fn count(&self) -> usize {
        self.rules.len()
    }

    /// Returns the event of a message; `None` if a rule skips the message. The first rule that applies counts.
    pub fn event(&self, message: &TappedMessage) -> Option<MessageEvent> {
        let text = document::text(message);
        let document = text.as_deref().ok().and_then(BodyDocument::read);
        let data = document.as_ref().map(BodyDocument::data);
        let found = self.rules.iter().find_map(|rule| Some((rule, rule.matches(message)?)));
        let (rule, holes) = found.map_or((None, Vec::new()), |(rule, holes)| (Some(rule), holes));
        if rule.is_some_and(|rule| rule.skip) {
            return None;
        }
        let context = TemplateContext { message, data, holes };
        let of_body = match (&text, &document) {
            _ if rule.is_some_and(|rule| !rule.reads_body) => None,
            // A service may answer with pictures and pages; a client may declare anything.
            _ if message.direction == MessageDirection::Response && !document::declares_document(&message.headers) => {
                None
            }
            (Err(reason), _) => Some(*reason),
            (Ok(text), None) => Some(UnreadableReason::Format).filter(|_| !text.is_empty()),
            (Ok(_), Some(document)) => Some(UnreadableReason::Repeated).filter(|_| document.is_ambiguous()),
        };
        Some(MessageEvent {
            name: context.name(rule),
            fields: context.fields(rule, &self.fields),
            unreadable: of_body.or_else(|| self.ambiguous_head(rule, message)).filter(|_| !message.failed),
        })
    }

    /// Returns the reason why the service could read the head of a request differently.
    fn ambiguous_head(&self, rule: Option<&AdapterRule>, message: &TappedMessage) -> Option<UnreadableReason> {
        if message.direction == MessageDirection::Response {
            return None;
        }
        if self.rules.iter().any(AdapterRule::reads_path) && path_pattern::is_ambiguous(&message.path) {
            return Some(UnreadableReason::Path);
        }
        let of_rule = rule.map(|rule| rule.fields.as_slice()).unwrap_or_default();
        let mut templates = of_rule.iter().chain(&self.fields).map(|(_, template)| template);
        templates.any(|template| template.is_ambiguous(message)).then_some(UnreadableReason::Repeated)
    }
}

impl TemplateContext<'_> {
    fn name(&self, rule: Option<&AdapterRule>) -> String {
        let by_rule = rule.and_then(|rule| rule.name.as_ref()).map(|template| template.text(self));
        by_rule.filter(|name| !name.is_empty()).unwrap_or_else(|| self.default_name())
    }

    /// Returns the event's name without a rule.
    fn default_name(&self) -> String {
        let own = self.data.and_then(ParseData::name).filter(|name| !name.is_empty());
        own.map_or_else(|| self.message.direction.word().to_owned(), std::borrow::Cow::into_owned)
    }

    /// Returns the fields of the event. `common` are those of every message; the fields of the rule override them.
    fn fields(&self, rule: Option<&AdapterRule>, common: &[(String, Template)]) -> Vec<(String, Value<'static>)> {
        let mut fields = FieldList::default();
        if let Some(data) = self.data.filter(|_| rule.is_none_or(|rule| rule.body)) {
            for (name, value) in data.fields(&|_| true) {
                fields.set(&name, value.into_owned());
            }
        }
        for (name, text) in &self.holes {
            fields.set(name, Value::from_cell(text.clone().into()));
        }
        let TappedMessage { method, path, status, failed, truncated, source, destination, service, exchange, .. } =
            self.message;
        // A field `status` of the body takes precedence over the status of the response.
        fields.add("method", text(method));
        fields.add("path", text(path));
        if let Some(status) = status {
            fields.add("status", Value::Number(Number::Int(i64::from(*status))));
        }
        for (name, holds) in [("failed", *failed), ("truncated", *truncated)] {
            if holds {
                fields.set(name, Value::Bool(true));
            }
        }
        for (name, participant) in [("source", source), ("destination", destination), ("service", service)] {
            fields.set(name, text(participant));
        }
        fields.set("exchange", Value::Number(Number::Int(i64::try_from(*exchange).unwrap_or(i64::MAX))));
        let of_rule = rule.map(|rule| rule.fields.as_slice()).unwrap_or_default();
        for (name, template) in common.iter().chain(of_rule) {
            if let Some(value) = template.value(self) {
                fields.set(name, value);
            }
        }
        fields.entries
    }
}

fn text(text: &str) -> Value<'static> {
    Value::Text(text.to_owned().into())
}

/// Fields with unique names, in the order in which the names were added. A message may have thousands of fields, so
/// the names are indexed.
#[derive(Default)]
struct FieldList {
    entries: Vec<(String, Value<'static>)>,
    index: HashMap<String, usize>,
}

impl FieldList {
    /// Sets the value of a field, or adds the field.
    fn set(&mut self, name: &str, value: Value<'static>) {
        match self.index.get(name) {
            Some(at) => self.entries[*at].1 = value,
            None => self.add(name, value),
        }
    }

    /// Adds a field unless it exists.
    fn add(&mut self, name: &str, value: Value<'static>) {
        if !self.index.contains_key(name) {
            self.index.insert(name.to_owned(), self.entries.len());
            self.entries.push((name.to_owned(), value));
        }
    }
}

#[cfg(test)]
mod tests;
