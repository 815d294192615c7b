// SPDX-License-Identifier: MIT OR Apache-2.0
//! XML documents as trees, for messages and descriptions of services: they are small and read more than once.

use std::borrow::Cow;

use super::{Attributes, MAX_DEPTH, Tag, TextForm, Token, XmlText};
use crate::buffer::Buffer;
use crate::cursor::{Cursor, is_space};
use crate::error::{Code, Fault, TraceError};
use crate::location::Location;
use crate::range::{ByteRange, utf8};

/// COST: limit on the elements of a document. Without it a document of empty elements would take many times its size in
/// memory.
const MAX_ELEMENTS: usize = 1 << 20;

/// An element with its content. Names keep their namespace prefixes; lookups ignore them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct XmlElement<'a> {
    /// The name, with its prefix.
    pub name: Cow<'a, str>,
    /// The attributes, with their prefixes; declarations of namespaces are among them.
    pub attributes: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The elements and texts inside.
    pub children: Vec<XmlNode<'a>>,
    /// The offset of its tag in the document.
    pub at: usize,
    /// Line and column of its tag.
    pub location: Location,
}

/// A child of an element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum XmlNode<'a> {
    /// An element.
    Element(XmlElement<'a>),
    /// A text that is not blank, without blanks around it.
    Text(Cow<'a, str>),
}

impl<'a> XmlElement<'a> {
    /// Parses a document. `source_name` stands for it in messages. Document type declarations are refused, and with
    /// them all entities but those of XML itself.
    pub fn parse(source_name: &str, text: &'a str) -> Result<XmlElement<'a>, TraceError> {
        XmlElement::read(text).map_err(|fault| fault.in_text(source_name, text))
    }

    /// Parses a document; a fault has its offset in the text.
    pub fn read(text: &'a str) -> Result<XmlElement<'a>, Fault> {
        let mut builder = Builder {
            text,
            cursor: Cursor::new(Buffer::from_bytes(text.as_bytes())),
            count: 0,
            counted: (0, Location::START),
        };
        let mut open: Vec<XmlElement<'_>> = Vec::new();
        let mut root = None;
        // Start of the text before the next tag.
        let mut gap = 0;
        loop {
            let start = builder.cursor.at;
            let token = builder.cursor.token()?;
            let tag_start = match token {
                Token::Open(_) | Token::Close(_) | Token::End => start,
                Token::Text(_) | Token::Cdata(_) | Token::Comment => continue,
            };
            let between = ByteRange { start: gap, end: tag_start };
            match open.last_mut() {
                Some(element) => element.children.extend(builder.text(between)?.map(XmlNode::Text)),
                None => builder.nothing_in(between)?,
            }
            gap = builder.cursor.at;
            match token {
                Token::Open(tag) => {
                    if root.is_some() {
                        return Err(Fault::new(
                            Code::BadXml,
                            start,
                            "there is more content after the outermost element",
                        ));
                    }
                    let element = builder.element(tag, start)?;
                    if !tag.is_self_closing {
                        if open.len() >= MAX_DEPTH {
                            return Err(Fault::new(Code::TooDeep, start, format!("nested more than {MAX_DEPTH} deep")));
                        }
                        open.push(element);
                        continue;
                    }
                    close(&mut open, &mut root, element);
                }
                Token::Close(name) => match open.pop() {
                    Some(element) if element.name.as_bytes() == name.of(text.as_bytes()) => {
                        close(&mut open, &mut root, element);
                    }
                    Some(element) => return Err(builder.cursor.not_closed(&element.name, token)),
                    None => return Err(Fault::new(Code::BadXml, start, "this tag closes nothing")),
                },
                _ => {
                    return match (open.pop(), root) {
                        (Some(element), _) => Err(builder.cursor.not_closed(&element.name, token)),
                        (None, Some(root)) => Ok(root),
                        (None, None) => Err(Fault::new(Code::BadXml, 0, "the document has no element")),
                    };
                }
            }
        }
    }

    /// Returns the name without its prefix.
    pub fn local(&self) -> &str {
        without_prefix(&self.name)
    }

    /// Returns the child elements.
    pub fn elements(&self) -> impl Iterator<Item = &XmlElement<'a>> {
        self.children.iter().filter_map(|node| match node {
            XmlNode::Element(element) => Some(element),
            XmlNode::Text(_) => None,
        })
    }

    /// Returns the child elements with this name; prefixes are ignored.
    pub fn named<'s>(&'s self, local: &'s str) -> impl Iterator<Item = &'s XmlElement<'a>> {
        self.elements().filter(move |element| element.local() == local)
    }

    /// Returns the value of an attribute by its name without a prefix. Declarations of namespaces are ignored.
    pub fn attribute(&self, local: &str) -> Option<&str> {
        let named = |(name, _): &&(Cow<'_, str>, Cow<'_, str>)| !declares(name) && without_prefix(name) == local;
        self.attributes.iter().find(named).map(|(_, value)| value.as_ref())
    }

    /// Returns the texts of this element, joined by blanks, without those of its children.
    pub fn text(&self) -> Cow<'_, str> {
        let mut texts = self.children.iter().filter_map(|node| match node {
            XmlNode::Text(text) => Some(text.as_ref()),
            XmlNode::Element(_) => None,
        });
        let first = texts.next().unwrap_or_default();
        texts.fold(Cow::Borrowed(first), |all, text| Cow::Owned(format!("{all} {text}")))
    }
}

/// Returns a name without the prefix of its namespace.
pub fn without_prefix(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| if local.is_empty() { name } else { local })
}

/// Returns true if an attribute declares a namespace.
pub fn declares(attribute: &str) -> bool {
    attribute == "xmlns" || attribute.starts_with("xmlns:")
}

/// Adds a finished element to its parent, or makes it the root.
fn close<'a>(open: &mut [XmlElement<'a>], root: &mut Option<XmlElement<'a>>, element: XmlElement<'a>) {
    match open.last_mut() {
        Some(parent) => parent.children.push(XmlNode::Element(element)),
        None => *root = Some(element),
    }
}

struct Builder<'a> {
    /// The document. Offsets in the row of the cursor are offsets in it.
    text: &'a str,
    cursor: Cursor<()>,
    count: usize,
    /// An offset up to which lines were counted, and its location.
    counted: (usize, Location),
}

impl<'a> Builder<'a> {
    fn element(&mut self, tag: Tag, at: usize) -> Result<XmlElement<'a>, Fault> {
        self.count += 1;
        if self.count > MAX_ELEMENTS {
            return Err(Fault::new(Code::TooManyCells, at, format!("more than {MAX_ELEMENTS} elements")));
        }
        let row = self.text.as_bytes();
        let mut attributes = Vec::new();
        let mut walk = Attributes::new(self.cursor.buffer.padded(), tag.attributes);
        while let Some((name, value)) = walk.next()? {
            let name = String::from_utf8_lossy(name).into_owned();
            attributes.push((Cow::Owned(name), value.decode(row)?));
        }
        let location = self.counted.1.after(&row[self.counted.0..at]);
        self.counted = (at, location);
        Ok(XmlElement { name: Cow::Borrowed(utf8(row, tag.name)?), attributes, children: Vec::new(), at, location })
    }

    /// Returns the text in a range, without comments; `None` if it is blank.
    fn text(&self, between: ByteRange) -> Result<Option<Cow<'a, str>>, Fault> {
        let row = self.text.as_bytes();
        if between.of(row).iter().all(|&byte| is_space(byte)) {
            return Ok(None);
        }
        let text = XmlText { range: between, form: TextForm::Content }.decode(row)?;
        Ok((!text.is_empty()).then_some(text))
    }

    /// Checks that a range outside of the root has only blanks and comments.
    fn nothing_in(&self, between: ByteRange) -> Result<(), Fault> {
        match self.text(between)? {
            None => Ok(()),
            Some(_) => Err(Fault::new(Code::BadXml, between.start, "there is text outside the outermost element")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(element: &XmlElement<'_>) -> String {
        let attributes: Vec<String> =
            element.attributes.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        let inside: String = element
            .children
            .iter()
            .map(|node| match node {
                XmlNode::Element(element) => shown(element),
                XmlNode::Text(text) => format!("[{text}]"),
            })
            .collect();
        format!("<{}{}>{inside}</>", element.name, attributes.concat())
    }

    #[test]
    fn documents_are_trees() {
        for (text, expected) in [
            ("<a/>", "<a></>"),
            ("<?xml version='1.0'?>\n<!-- x --><a>\n</a>\n<!-- y -->", "<a></>"),
            ("<p:a b='1' xmlns:p=\"&lt;u\">x</p:a>", "<p:a b=1 xmlns:p=<u>[x]</>"),
            ("<a> one <b>two</b> th<!-- -->ree <![CDATA[<&]]> </a>", "<a>[one]<b>[two]</>[three <&]</>"),
            ("<a><b/><b><c>&#65;&amp;</c></b></a>", "<a><b></><b><c>[A&]</></></>"),
        ] {
            assert_eq!(shown(&XmlElement::read(text).unwrap()), expected, "{text}");
        }
        let element = XmlElement::read("<p:a x:k='v' xmlns:k='u'><q:b/>t<c/>u</p:a>").unwrap();
        assert_eq!((element.local(), element.attribute("k"), element.text().as_ref()), ("a", Some("v"), "t u"));
        assert_eq!((element.elements().count(), element.named("b").count(), element.attribute("u")), (2, 1, None));
    }

    #[test]
    fn malformed_documents_are_refused() {
        for (text, code, at) in [
            ("", Code::BadXml, 0),
            ("x", Code::BadXml, 0),
            ("<a>", Code::BadXml, 3),
            ("<a></b>", Code::BadXml, 3),
            ("</a>", Code::BadXml, 0),
            ("<a/><b/>", Code::BadXml, 4),
            ("<a/>x", Code::BadXml, 4),
            ("<a b></a>", Code::BadXml, 3),
            ("<a>&x;</a>", Code::Declared, 3),
            ("<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", Code::Declared, 0),
        ] {
            let fault = XmlElement::read(text).unwrap_err();
            assert_eq!((fault.code(), fault.at()), (code, at), "{text}");
        }
        let text = "<a>\n é<b/><c/>\n<d/></a>";
        let root = XmlElement::read(text).unwrap();
        let places: Vec<String> = root.elements().map(|element| element.location.to_string()).collect();
        assert_eq!((root.location, places.concat()), (Location::START, "2:32:73:1".to_owned()));
        assert_eq!(XmlElement::read(&"<a>".repeat(1000)).unwrap_err().code(), Code::TooDeep);
        let many = format!("<a>{}</a>", "<b/>".repeat(MAX_ELEMENTS));
        assert_eq!(XmlElement::read(&many).unwrap_err().code(), Code::TooManyCells);
        let error = XmlElement::parse("m.xml", "<a>\n  </b>").unwrap_err();
        assert_eq!((error.line(), error.column(), error.source_name()), (2, 3, "m.xml"));
    }
}
