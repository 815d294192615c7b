// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a message looks like inside, as a schema of either family tells, and the list of fields that follows from it.

use std::collections::HashSet;

use crate::{Data, Field};

/// How deep a schema is followed: what lies deeper is of little use in a declaration, and schemas may contain themselves.
pub(crate) const DEEPEST: usize = 6;
/// COST: how many parts of a schema are looked at for one message: a document of a few lines may refer to itself so that
/// there are millions.
pub(crate) const MOST_PARTS: usize = 2048;
/// How many fields of a message are listed.
const MOST_FIELDS: usize = 40;

/// A member of a message, or of a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) required: bool,
}

/// What a member is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// A piece of data.
    Leaf(Data),
    /// Something with members of its own.
    Parts(Vec<Member>),
}

impl Member {
    pub(crate) fn leaf(name: &str, data: Data, required: bool) -> Member {
        Member { name: name.to_owned(), shape: Shape::Leaf(data), required }
    }
}

/// Both together: a member that only one of them has is not there always.
pub(crate) fn join(left: Vec<Member>, right: Vec<Member>) -> Vec<Member> {
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
        let own = std::mem::replace(&mut known.shape, Shape::Leaf(Data::Any));
        known.shape = match (own, member.shape) {
            (Shape::Parts(left), Shape::Parts(right)) => Shape::Parts(join(left, right)),
            (left, right) if left == right => left,
            _ => Shape::Leaf(Data::Any),
        };
    }
    joined
}

/// The fields of a message: the simple parts, wherever they are. The second is whether some were left out.
pub(crate) fn fields(members: &[Member]) -> (Vec<Field>, bool) {
    let mut fields = Vec::new();
    walk(members, &mut Vec::new(), true, &mut fields);
    let left_out = fields.len() > MOST_FIELDS;
    fields.truncate(MOST_FIELDS);
    let mut taken: HashSet<String> = HashSet::new();
    for field in &mut fields {
        // The last step that is a name: the text of an element is called what the element is.
        let mut name = String::new();
        for step in field.path.iter().rev().map(|step| step.trim_start_matches(['@', '#'])) {
            name = match name.as_str() {
                "" => step.to_owned(),
                "text" if field.path.last().is_some_and(|last| last == "#text") => step.to_owned(),
                inner => format!("{step}_{inner}"),
            };
            if !taken.contains(&name) && name != "text" {
                break;
            }
        }
        while name.is_empty() || !taken.insert(name.clone()) {
            name.push('_');
        }
        field.name = name;
    }
    (fields, left_out)
}

fn walk(members: &[Member], path: &mut Vec<String>, required: bool, fields: &mut Vec<Field>) {
    for member in members {
        if fields.len() > MOST_FIELDS {
            return;
        }
        path.push(member.name.clone());
        let required = required && member.required;
        match &member.shape {
            Shape::Parts(parts) if !parts.is_empty() => walk(parts, path, required, fields),
            Shape::Parts(_) => fields.push(field(path, Data::Map, required)),
            Shape::Leaf(data) => fields.push(field(path, *data, required)),
        }
        path.pop();
    }
}

fn field(path: &[String], data: Data, required: bool) -> Field {
    Field { name: String::new(), path: path.to_vec(), data, required }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(name: &str, members: Vec<Member>) -> Member {
        Member { name: name.to_owned(), shape: Shape::Parts(members), required: true }
    }

    fn shown(members: &[Member]) -> Vec<String> {
        let shown = |field: &Field| {
            let optional = if field.required { "" } else { "?" };
            format!("{}{optional}={}:{}", field.name, field.path.join("/"), field.data.word())
        };
        fields(members).0.iter().map(shown).collect()
    }

    #[test]
    fn simple_parts_are_fields_with_names_of_their_own() {
        let user = parts("user", vec![Member::leaf("id", Data::Number, true), Member::leaf("note", Data::Text, false)]);
        let item =
            parts("item", vec![Member::leaf("@id", Data::Number, true), Member::leaf("#text", Data::Text, true)]);
        let members = [user, item, Member::leaf("id", Data::Any, true), parts("extra", vec![])];
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
        assert_eq!(shown(&[Member::leaf("#text", Data::Text, true)]), ["text=#text:text"]);
    }

    #[test]
    fn what_only_one_has_is_not_there_always() {
        let left = vec![Member::leaf("a", Data::Text, true), Member::leaf("b", Data::Text, true)];
        let right = vec![Member::leaf("b", Data::Number, true), Member::leaf("c", Data::Text, true)];
        assert_eq!(shown(&join(left, right)), ["a?=a:text", "b=b:any", "c?=c:text"]);
    }

    #[test]
    fn lists_of_fields_have_an_end() {
        let many: Vec<Member> = (0..1000).map(|index| Member::leaf(&format!("f{index}"), Data::Text, true)).collect();
        assert_eq!((fields(&many).0.len(), fields(&many).1), (MOST_FIELDS, true));
    }
}
