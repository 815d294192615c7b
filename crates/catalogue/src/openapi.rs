// SPDX-License-Identifier: MIT OR Apache-2.0
//! `OpenAPI` 3: every operation is a request message and a response message.

use gnomon_message::Located;
use gnomon_scan::Location;

use crate::collect::{Collector, MessageDescription};
use crate::document::{Resolver, first_text, items, members};
use crate::shape::{SchemaMember, SchemaShape, add_new, join};
use crate::{CatalogueError, jsonschema};

const METHODS: [&str; 9] = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];
const CLIENT: &str = "client";

pub(crate) fn read(root: &Located) -> Result<Collector, CatalogueError> {
    let title = root.get("info").and_then(|info| first_text(info, &["title"])).unwrap_or("service");
    let mut reader =
        Reader { resolver: Resolver::new(root), service: title.to_owned(), collector: Collector::default() };
    if root.get("paths").is_none() && root.get("webhooks").is_none() {
        return Err(CatalogueError::unreadable(root.location, "the document has neither `paths` nor `webhooks`")
            .help("give the document that has them: references to other files are not followed"));
    }
    for (path, item) in members(root, "paths") {
        reader.read_path(path, item, false);
    }
    for (name, item) in members(root, "webhooks") {
        reader.read_path(name, item, true);
    }
    Ok(reader.collector)
}

struct Reader<'d> {
    resolver: Resolver<'d>,
    service: String,
    collector: Collector,
}

impl<'d> Reader<'d> {
    /// Adds the operations of a path. `is_webhook` says that the service is the one that calls.
    fn read_path(&mut self, path: &str, item: &'d Located, is_webhook: bool) {
        if path.starts_with("x-") {
            return;
        }
        let Some(item) = self.resolver.follow(item, &mut self.collector) else { return };
        for (key, operation) in item.members() {
            if METHODS.contains(&key.as_str()) {
                let name = first_text(operation, &["operationId"]).map(str::to_owned);
                let answer = name.as_ref().map(|name| format!("{name}Response"));
                let plain = format!("{} {path}", key.to_uppercase());
                let name = name.unwrap_or_else(|| if is_webhook { path.to_owned() } else { plain.clone() });
                let answer = answer.unwrap_or_else(|| format!("{name} response"));
                self.operation((&name, &answer), item, operation, is_webhook);
            }
        }
    }

    fn operation(&mut self, names: (&str, &str), item: &'d Located, operation: &'d Located, is_webhook: bool) {
        let text = first_text(operation, &["summary", "description"]);
        let mut members = self.parameters(item, operation);
        for member in self.request_body(operation) {
            add_new(&mut members, member);
        }
        self.add(names.0, members, text.map(str::to_owned), operation.location, is_webhook);
        let (members, codes) = self.responses(operation);
        let text = (!codes.is_empty()).then(|| format!("answers {}: {}", names.0, codes.join(", ")));
        if !codes.is_empty() {
            self.add(names.1, members, text, operation.location, !is_webhook);
        }
        if let Some(callbacks) = operation.get("callbacks") {
            self.collector.note(callbacks.location, format!("the callbacks of `{}` are skipped", names.0));
        }
    }

    fn add(
        &mut self,
        name: &str,
        members: Vec<SchemaMember>,
        text: Option<String>,
        location: Location,
        is_webhook: bool,
    ) {
        let (client, service) = (CLIENT.to_owned(), self.service.clone());
        let participants = Some(if is_webhook { (service, client) } else { (client, service) });
        self.collector.add(MessageDescription { name: name.to_owned(), members, participants, text, location });
    }

    /// Returns the parameters in the path, the query and the headers; those of the operation override those of its path.
    fn parameters(&mut self, item: &'d Located, operation: &'d Located) -> Vec<SchemaMember> {
        let mut members: Vec<SchemaMember> = Vec::new();
        for parameter in [operation, item].into_iter().flat_map(|part| items(part, "parameters")) {
            let Some(parameter) = self.resolver.follow(parameter, &mut self.collector) else { continue };
            let Some(name) = first_text(parameter, &["name"]) else { continue };
            if members.iter().any(|known| known.name == name) {
                continue;
            }
            let schema =
                parameter.get("schema").or_else(|| content(parameter).and_then(|(_, media)| media.get("schema")));
            let shape = schema.map_or(SchemaShape::Leaf(crate::DataType::Any), |schema| {
                jsonschema::shape(&self.resolver, schema, &mut self.collector)
            });
            let is_in_path = first_text(parameter, &["in"]) == Some("path");
            let required = is_in_path || parameter.get("required").is_some_and(Located::is_true);
            members.push(SchemaMember { name: name.to_owned(), shape, required });
        }
        members
    }

    fn request_body(&mut self, operation: &'d Located) -> Vec<SchemaMember> {
        let Some(body) = self.resolver.get(operation, "requestBody", &mut self.collector) else { return Vec::new() };
        let is_required = body.get("required").is_some_and(Located::is_true);
        let mut members = self.content(body);
        for member in &mut members {
            member.required &= is_required;
        }
        members
    }

    /// Returns the members of the responses, and their status codes.
    fn responses(&mut self, operation: &'d Located) -> (Vec<SchemaMember>, Vec<String>) {
        let (mut codes, mut all) = (Vec::new(), Vec::new());
        for (code, response) in members(operation, "responses") {
            if code.starts_with("x-") {
                continue;
            }
            codes.push(code.clone());
            if let Some(response) = self.resolver.follow(response, &mut self.collector) {
                all.push(self.content(response));
            }
        }
        (all.into_iter().reduce(join).unwrap_or_default(), codes)
    }

    /// Returns the members of a request or a response; of several media types JSON is chosen.
    fn content(&mut self, part: &'d Located) -> Vec<SchemaMember> {
        let Some((media, content)) = content(part) else { return Vec::new() };
        match content.get("schema") {
            Some(schema) if is_json(media) || is_form(media) => {
                jsonschema::message_members(&self.resolver, schema, &mut self.collector)
            }
            Some(_) => {
                let text = format!("data of the type `{media}` is skipped: only JSON and forms have fields");
                self.collector.note(content.location, text);
                Vec::new()
            }
            None => Vec::new(),
        }
    }
}

fn content(part: &Located) -> Option<(&str, &Located)> {
    let medias = members(part, "content");
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
