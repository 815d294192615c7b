// SPDX-License-Identifier: MIT OR Apache-2.0
//! JSON Schema, as far as it describes the members of a message.

use gnomon_message::Located;

use crate::DataType;
use crate::collect::Collector;
use crate::document::{Resolver, items, members};
use crate::shape::{MAX_DEPTH, PartBudget, SchemaMember, SchemaShape, add_new, join};

/// Returns the members of a message with this schema.
pub(crate) fn message_members<'d>(
    resolver: &Resolver<'d>,
    schema: &'d Located,
    collector: &mut Collector,
) -> Vec<SchemaMember> {
    match shape(resolver, schema, collector) {
        SchemaShape::Parts(members) => members,
        SchemaShape::Leaf(DataType::Map | DataType::Any) => Vec::new(),
        SchemaShape::Leaf(data) => {
            collector.note(schema.location, format!("a message that is a {} has no fields", data.word()));
            Vec::new()
        }
    }
}

/// Returns the structure of a value with this schema.
pub(crate) fn shape<'d>(resolver: &Resolver<'d>, schema: &'d Located, collector: &mut Collector) -> SchemaShape {
    Reader { resolver, collector, budget: PartBudget::default() }.shape(schema, 0)
}

struct Reader<'d, 'c> {
    resolver: &'c Resolver<'d>,
    collector: &'c mut Collector,
    budget: PartBudget,
}

impl<'d> Reader<'d, '_> {
    fn shape(&mut self, schema: &'d Located, depth: usize) -> SchemaShape {
        let Some(schema) = self.resolver.follow(schema, self.collector) else {
            return SchemaShape::Leaf(DataType::Any);
        };
        let members = self.own_members(schema, depth);
        let has_members = ["properties", "allOf", "oneOf", "anyOf"].iter().any(|key| schema.get(key).is_some());
        if has_members && (!members.is_empty() || is_object(schema)) {
            return SchemaShape::Parts(members);
        }
        SchemaShape::Leaf(data(schema))
    }

    /// Returns the members that a schema and the schemas it is composed of describe.
    fn own_members(&mut self, schema: &'d Located, depth: usize) -> Vec<SchemaMember> {
        if depth >= MAX_DEPTH || !self.budget.take() {
            return Vec::new();
        }
        let required: Vec<&str> = items(schema, "required").iter().filter_map(Located::text).collect();
        let mut own = Vec::new();
        for (name, part) in members(schema, "properties") {
            if !self.budget.take() {
                return own;
            }
            let shape = self.shape(part, depth + 1);
            own.push(SchemaMember { name: name.clone(), shape, required: required.contains(&name.as_str()) });
        }
        for part in items(schema, "allOf") {
            for member in self.followed_members(part, depth + 1) {
                match own.iter_mut().find(|known: &&mut SchemaMember| known.name == member.name) {
                    Some(known) => known.required |= member.required,
                    None => own.push(member),
                }
            }
        }
        // A part of an `allOf` may require a member that another part describes.
        for member in &mut own {
            member.required |= required.contains(&member.name.as_str());
        }
        for key in ["oneOf", "anyOf"] {
            let choices = items(schema, key).iter();
            let joined = choices.map(|part| self.followed_members(part, depth + 1)).reduce(join);
            joined.into_iter().flatten().for_each(|member| add_new(&mut own, member));
        }
        own
    }

    fn followed_members(&mut self, part: &'d Located, depth: usize) -> Vec<SchemaMember> {
        match self.resolver.follow(part, self.collector) {
            Some(schema) => self.own_members(schema, depth),
            None => Vec::new(),
        }
    }
}

fn is_object(schema: &Located) -> bool {
    schema.get("type").is_none_or(|word| word.text() == Some("object"))
}

/// Returns the type that a schema names; `null` beside another type is ignored.
fn data(schema: &Located) -> DataType {
    let Some(of) = schema.get("type") else {
        let texts = items(schema, "enum");
        let is_text = !texts.is_empty() && texts.iter().all(|part| part.text().is_some());
        return if is_text || schema.get("const").is_some_and(|part| part.text().is_some()) {
            DataType::Text
        } else {
            DataType::Any
        };
    };
    let words: Vec<&str> = match of.text() {
        Some(word) => vec![word],
        None => of.items().iter().filter_map(Located::text).filter(|word| *word != "null").collect(),
    };
    match words.as_slice() {
        ["string"] => DataType::Text,
        ["number" | "integer"] => DataType::Number,
        ["boolean"] => DataType::Boolean,
        ["array"] => DataType::List,
        ["object"] => DataType::Map,
        _ => DataType::Any,
    }
}
