// SPDX-License-Identifier: MIT OR Apache-2.0
//! `OpenAPI` 3: every operation is a request and a response.

use gnomon_trace::Place;
use gnomon_trace::message::Located;

use crate::CatalogueError;
use crate::collect::{Collected, Found};
use crate::document::Linked;
use crate::jsonschema;
use crate::shape::{Member, Shape, join};

const METHODS: [&str; 9] = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];
const CLIENT: &str = "client";

pub(crate) fn read(root: &Located) -> Result<Collected, CatalogueError> {
    let title = root.get("info").and_then(|info| info.get("title")).and_then(Located::text).unwrap_or("service");
    let mut reader = Reader { linked: Linked::new(root), service: title.to_owned(), collected: Collected::default() };
    let (paths, hooks) = (root.get("paths"), root.get("webhooks"));
    if paths.is_none() && hooks.is_none() {
        return Err(CatalogueError::unreadable(root.place, "the document has neither `paths` nor `webhooks`")
            .help("give the document that has them: references to other files are not followed"));
    }
    for (path, item) in paths.map_or(&[][..], Located::members) {
        reader.item(path, item, false);
    }
    for (name, item) in hooks.map_or(&[][..], Located::members) {
        reader.item(name, item, true);
    }
    Ok(reader.collected)
}

struct Reader<'d> {
    linked: Linked<'d>,
    service: String,
    collected: Collected,
}

impl<'d> Reader<'d> {
    /// The operations of a path. `reverse`: the service is the one that calls.
    fn item(&mut self, path: &str, item: &'d Located, reverse: bool) {
        if path.starts_with("x-") {
            return;
        }
        let Some(item) = self.linked.follow(item, &mut self.collected) else { return };
        for (key, operation) in item.members() {
            if METHODS.contains(&key.as_str()) {
                let name = operation.get("operationId").and_then(Located::text).map(str::to_owned);
                let answer = name.as_ref().map(|name| format!("{name}Response"));
                let plain = format!("{} {path}", key.to_uppercase());
                let name = name.unwrap_or_else(|| if reverse { path.to_owned() } else { plain.clone() });
                let answer = answer.unwrap_or_else(|| format!("{name} response"));
                self.operation((&name, &answer), item, operation, reverse);
            }
        }
    }

    fn operation(&mut self, names: (&str, &str), item: &'d Located, operation: &'d Located, reverse: bool) {
        let text = ["summary", "description"].iter().find_map(|key| operation.get(key)).and_then(Located::text);
        let mut members = self.parameters(item, operation);
        for member in self.request_body(operation) {
            if members.iter().all(|known| known.name != member.name) {
                members.push(member);
            }
        }
        self.add(names.0, members, text.map(str::to_owned), operation.place, reverse);
        let (members, codes) = self.responses(operation);
        let text = (!codes.is_empty()).then(|| format!("answers {}: {}", names.0, codes.join(", ")));
        if !codes.is_empty() {
            self.add(names.1, members, text, operation.place, !reverse);
        }
        if let Some(callbacks) = operation.get("callbacks") {
            self.collected.note(callbacks.place, format!("the callbacks of `{}` are passed over", names.0));
        }
    }

    fn add(&mut self, name: &str, members: Vec<Member>, text: Option<String>, place: Place, reverse: bool) {
        let (client, service) = (CLIENT.to_owned(), self.service.clone());
        let participants = Some(if reverse { (service, client) } else { (client, service) });
        self.collected.add(Found { name: name.to_owned(), members, participants, text, place });
    }

    /// What stands in the path, the query and the headers: those of the operation before those of its path.
    fn parameters(&mut self, item: &'d Located, operation: &'d Located) -> Vec<Member> {
        let mut members: Vec<Member> = Vec::new();
        for list in [operation, item].map(|part| part.get("parameters")).into_iter().flatten() {
            for parameter in list.items() {
                let Some(parameter) = self.linked.follow(parameter, &mut self.collected) else { continue };
                let Some(name) = parameter.get("name").and_then(Located::text) else { continue };
                if members.iter().any(|known| known.name == name) {
                    continue;
                }
                let schema =
                    parameter.get("schema").or_else(|| content(parameter).and_then(|(_, media)| media.get("schema")));
                let shape = schema.map_or(Shape::Leaf(crate::Data::Any), |schema| {
                    jsonschema::shape(&self.linked, schema, &mut self.collected)
                });
                let is_in_path = parameter.get("in").and_then(Located::text) == Some("path");
                let required = is_in_path || parameter.get("required").is_some_and(Located::is_true);
                members.push(Member { name: name.to_owned(), shape, required });
            }
        }
        members
    }

    fn request_body(&mut self, operation: &'d Located) -> Vec<Member> {
        let Some(body) = self.linked.get(operation, "requestBody", &mut self.collected) else { return Vec::new() };
        let is_required = body.get("required").is_some_and(Located::is_true);
        let mut members = self.content(body);
        for member in &mut members {
            member.required &= is_required;
        }
        members
    }

    /// The members that answers have, and the codes of the answers.
    fn responses(&mut self, operation: &'d Located) -> (Vec<Member>, Vec<String>) {
        let (mut codes, mut all) = (Vec::new(), Vec::new());
        for (code, response) in operation.get("responses").map_or(&[][..], Located::members) {
            if code.starts_with("x-") {
                continue;
            }
            codes.push(code.clone());
            if let Some(response) = self.linked.follow(response, &mut self.collected) {
                all.push(self.content(response));
            }
        }
        (all.into_iter().reduce(join).unwrap_or_default(), codes)
    }

    /// The members of what is sent: JSON, if there is a choice.
    fn content(&mut self, part: &'d Located) -> Vec<Member> {
        let Some((media, content)) = content(part) else { return Vec::new() };
        match content.get("schema") {
            Some(schema) if is_json(media) || is_form(media) => {
                jsonschema::members(&self.linked, schema, &mut self.collected)
            }
            Some(_) => {
                let text = format!("data of the type `{media}` is passed over: only JSON and forms have fields");
                self.collected.note(content.place, text);
                Vec::new()
            }
            None => Vec::new(),
        }
    }
}

fn content(part: &Located) -> Option<(&str, &Located)> {
    let medias = part.get("content").map_or(&[][..], Located::members);
    let chosen = medias.iter().find(|(media, _)| is_json(media)).or(medias.first());
    chosen.map(|(media, content)| (media.as_str(), content))
}

fn is_json(media: &str) -> bool {
    let media = media.split(';').next().unwrap_or(media).trim();
    media.ends_with("/json") || media.ends_with("+json") || media == "*/*"
}

fn is_form(media: &str) -> bool {
    media.starts_with("application/x-www-form-urlencoded") || media.starts_with("multipart/form-data")
}
