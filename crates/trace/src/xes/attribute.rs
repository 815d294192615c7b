// SPDX-License-Identifier: MIT OR Apache-2.0
//! An attribute of XES: an element with a type, a key and a value, and perhaps attributes of its own inside.

use std::borrow::Cow;
use std::io::Read;

use gnomon_core::number::Number;
use gnomon_core::value::Value;

use crate::buffer::Buffer;
use crate::cursor::Cursor;
use crate::error::{Code, Fault, quote};
use crate::markup::{Attributes, Content, Tag, Token, attribute_text};
use crate::stretch::Stretch;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    /// `string`, `date` and `id`: their values are texts here.
    Text,
    /// `int` and `float`.
    Number,
    Boolean,
    List,
    Container,
}

/// An attribute, as places in the row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute {
    pub(super) kind: Type,
    pub(super) key: Content,
    pub(super) value: Content,
    /// The whole element.
    pub(super) element: Stretch,
}

impl Type {
    #[inline]
    pub(super) fn of(name: &[u8]) -> Option<Type> {
        Some(match name {
            b"string" | b"date" | b"id" => Type::Text,
            b"int" | b"float" => Type::Number,
            b"boolean" => Type::Boolean,
            b"list" => Type::List,
            b"container" => Type::Container,
            _ => return None,
        })
    }

    fn is_nested(self) -> bool {
        matches!(self, Type::List | Type::Container)
    }
}

/// Reads the attribute whose tag was read.
#[inline]
pub(super) fn read<R: Read>(markup: &mut Cursor<R>, tag: Tag, kind: Type) -> Result<Attribute, Fault> {
    let start = tag.name.start - 1;
    let (mut key, mut value) = (None, None);
    let padded = &markup.buffer.padded()[markup.buffer.row_start()..];
    let mut attributes = Attributes::new(padded, tag.attributes);
    while let Some((name, content)) = attributes.next()? {
        match name {
            b"key" => key = Some(content),
            b"value" => value = Some(content),
            _ => {}
        }
    }
    let Some(key) = key else {
        return Err(lacks("key", markup.row(), tag));
    };
    let value = match value {
        Some(value) => value,
        None if kind.is_nested() => Content::default(),
        None => return Err(lacks("value", markup.row(), tag)),
    };
    if !tag.empty {
        markup.skip(tag)?;
    }
    Ok(Attribute { kind, key, value, element: Stretch { start, end: markup.at } })
}

#[cold]
fn lacks(what: &str, row: &[u8], tag: Tag) -> Fault {
    let message = format!("the attribute {} has no `{what}`", quote(&row[tag.name.start - 1..tag.attributes.end]));
    Fault::new(Code::BadAttribute, tag.name.start - 1, message)
        .help("attributes are written like `<string key=\"org:resource\" value=\"ann\"/>`")
}

impl Attribute {
    /// The value, or what is wrong with its writing.
    pub(super) fn value(self, row: &[u8]) -> Result<Value<'_>, Fault> {
        if self.kind.is_nested() {
            let mut markup = Cursor::new(Buffer::of(self.element.of(row)));
            let value = markup.token().and_then(|token| nested(&mut markup, token));
            return value.map_err(|fault| fault.shifted(self.element.start));
        }
        let text = attribute_text(row, self.value)?;
        Ok(match self.kind {
            // What only looks like a number (`NaN`) stays a text rather than being dropped.
            Type::Number => match Number::parse(text.trim_ascii()) {
                Some(number) => Value::Number(number),
                None => Value::Text(text),
            },
            Type::Boolean => match text.trim_ascii() {
                "true" | "1" => Value::Bool(true),
                "false" | "0" => Value::Bool(false),
                _ => Value::Text(text),
            },
            Type::Text | Type::List | Type::Container => Value::Text(text),
        })
    }
}

/// Builds the value of the attribute with this tag. The tree is at most as deep as [`Cursor::skip`] lets through.
fn nested<R: Read>(markup: &mut Cursor<R>, token: Token) -> Result<Value<'static>, Fault> {
    let Token::Open(tag) = token else {
        return Ok(Value::Null);
    };
    let Some(kind) = Type::of(tag.name.of(markup.row())) else {
        return Err(markup.misplaced(tag, "inside an attribute", "only attributes are expected there"));
    };
    if !kind.is_nested() {
        let attribute = read(markup, tag, kind)?;
        return attribute.value(markup.row()).map(Value::into_owned);
    }
    let mut items = Vec::new();
    if !tag.empty {
        children(markup, &mut items)?;
    }
    Ok(match kind {
        Type::List => Value::List(items.into_iter().map(|(_, value)| value).collect()),
        _ => Value::Map(items.into_iter().map(|(key, value)| (Cow::Owned(key), value)).collect()),
    })
}

/// The attributes inside an element, up to and with its closing tag. A `<values>` around them adds nothing.
fn children<R: Read>(markup: &mut Cursor<R>, items: &mut Vec<(String, Value<'static>)>) -> Result<(), Fault> {
    loop {
        match markup.element()? {
            Token::Open(tag) if tag.name.of(markup.row()) == b"values" => {
                if !tag.empty {
                    children(markup, items)?;
                }
            }
            Token::Open(tag) => {
                let key = key_of(markup, tag)?;
                items.push((key, nested(markup, Token::Open(tag))?));
            }
            Token::Aside => {}
            Token::Close(_) | Token::End => return Ok(()),
            Token::Text(_) | Token::Cdata(_) => unreachable!("an element is no text"),
        }
    }
}

fn key_of<R: Read>(markup: &Cursor<R>, tag: Tag) -> Result<String, Fault> {
    let row = &markup.buffer.padded()[markup.buffer.row_start()..];
    let mut attributes = Attributes::new(row, tag.attributes);
    while let Some((name, content)) = attributes.next()? {
        if name == b"key" {
            return attribute_text(row, content).map(Cow::into_owned);
        }
    }
    Ok(String::new())
}
