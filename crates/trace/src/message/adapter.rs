// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a foreign message to a name, fields and participants, by queries.

use std::borrow::Cow;

use gnomon_core::value::Value;

use super::query::Query;
use crate::context::no_name;
use crate::error::{Fault, TraceError};
use crate::reader::Place;

/// A message that can be asked for data, whatever it is written in: the interface `IParseData` of RV4WS.
pub trait ParseData {
    /// What the message is called by itself; `None` if it has nothing that is a name.
    fn name(&self) -> Option<Cow<'_, str>>;

    /// What a query finds. One that begins with `/` begins at the outermost part of the message, another at its fields.
    fn query(&self, query: &Query) -> Option<Value<'_>>;

    /// Those fields whose names are wanted, in their order.
    fn fields(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<(Cow<'_, str>, Value<'_>)>;
}

/// The queries by which a message becomes an event. Without any, it is what it says itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Adapter {
    /// Finds the name; where it finds none, the message's own counts.
    pub name: Option<Query>,
    /// Fields beyond those that the message has, or in their place.
    pub fields: Vec<FieldQuery>,
    /// Finds who sent it.
    pub source: Option<Query>,
    /// Finds who gets it.
    pub destination: Option<Query>,
    /// Finds the service it belongs to.
    pub service: Option<Query>,
}

/// A field that is found by a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldQuery {
    /// The messages that have it, by their name; `None`: all.
    pub message: Option<String>,
    /// The field's name.
    pub field: String,
    /// Finds its value; where it finds nothing there is no such field.
    pub query: Query,
}

/// What a message is to a property.
#[derive(Clone, PartialEq, Debug)]
pub struct Message {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<(String, Value<'static>)>,
    /// Who sent it.
    pub source: Option<String>,
    /// Who gets it.
    pub destination: Option<String>,
    /// The service it belongs to.
    pub service: Option<String>,
}

impl Adapter {
    /// Asks a message for everything.
    pub fn message(&self, data: &dyn ParseData) -> Result<Message, TraceError> {
        let name = self.name(data).map_err(|fault| TraceError::new("message", Place::START, fault))?.into_owned();
        let fields = self.fields(&name, data, &|_| true);
        let [source, destination, service] = [&self.source, &self.destination, &self.service]
            .map(|query| query.as_ref().and_then(|query| data.query(query)).and_then(text).map(Cow::into_owned));
        let fields = fields.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        Ok(Message { name, fields, source, destination, service })
    }

    /// The name of a message.
    pub(super) fn name<'d>(&self, data: &'d dyn ParseData) -> Result<Cow<'d, str>, Fault> {
        let found = self.name.as_ref().and_then(|query| data.query(query)).and_then(text);
        let name = found.or_else(|| data.name()).filter(|name| !name.is_empty());
        name.ok_or_else(|| no_name(0).help("say where the name stands, or leave the message out"))
    }

    /// The wanted fields of a message of this name.
    pub(super) fn fields<'d>(
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

    /// The participants that queries find, with the names of their fields.
    pub(super) fn participants<'d>(
        &'d self,
        data: &'d dyn ParseData,
    ) -> impl Iterator<Item = (&'static str, Value<'d>)> + 'd {
        let queries = [("source", &self.source), ("destination", &self.destination), ("service", &self.service)];
        queries.into_iter().filter_map(|(field, query)| Some((field, data.query(query.as_ref()?)?)))
    }
}

/// A value that can be a name.
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
    use crate::message::{Json, Soap};

    fn query(text: &str) -> Query {
        Query::parse(text).unwrap()
    }

    fn shown(message: &Message) -> String {
        let fields: Vec<String> = message.fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let Message { name, source, destination, service, .. } = message;
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
        let json =
            Json::parse(r#"{"type": "x", "head": {"action": "pay", "id": 7, "from": 3}, "n": 1, "a": {"n": 2}}"#);
        assert_eq!(
            shown(&adapter.message(&json.unwrap()).unwrap()),
            r#"pay(type="x", head={"action": "pay", "id": 7, "from": 3}, n=[1, 2], a={"n": 2}, id=7) Some("3") None None"#
        );
        let json = Json::parse(r#"{"type": "show", "n": 1}"#).unwrap();
        assert_eq!(shown(&adapter.message(&json).unwrap()), r#"show(type="show", n=1, m=1) None None None"#);
        let error = adapter.message(&Json::parse("{}").unwrap()).unwrap_err();
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
        let message = adapter.message(&Soap::parse(text).unwrap()).unwrap();
        assert_eq!(shown(&message), "urn:pay(n=3) None Some(\"shop\") None");
    }
}
