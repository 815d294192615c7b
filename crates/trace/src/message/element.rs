// SPDX-License-Identifier: MIT OR Apache-2.0
//! A whole XML document as a tree, for messages and descriptions of them: small, and looked at more than once.

use std::borrow::Cow;

use crate::buffer::Buffer;
use crate::cursor::{Cursor, is_space};
use crate::error::{Code, Fault, TraceError};
use crate::markup::{Attributes, Content, DEEPEST, Tag, Token, attribute_text, content_text};
use crate::reader::Place;
use crate::stretch::{Stretch, utf8};

use super::query::without_prefix;

/// COST: more elements than any message has. A document of nothing but empty elements would else take many times its
/// size in memory.
const MOST_ELEMENTS: usize = 1 << 20;

/// An element with all that is in it. Names are kept as they are written; prefixes of namespaces are left out on asking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element<'a> {
    /// The name, with its prefix.
    pub name: Cow<'a, str>,
    /// The attributes, with their prefixes, declarations of namespaces among them.
    pub attributes: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// What is inside.
    pub children: Vec<Node<'a>>,
    /// Where its tag begins, in bytes from the start of the document.
    pub at: usize,
}

/// A part of what an element contains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node<'a> {
    /// An element.
    Element(Element<'a>),
    /// A text that is not blank, without blanks around it.
    Text(Cow<'a, str>),
}

impl<'a> Element<'a> {
    /// Reads a document. `source_name` stands for it in messages. Document type declarations are refused, and with them all
    /// entities but XML's own.
    pub fn parse(source_name: &str, text: &'a str) -> Result<Element<'a>, TraceError> {
        read(text).map_err(|fault| {
            let place = Place::within(1, text.as_bytes(), fault.at());
            TraceError::new(source_name, place, fault)
        })
    }

    /// The name without its prefix.
    pub fn local(&self) -> &str {
        without_prefix(&self.name)
    }

    /// The elements inside.
    pub fn elements(&self) -> impl Iterator<Item = &Element<'a>> {
        self.children.iter().filter_map(|node| match node {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    /// The elements inside that have this name, prefixes apart.
    pub fn named<'s>(&'s self, local: &'s str) -> impl Iterator<Item = &'s Element<'a>> {
        self.elements().filter(move |element| element.local() == local)
    }

    /// The value of an attribute, by its name without a prefix. What declares a namespace is none.
    pub fn attribute(&self, local: &str) -> Option<&str> {
        let named = |(name, _): &&(Cow<'_, str>, Cow<'_, str>)| !declares(name) && without_prefix(name) == local;
        self.attributes.iter().find(named).map(|(_, value)| value.as_ref())
    }

    /// The texts inside, not those of elements inside, one after the other.
    pub fn text(&self) -> Cow<'_, str> {
        let mut texts = self.children.iter().filter_map(|node| match node {
            Node::Text(text) => Some(text.as_ref()),
            Node::Element(_) => None,
        });
        let first = texts.next().unwrap_or_default();
        texts.fold(Cow::Borrowed(first), |all, text| Cow::Owned(format!("{all} {text}")))
    }
}

/// Whether an attribute declares a namespace.
pub(super) fn declares(attribute: &str) -> bool {
    attribute == "xmlns" || attribute.starts_with("xmlns:")
}

/// Reads a document.
pub(super) fn read(text: &str) -> Result<Element<'_>, Fault> {
    let mut builder = Builder { text, cursor: Cursor::new(Buffer::of(text.as_bytes())), count: 0 };
    let mut open: Vec<Element<'_>> = Vec::new();
    let mut root = None;
    // Where the text before the next tag begins.
    let mut gap = 0;
    loop {
        let start = builder.cursor.at;
        let token = builder.cursor.token()?;
        let tag_start = match token {
            Token::Open(_) | Token::Close(_) | Token::End => start,
            Token::Text(_) | Token::Cdata(_) | Token::Aside => continue,
        };
        let between = Stretch { start: gap, end: tag_start };
        match open.last_mut() {
            Some(element) => element.children.extend(builder.text(between)?.map(Node::Text)),
            None => builder.nothing_in(between)?,
        }
        gap = builder.cursor.at;
        match token {
            Token::Open(tag) => {
                if root.is_some() {
                    return Err(Fault::new(Code::BadXml, start, "more follows the outermost element"));
                }
                let element = builder.element(tag, start)?;
                if !tag.empty {
                    if open.len() >= DEEPEST {
                        return Err(Fault::new(Code::TooDeep, start, format!("nested more than {DEEPEST} deep")));
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
                    (None, None) => Err(Fault::new(Code::BadXml, 0, "there is no element in the document")),
                };
            }
        }
    }
}

/// Puts a finished element where it belongs.
fn close<'a>(open: &mut [Element<'a>], root: &mut Option<Element<'a>>, element: Element<'a>) {
    match open.last_mut() {
        Some(parent) => parent.children.push(Node::Element(element)),
        None => *root = Some(element),
    }
}

struct Builder<'a> {
    /// The document; places in the cursor's row are places in it.
    text: &'a str,
    cursor: Cursor<std::io::Empty>,
    count: usize,
}

impl<'a> Builder<'a> {
    fn element(&mut self, tag: Tag, at: usize) -> Result<Element<'a>, Fault> {
        self.count += 1;
        if self.count > MOST_ELEMENTS {
            return Err(Fault::new(Code::TooManyCells, at, format!("more than {MOST_ELEMENTS} elements")));
        }
        let row = self.text.as_bytes();
        let mut attributes = Vec::new();
        let mut walk = Attributes::new(self.cursor.buffer.padded(), tag.attributes);
        while let Some((name, value)) = walk.next()? {
            let name = String::from_utf8_lossy(name).into_owned();
            attributes.push((Cow::Owned(name), attribute_text(row, value)?));
        }
        Ok(Element { name: Cow::Borrowed(utf8(row, tag.name)?), attributes, children: Vec::new(), at })
    }

    /// The text there, comments left out, unless it is blank.
    fn text(&self, between: Stretch) -> Result<Option<Cow<'a, str>>, Fault> {
        let row = self.text.as_bytes();
        if between.of(row).iter().all(|&byte| is_space(byte)) {
            return Ok(None);
        }
        let text = content_text(row, Content { inside: between, plain: false })?;
        Ok((!text.is_empty()).then_some(text))
    }

    /// Outside the outermost element only blanks and comments may be.
    fn nothing_in(&self, between: Stretch) -> Result<(), Fault> {
        match self.text(between)? {
            None => Ok(()),
            Some(_) => Err(Fault::new(Code::BadXml, between.start, "there is text outside the outermost element")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(element: &Element<'_>) -> String {
        let attributes: Vec<String> =
            element.attributes.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        let inside: String = element
            .children
            .iter()
            .map(|node| match node {
                Node::Element(element) => shown(element),
                Node::Text(text) => format!("[{text}]"),
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
            assert_eq!(shown(&read(text).unwrap()), expected, "{text}");
        }
        let element = read("<p:a x:k='v' xmlns:k='u'><q:b/>t<c/>u</p:a>").unwrap();
        assert_eq!((element.local(), element.attribute("k"), element.text().as_ref()), ("a", Some("v"), "t u"));
        assert_eq!((element.elements().count(), element.named("b").count(), element.attribute("u")), (2, 1, None));
    }

    #[test]
    fn what_is_no_document() {
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
            let fault = read(text).unwrap_err();
            assert_eq!((fault.code(), fault.at()), (code, at), "{text}");
        }
        assert_eq!(read(&"<a>".repeat(1000)).unwrap_err().code(), Code::TooDeep);
        let many = format!("<a>{}</a>", "<b/>".repeat(MOST_ELEMENTS));
        assert_eq!(read(&many).unwrap_err().code(), Code::TooManyCells);
        let error = Element::parse("m.xml", "<a>\n  </b>").unwrap_err();
        assert_eq!((error.line(), error.column(), error.source_name()), (2, 3, "m.xml"));
    }
}
