// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages of the composition: a name, and fields that are texts.

use gnomon_core::value::Value;
use gnomon_trace::message::{Adapter, Message, Soap};

/// A message as it is sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Envelope {
    body: String,
    /// Whether it tells of a fault.
    pub(crate) is_fault: bool,
}

impl Envelope {
    /// A message with these fields. Elements may be given ready-made, by [`nested`] and [`nil`].
    pub(crate) fn new(name: &str, fields: &[(&str, &str)]) -> Envelope {
        let fields: String = fields.iter().map(|(name, text)| element(name, &escaped(text))).collect();
        Envelope { body: element(name, &fields), is_fault: false }
    }

    /// The same with one more element in it, which is written already.
    pub(crate) fn with(mut self, element: &str) -> Envelope {
        let end = self.body.rfind("</").unwrap_or(self.body.len());
        self.body.insert_str(end, element);
        self
    }

    /// The same as the detail of a fault.
    pub(crate) fn into_fault(self, reason: &str) -> Envelope {
        let reason = element("faultstring", &escaped(reason));
        let body =
            format!("<s:Fault><faultcode>s:Server</faultcode>{reason}{}</s:Fault>", element("detail", &self.body));
        Envelope { body, is_fault: true }
    }

    /// As it goes over the wire.
    pub(crate) fn text(&self) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\
             <s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\" \
             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><s:Body>{}</s:Body></s:Envelope>",
            self.body
        )
    }
}

/// An element with a text in it.
pub(crate) fn leaf(name: &str, text: &str) -> String {
    element(name, &escaped(text))
}

/// An element with another in it.
pub(crate) fn nested(name: &str, inner: &str) -> String {
    element(name, inner)
}

/// An element that is there and says nothing.
pub(crate) fn nil(name: &str) -> String {
    format!("<{name} xsi:nil=\"true\"/>")
}

fn element(name: &str, content: &str) -> String {
    format!("<{name}>{content}</{name}>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Reads an envelope; an error says why it is none.
pub(crate) fn read(text: &str) -> Result<Message, String> {
    let soap = Soap::parse(text).map_err(|error| error.to_string())?;
    Adapter::default().message(&soap).map_err(|error| error.to_string())
}

/// The text of a field, empty if there is none. A path walks in.
pub(crate) fn field(message: &Message, path: &str) -> String {
    let mut parts = path.split('/');
    let first = parts.next().and_then(|name| message.fields.iter().find(|(known, _)| known == name));
    let found = parts.fold(first.map(|(_, value)| value), |value, part| value.and_then(|value| value.step(part)));
    match found {
        None | Some(Value::Null) => String::new(),
        Some(Value::Text(text)) => text.to_string(),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let envelope = Envelope::new("GetProductResponse", &[("userid", "a<b&c")])
            .with(&nested("productOut", &format!("{}{}", nil("EmptyResponseProduct"), leaf("price", "3.5"))));
        let message = read(&envelope.text()).unwrap();
        assert_eq!(message.name, "GetProductResponse");
        assert_eq!(field(&message, "userid"), "a<b&c");
        assert_eq!(field(&message, "productOut/price"), "3.5");
        assert_eq!(message.fields[1].1.step("EmptyResponseProduct"), Some(&Value::Null));
    }

    #[test]
    fn faults_are_named_by_their_details() {
        let fault = Envelope::new("ProviderFault", &[("userid", "ann")]).into_fault("nobody sells this");
        let message = read(&fault.text()).unwrap();
        assert_eq!((message.name.as_str(), field(&message, "userid").as_str()), ("ProviderFault", "ann"));
        assert!(read("<a>").is_err());
    }
}
