// SPDX-License-Identifier: MIT OR Apache-2.0
//! SOAP 1.1 and 1.2: the message is the content of the envelope's body. An XML document without an envelope is itself
//! a message.

use std::borrow::Cow;
use std::collections::HashMap;

use gnomon_core::value::Value;
use gnomon_scan::xml::{XmlElement, declares, without_prefix};
use gnomon_scan::{Code, Fault, TraceError};

use crate::adapter::ParseData;
use crate::query::{Query, TEXT};

/// A SOAP message.
#[derive(Clone, Debug)]
pub struct SoapMessage<'a> {
    root: XmlElement<'a>,
}

/// The content of an envelope.
struct SoapPayload<'s, 'a> {
    element: &'s XmlElement<'a>,
    /// The element that describes the error, if the content is a fault and has one.
    detail: Option<&'s XmlElement<'a>>,
}

impl<'a> SoapMessage<'a> {
    /// Parses an envelope.
    pub fn parse(text: &'a str) -> Result<SoapMessage<'a>, TraceError> {
        SoapMessage::read(text).map_err(|fault| fault.in_text("message", text))
    }

    /// Parses an envelope; a fault has its offset in the text.
    pub fn read(text: &'a str) -> Result<SoapMessage<'a>, Fault> {
        let root = XmlElement::read(text)?;
        if root.local() == "Envelope" {
            let Some(body) = root.named("Body").next() else {
                return Err(Fault::new(Code::NotAMessage, root.at, "this envelope has no body")
                    .help("a SOAP message is an `Envelope` with a `Body`"));
            };
            if body.elements().next().is_none() {
                return Err(Fault::new(Code::NotAMessage, body.at, "the envelope's body is empty")
                    .help("nothing in it gives the message's name: leave it out of the trace"));
            }
        }
        Ok(SoapMessage { root })
    }

    /// Returns true if there is content behind the element that is the message: a second body, or an element that is not there to be
    /// referred to (SOAP 1.1 gives those an `id`). Other readers could take it for the message.
    pub fn has_further_content(&self) -> bool {
        let mut bodies = self.root.named("Body");
        let further = bodies.next().into_iter().flat_map(|body| body.elements().skip(1));
        self.root.local() == "Envelope"
            && (further.into_iter().any(|element| element.attribute("id").is_none()) || bodies.next().is_some())
    }

    fn payload(&self) -> SoapPayload<'_, 'a> {
        let whole = SoapPayload { element: &self.root, detail: None };
        if self.root.local() != "Envelope" {
            return whole;
        }
        // SOAP 1.1 may have further elements for references behind the first; they do not name the message.
        let Some(element) = self.root.named("Body").next().and_then(|body| body.elements().next()) else {
            return whole;
        };
        let is_detail = |element: &&XmlElement<'_>| matches!(element.local(), "detail" | "Detail");
        let detail = element.elements().find(is_detail).filter(|_| element.local() == "Fault");
        SoapPayload { element, detail: detail.and_then(|detail| detail.elements().next()) }
    }

    fn all_fields(&self) -> Value<'_> {
        Value::Map(self.fields(&|_| true))
    }
}

impl ParseData for SoapMessage<'_> {
    fn name(&self) -> Option<Cow<'_, str>> {
        let SoapPayload { element, detail } = self.payload();
        Some(Cow::Borrowed(detail.unwrap_or(element).local()))
    }

    fn query(&self, query: &Query) -> Option<Value<'_>> {
        if query.absolute {
            let root = Value::Map(vec![(Cow::Borrowed(self.root.local()), value(&self.root))]);
            return query.find(&root);
        }
        query.find(&self.all_fields())
    }

    fn fields(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<(Cow<'_, str>, Value<'_>)> {
        let SoapPayload { element, detail } = self.payload();
        let Some(detail) = detail else { return members(element, wanted) };
        // Fields of the error first, then those of every fault.
        let mut fields = members(detail, wanted);
        let others = members(element, &|name| wanted(name) && !matches!(name, "detail" | "Detail"));
        for (name, value) in others {
            if fields.iter().all(|(known, _)| *known != name) {
                fields.push((name, value));
            }
        }
        fields
    }
}

/// Converts an element: null if `xsi:nil`, a scalar if it only has text, otherwise a map.
fn value<'s>(element: &'s XmlElement<'_>) -> Value<'s> {
    if is_nil(element) {
        return Value::Null;
    }
    let has_members = element.elements().next().is_some() || attributes(element).next().is_some();
    if has_members { Value::Map(members(element, &|_| true)) } else { Value::from_cell(element.text()) }
}

/// Returns attributes, elements and text of an element by name; elements with the same name become a list.
fn members<'s>(element: &'s XmlElement<'_>, wanted: &dyn Fn(&str) -> bool) -> Vec<(Cow<'s, str>, Value<'s>)> {
    let mut members: Vec<(Cow<'_, str>, Value<'_>)> = Vec::new();
    if is_nil(element) {
        return members;
    }
    for (name, text) in attributes(element) {
        let name = format!("@{}", without_prefix(name));
        if wanted(&name) {
            members.push((Cow::Owned(name), Value::from_cell(Cow::Borrowed(text))));
        }
    }
    let mut places: HashMap<&str, (usize, bool)> = HashMap::new();
    for child in element.elements().filter(|child| wanted(child.local())) {
        let value = value(child);
        let (location, is_list) = places.entry(child.local()).or_insert((members.len(), false));
        match members.get_mut(*location) {
            None => members.push((Cow::Borrowed(child.local()), value)),
            Some((_, Value::List(items))) if *is_list => items.push(value),
            Some((_, only)) => {
                *is_list = true;
                let first = std::mem::replace(only, Value::Null);
                *only = Value::List(vec![first, value]);
            }
        }
    }
    let text = element.text();
    if !text.is_empty() && wanted(TEXT) {
        members.push((Cow::Borrowed(TEXT), Value::from_cell(text)));
    }
    members
}

/// Returns the attributes with data: without namespace declarations and schema attributes.
fn attributes<'s>(element: &'s XmlElement<'_>) -> impl Iterator<Item = (&'s str, &'s str)> {
    let own = element.attributes.iter().map(|(name, value)| (name.as_ref(), value.as_ref()));
    own.filter(|(name, _)| !declares(name) && !of_schema(name))
}

/// Returns true for schema attributes such as `xsi:nil`. Other uses of these names with a prefix do not occur.
fn of_schema(name: &str) -> bool {
    const NAMES: [&str; 4] = ["nil", "type", "schemaLocation", "noNamespaceSchemaLocation"];
    name.split_once(':').is_some_and(|(_, local)| NAMES.contains(&local))
}

fn is_nil(element: &XmlElement<'_>) -> bool {
    let nil = |name: &str, value: &str| of_schema(name) && name.ends_with(":nil") && matches!(value, "true" | "1");
    element.attributes.iter().any(|(name, value)| nil(name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(version: &str, body: &str) -> String {
        let namespace = match version {
            "1.1" => "http://schemas.xmlsoap.org/soap/envelope/",
            _ => "http://www.w3.org/2003/05/soap-envelope",
        };
        format!(
            "<?xml version='1.0'?><env:Envelope xmlns:env='{namespace}'><env:Header/><env:Body>{body}</env:Body></env:Envelope>"
        )
    }

    fn shown(text: &str) -> String {
        let soap = match SoapMessage::parse(text) {
            Ok(soap) => soap,
            Err(error) => return format!("{} {}:{}", error.code(), error.line(), error.column()),
        };
        let fields = soap.fields(&|_| true);
        let fields: Vec<String> = fields.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{}({})", soap.name().unwrap_or_default(), fields.join(", "))
    }

    #[test]
    fn bodies_of_both_versions() {
        for version in ["1.1", "1.2"] {
            for (body, expected) in [
                ("<p:getProduct xmlns:p='urn:p'/>", "getProduct()"),
                (
                    "<p:getProduct xmlns:p='urn:p'><user><first>Ann</first><age>7</age></user><key>a</key><key>2</key></p:getProduct>",
                    "getProduct(user={\"first\": \"Ann\", \"age\": 7}, key=[\"a\", 2])",
                ),
                ("<price currency='EUR' m:rate='1.5'>3.20</price>", "price(@currency=\"EUR\", @rate=1.5, #text=3.2)"),
                (
                    "<a xmlns:xsi='u'><b xsi:nil='true'/><c xsi:nil='1' d='2'/><e xsi:type='xs:int'>4</e><f nil='true'/></a>",
                    "a(b=null, c=null, e=4, f={\"@nil\": true})",
                ),
                ("<a><l><i>1</i></l><l/><l>x</l></a>", "a(l=[{\"i\": 1}, \"\", \"x\"])"),
                ("<first><x>1</x></first><multiRef id='1'/>", "first(x=1)"),
            ] {
                assert_eq!(shown(&envelope(version, body)), expected, "{version} {body}");
            }
        }
        assert_eq!(shown("<order id='3'><n>1</n></order>"), "order(@id=3, n=1)");
    }

    #[test]
    fn faults_are_named_by_their_detail() {
        let plain = "<env:Fault><faultcode>env:Server</faultcode><faultstring>no</faultstring></env:Fault>";
        assert_eq!(shown(&envelope("1.1", plain)), "Fault(faultcode=\"env:Server\", faultstring=\"no\")");
        let detailed = "<env:Fault><faultcode>env:Server</faultcode><detail><p:NoProduct><code>7</code></p:NoProduct></detail></env:Fault>";
        assert_eq!(shown(&envelope("1.1", detailed)), "NoProduct(code=7, faultcode=\"env:Server\")");
        let newer = "<env:Fault><env:Code><env:Value>env:Sender</env:Value></env:Code>\
                     <env:Reason><env:Text xml:lang='en'>no</env:Text></env:Reason>\
                     <env:Detail><p:NoProduct><code>7</code></p:NoProduct></env:Detail></env:Fault>";
        assert_eq!(
            shown(&envelope("1.2", newer)),
            "NoProduct(code=7, Code={\"Value\": \"env:Sender\"}, Reason={\"Text\": {\"@lang\": \"en\", \"#text\": \"no\"}})"
        );
        assert_eq!(shown(&envelope("1.2", "<Fault><Detail/></Fault>")), "Fault(Detail=\"\")");
    }

    #[test]
    fn content_behind_the_message_is_noticed() {
        for (body, expected) in [
            ("<a><b/><b/></a>", false),
            ("<a/><multiRef id='1'/><multiRef id='2'/>", false),
            ("<a/><b/>", true),
            ("<a/></env:Body><env:Body><b/>", true),
        ] {
            for version in ["1.1", "1.2"] {
                let text = envelope(version, body);
                assert_eq!(SoapMessage::parse(&text).unwrap().has_further_content(), expected, "{body}");
            }
        }
        assert!(!SoapMessage::parse("<a><Body/><Body/></a>").unwrap().has_further_content(), "it has no envelope");
    }

    #[test]
    fn what_is_no_message() {
        for (text, expected) in [
            ("<Envelope/>", "G0721 1:1"),
            ("<Envelope>\n<Body> </Body></Envelope>", "G0721 2:1"),
            ("<Envelope><Body><a></Body></Envelope>", "G0520 1:20"),
            ("<!DOCTYPE x [<!ENTITY a 'b'>]><Envelope><Body>&a;</Body></Envelope>", "G0521 1:1"),
            ("{}", "G0520 1:1"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn only_wanted_fields_are_made() {
        let text = envelope("1.1", "<a><b>1</b><c>2</c><b>3</b></a>");
        let soap = SoapMessage::parse(&text).unwrap();
        assert_eq!(soap.fields(&|name| name == "b").len(), 1);
        let found = |query: &str| soap.query(&Query::parse(query).unwrap()).map(|value| value.to_string());
        assert_eq!(found("b[2]").as_deref(), Some("3"));
        assert_eq!(found("/Envelope/Body/a/c").as_deref(), Some("2"));
        assert_eq!(found("//env:c").as_deref(), Some("2"));
        assert_eq!(found("a/b"), None);
    }
}
