// SPDX-License-Identifier: MIT OR Apache-2.0
//! A JSON document in which every part has its position, for errors in the middle of service descriptions.

use std::borrow::Cow;

use gnomon_core::value::Value;
use gnomon_scan::json::{Scanner, text, value};
use gnomon_scan::{ByteRange, Location, TraceError};

use crate::json::checked;

/// A part of a document.
#[derive(Clone, PartialEq, Debug)]
pub struct Located {
    /// Position of its start.
    pub location: Location,
    /// Content.
    pub kind: LocatedKind,
}

/// Content of a part.
#[derive(Clone, PartialEq, Debug)]
pub enum LocatedKind {
    /// A text, number, boolean or null.
    Scalar(Value<'static>),
    /// A list.
    List(Vec<Located>),
    /// Members by name, in order.
    Map(Vec<(String, Located)>),
}

impl Located {
    /// Parses a JSON document. `source_name` identifies it in errors.
    pub fn parse_json(source_name: &str, text: &str) -> Result<Located, TraceError> {
        let (bytes, whole) = checked(text).map_err(|fault| fault.in_text(source_name, text))?;
        Ok(Builder { bytes: &bytes, at: 0, location: Location::START }.build(whole))
    }
}

/// Builds the parts of a checked document and counts lines on the way.
struct Builder<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Position of `at`.
    location: Location,
}

impl Builder<'_> {
    /// Recursion is bounded: the scanner refused documents deeper than 128.
    fn build(&mut self, part: ByteRange) -> Located {
        self.location = self.location.after(&self.bytes[self.at..part.start]);
        self.at = part.start;
        let location = self.location;
        let mut scanner: Scanner<'_, false> = Scanner::again(self.bytes, part);
        let kind = match scanner.peek() {
            b'{' => {
                scanner.take(b'{');
                let mut members = Vec::new();
                while let Ok(Some((key, value))) = scanner.entry(members.is_empty()) {
                    members.push((text(self.bytes, key).into_owned(), self.build(value)));
                }
                LocatedKind::Map(members)
            }
            b'[' => {
                scanner.take(b'[');
                let mut items = Vec::new();
                while let Ok(true) = scanner.next_item(items.is_empty()) {
                    let start = scanner.at();
                    if scanner.skip_value().is_err() {
                        break;
                    }
                    items.push(self.build(ByteRange { start, end: scanner.at() }));
                }
                LocatedKind::List(items)
            }
            _ => LocatedKind::Scalar(value(self.bytes, part).into_owned()),
        };
        Located { location, kind }
    }
}

impl Located {
    /// Returns the member with this name.
    pub fn get(&self, name: &str) -> Option<&Located> {
        self.members().iter().find(|(key, _)| key == name).map(|(_, part)| part)
    }

    /// Returns the members; none if it is not a map.
    pub fn members(&self) -> &[(String, Located)] {
        match &self.kind {
            LocatedKind::Map(members) => members,
            _ => &[],
        }
    }

    /// Returns the items; none if it is not a list.
    pub fn items(&self) -> &[Located] {
        match &self.kind {
            LocatedKind::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            LocatedKind::Scalar(Value::Text(Cow::Owned(text))) => Some(text),
            LocatedKind::Scalar(Value::Text(Cow::Borrowed(text))) => Some(text),
            _ => None,
        }
    }

    /// Returns true if it is `true`.
    pub fn is_true(&self) -> bool {
        self.kind == LocatedKind::Scalar(Value::Bool(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_knows_its_place() {
        let text = "{\"a\": [1,\n  {\"b\" : \"é\"}, [] ],\n\"c\": true}\n";
        let document = Located::parse_json("d.json", text).unwrap();
        let location = |part: &Located| (part.location.line, part.location.column);
        let list = document.get("a").unwrap();
        assert_eq!((location(&document), location(list), list.items().len()), ((1, 1), (1, 7), 3));
        let inner = list.items()[1].get("b").unwrap();
        assert_eq!((location(inner), inner.text()), ((2, 10), Some("é")));
        assert_eq!(location(&list.items()[2]), (2, 16));
        assert!(document.get("c").is_some_and(|part| part.is_true() && location(part) == (3, 6)));
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
