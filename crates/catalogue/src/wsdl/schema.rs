// SPDX-License-Identifier: MIT OR Apache-2.0
//! XML Schema, as far as it tells which elements and attributes a message has. Schemas in other documents are not read.

use std::collections::HashMap;

use gnomon_trace::Place;
use gnomon_trace::message::Element;

use super::local;
use crate::Data;
use crate::collect::Collected;
use crate::places::Places;
use crate::shape::{DEEPEST, MOST_PARTS, Member, Shape};

/// The member that is an element's own text, as SOAP messages are read.
const TEXT: &str = "#text";

/// What the schemas of a document define, by kind and name.
pub(super) struct Schemas<'r, 'a> {
    /// Definitions of one name, with the namespace of each.
    defined: HashMap<(Sort, &'r str), Vec<(&'r str, &'r Element<'a>)>>,
    /// The namespaces that a prefix stands for, wherever that is said.
    prefixes: HashMap<&'r str, Vec<&'r str>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Sort {
    Element,
    Type,
    Group,
    AttributeGroup,
    Attribute,
}

impl<'r, 'a> Schemas<'r, 'a> {
    pub(super) fn of(root: &'r Element<'a>, places: &Places<'_>, collected: &mut Collected) -> Self {
        let mut schemas = Schemas { defined: HashMap::new(), prefixes: HashMap::new() };
        let all = root.named("types").flat_map(|types| types.named("schema"));
        for schema in all {
            let namespace = schema.attribute("targetNamespace").unwrap_or_default();
            for part in schema.elements() {
                let sort = match part.local() {
                    "element" => Sort::Element,
                    "complexType" | "simpleType" => Sort::Type,
                    "group" => Sort::Group,
                    "attributeGroup" => Sort::AttributeGroup,
                    "attribute" => Sort::Attribute,
                    "import" | "include" | "redefine" => {
                        if let Some(location) = part.attribute("schemaLocation") {
                            let note = format!("the schema `{location}` is another document, which is not read");
                            collected.note(places.of(part), note);
                        }
                        continue;
                    }
                    _ => continue,
                };
                if let Some(name) = part.attribute("name") {
                    schemas.defined.entry((sort, name)).or_default().push((namespace, part));
                }
            }
            schemas.learn_prefixes(schema);
        }
        schemas.learn_prefixes(root);
        schemas
    }

    fn learn_prefixes(&mut self, element: &'r Element<'a>) {
        for (name, value) in &element.attributes {
            if let Some(prefix) = name.strip_prefix("xmlns:") {
                self.prefixes.entry(prefix).or_default().push(value);
            }
        }
    }

    /// What a qualified name stands for. The namespace matters only where the name alone does not decide.
    fn find(&self, sort: Sort, name: &str) -> Option<&'r Element<'a>> {
        let candidates = self.defined.get(&(sort, local(name)))?;
        let meant = name.split_once(':').and_then(|(prefix, _)| self.prefixes.get(prefix));
        let fits = |namespace: &&str| meant.is_some_and(|meant| meant.contains(namespace));
        let exact = candidates.iter().find(|(namespace, _)| fits(namespace));
        exact.or(candidates.first()).map(|(_, element)| *element)
    }

    /// The members of a message that is this element.
    pub(super) fn members_of_element(&self, name: &str, place: Place, collected: &mut Collected) -> Vec<Member> {
        let Some(element) = self.find(Sort::Element, name) else {
            collected.note(place, format!("there is no element `{name}` in the schemas of the document"));
            return Vec::new();
        };
        let mut reader = Reader { schemas: self, left: MOST_PARTS };
        match reader.element(element, 0) {
            Shape::Parts(members) => members,
            Shape::Leaf(Data::Map) => Vec::new(),
            Shape::Leaf(data) => vec![Member::leaf(TEXT, data, true)],
        }
    }

    /// What a value of this type is.
    pub(super) fn shape_of_type(&self, name: &str) -> Shape {
        Reader { schemas: self, left: MOST_PARTS }.named_type(name, 0)
    }
}

struct Reader<'s, 'r, 'a> {
    schemas: &'s Schemas<'r, 'a>,
    /// How many parts may still be looked at.
    left: usize,
}

impl<'r, 'a> Reader<'_, 'r, 'a> {
    /// Whether another part may be looked at.
    fn goes_on(&mut self) -> bool {
        let goes_on = self.left > 0;
        self.left = self.left.saturating_sub(1);
        goes_on
    }

    fn element(&mut self, element: &'r Element<'a>, depth: usize) -> Shape {
        if let Some(of) = element.attribute("type") {
            return self.named_type(of, depth);
        }
        match element.elements().find(|part| matches!(part.local(), "complexType" | "simpleType")) {
            Some(of) => self.of_type(of, depth),
            None => Shape::Leaf(Data::Any),
        }
    }

    fn named_type(&mut self, name: &str, depth: usize) -> Shape {
        match self.schemas.find(Sort::Type, name) {
            Some(of) => self.of_type(of, depth),
            None => Shape::Leaf(builtin(local(name))),
        }
    }

    fn of_type(&mut self, of: &'r Element<'a>, depth: usize) -> Shape {
        if of.local() == "simpleType" {
            return Shape::Leaf(self.simple(of, depth));
        }
        let mut members = Vec::new();
        self.complex(of, depth, &mut members);
        // An element with a text and nothing else is its text.
        match members.as_slice() {
            [] => Shape::Leaf(Data::Map),
            [Member { name, shape: Shape::Leaf(data), .. }] if name == TEXT => Shape::Leaf(*data),
            _ => Shape::Parts(members),
        }
    }

    fn simple(&mut self, of: &'r Element<'a>, depth: usize) -> Data {
        let base = of.named("restriction").next();
        if depth >= DEEPEST {
            return Data::Any;
        }
        match base.map(|base| (base.attribute("base"), base.named("simpleType").next())) {
            Some((Some(base), _)) => match self.named_type(base, depth + 1) {
                Shape::Leaf(data) => data,
                Shape::Parts(_) => Data::Any,
            },
            Some((None, Some(inner))) => self.simple(inner, depth + 1),
            // A list of words is one text, and a union may be anything.
            _ if of.named("list").next().is_some() => Data::Text,
            _ => Data::Any,
        }
    }

    /// Adds what a complex type consists of.
    fn complex(&mut self, of: &'r Element<'a>, depth: usize, members: &mut Vec<Member>) {
        if depth >= DEEPEST || !self.goes_on() {
            return;
        }
        for part in of.elements() {
            match part.local() {
                "complexContent" | "simpleContent" => {
                    for derived in part.elements().filter(|part| matches!(part.local(), "extension" | "restriction")) {
                        self.base(part.local(), derived, depth, members);
                        self.complex(derived, depth, members);
                    }
                }
                "sequence" | "all" => self.particles(part, true, depth, members),
                "choice" => self.particles(part, false, depth, members),
                "group" => self.group(part, true, depth, members),
                "attribute" => self.attribute(part, members),
                "attributeGroup" => {
                    let name = part.attribute("ref").unwrap_or_default();
                    if let Some(group) = self.schemas.find(Sort::AttributeGroup, name) {
                        self.complex(group, depth + 1, members);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds what a type has from the one that it extends.
    fn base(&mut self, content: &str, derived: &'r Element<'a>, depth: usize, members: &mut Vec<Member>) {
        let name = derived.attribute("base").unwrap_or_default();
        if content == "complexContent" && derived.local() == "restriction" {
            return;
        }
        match self.schemas.find(Sort::Type, name) {
            Some(of) if of.local() == "complexType" => self.complex(of, depth + 1, members),
            _ if content == "simpleContent" => {
                let data = match self.named_type(name, depth + 1) {
                    Shape::Leaf(data) => data,
                    Shape::Parts(_) => Data::Any,
                };
                if members.iter().all(|known| known.name != TEXT) {
                    members.push(Member::leaf(TEXT, data, true));
                }
            }
            _ => {}
        }
    }

    /// Adds the elements of a sequence, of `all` or of a choice.
    fn particles(&mut self, list: &'r Element<'a>, required: bool, depth: usize, members: &mut Vec<Member>) {
        let required = required && list.attribute("minOccurs") != Some("0");
        let repeats = repeats(list);
        for part in list.elements() {
            match part.local() {
                "element" => self.particle(part, required, repeats, depth, members),
                "sequence" | "all" => self.particles(part, required, depth, members),
                "choice" => self.particles(part, false, depth, members),
                "group" => self.group(part, required, depth, members),
                _ => {}
            }
        }
    }

    fn group(&mut self, part: &'r Element<'a>, required: bool, depth: usize, members: &mut Vec<Member>) {
        let name = part.attribute("ref").unwrap_or_default();
        let required = required && part.attribute("minOccurs") != Some("0");
        if depth + 1 >= DEEPEST || !self.goes_on() {
            return;
        }
        for list in self.schemas.find(Sort::Group, name).into_iter().flat_map(Element::elements) {
            let required = required && list.local() != "choice";
            self.particles(list, required, depth + 1, members);
        }
    }

    fn particle(
        &mut self,
        part: &'r Element<'a>,
        required: bool,
        in_list: bool,
        depth: usize,
        members: &mut Vec<Member>,
    ) {
        if !self.goes_on() {
            return;
        }
        let target = match part.attribute("ref") {
            Some(name) => self.schemas.find(Sort::Element, name),
            None => Some(part),
        };
        let name = part.attribute("ref").or_else(|| part.attribute("name")).map(local).unwrap_or_default();
        if name.is_empty() || members.iter().any(|known| known.name == name) {
            return;
        }
        let shape = match target {
            _ if in_list || repeats(part) => Shape::Leaf(Data::List),
            Some(target) if depth + 1 < DEEPEST => self.element(target, depth + 1),
            Some(_) => Shape::Leaf(Data::Map),
            None => Shape::Leaf(Data::Any),
        };
        let required = required && part.attribute("minOccurs") != Some("0");
        members.push(Member { name: name.to_owned(), shape, required });
    }

    fn attribute(&mut self, part: &'r Element<'a>, members: &mut Vec<Member>) {
        let name = part.attribute("ref").or_else(|| part.attribute("name")).map(local).unwrap_or_default();
        let name_of_member = format!("@{name}");
        if name.is_empty() || part.attribute("use") == Some("prohibited") || !self.goes_on() {
            return;
        }
        let target = part.attribute("ref").and_then(|name| self.schemas.find(Sort::Attribute, name)).unwrap_or(part);
        let data = match self.element(target, 1) {
            Shape::Leaf(data) => data,
            Shape::Parts(_) => Data::Any,
        };
        if members.iter().all(|known| known.name != name_of_member) {
            members.push(Member::leaf(&name_of_member, data, part.attribute("use") == Some("required")));
        }
    }
}

/// Whether there may be more than one.
fn repeats(part: &Element<'_>) -> bool {
    !matches!(part.attribute("maxOccurs"), None | Some("0" | "1"))
}

/// What the types of XML Schema itself are.
fn builtin(name: &str) -> Data {
    const NUMBERS: [&str; 16] = [
        "decimal",
        "integer",
        "int",
        "long",
        "short",
        "byte",
        "float",
        "double",
        "nonNegativeInteger",
        "positiveInteger",
        "nonPositiveInteger",
        "negativeInteger",
        "unsignedInt",
        "unsignedLong",
        "unsignedShort",
        "unsignedByte",
    ];
    match name {
        "boolean" => Data::Boolean,
        "anyType" | "anySimpleType" | "" => Data::Any,
        name if NUMBERS.contains(&name) => Data::Number,
        _ => Data::Text,
    }
}
