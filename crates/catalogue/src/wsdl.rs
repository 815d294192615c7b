// SPDX-License-Identifier: MIT OR Apache-2.0
//! WSDL 1.1: what the operations of port types take and give, under the names that messages have on the wire.

mod schema;

use std::collections::HashMap;

use gnomon_trace::Place;
use gnomon_trace::message::Element;

use crate::collect::{Collected, Found};
use crate::places::Places;
use crate::shape::Member;
use schema::Schemas;

const CLIENT: &str = "client";

pub(crate) fn read<'r>(root: &'r Element<'_>, places: &'r Places<'r>) -> Collected {
    let mut collected = Collected::default();
    for import in root.named("import") {
        if let Some(location) = import.attribute("location") {
            let note = format!("`{location}` is another document, which is not read");
            collected.note(places.of(import), note);
        }
    }
    let schemas = Schemas::of(root, places, &mut collected);
    let messages = root.named("message").filter_map(|message| Some((message.attribute("name")?, message))).collect();
    let services = services(root);
    let mut reader = Reader { places, schemas, messages, collected };
    for port_type in root.named("portType") {
        let name = port_type.attribute("name").unwrap_or("service");
        let service = services.get(name).copied().unwrap_or(name);
        for operation in port_type.named("operation") {
            reader.operation(operation, service);
        }
    }
    reader.collected
}

/// The service that offers a port type, by the binding between them.
fn services<'a>(root: &'a Element<'_>) -> HashMap<&'a str, &'a str> {
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
    places: &'r Places<'r>,
    schemas: Schemas<'r, 'a>,
    messages: HashMap<&'r str, &'r Element<'a>>,
    collected: Collected,
}

impl<'r, 'a> Reader<'r, 'a> {
    fn operation(&mut self, operation: &'r Element<'a>, service: &str) {
        let name = operation.attribute("name").unwrap_or_default();
        let said = documentation(operation);
        // What comes first says who begins: a service may notify and ask as well.
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
            let ends = if to_service { (client, service.to_owned()) } else { (service.to_owned(), client) };
            let fallback = match part.local() {
                "fault" => part.attribute("name").unwrap_or("Fault").to_owned(),
                _ if is_second => format!("{name}Response"),
                _ => name.to_owned(),
            };
            let place = self.places.of(part);
            let text = documentation(part).or_else(|| if is_second { None } else { said.clone() });
            let Some((name, members)) = self.message(part, fallback, place) else { continue };
            self.collected.add(Found { name, members, participants: Some(ends), text, place });
        }
    }

    /// The name of a message on the wire, and its data: those of its element, or the operation's name and the parts.
    fn message(&mut self, part: &'r Element<'a>, fallback: String, place: Place) -> Option<(String, Vec<Member>)> {
        let name = part.attribute("message").unwrap_or_default();
        let Some(message) = self.messages.get(local(name)).copied() else {
            self.collected.note(place, format!("there is no message `{name}` in the document"));
            return None;
        };
        let mut elements = message.named("part").filter(|part| part.attribute("element").is_some());
        if let Some(of) = elements.next().and_then(|part| part.attribute("element")) {
            if elements.next().is_some() {
                let note = format!("`{name}` has several elements: the first names the message");
                self.collected.note(self.places.of(message), note);
            }
            let members = self.schemas.members_of_element(of, place, &mut self.collected);
            return Some((local(of).to_owned(), members));
        }
        let mut members = Vec::new();
        for part in message.named("part") {
            if let (Some(name), Some(of)) = (part.attribute("name"), part.attribute("type")) {
                let shape = self.schemas.shape_of_type(of);
                members.push(Member { name: name.to_owned(), shape, required: true });
            }
        }
        Some((fallback, members))
    }
}

/// A name without the prefix of its namespace.
pub(crate) fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// What the document says about an element.
pub(crate) fn documentation(element: &Element<'_>) -> Option<String> {
    let text = element.named("documentation").next().map(|text| text.text().into_owned());
    text.filter(|text| !text.is_empty())
}
