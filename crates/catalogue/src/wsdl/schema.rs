// SPDX-License-Identifier: MIT OR Apache-2.0
//! XML Schema, as far as it describes the elements and attributes of a message. Schemas in other documents are not read.
//!
//! A message becomes [`SchemaMember`]s as SOAP messages are read into fields: an element is a member of its name, an attribute a
//! member `@name`, the text of an element that has attributes a member `#text`.

use std::collections::HashMap;

use gnomon_message::XmlElement;
use gnomon_scan::Location;

use super::local;
use crate::DataType;
use crate::collect::Collector;
use crate::shape::{MAX_DEPTH, PartBudget, SchemaMember, SchemaShape, add_new};

/// The member for an element's own text.
const TEXT: &str = "#text";

/// The definitions in the schemas of a document, by kind and name.
pub(super) struct Schemas<'r, 'a> {
    /// The definitions of each name, with the namespace of each.
    definitions: HashMap<(DefinitionKind, &'r str), Vec<(&'r str, &'r XmlElement<'a>)>>,
    /// The namespaces that each prefix is declared for, anywhere in the document.
    prefixes: HashMap<&'r str, Vec<&'r str>>,
}

/// The kind of a definition.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum DefinitionKind {
    Element,
    Type,
    Group,
    AttributeGroup,
    Attribute,
}

impl<'r, 'a> Schemas<'r, 'a> {
    pub(super) fn of(root: &'r XmlElement<'a>, collector: &mut Collector) -> Self {
        let mut schemas = Schemas { definitions: HashMap::new(), prefixes: HashMap::new() };
        let all = root.named("types").flat_map(|types| types.named("schema"));
        for schema in all {
            let namespace = schema.attribute("targetNamespace").unwrap_or_default();
            for part in schema.elements() {
                let kind = match part.local() {
                    "element" => DefinitionKind::Element,
                    "complexType" | "simpleType" => DefinitionKind::Type,
                    "group" => DefinitionKind::Group,
                    "attributeGroup" => DefinitionKind::AttributeGroup,
                    "attribute" => DefinitionKind::Attribute,
                    "import" | "include" | "redefine" => {
                        if let Some(location) = part.attribute("schemaLocation") {
                            let note = format!("the schema `{location}` is another document, which is not read");
                            collector.note(part.location, note);
                        }
                        continue;
                    }
                    _ => continue,
                };
                if let Some(name) = part.attribute("name") {
                    schemas.definitions.entry((kind, name)).or_default().push((namespace, part));
                }
            }
            schemas.learn_prefixes(schema);
        }
        schemas.learn_prefixes(root);
        schemas
    }

    fn learn_prefixes(&mut self, element: &'r XmlElement<'a>) {
        for (name, value) in &element.attributes {
            if let Some(prefix) = name.strip_prefix("xmlns:") {
                self.prefixes.entry(prefix).or_default().push(value);
            }
        }
    }

    /// Returns the definition of a qualified name. The namespace matters only where several definitions have the name.
    fn find(&self, kind: DefinitionKind, name: &str) -> Option<&'r XmlElement<'a>> {
        let candidates = self.definitions.get(&(kind, local(name)))?;
        let meant = name.split_once(':').and_then(|(prefix, _)| self.prefixes.get(prefix));
        let fits = |namespace: &&str| meant.is_some_and(|meant| meant.contains(namespace));
        let exact = candidates.iter().find(|(namespace, _)| fits(namespace));
        exact.or(candidates.first()).map(|(_, element)| *element)
    }

    /// Returns the members of a message that is this element.
    pub(super) fn members_of_element(
        &self,
        name: &str,
        location: Location,
        collector: &mut Collector,
    ) -> Vec<SchemaMember> {
        let Some(element) = self.find(DefinitionKind::Element, name) else {
            collector.note(location, format!("the schemas of the document have no element `{name}`"));
            return Vec::new();
        };
        match self.reader().element(element, 0) {
            SchemaShape::Parts(members) => members,
            SchemaShape::Leaf(DataType::Map) => Vec::new(),
            SchemaShape::Leaf(data) => vec![SchemaMember::leaf(TEXT, data, true)],
        }
    }

    /// Returns the structure of a value of this type.
    pub(super) fn shape_of_type(&self, name: &str) -> SchemaShape {
        self.reader().named_type(name, 0)
    }

    fn reader(&self) -> Reader<'_, 'r, 'a> {
        Reader { schemas: self, budget: PartBudget::default() }
    }
}

struct Reader<'s, 'r, 'a> {
    schemas: &'s Schemas<'r, 'a>,
    budget: PartBudget,
}

impl<'r, 'a> Reader<'_, 'r, 'a> {
    fn element(&mut self, element: &'r XmlElement<'a>, depth: usize) -> SchemaShape {
        if let Some(of) = element.attribute("type") {
            return self.named_type(of, depth);
        }
        match element.elements().find(|part| matches!(part.local(), "complexType" | "simpleType")) {
            Some(of) => self.of_type(of, depth),
            None => SchemaShape::Leaf(DataType::Any),
        }
    }

    fn named_type(&mut self, name: &str, depth: usize) -> SchemaShape {
        match self.schemas.find(DefinitionKind::Type, name) {
            Some(of) => self.of_type(of, depth),
            None => SchemaShape::Leaf(builtin(local(name))),
        }
    }

    fn of_type(&mut self, of: &'r XmlElement<'a>, depth: usize) -> SchemaShape {
        if of.local() == "simpleType" {
            return SchemaShape::Leaf(self.simple(of, depth));
        }
        let mut members = Vec::new();
        self.complex(of, depth, &mut members);
        // An element that has only a text is that text.
        match members.as_slice() {
            [] => SchemaShape::Leaf(DataType::Map),
            [SchemaMember { name, shape: SchemaShape::Leaf(data), .. }] if name == TEXT => SchemaShape::Leaf(*data),
            _ => SchemaShape::Parts(members),
        }
    }

    fn simple(&mut self, of: &'r XmlElement<'a>, depth: usize) -> DataType {
        let base = of.named("restriction").next();
        if depth >= MAX_DEPTH {
            return DataType::Any;
        }
        match base.map(|base| (base.attribute("base"), base.named("simpleType").next())) {
            Some((Some(base), _)) => self.named_type(base, depth + 1).data(),
            Some((None, Some(inner))) => self.simple(inner, depth + 1),
            // A list of words is one text; a union may be anything.
            _ if of.named("list").next().is_some() => DataType::Text,
            _ => DataType::Any,
        }
    }

    /// Adds the members of a complex type.
    fn complex(&mut self, of: &'r XmlElement<'a>, depth: usize, members: &mut Vec<SchemaMember>) {
        if depth >= MAX_DEPTH || !self.budget.take() {
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
                    if let Some(group) = self.schemas.find(DefinitionKind::AttributeGroup, name) {
                        self.complex(group, depth + 1, members);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds the members that a type inherits from its base.
    fn base(&mut self, content: &str, derived: &'r XmlElement<'a>, depth: usize, members: &mut Vec<SchemaMember>) {
        let name = derived.attribute("base").unwrap_or_default();
        if content == "complexContent" && derived.local() == "restriction" {
            return;
        }
        match self.schemas.find(DefinitionKind::Type, name) {
            Some(of) if of.local() == "complexType" => self.complex(of, depth + 1, members),
            _ if content == "simpleContent" => {
                let data = self.named_type(name, depth + 1).data();
                add_new(members, SchemaMember::leaf(TEXT, data, true));
            }
            _ => {}
        }
    }

    /// Adds the elements of a sequence, an `all` or a choice.
    fn particles(&mut self, list: &'r XmlElement<'a>, required: bool, depth: usize, members: &mut Vec<SchemaMember>) {
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

    fn group(&mut self, part: &'r XmlElement<'a>, required: bool, depth: usize, members: &mut Vec<SchemaMember>) {
        let name = part.attribute("ref").unwrap_or_default();
        let required = required && part.attribute("minOccurs") != Some("0");
        if depth + 1 >= MAX_DEPTH || !self.budget.take() {
            return;
        }
        for list in self.schemas.find(DefinitionKind::Group, name).into_iter().flat_map(XmlElement::elements) {
            let required = required && list.local() != "choice";
            self.particles(list, required, depth + 1, members);
        }
    }

    fn particle(
        &mut self,
        part: &'r XmlElement<'a>,
        required: bool,
        in_list: bool,
        depth: usize,
        members: &mut Vec<SchemaMember>,
    ) {
        if !self.budget.take() {
            return;
        }
        let target = match part.attribute("ref") {
            Some(name) => self.schemas.find(DefinitionKind::Element, name),
            None => Some(part),
        };
        let name = name_of(part);
        if name.is_empty() || members.iter().any(|known| known.name == name) {
            return;
        }
        let shape = match target {
            _ if in_list || repeats(part) => SchemaShape::Leaf(DataType::List),
            Some(target) if depth + 1 < MAX_DEPTH => self.element(target, depth + 1),
            Some(_) => SchemaShape::Leaf(DataType::Map),
            None => SchemaShape::Leaf(DataType::Any),
        };
        let required = required && part.attribute("minOccurs") != Some("0");
        members.push(SchemaMember { name: name.to_owned(), shape, required });
    }

    fn attribute(&mut self, part: &'r XmlElement<'a>, members: &mut Vec<SchemaMember>) {
        let name = name_of(part);
        if name.is_empty() || part.attribute("use") == Some("prohibited") || !self.budget.take() {
            return;
        }
        let target =
            part.attribute("ref").and_then(|name| self.schemas.find(DefinitionKind::Attribute, name)).unwrap_or(part);
        let data = self.element(target, 1).data();
        add_new(members, SchemaMember::leaf(&format!("@{name}"), data, part.attribute("use") == Some("required")));
    }
}

/// Returns the name of an element or attribute, or of the one that it refers to.
fn name_of<'e>(part: &'e XmlElement<'_>) -> &'e str {
    part.attribute("ref").or_else(|| part.attribute("name")).map(local).unwrap_or_default()
}

/// Returns true if a message may contain the part more than once.
fn repeats(part: &XmlElement<'_>) -> bool {
    !matches!(part.attribute("maxOccurs"), None | Some("0" | "1"))
}

/// Returns the data type of a type that XML Schema itself defines.
fn builtin(name: &str) -> DataType {
    match name {
        "boolean" => DataType::Boolean,
        "anyType" | "anySimpleType" | "" => DataType::Any,
        "decimal" | "integer" | "int" | "long" | "short" | "byte" | "float" | "double" | "nonNegativeInteger"
        | "positiveInteger" | "nonPositiveInteger" | "negativeInteger" | "unsignedInt" | "unsignedLong"
        | "unsignedShort" | "unsignedByte" => DataType::Number,
        _ => DataType::Text,
    }
}
