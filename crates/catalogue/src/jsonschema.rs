// SPDX-License-Identifier: MIT OR Apache-2.0
//! JSON Schema, as far as it tells which members a message has.

use gnomon_trace::message::Located;

use crate::Data;
use crate::collect::Collected;
use crate::document::Linked;
use crate::shape::{DEEPEST, MOST_PARTS, Member, Shape, join};

/// The members of a message with this schema.
pub(crate) fn members<'d>(linked: &Linked<'d>, schema: &'d Located, collected: &mut Collected) -> Vec<Member> {
    let mut reader = Reader { linked, collected, left: MOST_PARTS };
    match reader.shape(schema, 0) {
        Shape::Parts(members) => members,
        Shape::Leaf(Data::Map | Data::Any) => Vec::new(),
        Shape::Leaf(data) => {
            reader.collected.note(schema.place, format!("a message that is a {} has no fields", data.word()));
            Vec::new()
        }
    }
}

/// What a value with this schema is.
pub(crate) fn shape<'d>(linked: &Linked<'d>, schema: &'d Located, collected: &mut Collected) -> Shape {
    Reader { linked, collected, left: MOST_PARTS }.shape(schema, 0)
}

struct Reader<'d, 'c> {
    linked: &'c Linked<'d>,
    collected: &'c mut Collected,
    /// How many parts may still be looked at.
    left: usize,
}

impl<'d> Reader<'d, '_> {
    fn shape(&mut self, schema: &'d Located, depth: usize) -> Shape {
        let Some(schema) = self.linked.follow(schema, self.collected) else { return Shape::Leaf(Data::Any) };
        let members = self.own_members(schema, depth);
        let has_members = ["properties", "allOf", "oneOf", "anyOf"].iter().any(|key| schema.get(key).is_some());
        if has_members && (!members.is_empty() || is_object(schema)) {
            return Shape::Parts(members);
        }
        Shape::Leaf(data(schema))
    }

    /// The members that a schema and those it consists of tell of.
    fn own_members(&mut self, schema: &'d Located, depth: usize) -> Vec<Member> {
        if depth >= DEEPEST || !self.goes_on() {
            return Vec::new();
        }
        let required: Vec<&str> =
            schema.get("required").map_or(&[][..], Located::items).iter().filter_map(Located::text).collect();
        let mut members = Vec::new();
        for (name, part) in schema.get("properties").map_or(&[][..], Located::members) {
            if !self.goes_on() {
                return members;
            }
            let shape = self.shape(part, depth + 1);
            members.push(Member { name: name.clone(), shape, required: required.contains(&name.as_str()) });
        }
        for part in schema.get("allOf").map_or(&[][..], Located::items) {
            for member in self.followed(part, depth + 1) {
                match members.iter_mut().find(|known: &&mut Member| known.name == member.name) {
                    Some(known) => known.required |= member.required,
                    None => members.push(member),
                }
            }
        }
        // A part of an `allOf` may demand what another part describes.
        for member in &mut members {
            member.required |= required.contains(&member.name.as_str());
        }
        for key in ["oneOf", "anyOf"] {
            let choices = schema.get(key).map_or(&[][..], Located::items);
            let joined = choices.iter().map(|part| self.followed(part, depth + 1)).reduce(join);
            for member in joined.unwrap_or_default() {
                if members.iter().all(|known| known.name != member.name) {
                    members.push(member);
                }
            }
        }
        members
    }

    /// Whether another part may be looked at.
    fn goes_on(&mut self) -> bool {
        let goes_on = self.left > 0;
        self.left = self.left.saturating_sub(1);
        goes_on
    }

    fn followed(&mut self, part: &'d Located, depth: usize) -> Vec<Member> {
        match self.linked.follow(part, self.collected) {
            Some(schema) => self.own_members(schema, depth),
            None => Vec::new(),
        }
    }
}

fn is_object(schema: &Located) -> bool {
    schema.get("type").is_none_or(|word| word.text() == Some("object"))
}

/// The type that a schema names; `null` beside another does not count.
fn data(schema: &Located) -> Data {
    let Some(of) = schema.get("type") else {
        let texts = schema.get("enum").map_or(&[][..], Located::items);
        let is_text = !texts.is_empty() && texts.iter().all(|part| part.text().is_some());
        return if is_text || schema.get("const").is_some_and(|part| part.text().is_some()) {
            Data::Text
        } else {
            Data::Any
        };
    };
    let words: Vec<&str> = match of.text() {
        Some(word) => vec![word],
        None => of.items().iter().filter_map(Located::text).filter(|word| *word != "null").collect(),
    };
    match words.as_slice() {
        ["string"] => Data::Text,
        ["number" | "integer"] => Data::Number,
        ["boolean"] => Data::Boolean,
        ["array"] => Data::List,
        ["object"] => Data::Map,
        _ => Data::Any,
    }
}
