// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a message that was shown to an event: a name and fields. Without any configuration a SOAP message is the event
//! that its body names, a JSON object the one it names itself, and all others are called `request` and `response`. Rules from a
//! file say otherwise. Nothing that a message contains is an error: what cannot be read is told by its head.
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

mod content;
mod fields;
mod file;
mod pattern;
mod rule;
mod template;

#[cfg(test)]
mod tests;

use gnomon_core::number::Number;
use gnomon_core::value::Value;
use gnomon_trace::message::ParseData;

use crate::tap::{Direction, Tapped};
use content::Content;
use fields::Fields;
pub use file::ConfigError;
use rule::Rule;

/// How messages become events.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Adapters {
    rules: Vec<Rule>,
}

/// What a message is to a property.
#[derive(Clone, PartialEq, Debug)]
pub struct Message {
    /// The event's name.
    pub name: String,
    /// Its fields: those of the body, those of a rule, those of the head, the participants.
    pub fields: Vec<(String, Value<'static>)>,
}

/// A message with all that a template can ask for.
struct Scene<'m> {
    tapped: &'m Tapped,
    data: Option<&'m dyn ParseData>,
    /// What the holes of the rule's path stand for.
    holes: Vec<(&'m str, String)>,
}

impl Adapters {
    /// Reads rules, in TOML.
    pub fn parse(text: &str) -> Result<Adapters, ConfigError> {
        Ok(Adapters { rules: file::rules(text)? })
    }

    /// How many rules there are.
    pub fn count(&self) -> usize {
        self.rules.len()
    }

    /// The event that a message is; `None` if a rule says that it is none.
    pub fn event(&self, tapped: &Tapped) -> Option<Message> {
        let text = (!tapped.truncated).then(|| content::text(tapped)).flatten();
        let content = text.as_deref().and_then(Content::read);
        let data = content.as_ref().map(Content::data);
        let found = self.rules.iter().find_map(|rule| Some((rule, rule.matches(tapped)?)));
        let (rule, holes) = found.map_or((None, Vec::new()), |(rule, holes)| (Some(rule), holes));
        if rule.is_some_and(|rule| rule.skip) {
            return None;
        }
        let scene = Scene { tapped, data, holes };
        Some(Message { name: scene.name(rule), fields: scene.fields(rule) })
    }
}

impl Scene<'_> {
    fn name(&self, rule: Option<&Rule>) -> String {
        let ruled = rule.and_then(|rule| rule.name.as_ref()).map(|template| template.text(self));
        let named = ruled.filter(|name| !name.is_empty());
        named.unwrap_or_else(|| self.own_name())
    }

    /// What the message is called without a rule.
    fn own_name(&self) -> String {
        let own = self.data.and_then(ParseData::name).filter(|name| !name.is_empty());
        let general = match self.tapped.direction {
            Direction::Request => "request",
            Direction::Response => "response",
        };
        own.map_or_else(|| general.to_owned(), std::borrow::Cow::into_owned)
    }

    fn fields(&self, rule: Option<&Rule>) -> Vec<(String, Value<'static>)> {
        let mut fields = Fields::default();
        if let Some(data) = self.data.filter(|_| rule.is_none_or(|rule| rule.body)) {
            for (name, value) in data.fields(&|_| true) {
                fields.set(&name, value.into_owned());
            }
        }
        for (name, text) in &self.holes {
            fields.set(name, Value::from_cell(text.clone().into()));
        }
        let Tapped { method, path, status, failed, truncated, source, destination, service, exchange, .. } =
            self.tapped;
        // What the message itself calls `status` matters more than how it was sent.
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
        for (name, template) in rule.map(|rule| rule.fields.as_slice()).unwrap_or_default() {
            if let Some(value) = template.value(self) {
                fields.set(name, value);
            }
        }
        fields.into_entries()
    }
}

fn text(text: &str) -> Value<'static> {
    Value::Text(text.to_owned().into())
}
