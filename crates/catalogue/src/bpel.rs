// SPDX-License-Identifier: MIT OR Apache-2.0
//! WS-BPEL 2.0: the messages that a process receives and sends. Partner links are the participants. The types of messages are in
//! other documents, so the only data known are the parts that the process names.

use std::collections::HashMap;

use gnomon_message::XmlElement;

use crate::DataType;
use crate::collect::{Collector, MessageDescription};
use crate::shape::SchemaMember;
use crate::wsdl::{documentation, local};

pub(crate) fn read(root: &XmlElement<'_>) -> Collector {
    let process = root.attribute("name").unwrap_or("process").to_owned();
    let mut reader = Reader { process, variables: HashMap::new(), collector: Collector::default() };
    let mut pending = vec![root];
    // All variables are collected before the first activity is read.
    let mut activities = Vec::new();
    while let Some(element) = pending.pop() {
        if element.local() == "variable"
            && let (Some(name), Some(of)) = (element.attribute("name"), element.attribute("element"))
        {
            reader.variables.insert(name.to_owned(), local(of).to_owned());
        }
        activities.push(element);
        pending.extend(element.elements().collect::<Vec<_>>().into_iter().rev());
    }
    for element in activities {
        reader.activity(element);
    }
    reader.collector
}

struct Reader {
    process: String,
    /// The elements that variables hold, by name.
    variables: HashMap<String, String>,
    collector: Collector,
}

impl Reader {
    fn activity(&mut self, element: &XmlElement<'_>) {
        let kind = element.local();
        if !matches!(kind, "receive" | "onMessage" | "onEvent" | "reply" | "invoke") {
            return;
        }
        let location = element.location;
        let (Some(link), Some(operation)) = (element.attribute("partnerLink"), element.attribute("operation")) else {
            return self.collector.note(location, format!("`{kind}` without `partnerLink` and `operation` is skipped"));
        };
        let to_process = (link.to_owned(), self.process.clone());
        let to_partner = (self.process.clone(), link.to_owned());
        let response = || format!("{operation}Response");
        let variable = element.attribute("variable");
        let (sent, received) = (parts(element, "toParts"), parts(element, "fromParts"));
        match kind {
            "reply" => {
                let fault = element.attribute("faultName").map(|name| local(name).to_owned());
                self.add(fault.unwrap_or_else(response), to_partner, element, variable, sent);
            }
            "invoke" => {
                self.add(operation.to_owned(), to_partner, element, element.attribute("inputVariable"), sent);
                let output = element.attribute("outputVariable");
                if output.is_some() || !received.is_empty() {
                    self.add(response(), to_process, element, output, received);
                }
            }
            _ => {
                let name = element.attribute("element").map_or(operation, local).to_owned();
                self.add(name, to_process, element, variable, received);
            }
        }
    }

    /// Adds a message. Its name on the wire is the element that its variable holds.
    fn add(
        &mut self,
        name: String,
        participants: (String, String),
        element: &XmlElement<'_>,
        variable: Option<&str>,
        members: Vec<SchemaMember>,
    ) {
        let location = element.location;
        let on_wire = variable.and_then(|variable| self.variables.get(variable)).cloned();
        let text = documentation(element).or_else(|| element.attribute("name").map(str::to_owned));
        let (name, participants) = (on_wire.unwrap_or(name), Some(participants));
        self.collector.add(MessageDescription { name, members, participants, text, location });
    }
}

/// Returns the parts that a message is composed of or decomposed into.
fn parts(element: &XmlElement<'_>, list: &str) -> Vec<SchemaMember> {
    let parts = element.named(list).flat_map(XmlElement::elements).filter_map(|part| part.attribute("part"));
    parts.map(|part| SchemaMember::leaf(part, DataType::Any, true)).collect()
}
