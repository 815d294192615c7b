// SPDX-License-Identifier: MIT OR Apache-2.0
//! A tokeniser of XML: tags, text, comments, each with its location.
//!
//! It is written by hand for three reasons: the row being read stays whole in the buffer (a pull parser over a stream
//! copies it), every fault has its line and column, and an unwanted value costs no more than a search for the next `<`.
//! Namespaces are not interpreted, and document type declarations are refused.

mod attributes;
mod element;
mod skip;
mod text;

use memchr::memmem;

pub use attributes::Attributes;
pub use element::{XmlElement, XmlNode, declares, without_prefix};
pub use text::{TextForm, XmlText};

use crate::buffer::ByteSource;
use crate::cursor::{Cursor, is_space};
use crate::error::{Code, Fault, quote};
use crate::range::ByteRange;
use crate::word::{first_marked, load, mark_equal, splat};

/// Limit on the nesting of elements.
pub const MAX_DEPTH: usize = 128;

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token {
    /// `<name …>` or `<name …/>`
    Open(Tag),
    /// `</name>`, with the name
    Close(ByteRange),
    /// Text up to the next `<`.
    Text(ByteRange),
    /// The inside of `<![CDATA[…]]>`.
    Cdata(ByteRange),
    /// A comment or a processing instruction.
    Comment,
    /// The end of the input.
    End,
}

/// A start tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tag {
    /// The name, with its prefix.
    pub name: ByteRange,
    /// The range between the name and the end of the tag; see [`Attributes`].
    pub attributes: ByteRange,
    /// True for `<name …/>`.
    pub is_self_closing: bool,
}

impl<R: ByteSource> Cursor<R> {
    /// Reads the next token.
    #[inline]
    pub fn token(&mut self) -> Result<Token, Fault> {
        let start = self.at;
        if self.buffer.row().len() < start + 2 {
            self.buffer.fill(start + 2)?;
        }
        match self.buffer.row()[start..] {
            [b'<', b'/', ..] => self.close(),
            [b'<', b'!' | b'?', ..] => self.special(),
            [b'<', ..] => self.open(),
            [] => Ok(Token::End),
            _ => {
                self.at = self.find(b'<', start)?.unwrap_or(self.buffer.row().len());
                Ok(Token::Text(ByteRange { start, end: self.at }))
            }
        }
    }

    /// Reads the next token that is not blank text. Other text is a fault.
    #[inline]
    pub fn element(&mut self) -> Result<Token, Fault> {
        self.skip_space()?;
        match self.token()? {
            Token::Text(text) | Token::Cdata(text) => {
                let message = format!("found the text {} where an element should be", quote(text.of(self.row())));
                Err(Fault::new(Code::NotALog, text.start, message))
            }
            token => Ok(token),
        }
    }

    #[inline]
    fn open(&mut self) -> Result<Token, Fault> {
        let start = self.at + 1;
        let end = self.tag_end(start)?;
        let row = self.buffer.row();
        let is_self_closing = end > start && row[end - 1] == b'/';
        let inside_end = end - usize::from(is_self_closing);
        let inside = &row[start..inside_end];
        let length = inside.iter().position(|&byte| is_space(byte)).unwrap_or(inside.len());
        let name = ByteRange { start, end: start + length };
        if !begins_name(inside.first().copied()) {
            return Err(self.bad_tag());
        }
        self.at = end + 1;
        Ok(Token::Open(Tag { name, attributes: ByteRange { start: name.end, end: inside_end }, is_self_closing }))
    }

    #[inline]
    fn close(&mut self) -> Result<Token, Fault> {
        let start = self.at + 2;
        let end = self.tag_end(start)?;
        let name = self.buffer.row()[start..end].trim_ascii_end();
        if !begins_name(name.first().copied()) {
            return Err(self.bad_tag());
        }
        let name = ByteRange { start, end: start + name.len() };
        self.at = end + 1;
        Ok(Token::Close(name))
    }

    /// Returns the offset of the `>` that ends the tag around `from`. A `>` in quotes does not end it.
    #[inline]
    fn tag_end(&mut self, from: usize) -> Result<usize, Fault> {
        let mut at = from;
        loop {
            let bytes = self.buffer.padded();
            let here = self.buffer.row_start() + at;
            let word = load(bytes, here);
            let marks = mark_equal(word, splat(b'>')) | mark_equal(word, splat(b'"')) | mark_equal(word, splat(b'\''));
            let found = here + first_marked(marks);
            if found >= self.buffer.end() {
                at = self.buffer.row().len();
                if !self.buffer.read_more()? {
                    return Err(Fault::new(Code::BadXml, self.at, "this tag is not closed"));
                }
                continue;
            }
            at += first_marked(marks);
            if marks == 0 {
                continue;
            }
            let byte = bytes[found];
            if byte == b'>' {
                return Ok(at);
            }
            let Some(end) = self.find(byte, at + 1)? else {
                return Err(Fault::new(Code::BadXml, at, "this quote is not closed"));
            };
            at = end + 1;
        }
    }

    /// Reads a comment, a processing instruction, a CDATA section or a declaration.
    #[inline(never)]
    fn special(&mut self) -> Result<Token, Fault> {
        const CDATA: &[u8] = b"<![CDATA[";
        let start = self.at;
        self.buffer.fill(start + CDATA.len())?;
        let row = &self.buffer.row()[start..];
        let (open, close) = if row.starts_with(b"<!--") {
            (4, &b"-->"[..])
        } else if row.starts_with(b"<?") {
            (2, &b"?>"[..])
        } else if row.starts_with(CDATA) {
            (CDATA.len(), &b"]]>"[..])
        } else if row.get(2).is_some_and(u8::is_ascii_alphabetic) {
            return Err(Fault::new(Code::Declared, start, "a document type declaration is not supported")
                .help("remove it, and write out the entities that it declares"));
        } else {
            return Err(self.bad_tag());
        };
        let Some(end) = self.find_text(close, start + open)? else {
            let what = match close {
                b"-->" => "this comment is not closed",
                b"?>" => "this processing instruction is not closed",
                _ => "this CDATA is not closed",
            };
            return Err(Fault::new(Code::BadXml, start, what));
        };
        self.at = end + close.len();
        match close {
            b"]]>" => Ok(Token::Cdata(ByteRange { start: start + open, end })),
            b"?>" => {
                check_encoding(&self.buffer.row()[start + open..end], start)?;
                Ok(Token::Comment)
            }
            _ => Ok(Token::Comment),
        }
    }

    #[cold]
    fn bad_tag(&mut self) -> Fault {
        let at = self.at;
        let rest = self.ahead();
        let length = rest.iter().position(|&byte| byte == b'>').map_or(rest.len(), |end| end + 1).min(16);
        Fault::new(Code::BadXml, at, format!("{} does not begin a tag", quote(&rest[..length])))
            .help("a `<` that is meant as such is written `&lt;`")
    }

    /// Creates the fault that an element is not closed: the input ends, or another element is closed.
    #[cold]
    pub fn not_closed(&self, inside: &str, token: Token) -> Fault {
        match token {
            Token::Close(name) => {
                let message = format!("`</{}>` is inside `<{inside}>`", lossy(name.of(self.row())));
                Fault::new(Code::BadXml, name.start - 2, message)
            }
            _ => Fault::new(Code::BadXml, self.at, format!("the input ends inside `<{inside}>`"))
                .help("the trace may have been cut off; get all of it"),
        }
    }

    /// Creates the fault that an element does not belong here.
    #[cold]
    pub fn misplaced(&self, tag: Tag, inside: &str, expected: &str) -> Fault {
        let name = quote(tag.name.of(self.row()));
        Fault::new(Code::NotALog, tag.name.start - 1, format!("the element {name} does not belong {inside}"))
            .help(expected.to_owned())
    }
}

fn begins_name(byte: Option<u8>) -> bool {
    byte.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':') || byte >= 0x80)
}

fn lossy(name: &[u8]) -> String {
    quote(name).trim_matches('`').to_owned()
}

/// Checks the encoding that an XML declaration names.
fn check_encoding(instruction: &[u8], at: usize) -> Result<(), Fault> {
    let Some(declaration) = instruction.strip_prefix(b"xml").filter(|rest| rest.first().copied().is_some_and(is_space))
    else {
        return Ok(());
    };
    let Some(found) = memmem::find(declaration, b"encoding") else {
        return Ok(());
    };
    let is_edge = |byte: &u8| is_space(*byte) || matches!(byte, b'=' | b'"' | b'\'');
    let rest = &declaration[found + b"encoding".len()..];
    let start = rest.iter().position(|byte| !is_edge(byte)).unwrap_or(rest.len());
    let end = rest[start..].iter().position(is_edge).map_or(rest.len(), |length| start + length);
    let encoding = &rest[start..end];
    if ["utf-8", "utf8", "us-ascii", "ascii", ""].iter().any(|known| encoding.eq_ignore_ascii_case(known.as_bytes())) {
        return Ok(());
    }
    let (quoted, name) = (quote(encoding), lossy(encoding));
    Err(Fault::new(Code::NotText, at, format!("the input says that it is encoded in {quoted}, not in UTF-8"))
        .help(format!("convert it: `iconv -f {name} -t UTF-8 FILE`, and change the declaration")))
}

#[cfg(test)]
mod tests;
