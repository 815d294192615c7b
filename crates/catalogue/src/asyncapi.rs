// SPDX-License-Identifier: MIT OR Apache-2.0
//! `AsyncAPI` 2 and 3: the messages of channels. The application that a document describes is one participant, the channel
//! the other.

use gnomon_trace::message::Located;

use crate::CatalogueError;
use crate::collect::{Collected, Found};
use crate::document::{Linked, written};
use crate::jsonschema;
use crate::shape::Member;

pub(crate) fn read(root: &Located) -> Result<Collected, CatalogueError> {
    let title = root.get("info").and_then(|info| info.get("title")).and_then(Located::text).unwrap_or("application");
    let mut reader =
        Reader { linked: Linked::new(root), application: title.to_owned(), collected: Collected::default() };
    let is_second = root.get("asyncapi").map_or_else(String::new, written).starts_with('2');
    if root.get("channels").is_none() {
        return Err(CatalogueError::unreadable(root.place, "the document has no `channels`")
            .help("give the document that has them: references to other files are not followed"));
    }
    if is_second {
        reader.second(root);
    } else {
        reader.third(root);
    }
    Ok(reader.collected)
}

struct Reader<'d> {
    linked: Linked<'d>,
    application: String,
    collected: Collected,
}

/// Who sends a message on a channel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The application.
    Sends,
    /// Somebody else, to the application.
    Receives,
    /// The document does not say.
    Unknown,
}

impl<'d> Reader<'d> {
    /// Version 2: an operation says what others may do with the channel, so `publish` is what the application receives.
    fn second(&mut self, root: &'d Located) {
        for (channel, item) in root.get("channels").map_or(&[][..], Located::members) {
            let Some(item) = self.linked.follow(item, &mut self.collected) else { continue };
            for (key, way) in [("publish", Way::Receives), ("subscribe", Way::Sends)] {
                let Some(operation) = item.get(key) else { continue };
                let id = operation.get("operationId").and_then(Located::text).unwrap_or(channel);
                let Some(message) = operation.get("message") else {
                    self.collected.note(operation.place, format!("`{key}` of `{channel}` has no message"));
                    continue;
                };
                let choices = message.get("oneOf").map(Located::items).filter(|choices| !choices.is_empty());
                let several = choices.is_some_and(|choices| choices.len() > 1);
                for (index, message) in choices.unwrap_or(std::slice::from_ref(message)).iter().enumerate() {
                    let fallback = if several { format!("{id} {}", index + 1) } else { id.to_owned() };
                    self.message(message, &fallback, channel, way);
                }
            }
        }
    }

    /// Version 3: operations are apart from channels, and say what the application does.
    fn third(&mut self, root: &'d Located) {
        let mut used: Vec<*const Located> = Vec::new();
        for (name, operation) in root.get("operations").map_or(&[][..], Located::members) {
            let Some(operation) = self.linked.follow(operation, &mut self.collected) else { continue };
            let way = match operation.get("action").and_then(Located::text) {
                Some("send") => Way::Sends,
                Some("receive") => Way::Receives,
                _ => {
                    self.collected.note(operation.place, format!("the operation `{name}` neither sends nor receives"));
                    Way::Unknown
                }
            };
            used.extend(self.use_of_channel(operation, way));
            if let Some(reply) = self.linked.get(operation, "reply", &mut self.collected) {
                let back = if way == Way::Sends { Way::Receives } else { Way::Sends };
                used.extend(self.use_of_channel(reply, back));
            }
        }
        for (name, channel) in root.get("channels").map_or(&[][..], Located::members) {
            let Some(channel) = self.linked.follow(channel, &mut self.collected) else { continue };
            if !used.contains(&std::ptr::from_ref(channel)) {
                self.channel(channel, None, name, Way::Unknown);
            }
        }
    }

    /// The messages of an operation, or of a reply to one; and its channel.
    fn use_of_channel(&mut self, part: &'d Located, way: Way) -> Option<*const Located> {
        let reference = part.get("channel")?;
        let (channel, name) = self.linked.follow_named(reference, &mut self.collected)?;
        self.channel(channel, part.get("messages"), name.as_deref().unwrap_or("channel"), way);
        Some(std::ptr::from_ref(channel))
    }

    /// The messages of a channel, or those of them that an operation uses.
    fn channel(&mut self, channel: &'d Located, chosen: Option<&'d Located>, name: &str, way: Way) {
        let label = channel.get("address").and_then(Located::text).unwrap_or(name);
        if let Some(chosen) = chosen {
            for message in chosen.items() {
                self.message(message, name, label, way);
            }
            return;
        }
        for (key, message) in channel.get("messages").map_or(&[][..], Located::members) {
            self.message(message, key, label, way);
        }
    }

    /// A message: what it is called by itself, where it is defined, or where it is used.
    fn message(&mut self, part: &'d Located, fallback: &str, channel: &str, way: Way) {
        let Some((message, defined)) = self.linked.follow_named(part, &mut self.collected) else { return };
        let own = ["name", "messageId"].iter().find_map(|key| message.get(key)).and_then(Located::text);
        let name = own.map(str::to_owned).or(defined).unwrap_or_else(|| fallback.to_owned());
        let text = ["summary", "title", "description"].iter().find_map(|key| message.get(key)).and_then(Located::text);
        let (application, channel) = (self.application.clone(), channel.to_owned());
        let participants = match way {
            Way::Sends => Some((application, channel)),
            Way::Receives => Some((channel, application)),
            Way::Unknown => None,
        };
        let members = self.payload(message);
        let text = text.map(str::to_owned);
        self.collected.add(Found { name, members, participants, text, place: message.place });
    }

    fn payload(&mut self, message: &'d Located) -> Vec<Member> {
        let Some(payload) = message.get("payload") else { return Vec::new() };
        let format = message.get("schemaFormat").or_else(|| payload.get("schemaFormat"));
        if let Some(format) = format.filter(|format| !is_json_schema(format.text().unwrap_or_default())) {
            let text = format!("a payload in the format `{}` is passed over", written(format));
            self.collected.note(format.place, text);
            return Vec::new();
        }
        // Version 3 may keep the schema beside the name of its format.
        let schema = payload.get("schemaFormat").and(payload.get("schema")).unwrap_or(payload);
        jsonschema::members(&self.linked, schema, &mut self.collected)
    }
}

fn is_json_schema(format: &str) -> bool {
    ["application/vnd.aai.asyncapi", "application/schema+json", "application/schema+yaml"]
        .iter()
        .any(|known| format.starts_with(known))
}
