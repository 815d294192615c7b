// SPDX-License-Identifier: MIT OR Apache-2.0
//! WS-BPEL 2.0: what a process receives, sends and replies. Partner links are the participants; data is what messages are
//! cut into where the process says so, for their types are in other documents.

use std::collections::HashMap;

use gnomon_trace::message::Element;

use crate::Data;
use crate::collect::{Collected, Found};
use crate::places::Places;
use crate::shape::Member;
use crate::wsdl::{documentation, local};

pub(crate) fn read(root: &Element<'_>, places: &Places<'_>) -> Collected {
    let process = root.attribute("name").unwrap_or("process").to_owned();
    let mut reader = Reader { places, process, variables: HashMap::new(), collected: Collected::default() };
    let mut pending = vec![root];
    // Variables first: an activity may stand before the scope's own in the walk, but never before its declaration.
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
    reader.collected
}

struct Reader<'t> {
    places: &'t Places<'t>,
    process: String,
    /// The elements that variables hold, by name.
    variables: HashMap<String, String>,
    collected: Collected,
}

impl Reader<'_> {
    fn activity(&mut self, element: &Element<'_>) {
        let kind = element.local();
        if !matches!(kind, "receive" | "onMessage" | "onEvent" | "reply" | "invoke") {
            return;
        }
        let place = self.places.of(element);
        let (Some(link), Some(operation)) = (element.attribute("partnerLink"), element.attribute("operation")) else {
            return self
                .collected
                .note(place, format!("`{kind}` without `partnerLink` and `operation` is passed over"));
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

    /// Adds a message; the element that its variable holds is what it is called on the wire.
    fn add(
        &mut self,
        name: String,
        participants: (String, String),
        element: &Element<'_>,
        variable: Option<&str>,
        members: Vec<Member>,
    ) {
        let place = self.places.of(element);
        let on_wire = variable.and_then(|variable| self.variables.get(variable)).cloned();
        let text = documentation(element).or_else(|| element.attribute("name").map(str::to_owned));
        let (name, participants) = (on_wire.unwrap_or(name), Some(participants));
        self.collected.add(Found { name, members, participants, text, place });
    }
}

/// The parts that a message is put together from, or cut into.
fn parts(element: &Element<'_>, list: &str) -> Vec<Member> {
    let parts = element.named(list).flat_map(Element::elements).filter_map(|part| part.attribute("part"));
    parts.map(|part| Member::leaf(part, Data::Any, true)).collect()
}
