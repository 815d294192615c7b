// SPDX-License-Identifier: MIT OR Apache-2.0
//! JSON and YAML documents: trees whose parts know their locations, and the references inside them.

mod yaml;

use std::cell::RefCell;
use std::collections::HashMap;

use gnomon_core::value::Value;
use gnomon_message::{Located, LocatedKind};

use crate::CatalogueError;
use crate::collect::Collector;

/// Parses a document: JSON if it begins with a brace, else YAML.
pub(crate) fn parse(source_name: &str, text: &str) -> Result<Located, CatalogueError> {
    if text.trim_start().starts_with('{') {
        return Ok(Located::parse_json(source_name, text)?);
    }
    yaml::parse(text)
}

/// Returns a scalar as text; empty for anything else. A version such as `3.0` may be a number in YAML.
pub(crate) fn scalar_text(part: &Located) -> String {
    match &part.kind {
        LocatedKind::Scalar(Value::Text(text)) => text.to_string(),
        LocatedKind::Scalar(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// Limit on references that lead to references.
const MAX_CHAIN: usize = 32;

/// Returns the members of the map under a key; none if there is no such map.
pub(crate) fn members<'d>(part: &'d Located, key: &str) -> &'d [(String, Located)] {
    part.get(key).map_or(&[], Located::members)
}

/// Returns the items of the list under a key; none if there is no such list.
pub(crate) fn items<'d>(part: &'d Located, key: &str) -> &'d [Located] {
    part.get(key).map_or(&[], Located::items)
}

/// Returns the value under the first of these keys that is there, if it is a text.
pub(crate) fn first_text<'d>(part: &'d Located, keys: &[&str]) -> Option<&'d str> {
    keys.iter().find_map(|key| part.get(key)).and_then(Located::text)
}

/// Follows the references (`$ref`) inside a document.
pub(crate) struct Resolver<'d> {
    root: &'d Located,
    /// The targets of references that were followed before.
    targets: RefCell<HashMap<&'d str, Option<ResolvedPart<'d>>>>,
}

/// The target of a reference, and the last word of the reference.
type ResolvedPart<'d> = (&'d Located, Option<String>);

impl<'d> Resolver<'d> {
    pub(crate) fn new(root: &'d Located) -> Self {
        Resolver { root, targets: RefCell::new(HashMap::new()) }
    }

    /// Returns the part itself or, if it is a reference, its target. A reference without a target is noted.
    pub(crate) fn follow(&self, part: &'d Located, collector: &mut Collector) -> Option<&'d Located> {
        self.follow_named(part, collector).map(|(part, _)| part)
    }

    /// Like [`Resolver::follow`], with the last word of the last reference: the name of the part.
    pub(crate) fn follow_named(&self, part: &'d Located, collector: &mut Collector) -> Option<ResolvedPart<'d>> {
        let mut resolved: ResolvedPart<'d> = (part, None);
        for _ in 0..MAX_CHAIN {
            let Some(reference) = resolved.0.get("$ref") else { return Some(resolved) };
            let text = reference.text().unwrap_or_default();
            let Some(pointer) = text.strip_prefix('#') else {
                collector.note(reference.location, format!("`{text}` is in another document, which is not read"));
                return None;
            };
            let target = self.targets.borrow_mut().entry(text).or_insert_with(|| self.find(pointer)).clone();
            let Some(target) = target else {
                collector.note(reference.location, format!("there is no `{text}` in the document"));
                return None;
            };
            resolved = target;
        }
        collector.note(part.location, "these references form a cycle");
        None
    }

    fn find(&self, pointer: &str) -> Option<ResolvedPart<'d>> {
        let steps: Vec<String> = pointer.split('/').skip(1).map(decoded).collect();
        let target = steps.iter().try_fold(self.root, |part, step| child(part, step))?;
        Some((target, steps.last().cloned()))
    }

    /// Returns a member, or the target of the reference that it is.
    pub(crate) fn get(&self, part: &'d Located, name: &str, collector: &mut Collector) -> Option<&'d Located> {
        part.get(name).and_then(|part| self.follow(part, collector))
    }
}

fn child<'d>(part: &'d Located, step: &str) -> Option<&'d Located> {
    match &part.kind {
        LocatedKind::List(items) => step.parse::<usize>().ok().and_then(|index| items.get(index)),
        _ => part.get(step),
    }
}

/// Decodes a step of a JSON pointer in a URI: first percent signs, then the pointer's own escapes.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let digits = (byte == b'%').then(|| tail.get(..2)).flatten();
        let code = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(byte));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_followed() {
        let text = r##"{"a": {"$ref": "#/x~1y/0"}, "x/y": [{"$ref": "#/%7Eb"}], "~b": 1, "c": {"$ref": "#/c"},
                        "d": {"$ref": "other.yaml#/a"}, "e": {"$ref": "#/nothing"}}"##;
        let root = Located::parse_json("d", text).unwrap();
        let linked = Resolver::new(&root);
        let mut collected = Collector::default();
        let mut find = |name: &str| linked.follow_named(root.get(name).unwrap(), &mut collected);
        assert!(find("a").is_some_and(|(part, name)| scalar_text(part) == "1" && name.as_deref() == Some("~b")));
        assert!(["c", "d", "e"].iter().all(|name| find(name).is_none()));
        let notes: Vec<String> = collected.finish().1.into_iter().map(|note| note.text).collect();
        assert_eq!(
            notes,
            [
                "these references form a cycle",
                "`other.yaml#/a` is in another document, which is not read",
                "there is no `#/nothing` in the document"
            ]
        );
    }
}
