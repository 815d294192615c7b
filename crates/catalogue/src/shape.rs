// SPDX-License-Identifier: MIT OR Apache-2.0
//! The structure of a message as a schema describes it, and the list of fields that follows from it.
//!
//! Readers of JSON Schema and of XML Schema both build [`SchemaMember`]s. [`fields`] flattens them: each leaf becomes a field, named
//! by the last step of its path, or by more steps where that name is taken. Example: the members `user {id, note}` and `id` become
//! the fields `id` (path `user/id`), `note` (path `user/note`) and `id_` (path `id`).

use std::collections::HashSet;

use crate::{CatalogueField, DataType};

/// Limit on the depth to which a schema is followed. A schema may contain itself, and deep data is of little use in a declaration.
pub(crate) const MAX_DEPTH: usize = 6;
/// COST: limit on the parts of a schema that are visited for one message. A document of a few lines may refer to itself so that
/// there are millions.
const MAX_PARTS: usize = 2048;
/// Limit on the fields of a message that are listed.
const MAX_FIELDS: usize = 40;

/// A member of a message, or of a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SchemaMember {
    pub(crate) name: String,
    pub(crate) shape: SchemaShape,
    pub(crate) required: bool,
}

/// The structure of a member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SchemaShape {
    /// A simple value.
    Leaf(DataType),
    /// A value with members of its own.
    Parts(Vec<SchemaMember>),
}

/// The number of parts of a schema that may still be visited.
pub(crate) struct PartBudget(usize);

impl Default for PartBudget {
    fn default() -> Self {
        PartBudget(MAX_PARTS)
    }
}

impl PartBudget {
    /// Counts a part; returns false if the budget is used up.
    pub(crate) fn take(&mut self) -> bool {
        let has_left = self.0 > 0;
        self.0 = self.0.saturating_sub(1);
        has_left
    }
}

impl SchemaShape {
    /// Returns the type of a leaf; anything for a value with members.
    pub(crate) fn data(&self) -> DataType {
        match self {
            SchemaShape::Leaf(data) => *data,
            SchemaShape::Parts(_) => DataType::Any,
        }
    }
}

impl SchemaMember {
    pub(crate) fn leaf(name: &str, data: DataType, required: bool) -> SchemaMember {
        SchemaMember { name: name.to_owned(), shape: SchemaShape::Leaf(data), required }
    }
}

/// Adds a member unless there is one of that name.
pub(crate) fn add_new(members: &mut Vec<SchemaMember>, member: SchemaMember) {
    if members.iter().all(|known| known.name != member.name) {
        members.push(member);
    }
}

/// Combines the members of two variants of a message: a member is required only if both variants require it.
pub(crate) fn join(left: Vec<SchemaMember>, right: Vec<SchemaMember>) -> Vec<SchemaMember> {
    let mut joined = left;
    for member in &mut joined {
        member.required &= right.iter().any(|other| other.name == member.name && other.required);
    }
    for mut member in right {
        let Some(known) = joined.iter_mut().find(|known| known.name == member.name) else {
            member.required = false;
            joined.push(member);
            continue;
        };
        let own = std::mem::replace(&mut known.shape, SchemaShape::Leaf(DataType::Any));
        known.shape = match (own, member.shape) {
            (SchemaShape::Parts(left), SchemaShape::Parts(right)) => SchemaShape::Parts(join(left, right)),
            (left, right) if left == right => left,
            _ => SchemaShape::Leaf(DataType::Any),
        };
    }
    joined
}

/// Returns the fields of a message: its leaves, at any depth. The second value is true if some were left out.
pub(crate) fn fields(members: &[SchemaMember]) -> (Vec<CatalogueField>, bool) {
    let mut fields = Vec::new();
    walk(members, &mut Vec::new(), true, &mut fields);
    let left_out = fields.len() > MAX_FIELDS;
    fields.truncate(MAX_FIELDS);
    let mut used_names: HashSet<String> = HashSet::new();
    for field in &mut fields {
        // The text of an element is named after the element.
        let mut name = String::new();
        for step in field.path.iter().rev().map(|step| step.trim_start_matches(['@', '#'])) {
            name = match name.as_str() {
                "" => step.to_owned(),
                "text" if field.path.last().is_some_and(|last| last == "#text") => step.to_owned(),
                inner => format!("{step}_{inner}"),
            };
            if !used_names.contains(&name) && name != "text" {
                break;
            }
        }
        while name.is_empty() || !used_names.insert(name.clone()) {
            name.push('_');
        }
        field.name = name;
    }
    (fields, left_out)
}

fn walk(members: &[SchemaMember], path: &mut Vec<String>, required: bool, fields: &mut Vec<CatalogueField>) {
    for member in members {
        if fields.len() > MAX_FIELDS {
            return;
        }
        path.push(member.name.clone());
        let required = required && member.required;
        match &member.shape {
            SchemaShape::Parts(parts) if !parts.is_empty() => walk(parts, path, required, fields),
            SchemaShape::Parts(_) => fields.push(field(path, DataType::Map, required)),
            SchemaShape::Leaf(data) => fields.push(field(path, *data, required)),
        }
        path.pop();
    }
}

fn field(path: &[String], data: DataType, required: bool) -> CatalogueField {
    CatalogueField { name: String::new(), path: path.to_vec(), data, required }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(name: &str, members: Vec<SchemaMember>) -> SchemaMember {
        SchemaMember { name: name.to_owned(), shape: SchemaShape::Parts(members), required: true }
    }

    fn shown(members: &[SchemaMember]) -> Vec<String> {
        let shown = |field: &CatalogueField| {
            let optional = if field.required { "" } else { "?" };
            format!("{}{optional}={}:{}", field.name, field.path.join("/"), field.data.word())
        };
        fields(members).0.iter().map(shown).collect()
    }

    #[test]
    fn simple_parts_are_fields_with_names_of_their_own() {
        let user = parts(
            "user",
            vec![SchemaMember::leaf("id", DataType::Number, true), SchemaMember::leaf("note", DataType::Text, false)],
        );
        let item = parts(
            "item",
            vec![SchemaMember::leaf("@id", DataType::Number, true), SchemaMember::leaf("#text", DataType::Text, true)],
        );
        let members = [user, item, SchemaMember::leaf("id", DataType::Any, true), parts("extra", vec![])];
        assert_eq!(
            shown(&members),
            [
                "id=user/id:number",
                "note?=user/note:text",
                "item_id=item/@id:number",
                "item=item/#text:text",
                "id_=id:any",
                "extra=extra:map"
            ]
        );
        assert_eq!(shown(&[SchemaMember::leaf("#text", DataType::Text, true)]), ["text=#text:text"]);
    }

    #[test]
    fn members_of_one_variant_are_optional() {
        let left = vec![SchemaMember::leaf("a", DataType::Text, true), SchemaMember::leaf("b", DataType::Text, true)];
        let right =
            vec![SchemaMember::leaf("b", DataType::Number, true), SchemaMember::leaf("c", DataType::Text, true)];
        assert_eq!(shown(&join(left, right)), ["a?=a:text", "b=b:any", "c?=c:text"]);
    }

    #[test]
    fn lists_of_fields_have_an_end() {
        let many: Vec<SchemaMember> =
            (0..1000).map(|index| SchemaMember::leaf(&format!("f{index}"), DataType::Text, true)).collect();
        assert_eq!((fields(&many).0.len(), fields(&many).1), (MAX_FIELDS, true));
    }
}
