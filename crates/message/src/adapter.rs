// SPDX-License-Identifier: MIT OR Apache-2.0
//! Adapters: convert a foreign message to a name, fields and participants with queries.

use std::borrow::Cow;

use gnomon_core::value::Value;
use gnomon_scan::{Fault, TraceError};

use crate::query::Query;

/// A message that can be queried, whatever its encoding: the interface `IParseData` of RV4WS.
pub trait ParseData {
    /// Returns the message's own name; `None` if no part of it is a name.
    fn name(&self) -> Option<Cow<'_, str>>;

    /// Evaluates a query. One that begins with `/` starts at the outermost part of the message, any other at its
    /// fields.
    fn query(&self, query: &Query) -> Option<Value<'_>>;

    /// Returns the wanted fields in order.
    fn fields(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<(Cow<'_, str>, Value<'_>)>;
}

/// The queries that convert a message to an event. Without queries, the message's own name and fields are used.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Adapter {
    /// Query for the name; without a result, the message's own name is used.
    pub name: Option<Query>,
    /// Additional or replaced fields.
    pub fields: Vec<FieldQuery>,
    /// Query for the sender.
    pub source: Option<Query>,
    /// Query for the receiver.
    pub destination: Option<Query>,
    /// Query for the service.
    pub service: Option<Query>,
}

/// A field that a query yields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldQuery {
    /// Name of the messages that have it; `None`: all.
    pub message: Option<String>,
    /// Name of the field.
    pub field: String,
    /// Query for the value; without a result, the field is omitted.
    pub query: Query,
}

/// A message after conversion.
#[derive(Clone, PartialEq, Debug)]
pub struct AdaptedMessage {
    /// Name of the message.
    pub name: String,
    /// Fields of the message.
    pub fields: Vec<(String, Value<'static>)>,
    /// Sender of the message.
    pub source: Option<String>,
    /// Receiver of the message.
    pub destination: Option<String>,
    /// Service of the message.
    pub service: Option<String>,
}

impl Adapter {
    /// Converts a message.
    pub fn message(&self, data: &dyn ParseData) -> Result<AdaptedMessage, TraceError> {
        let name = self.name(data).map_err(|fault| fault.in_text("message", ""))?.into_owned();
        let fields = self.fields(&name, data, &|_| true);
        let [source, destination, service] = [&self.source, &self.destination, &self.service]
            .map(|query| query.as_ref().and_then(|query| data.query(query)).and_then(text).map(Cow::into_owned));
        let fields = fields.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        Ok(AdaptedMessage { name, fields, source, destination, service })
    }

    /// Returns the name of a message.
    pub fn name<'d>(&self, data: &'d dyn ParseData) -> Result<Cow<'d, str>, Fault> {
        let found = self.name.as_ref().and_then(|query| data.query(query)).and_then(text);
        let name = found.or_else(|| data.name()).filter(|name| !name.is_empty());
        name.ok_or_else(|| Fault::no_name(0).help("state where the name is, or leave the message out"))
    }

    /// Returns the wanted fields of a message with this name.
    pub fn fields<'d>(
        &'d self,
        name: &str,
        data: &'d dyn ParseData,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Vec<(Cow<'d, str>, Value<'d>)> {
        let mut fields = data.fields(wanted);
        let of_this = |query: &&FieldQuery| query.message.as_deref().is_none_or(|message| message == name);
        for FieldQuery { field, query, .. } in self.fields.iter().filter(of_this).filter(|query| wanted(&query.field)) {
            let Some(value) = data.query(query) else { continue };
            match fields.iter_mut().find(|(known, _)| known == field) {
                Some(known) => known.1 = value,
                None => fields.push((Cow::Borrowed(field), value)),
            }
        }
        fields
    }

    /// Returns the participants that the queries find, with the names of their fields.
    pub fn participants<'d>(&'d self, data: &'d dyn ParseData) -> impl Iterator<Item = (&'static str, Value<'d>)> + 'd {
        let queries = [("source", &self.source), ("destination", &self.destination), ("service", &self.service)];
        queries.into_iter().filter_map(|(field, query)| Some((field, data.query(query.as_ref()?)?)))
    }
}

/// Returns a value as text if it can be a name.
fn text(value: Value<'_>) -> Option<Cow<'_, str>> {
    match value {
        Value::Text(text) => Some(text),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        Value::Bool(value) => Some(Cow::Owned(value.to_string())),
        Value::Null | Value::List(_) | Value::Map(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JsonMessage, SoapMessage};

    fn query(text: &str) -> Query {
        Query::parse(text).unwrap()
    }

    fn shown(message: &AdaptedMessage) -> String {
        let fields: Vec<String> = message.fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let AdaptedMessage { name, source, destination, service, .. } = message;
        format!("{name}({}) {source:?} {destination:?} {service:?}", fields.join(", "))
    }

    #[test]
    fn queries_name_and_add() {
        let adapter = Adapter {
            name: Some(query("head/action")),
            fields: vec![
                FieldQuery { message: None, field: "id".to_owned(), query: query("head/id") },
                FieldQuery { message: Some("pay".to_owned()), field: "n".to_owned(), query: query("//n") },
                FieldQuery { message: Some("show".to_owned()), field: "m".to_owned(), query: query("//n") },
            ],
            source: Some(query("head/from")),
            destination: None,
            service: Some(query("nothing")),
        };
        let json = JsonMessage::parse(
            r#"{"type": "x", "head": {"action": "pay", "id": 7, "from": 3}, "n": 1, "a": {"n": 2}}"#,
        );
        assert_eq!(
            shown(&adapter.message(&json.unwrap()).unwrap()),
            r#"pay(type="x", head={"action": "pay", "id": 7, "from": 3}, n=[1, 2], a={"n": 2}, id=7) Some("3") None None"#
        );
        let json = JsonMessage::parse(r#"{"type": "show", "n": 1}"#).unwrap();
        assert_eq!(shown(&adapter.message(&json).unwrap()), r#"show(type="show", n=1, m=1) None None None"#);
        let error = adapter.message(&JsonMessage::parse("{}").unwrap()).unwrap_err();
        assert_eq!(error.code(), "G0509");
    }

    #[test]
    fn headers_are_reached_from_the_outside() {
        let text = "<e:Envelope><e:Header><w:To>shop</w:To><w:Action>urn:pay</w:Action></e:Header>\
                    <e:Body><pay><n>3</n></pay></e:Body></e:Envelope>";
        let adapter = Adapter {
            name: Some(query("/Envelope/Header/Action")),
            destination: Some(query("//To")),
            ..Adapter::default()
        };
        let message = adapter.message(&SoapMessage::parse(text).unwrap()).unwrap();
        assert_eq!(shown(&message), "urn:pay(n=3) None Some(\"shop\") None");
    }
}
