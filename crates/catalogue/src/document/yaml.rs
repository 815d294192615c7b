// SPDX-License-Identifier: MIT OR Apache-2.0
//! YAML 1.2: builds the first document of a text from the events of a parser. Aliases are expanded, up to a limit.

use std::borrow::Cow;
use std::collections::HashMap;

use gnomon_core::{Number, Value};
use gnomon_message::{Located, LocatedKind};
use gnomon_scan::Location;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle};

use crate::CatalogueError;

/// COST: limit on the parts of a document after aliases are expanded; aliases may repeat one another.
const MAX_PARTS: usize = 1 << 19;
const MAX_DEPTH: usize = 128;

pub(super) fn parse(text: &str) -> Result<Located, CatalogueError> {
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            CatalogueError::unreadable(location(*error.marker()), format!("this is not YAML: {}", error.info()))
                .help("check the indentation and the quotes around here")
        })?;
        if let Some(root) = builder.event(event, location(span.start))? {
            return Ok(root);
        }
    }
    Err(CatalogueError::unreadable(Location { line: 1, column: 1 }, "the document is empty"))
}

fn location(marker: Marker) -> Location {
    Location { line: marker.line().max(1) as u64, column: marker.col() as u64 + 1 }
}

/// A list or a mapping that is not closed yet.
struct OpenCollection {
    anchor: usize,
    location: Location,
    items: CollectionItems,
    /// The key whose value comes next, in a mapping.
    key: Option<String>,
}

enum CollectionItems {
    List(Vec<Located>),
    Map(Vec<(String, Located)>),
}

#[derive(Default)]
struct Builder {
    /// The collections that are not closed yet, outermost first.
    open: Vec<OpenCollection>,
    /// Parts with an anchor, and the number of parts in each.
    anchors: HashMap<usize, (Located, usize)>,
    parts: usize,
}

impl Builder {
    /// Processes an event. Returns the document if the event ends it.
    fn event(&mut self, event: Event<'_>, location: Location) -> Result<Option<Located>, CatalogueError> {
        let (part, anchor) = match event {
            Event::SequenceStart(anchor, _) => return self.begin(anchor, location, CollectionItems::List(Vec::new())),
            Event::MappingStart(anchor, _) => return self.begin(anchor, location, CollectionItems::Map(Vec::new())),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else { return Ok(None) };
                let kind = match open.items {
                    CollectionItems::List(items) => LocatedKind::List(items),
                    CollectionItems::Map(members) => LocatedKind::Map(merged(members)),
                };
                (Located { location: open.location, kind }, open.anchor)
            }
            Event::Scalar(text, style, anchor, _) => {
                (Located { location, kind: LocatedKind::Scalar(scalar(text, style)) }, anchor)
            }
            Event::Alias(anchor) => {
                let Some((part, size)) = self.anchors.get(&anchor) else {
                    return Err(CatalogueError::unreadable(location, "this alias refers to itself"));
                };
                let (part, size) = (part.clone(), *size);
                self.count(size, location)?;
                (part, 0)
            }
            _ => return Ok(None),
        };
        self.count(1, location)?;
        if anchor > 0 {
            self.anchors.insert(anchor, (part.clone(), size(&part)));
        }
        self.put(part)
    }

    fn begin(
        &mut self,
        anchor: usize,
        location: Location,
        items: CollectionItems,
    ) -> Result<Option<Located>, CatalogueError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(CatalogueError::unreadable(location, format!("nested more than {MAX_DEPTH} deep")));
        }
        self.open.push(OpenCollection { anchor, location, items, key: None });
        Ok(None)
    }

    fn count(&mut self, parts: usize, location: Location) -> Result<(), CatalogueError> {
        self.parts = self.parts.saturating_add(parts);
        if self.parts > MAX_PARTS {
            return Err(CatalogueError::unreadable(location, "the document has too many parts")
                .help("aliases that repeat one another may be the reason"));
        }
        Ok(())
    }

    /// Adds a finished part to the collection that is open. Returns the part if none is open: it is the document.
    fn put(&mut self, part: Located) -> Result<Option<Located>, CatalogueError> {
        let Some(open) = self.open.last_mut() else { return Ok(Some(part)) };
        match (&mut open.items, open.key.take()) {
            (CollectionItems::List(items), _) => items.push(part),
            (CollectionItems::Map(members), Some(key)) => members.push((key, part)),
            (CollectionItems::Map(_), None) => {
                open.key = Some(match part.kind {
                    LocatedKind::Scalar(Value::Text(text)) => text.into_owned(),
                    LocatedKind::Scalar(Value::Null) => String::new(),
                    LocatedKind::Scalar(other) => other.to_string(),
                    LocatedKind::List(_) | LocatedKind::Map(_) => {
                        return Err(CatalogueError::unreadable(
                            part.location,
                            "a key must be a text, not a list or a mapping",
                        ));
                    }
                });
            }
        }
        Ok(None)
    }
}

fn size(part: &Located) -> usize {
    match &part.kind {
        LocatedKind::Scalar(_) => 1,
        LocatedKind::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        LocatedKind::Map(members) => 1 + members.iter().map(|(_, part)| size(part)).sum::<usize>(),
    }
}

/// Returns the members of a mapping, and those members of the mappings under `<<` that it lacks.
fn merged(members: Vec<(String, Located)>) -> Vec<(String, Located)> {
    if members.iter().all(|(key, _)| key != "<<") {
        return members;
    }
    let (merge, mut own): (Vec<_>, Vec<_>) = members.into_iter().partition(|(key, _)| key == "<<");
    for (_, part) in merge {
        let sources = if part.items().is_empty() { vec![part] } else { part.items().to_vec() };
        for (key, value) in sources.iter().flat_map(Located::members) {
            if own.iter().all(|(known, _)| known != key) {
                own.push((key.clone(), value.clone()));
            }
        }
    }
    own
}

/// Returns the value of a scalar by the core schema of YAML 1.2.
fn scalar(text: Cow<'_, str>, style: ScalarStyle) -> Value<'static> {
    if style == ScalarStyle::Plain {
        match text.as_ref() {
            "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
            "true" | "True" | "TRUE" => return Value::Bool(true),
            "false" | "False" | "FALSE" => return Value::Bool(false),
            plain => {
                if let Ok(number) = Number::parse(plain) {
                    return Value::Number(number);
                }
            }
        }
    }
    Value::Text(Cow::Owned(text.into_owned()))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    fn shown(part: &Located) -> String {
        match &part.kind {
            LocatedKind::Scalar(value) => value.to_string(),
            LocatedKind::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
            LocatedKind::Map(members) => {
                let member = |(key, part): &(String, Located)| format!("{key}: {}", shown(part));
                format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
            }
        }
    }

    #[test]
    fn documents_are_trees() {
        for (text, expected) in [
            ("a: 1\nb:\n  - x\n  - 'y'\n  - {c: true, \"d\": ~}\n", "{a: 1, b: [\"x\", \"y\", {c: true, d: null}]}"),
            ("200: ok\n'404': no\nyes: no\n", "{200: \"ok\", 404: \"no\", yes: \"no\"}"),
            ("a: |\n  one\n  two\nb: >\n  one\n  two\n", "{a: \"one\\ntwo\\n\", b: \"one two\\n\"}"),
            (
                "x: &x {p: 1, q: 2}\ny: *x\nz:\n  <<: *x\n  q: 3\n",
                "{x: {p: 1, q: 2}, y: {p: 1, q: 2}, z: {q: 3, p: 1}}",
            ),
            ("--- \na: b\n---\nc: d\n", "{a: \"b\"}"),
            ("v: 3.0\nw: \"3.0\"\n", "{v: 3, w: \"3.0\"}"),
        ] {
            assert_eq!(shown(&parse(text).unwrap()), expected, "{text}");
        }
        let document = parse("a:\n  b:\n    - c: d\n").unwrap();
        let inner = document.get("a").and_then(|part| part.get("b")).unwrap();
        assert_eq!(inner.items()[0].get("c").map(|part| part.location), Some(Location { line: 3, column: 10 }));
    }

    #[test]
    fn malformed_documents_are_refused() {
        for text in ["", "a: [1, 2\n", "a: 'x\n", "a: &a [*a]\n", "a:\n\t- b\n", "? [1]\n: 2\n"] {
            let error = parse(text).unwrap_err();
            assert!(error.code() == "G0726" && error.location().line >= 1, "{text}: {error}");
        }
        let deep = "[".repeat(10_000);
        assert!(parse(&deep).is_err());
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let alias = format!("*a{}", level - 1);
            writeln!(bomb, "a{level}: &a{level} [{}]", [alias.as_str(); 10].join(", ")).unwrap();
        }
        assert!(parse(&bomb).unwrap_err().message().contains("too many parts"));
    }
}
