// SPDX-License-Identifier: MIT OR Apache-2.0
//! An attribute of XES: an element with a type, a key and a value, and perhaps attributes of its own inside.

use std::borrow::Cow;

use gnomon_core::number::{Number, NumberError};
use gnomon_core::value::Value;
use gnomon_scan::word::{skip_space, text_end, whole_number};
use gnomon_scan::xml::{Attributes, Tag, TextForm, Token, XmlText};
use gnomon_scan::{Buffer, ByteRange, ByteSource, Code, Cursor, Fault, out_of_range, quote};

use crate::markup::ShortTag;
use crate::markup_shapes::{LiteralField, MarkupShape};
use crate::roles::FieldRoles;
use crate::row::RawField;

/// The type of an attribute, as its element is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AttributeType {
    /// `string`, `date` and `id`: their values are texts.
    Text,
    /// `int` and `float`.
    Number,
    Boolean,
    List,
    Container,
}

/// An attribute, as ranges of the row.
#[derive(Clone, Copy, Debug)]
pub(super) struct XesAttribute {
    pub(super) kind: AttributeType,
    pub(super) key: XmlText,
    pub(super) value: XmlText,
    /// The whole element.
    pub(super) element: ByteRange,
}

impl AttributeType {
    #[inline]
    pub(super) fn of(name: &[u8]) -> Option<AttributeType> {
        Some(match name {
            b"string" | b"date" | b"id" => AttributeType::Text,
            b"int" | b"float" => AttributeType::Number,
            b"boolean" => AttributeType::Boolean,
            b"list" => AttributeType::List,
            b"container" => AttributeType::Container,
            _ => return None,
        })
    }

    fn is_nested(self) -> bool {
        matches!(self, AttributeType::List | AttributeType::Container)
    }
}

const EVENT_END: ShortTag = ShortTag::new(b"</event>");
const KEY: ShortTag = ShortTag::new(b" key=\"");
const VALUE: ShortTag = ShortTag::new(b" value=\"");
const CLOSE: ShortTag = ShortTag::new(b"/>");

/// The tags of attributes without attributes of their own, the most frequent first.
const TYPES: [(ShortTag, AttributeType); 5] = [
    (ShortTag::new(b"<string"), AttributeType::Text),
    (ShortTag::new(b"<date"), AttributeType::Text),
    (ShortTag::new(b"<int"), AttributeType::Number),
    (ShortTag::new(b"<float"), AttributeType::Number),
    (ShortTag::new(b"<boolean"), AttributeType::Boolean),
];

/// Parses the attribute or `</event>` that begins at this offset of a padded row, if it is written as nearly all are:
/// `<string key="…" value="…"/>`, all of it in the buffer. Returns the attribute, `None` for `</event>`, and the offset behind it.
/// Returns `None` for everything else, which is left to the tokeniser; no state changes here.
#[inline]
pub(super) fn read_quickly(bytes: &[u8], at: usize) -> Option<(Option<XesAttribute>, usize)> {
    let start = skip_space(bytes, at);
    if let Some(end) = EVENT_END.after(bytes, start) {
        return Some((None, end));
    }
    let (kind, at) = TYPES.iter().find_map(|(tag, kind)| Some((*kind, tag.after(bytes, start)?)))?;
    let (key, at) = quoted(bytes, KEY.after(bytes, at)?)?;
    let (value, at) = quoted(bytes, VALUE.after(bytes, at)?)?;
    let end = CLOSE.after(bytes, at)?;
    Some((Some(XesAttribute { kind, key, value, element: ByteRange { start, end } }), end))
}

/// Returns the shape of the event that ends at `end` in these padded bytes, if all its attributes are written as nearly all are.
pub(super) fn shape(roles: &FieldRoles, bytes: &[u8], end: usize) -> Option<MarkupShape<AttributeType>> {
    const EVENT: &[u8] = b"<event>";
    let (mut shape, mut at) = (MarkupShape::default(), EVENT.len());
    bytes.starts_with(EVENT).then_some(())?;
    while let (Some(XesAttribute { kind, key, value, element }), next) = read_quickly(bytes, at)? {
        shape.field(roles, bytes, LiteralField { kind, key, value, element_start: element.start })?;
        at = next;
    }
    let (_, behind) = read_quickly(bytes, at)?;
    (behind == end).then_some(shape)
}

/// Returns the text up to the closing quote, if it is literal, and the offset behind that quote.
#[inline]
fn quoted(bytes: &[u8], start: usize) -> Option<(XmlText, usize)> {
    let end = text_end(bytes, start, b'"');
    (bytes[end] == b'"').then_some((XmlText { range: ByteRange { start, end }, form: TextForm::Literal }, end + 1))
}

/// Reads the attribute whose tag was read.
#[inline]
pub(super) fn read<R: ByteSource>(
    markup: &mut Cursor<R>,
    tag: Tag,
    kind: AttributeType,
) -> Result<XesAttribute, Fault> {
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
        return Err(missing("key", markup.row(), tag));
    };
    let value = match value {
        Some(value) => value,
        None if kind.is_nested() => XmlText::default(),
        None => return Err(missing("value", markup.row(), tag)),
    };
    if !tag.is_self_closing {
        markup.skip(tag)?;
    }
    Ok(XesAttribute { kind, key, value, element: ByteRange { start, end: markup.at } })
}

#[cold]
fn missing(what: &str, row: &[u8], tag: Tag) -> Fault {
    let message = format!("the attribute {} has no `{what}`", quote(&row[tag.name.start - 1..tag.attributes.end]));
    Fault::new(Code::BadAttribute, tag.name.start - 1, message)
        .help("attributes are written like `<string key=\"org:resource\" value=\"ann\"/>`")
}

impl XesAttribute {
    /// Returns the value.
    pub(super) fn decode(self, row: &[u8]) -> Result<Value<'_>, Fault> {
        if self.kind.is_nested() {
            let mut markup = Cursor::new(Buffer::from_bytes(self.element.of(row)));
            let value = markup.token().and_then(|token| nested(&mut markup, token));
            return value.map_err(|fault| fault.shifted(self.element.start));
        }
        if self.kind == AttributeType::Number
            && let Some((number, end)) = whole_number(row, self.value.range.start)
            && end == self.value.range.end
        {
            return Ok(Value::Number(Number::Int(number)));
        }
        let text = self.value.decode(row)?;
        Ok(match self.kind {
            // A malformed number (`NaN`) stays a text rather than being dropped.
            AttributeType::Number => match Number::parse(text.trim_ascii()) {
                Ok(number) => Value::Number(number),
                Err(NumberError::OutOfRange) => {
                    return Err(out_of_range(text.trim_ascii().as_bytes(), self.value.range.start));
                }
                Err(NumberError::Malformed) => Value::Text(text),
            },
            AttributeType::Boolean => match text.trim_ascii() {
                "true" | "1" => Value::Bool(true),
                "false" | "0" => Value::Bool(false),
                _ => Value::Text(text),
            },
            AttributeType::Text | AttributeType::List | AttributeType::Container => Value::Text(text),
        })
    }
}

/// INVARIANT: the reader has decoded every attribute that is wanted once, so that decoding cannot fail here.
impl RawField for XesAttribute {
    fn name<R>(self, buffer: &Buffer<R>) -> Cow<'_, str> {
        self.key.decode(buffer.row()).unwrap_or_default()
    }

    fn value<R>(self, buffer: &Buffer<R>) -> Value<'_> {
        self.decode(buffer.row()).unwrap_or(Value::Null)
    }
}

/// Builds the value of the attribute with this tag. Recursion is bounded by the depth that [`Cursor::skip`] has accepted.
fn nested<R: ByteSource>(markup: &mut Cursor<R>, token: Token) -> Result<Value<'static>, Fault> {
    let Token::Open(tag) = token else {
        return Ok(Value::Null);
    };
    let Some(kind) = AttributeType::of(tag.name.of(markup.row())) else {
        return Err(markup.misplaced(tag, "inside an attribute", "only attributes are expected there"));
    };
    if !kind.is_nested() {
        let attribute = read(markup, tag, kind)?;
        return attribute.decode(markup.row()).map(Value::into_owned);
    }
    let mut items = Vec::new();
    if !tag.is_self_closing {
        children(markup, &mut items)?;
    }
    Ok(match kind {
        AttributeType::List => Value::List(items.into_iter().map(|(_, value)| value).collect()),
        _ => Value::Map(items.into_iter().map(|(key, value)| (Cow::Owned(key), value)).collect()),
    })
}

/// Reads the attributes inside an element, and its closing tag. A `<values>` around them is transparent.
fn children<R: ByteSource>(markup: &mut Cursor<R>, items: &mut Vec<(String, Value<'static>)>) -> Result<(), Fault> {
    loop {
        match markup.element()? {
            Token::Open(tag) if tag.name.of(markup.row()) == b"values" => {
                if !tag.is_self_closing {
                    children(markup, items)?;
                }
            }
            Token::Open(tag) => {
                let key = key_of(markup, tag)?;
                items.push((key, nested(markup, Token::Open(tag))?));
            }
            Token::Comment => {}
            Token::Close(_) | Token::End => return Ok(()),
            Token::Text(_) | Token::Cdata(_) => unreachable!("an element is not a text"),
        }
    }
}

fn key_of<R: ByteSource>(markup: &Cursor<R>, tag: Tag) -> Result<String, Fault> {
    let row = &markup.buffer.padded()[markup.buffer.row_start()..];
    let mut attributes = Attributes::new(row, tag.attributes);
    while let Some((name, content)) = attributes.next()? {
        if name == b"key" {
            return content.decode(row).map(Cow::into_owned);
        }
    }
    Ok(String::new())
}
