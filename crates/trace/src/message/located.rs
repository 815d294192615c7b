// SPDX-License-Identifier: MIT OR Apache-2.0
//! A JSON document in which every part knows its place: for descriptions of messages, where something may be wrong in the
//! middle of one.

use std::borrow::Cow;

use gnomon_core::value::Value;

use super::json::checked;
use crate::error::TraceError;
use crate::ndjson::{Scanner, text, value};
use crate::reader::Place;
use crate::stretch::Stretch;

/// A part of a document.
#[derive(Clone, PartialEq, Debug)]
pub struct Located {
    /// Where it begins.
    pub place: Place,
    /// What it is.
    pub kind: Kind,
}

/// What a part of a document is.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// A text, a number, a truth value or null.
    Scalar(Value<'static>),
    /// A list.
    List(Vec<Located>),
    /// Members by name, in their order.
    Map(Vec<(String, Located)>),
}

impl Located {
    /// Reads a JSON document. `source_name` stands for it in messages.
    pub fn parse_json(source_name: &str, text: &str) -> Result<Located, TraceError> {
        let (bytes, whole) = checked(text)
            .map_err(|fault| TraceError::new(source_name, Place::within(1, text.as_bytes(), fault.at()), fault))?;
        Ok(Builder { bytes: &bytes, at: 0, place: Place::START }.build(whole))
    }
}

/// Goes through a document that was checked, and counts lines on the way.
struct Builder<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where `at` is.
    place: Place,
}

impl Builder<'_> {
    /// How deep this calls itself is bounded: the scanner refused what is deeper than 128.
    fn build(&mut self, part: Stretch) -> Located {
        self.place = self.place.after(&self.bytes[self.at..part.start]);
        self.at = part.start;
        let place = self.place;
        let mut scanner: Scanner<'_, false> = Scanner::again(self.bytes, part);
        let kind = match scanner.peek() {
            b'{' => {
                scanner.take(b'{');
                let mut members = Vec::new();
                while let Ok(Some((key, value))) = scanner.entry(members.is_empty()) {
                    members.push((text(self.bytes, key).into_owned(), self.build(value)));
                }
                Kind::Map(members)
            }
            b'[' => {
                scanner.take(b'[');
                let mut items = Vec::new();
                loop {
                    scanner.skip_blanks();
                    scanner.take(b',');
                    scanner.skip_blanks();
                    let start = scanner.at();
                    if matches!(scanner.peek(), b']' | 0) || scanner.skip_value().is_err() {
                        break;
                    }
                    items.push(self.build(Stretch { start, end: scanner.at() }));
                }
                Kind::List(items)
            }
            _ => Kind::Scalar(value(self.bytes, part).into_owned()),
        };
        Located { place, kind }
    }
}

impl Located {
    /// The member of this name.
    pub fn get(&self, name: &str) -> Option<&Located> {
        self.members().iter().find(|(key, _)| key == name).map(|(_, part)| part)
    }

    /// The members; none if it is no map.
    pub fn members(&self) -> &[(String, Located)] {
        match &self.kind {
            Kind::Map(members) => members,
            _ => &[],
        }
    }

    /// The items; none if it is no list.
    pub fn items(&self) -> &[Located] {
        match &self.kind {
            Kind::List(items) => items,
            _ => &[],
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar(Value::Text(Cow::Owned(text))) => Some(text),
            Kind::Scalar(Value::Text(Cow::Borrowed(text))) => Some(text),
            _ => None,
        }
    }

    /// Whether it is `true`.
    pub fn is_true(&self) -> bool {
        self.kind == Kind::Scalar(Value::Bool(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_knows_its_place() {
        let text = "{\"a\": [1,\n  {\"b\" : \"é\"}, [] ],\n\"c\": true}\n";
        let document = Located::parse_json("d.json", text).unwrap();
        let place = |part: &Located| (part.place.line, part.place.column);
        let list = document.get("a").unwrap();
        assert_eq!((place(&document), place(list), list.items().len()), ((1, 1), (1, 7), 3));
        let inner = list.items()[1].get("b").unwrap();
        assert_eq!((place(inner), inner.text()), ((2, 10), Some("é")));
        assert_eq!(place(&list.items()[2]), (2, 16));
        assert!(document.get("c").is_some_and(|part| part.is_true() && place(part) == (3, 6)));
        assert_eq!((document.get("d"), document.members().len(), inner.items().len()), (None, 2, 0));
    }

    #[test]
    fn what_is_no_document() {
        for (text, code, line) in [("{\"a\":\n}", "G0513", 2), ("[1,]", "G0513", 1), ("", "G0513", 1)] {
            let error = Located::parse_json("d.json", text).unwrap_err();
            assert_eq!((error.code(), error.line(), error.source_name()), (code, line, "d.json"), "{text}");
        }
    }
}
