// SPDX-License-Identifier: MIT OR Apache-2.0
//! `AsyncAPI` 2 and 3: the messages of channels. One participant is the application that the document describes, the other is the
//! channel.

use gnomon_message::Located;

use crate::collect::{Collector, MessageDescription};
use crate::document::{Resolver, first_text, items, members, scalar_text};
use crate::shape::SchemaMember;
use crate::{CatalogueError, jsonschema};

pub(crate) fn read(root: &Located) -> Result<Collector, CatalogueError> {
    let title = root.get("info").and_then(|info| first_text(info, &["title"])).unwrap_or("application");
    let mut reader =
        Reader { resolver: Resolver::new(root), application: title.to_owned(), collector: Collector::default() };
    let is_second = root.get("asyncapi").map_or_else(String::new, scalar_text).starts_with('2');
    if root.get("channels").is_none() {
        return Err(CatalogueError::unreadable(root.location, "the document has no `channels`")
            .help("give the document that has them: references to other files are not followed"));
    }
    if is_second {
        reader.read_version_2(root);
    } else {
        reader.read_version_3(root);
    }
    Ok(reader.collector)
}

struct Reader<'d> {
    resolver: Resolver<'d>,
    application: String,
    collector: Collector,
}

/// The direction of a message on a channel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MessageDirection {
    /// The application sends it.
    Sends,
    /// The application receives it.
    Receives,
    /// The document does not say.
    Unknown,
}

impl<'d> Reader<'d> {
    /// Reads version 2. An operation says what others may do with the channel, so the application receives what is under `publish`.
    fn read_version_2(&mut self, root: &'d Located) {
        for (channel, item) in members(root, "channels") {
            let Some(item) = self.resolver.follow(item, &mut self.collector) else { continue };
            for (key, direction) in [("publish", MessageDirection::Receives), ("subscribe", MessageDirection::Sends)] {
                let Some(operation) = item.get(key) else { continue };
                let id = first_text(operation, &["operationId"]).unwrap_or(channel);
                let Some(message) = operation.get("message") else {
                    self.collector.note(operation.location, format!("`{key}` of `{channel}` has no message"));
                    continue;
                };
                let choices = Some(items(message, "oneOf")).filter(|choices| !choices.is_empty());
                let several = choices.is_some_and(|choices| choices.len() > 1);
                for (index, message) in choices.unwrap_or(std::slice::from_ref(message)).iter().enumerate() {
                    let fallback = if several { format!("{id} {}", index + 1) } else { id.to_owned() };
                    self.add_message(message, &fallback, channel, direction);
                }
            }
        }
    }

    /// Reads version 3. Operations are separate from channels and say what the application does.
    fn read_version_3(&mut self, root: &'d Located) {
        let mut used: Vec<*const Located> = Vec::new();
        for (name, operation) in members(root, "operations") {
            let Some(operation) = self.resolver.follow(operation, &mut self.collector) else { continue };
            let direction = match first_text(operation, &["action"]) {
                Some("send") => MessageDirection::Sends,
                Some("receive") => MessageDirection::Receives,
                _ => {
                    self.collector
                        .note(operation.location, format!("the operation `{name}` neither sends nor receives"));
                    MessageDirection::Unknown
                }
            };
            used.extend(self.read_operation(operation, direction));
            if let Some(reply) = self.resolver.get(operation, "reply", &mut self.collector) {
                let back = if direction == MessageDirection::Sends {
                    MessageDirection::Receives
                } else {
                    MessageDirection::Sends
                };
                used.extend(self.read_operation(reply, back));
            }
        }
        for (name, channel) in members(root, "channels") {
            let Some(channel) = self.resolver.follow(channel, &mut self.collector) else { continue };
            if !used.contains(&std::ptr::from_ref(channel)) {
                self.read_channel(channel, None, name, MessageDirection::Unknown);
            }
        }
    }

    /// Adds the messages of an operation, or of a reply to one. Returns its channel.
    fn read_operation(&mut self, part: &'d Located, direction: MessageDirection) -> Option<*const Located> {
        let reference = part.get("channel")?;
        let (channel, name) = self.resolver.follow_named(reference, &mut self.collector)?;
        self.read_channel(channel, part.get("messages"), name.as_deref().unwrap_or("channel"), direction);
        Some(std::ptr::from_ref(channel))
    }

    /// Adds the messages of a channel, or those of them that an operation uses.
    fn read_channel(
        &mut self,
        channel: &'d Located,
        chosen: Option<&'d Located>,
        name: &str,
        direction: MessageDirection,
    ) {
        let label = first_text(channel, &["address"]).unwrap_or(name);
        if let Some(chosen) = chosen {
            for message in chosen.items() {
                self.add_message(message, name, label, direction);
            }
            return;
        }
        for (key, message) in members(channel, "messages") {
            self.add_message(message, key, label, direction);
        }
    }

    /// Adds a message. Its name is its own, else that of its definition, else that of its use.
    fn add_message(&mut self, part: &'d Located, fallback: &str, channel: &str, direction: MessageDirection) {
        let Some((message, defined)) = self.resolver.follow_named(part, &mut self.collector) else { return };
        let own = first_text(message, &["name", "messageId"]);
        let name = own.map(str::to_owned).or(defined).unwrap_or_else(|| fallback.to_owned());
        let text = first_text(message, &["summary", "title", "description"]);
        let (application, channel) = (self.application.clone(), channel.to_owned());
        let participants = match direction {
            MessageDirection::Sends => Some((application, channel)),
            MessageDirection::Receives => Some((channel, application)),
            MessageDirection::Unknown => None,
        };
        let members = self.payload(message);
        let text = text.map(str::to_owned);
        self.collector.add(MessageDescription { name, members, participants, text, location: message.location });
    }

    fn payload(&mut self, message: &'d Located) -> Vec<SchemaMember> {
        let Some(payload) = message.get("payload") else { return Vec::new() };
        let format = message.get("schemaFormat").or_else(|| payload.get("schemaFormat"));
        if let Some(format) = format.filter(|format| !is_json_schema(format.text().unwrap_or_default())) {
            let text = format!("a payload in the format `{}` is skipped", scalar_text(format));
            self.collector.note(format.location, text);
            return Vec::new();
        }
        // Version 3 may keep the schema beside the name of its format.
        let schema = payload.get("schemaFormat").and(payload.get("schema")).unwrap_or(payload);
        jsonschema::message_members(&self.resolver, schema, &mut self.collector)
    }
}

fn is_json_schema(format: &str) -> bool {
    ["application/vnd.aai.asyncapi", "application/schema+json", "application/schema+yaml"]
        .iter()
        .any(|known| format.starts_with(known))
}
