// SPDX-License-Identifier: MIT OR Apache-2.0
//! SOAP messages with a name and text fields.

use gnomon_core::escape;
use gnomon_core::value::Value;
use gnomon_message::{AdaptedMessage, Adapter, SoapMessage};

/// A message to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Envelope {
    body: String,
    /// True if it is a fault.
    pub(crate) is_fault: bool,
}

impl Envelope {
    /// Creates a message with these fields.
    pub(crate) fn new(name: &str, fields: &[(&str, &str)]) -> Envelope {
        let fields: String = fields.iter().map(|(name, text)| leaf(name, text)).collect();
        Envelope { body: element(name, &fields), is_fault: false }
    }

    /// Adds an element, given as XML by [`element`], [`leaf`] or [`nil`].
    pub(crate) fn with(mut self, element: &str) -> Envelope {
        let end = self.body.rfind("</").unwrap_or(self.body.len());
        self.body.insert_str(end, element);
        self
    }

    /// Turns the message into the detail of a fault.
    pub(crate) fn into_fault(self, reason: &str) -> Envelope {
        let reason = leaf("faultstring", reason);
        let body =
            format!("<s:Fault><faultcode>s:Server</faultcode>{reason}{}</s:Fault>", element("detail", &self.body));
        Envelope { body, is_fault: true }
    }

    /// Returns the XML text.
    pub(crate) fn text(&self) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\
             <s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\" \
             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><s:Body>{}</s:Body></s:Envelope>",
            self.body
        )
    }
}

/// Writes an element that contains a text.
pub(crate) fn leaf(name: &str, text: &str) -> String {
    element(name, &escape::xml(text))
}

/// Writes an element without a value.
pub(crate) fn nil(name: &str) -> String {
    format!("<{name} xsi:nil=\"true\"/>")
}

/// Writes an element that contains other elements.
pub(crate) fn element(name: &str, content: &str) -> String {
    format!("<{name}>{content}</{name}>")
}

/// Reads an envelope; the error is a message for the user.
pub(crate) fn read(text: &str) -> Result<AdaptedMessage, String> {
    let soap = SoapMessage::parse(text).map_err(|error| error.to_string())?;
    Adapter::default().message(&soap).map_err(|error| error.to_string())
}

/// Returns the text of a field, empty if there is none. A path such as `item/price` selects a nested field.
pub(crate) fn field(message: &AdaptedMessage, path: &str) -> String {
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
    fn messages_are_read_as_written() {
        let envelope = Envelope::new("GetProductResponse", &[("userid", "a<b&c")])
            .with(&element("productOut", &format!("{}{}", nil("EmptyResponseProduct"), leaf("price", "3.5"))));
        let message = read(&envelope.text()).unwrap();
        assert_eq!(message.name, "GetProductResponse");
        assert_eq!(field(&message, "userid"), "a<b&c");
        assert_eq!(field(&message, "productOut/price"), "3.5");
        assert_eq!(message.fields[1].1.step("EmptyResponseProduct"), Some(&Value::Null));
    }

    #[test]
    fn a_fault_has_the_name_of_its_detail() {
        let fault = Envelope::new("ProviderFault", &[("userid", "ann")]).into_fault("nobody sells this");
        let message = read(&fault.text()).unwrap();
        assert_eq!((message.name.as_str(), field(&message, "userid").as_str()), ("ProviderFault", "ann"));
        assert!(read("<a>").is_err());
    }
}
