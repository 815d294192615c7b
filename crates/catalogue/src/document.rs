// SPDX-License-Identifier: MIT OR Apache-2.0
//! JSON and YAML documents alike: a tree whose parts know their places, and references inside it.

mod yaml;

use std::cell::RefCell;
use std::collections::HashMap;

use gnomon_core::value::Value;
use gnomon_trace::message::{Kind, Located};

use crate::CatalogueError;
use crate::collect::Collected;

/// Reads a document. What begins like a JSON object is one.
pub(crate) fn parse(source_name: &str, text: &str) -> Result<Located, CatalogueError> {
    if text.trim_start().starts_with('{') {
        return Ok(Located::parse_json(source_name, text)?);
    }
    yaml::parse(text)
}

/// A scalar as it may have been written; empty for anything else. (A version may be a number to YAML.)
pub(crate) fn written(part: &Located) -> String {
    match &part.kind {
        Kind::Scalar(Value::Text(text)) => text.to_string(),
        Kind::Scalar(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// How many references in a row are followed.
const LONGEST_CHAIN: usize = 32;

/// A document in which references are followed.
pub(crate) struct Linked<'d> {
    root: &'d Located,
    /// Where references lead that were followed before.
    known: RefCell<HashMap<&'d str, Option<Target<'d>>>>,
}

/// What a reference leads to, and the last word of it.
type Target<'d> = (&'d Located, Option<String>);

impl<'d> Linked<'d> {
    pub(crate) fn new(root: &'d Located) -> Self {
        Linked { root, known: RefCell::new(HashMap::new()) }
    }

    /// What a part is, once the references are followed that it may be. Those that lead nowhere are noted.
    pub(crate) fn follow(&self, part: &'d Located, collected: &mut Collected) -> Option<&'d Located> {
        self.follow_named(part, collected).map(|(part, _)| part)
    }

    /// The same, with the last word of the last reference: what the part is called.
    pub(crate) fn follow_named(&self, part: &'d Located, collected: &mut Collected) -> Option<Target<'d>> {
        let mut present: Target<'d> = (part, None);
        for _ in 0..LONGEST_CHAIN {
            let Some(reference) = present.0.get("$ref") else { return Some(present) };
            let text = reference.text().unwrap_or_default();
            let Some(pointer) = text.strip_prefix('#') else {
                collected.note(reference.place, format!("`{text}` is in another document, which is not read"));
                return None;
            };
            let target = self.known.borrow_mut().entry(text).or_insert_with(|| self.find(pointer)).clone();
            let Some(target) = target else {
                collected.note(reference.place, format!("there is no `{text}` in the document"));
                return None;
            };
            present = target;
        }
        collected.note(part.place, "these references go in circles");
        None
    }

    fn find(&self, pointer: &str) -> Option<Target<'d>> {
        let steps: Vec<String> = pointer.split('/').skip(1).map(decoded).collect();
        let target = steps.iter().try_fold(self.root, |part, step| child(part, step))?;
        Some((target, steps.last().cloned()))
    }

    /// A member, once references are followed.
    pub(crate) fn get(&self, part: &'d Located, name: &str, collected: &mut Collected) -> Option<&'d Located> {
        part.get(name).and_then(|part| self.follow(part, collected))
    }
}

fn child<'d>(part: &'d Located, step: &str) -> Option<&'d Located> {
    match &part.kind {
        Kind::List(items) => step.parse::<usize>().ok().and_then(|index| items.get(index)),
        _ => part.get(step),
    }
}

/// A part of a JSON pointer in a URI: percent signs first, then the pointer's own escapes.
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
        let linked = Linked::new(&root);
        let mut collected = Collected::default();
        let mut find = |name: &str| linked.follow_named(root.get(name).unwrap(), &mut collected);
        assert!(find("a").is_some_and(|(part, name)| written(part) == "1" && name.as_deref() == Some("~b")));
        assert!(["c", "d", "e"].iter().all(|name| find(name).is_none()));
        let notes: Vec<String> = collected.finish().1.into_iter().map(|note| note.text).collect();
        assert_eq!(
            notes,
            [
                "these references go in circles",
                "`other.yaml#/a` is in another document, which is not read",
                "there is no `#/nothing` in the document"
            ]
        );
    }
}
