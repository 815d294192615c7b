// SPDX-License-Identifier: MIT OR Apache-2.0
//! WSDL 1.1: the messages of the operations of port types, under the names that they have on the wire.

mod schema;

use std::collections::HashMap;

use gnomon_message::XmlElement;
use gnomon_scan::Location;

use crate::collect::{Collector, MessageDescription};
use crate::shape::SchemaMember;
use schema::Schemas;

const CLIENT: &str = "client";

pub(crate) fn read(root: &XmlElement<'_>) -> Collector {
    let mut collector = Collector::default();
    for import in root.named("import") {
        if let Some(location) = import.attribute("location") {
            let note = format!("`{location}` is another document, which is not read");
            collector.note(import.location, note);
        }
    }
    let schemas = Schemas::of(root, &mut collector);
    let messages = root.named("message").filter_map(|message| Some((message.attribute("name")?, message))).collect();
    let services = services(root);
    let mut reader = Reader { schemas, messages, collector };
    for port_type in root.named("portType") {
        let name = port_type.attribute("name").unwrap_or("service");
        let service = services.get(name).copied().unwrap_or(name);
        for operation in port_type.named("operation") {
            reader.operation(operation, service);
        }
    }
    reader.collector
}

/// Returns the service that offers each port type, by the bindings between them.
fn services<'a>(root: &'a XmlElement<'_>) -> HashMap<&'a str, &'a str> {
    let mut types = HashMap::new();
    for binding in root.named("binding") {
        if let (Some(name), Some(of)) = (binding.attribute("name"), binding.attribute("type")) {
            types.insert(name, local(of));
        }
    }
    let mut services = HashMap::new();
    for service in root.named("service") {
        let bindings = service.named("port").filter_map(|port| port.attribute("binding")).map(local);
        for port_type in bindings.filter_map(|binding| types.get(binding)) {
            if let Some(name) = service.attribute("name") {
                services.entry(*port_type).or_insert(name);
            }
        }
    }
    services
}

struct Reader<'r, 'a> {
    schemas: Schemas<'r, 'a>,
    messages: HashMap<&'r str, &'r XmlElement<'a>>,
    collector: Collector,
}

impl<'r, 'a> Reader<'r, 'a> {
    fn operation(&mut self, operation: &'r XmlElement<'a>, service: &str) {
        let name = operation.attribute("name").unwrap_or_default();
        let description = documentation(operation);
        // The first message determines who begins: a service may also notify or ask its client.
        let first = operation.elements().find(|part| matches!(part.local(), "input" | "output"));
        let begins = first.is_none_or(|first| first.local() == "input");
        for part in operation.elements() {
            let (to_service, is_second) = match part.local() {
                "input" => (true, !begins),
                "output" => (false, begins),
                "fault" => (!begins, true),
                _ => continue,
            };
            let client = CLIENT.to_owned();
            let participants = if to_service { (client, service.to_owned()) } else { (service.to_owned(), client) };
            let fallback = match part.local() {
                "fault" => part.attribute("name").unwrap_or("Fault").to_owned(),
                _ if is_second => format!("{name}Response"),
                _ => name.to_owned(),
            };
            let location = part.location;
            let text = documentation(part).or_else(|| if is_second { None } else { description.clone() });
            let Some((name, members)) = self.message(part, fallback, location) else { continue };
            self.collector.add(MessageDescription { name, members, participants: Some(participants), text, location });
        }
    }

    /// Returns the name of a message on the wire and its members: those of its element or, if it has none, the name of the operation
    /// and the parts of the message.
    fn message(
        &mut self,
        part: &'r XmlElement<'a>,
        fallback: String,
        location: Location,
    ) -> Option<(String, Vec<SchemaMember>)> {
        let name = part.attribute("message").unwrap_or_default();
        let Some(message) = self.messages.get(local(name)).copied() else {
            self.collector.note(location, format!("the document has no message `{name}`"));
            return None;
        };
        let mut elements = message.named("part").filter(|part| part.attribute("element").is_some());
        if let Some(of) = elements.next().and_then(|part| part.attribute("element")) {
            if elements.next().is_some() {
                let note = format!("`{name}` has several elements: the first names the message");
                self.collector.note(message.location, note);
            }
            let members = self.schemas.members_of_element(of, location, &mut self.collector);
            return Some((local(of).to_owned(), members));
        }
        let mut members = Vec::new();
        for part in message.named("part") {
            if let (Some(name), Some(of)) = (part.attribute("name"), part.attribute("type")) {
                let shape = self.schemas.shape_of_type(of);
                members.push(SchemaMember { name: name.to_owned(), shape, required: true });
            }
        }
        Some((fallback, members))
    }
}

/// Returns a name without the prefix of its namespace.
pub(crate) fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// Returns the documentation of an element.
pub(crate) fn documentation(element: &XmlElement<'_>) -> Option<String> {
    let text = element.named("documentation").next().map(|text| text.text().into_owned());
    text.filter(|text| !text.is_empty())
}
