// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text of elements and attributes: located quickly, decoded only when it is needed.
//!
//! A tokeniser finds where a text begins and ends. Most texts contain no entity and need no decoding: they are
//! [`TextForm::Literal`] and are borrowed from the row. The others are decoded by [`XmlText::decode`].

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::{Tag, Token};
use crate::buffer::ByteSource;
use crate::cursor::{Cursor, is_space};
use crate::error::{Code, Fault, quote};
use crate::range::{ByteRange, utf8};

/// A text as it is written in the row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct XmlText {
    /// The text without the white space or quotes around it.
    pub range: ByteRange,
    /// The decoding that it needs.
    pub form: TextForm,
}

/// The decoding that an [`XmlText`] needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TextForm {
    /// None: the text has no entities, CDATA, comments or carriage returns.
    #[default]
    Literal,
    /// Entities, CDATA sections and comments inside an element.
    Content,
    /// Entities and line breaks inside an attribute value.
    Attribute,
}

impl XmlText {
    /// Returns true if the bytes of the row are the text.
    #[inline]
    pub fn is_literal(self) -> bool {
        self.form == TextForm::Literal
    }

    /// Returns the text that the bytes of the row stand for.
    pub fn decode(self, row: &[u8]) -> Result<Cow<'_, str>, Fault> {
        let text = utf8(row, self.range)?;
        Ok(match self.form {
            TextForm::Literal => Cow::Borrowed(text),
            TextForm::Content => Cow::Owned(decode_content(text, self.range.end)?),
            TextForm::Attribute => Cow::Owned(decode_attribute(text, self.range.end)?),
        })
    }
}

impl<R: ByteSource> Cursor<R> {
    /// Reads the text of the element whose tag was read, and its closing tag. White space around the text is left out.
    #[inline]
    pub fn content(&mut self, tag: Tag, name: &'static str) -> Result<XmlText, Fault> {
        let start = self.at;
        if tag.is_self_closing {
            return Ok(XmlText { range: ByteRange { start, end: start }, form: TextForm::Literal });
        }
        let row = self.row();
        if let Some(length) = memchr(b'<', &row[start..]) {
            let rest = &row[start + length + 1..];
            let closes = rest.first() == Some(&b'/')
                && rest[1..].starts_with(name.as_bytes())
                && rest.get(1 + name.len()) == Some(&b'>');
            if closes {
                let content = trimmed_content(row, start, start + length)?;
                self.at = start + length + name.len() + 3;
                return Ok(content);
            }
        }
        self.mixed_content(start, name)
    }

    #[inline(never)]
    fn mixed_content(&mut self, start: usize, name: &'static str) -> Result<XmlText, Fault> {
        loop {
            let end = self.at;
            match self.token()? {
                Token::Text(_) | Token::Cdata(_) | Token::Comment => {}
                Token::Close(close) if close.of(self.row()) == name.as_bytes() => {
                    let row = self.row();
                    if memchr(b'<', &row[start..end]).is_none() {
                        return trimmed_content(row, start, end);
                    }
                    let content = XmlText { range: ByteRange { start, end }, form: TextForm::Content };
                    return content.decode(row).map(|_| content);
                }
                Token::Open(tag) => {
                    return Err(self.misplaced(tag, &format!("inside `<{name}>`"), "only text is expected there"));
                }
                other => return Err(self.not_closed(name, other)),
            }
        }
    }
}

/// Returns a text without tags inside, white space at both ends left out. Checks it if it needs decoding.
#[inline]
fn trimmed_content(row: &[u8], start: usize, end: usize) -> Result<XmlText, Fault> {
    let text = &row[start..end];
    let leading = text.iter().take_while(|&&byte| is_space(byte)).count();
    let trailing = text[leading..].iter().rev().take_while(|&&byte| is_space(byte)).count();
    let range = ByteRange { start: start + leading, end: end - trailing };
    if !range.of(row).iter().any(|&byte| byte == b'&' || byte == b'\r') {
        return Ok(XmlText { range, form: TextForm::Literal });
    }
    let content = XmlText { range, form: TextForm::Content };
    content.decode(row).map(|_| content)
}

/// Decodes an attribute value: entities are replaced, and a literal line break or tab is a blank. `end` is the offset of the
/// end of the text in the row.
fn decode_attribute(text: &str, end: usize) -> Result<String, Fault> {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.find(['&', '\n', '\r', '\t']) {
        decoded.push_str(&rest[..next]);
        rest = &rest[next..];
        if rest.starts_with('&') {
            let (character, length) = entity(rest, end - rest.len())?;
            decoded.push(character);
            rest = &rest[length..];
        } else {
            decoded.push(' ');
            rest = rest.strip_prefix("\r\n").unwrap_or(&rest[1..]);
        }
    }
    decoded.push_str(rest);
    Ok(decoded)
}

/// Decodes the content of an element. Literal blanks at both ends are trimmed, those of CDATA sections and character references
/// are not: `solid` is the length of the decoded text up to the last character that must stay.
fn decode_content(text: &str, end: usize) -> Result<String, Fault> {
    let mut decoded = String::with_capacity(text.len());
    let mut solid = 0;
    let mut rest = text;
    while let Some(next) = rest.find(['<', '&', '\r']).or((!rest.is_empty()).then_some(rest.len())) {
        let (plain, tail) = rest.split_at(next);
        decoded.push_str(if decoded.is_empty() && solid == 0 { plain.trim_start_matches(is_blank) } else { plain });
        if let Some(last) = plain.rfind(|character| !is_blank(character)) {
            let blanks = plain.len() - last - plain[last..].chars().next().map_or(0, char::len_utf8);
            solid = decoded.len() - blanks;
        }
        rest = tail;
        if let Some(tail) = rest.strip_prefix('\r') {
            if !decoded.is_empty() {
                decoded.push('\n');
            }
            rest = tail.strip_prefix('\n').unwrap_or(tail);
        } else if rest.starts_with('&') {
            let (character, length) = entity(rest, end - rest.len())?;
            decoded.push(character);
            solid = decoded.len();
            rest = &rest[length..];
        } else if let Some(tail) = rest.strip_prefix("<![CDATA[") {
            let end = memmem::find(tail.as_bytes(), b"]]>").unwrap_or(tail.len());
            decoded.push_str(&tail[..end].replace("\r\n", "\n").replace('\r', "\n"));
            solid = decoded.len();
            rest = tail.get(end + 3..).unwrap_or("");
        } else if rest.starts_with('<') {
            let close = if rest.starts_with("<!--") { &b"-->"[..] } else { b"?>" };
            let end = memmem::find(&rest.as_bytes()[2..], close).map_or(rest.len(), |end| 2 + end + close.len());
            rest = &rest[end..];
        }
    }
    decoded.truncate(solid);
    Ok(decoded)
}

const fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\n' | '\t' | '\r')
}

/// Returns the character that the entity at the beginning of a text stands for, and the length of the entity.
fn entity(text: &str, at: usize) -> Result<(char, usize), Fault> {
    const MAX_LENGTH: usize = 64;
    const NAMED: [(&str, char); 5] = [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\'')];
    let head = &text.as_bytes()[..text.len().min(MAX_LENGTH)];
    let end = memchr(b';', head);
    let body = end.and_then(|end| text.get(1..end)).unwrap_or("");
    let valid_name = body.bytes().next().is_some_and(|byte| byte == b'#' || byte.is_ascii_alphabetic() || byte == b'_');
    let (Some(end), true) = (end, valid_name) else {
        return Err(Fault::new(Code::BadXml, at, "a `&` that begins no entity").help("write `&amp;`"));
    };
    if let Some(number) = body.strip_prefix('#') {
        let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
        // `from_str_radix` would accept a sign.
        let is_number = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let code = u32::from_str_radix(digits, radix).ok().filter(|_| is_number);
        let character = code.and_then(char::from_u32).filter(|&character| character != '\0');
        return character
            .map(|character| (character, end + 1))
            .ok_or_else(|| Fault::new(Code::BadXml, at, format!("{} is not a character", quote(&head[..=end]))));
    }
    let named = NAMED.iter().find(|(name, _)| *name == body);
    named.map(|&(_, character)| (character, end + 1)).ok_or_else(|| {
        Fault::new(Code::Declared, at, format!("the entity {} is not one of XML's own", quote(&head[..=end])))
            .help("write its text instead; only `&amp;` `&lt;` `&gt;` `&quot;` `&apos;` and numbers are known")
    })
}
