// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of XML that the readers of two formats share: tags, text, comments, and where they are.
//!
//! Written by hand for three reasons: the row that is read stays whole in the buffer (a pull parser over a stream
//! copies it), every fault has its line and column, and unwanted values cost a search for the next `<` and no more.
//! Namespaces mean nothing here, and what a document type declaration could do is refused.

mod attributes;
mod content;
mod skip;
#[cfg(test)]
mod tests;

use std::io::Read;

use memchr::memmem;

pub(crate) use attributes::{Attributes, attribute_text};
pub(crate) use content::{Content, content_text};

use crate::cursor::{Cursor, is_space};
use crate::error::{Code, Fault, quote};
use crate::scan::{first, load, mark, splat};
use crate::stretch::Stretch;

/// How deep elements may be nested.
pub(crate) const DEEPEST: usize = 128;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// `<name …>` or `<name …/>`
    Open(Tag),
    /// `</name>`, with the name
    Close(Stretch),
    /// Text up to the next `<`.
    Text(Stretch),
    /// The inside of `<![CDATA[…]]>`.
    Cdata(Stretch),
    /// A comment or a processing instruction.
    Aside,
    /// The end of the input.
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tag {
    pub(crate) name: Stretch,
    pub(crate) attributes: Stretch,
    /// Whether it closes itself.
    pub(crate) empty: bool,
}

impl<R: Read> Cursor<R> {
    /// The next token.
    #[inline]
    pub(crate) fn token(&mut self) -> Result<Token, Fault> {
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
                Ok(Token::Text(Stretch { start, end: self.at }))
            }
        }
    }

    /// The next token that is no blank text; other text is not expected here.
    #[inline]
    pub(crate) fn element(&mut self) -> Result<Token, Fault> {
        self.skip_space()?;
        match self.token()? {
            Token::Text(text) | Token::Cdata(text) => {
                let message = format!("the text {} stands where an element should be", quote(text.of(self.row())));
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
        let empty = end > start && row[end - 1] == b'/';
        let inside_end = end - usize::from(empty);
        let inside = &row[start..inside_end];
        let length = inside.iter().position(|&byte| is_space(byte)).unwrap_or(inside.len());
        let name = Stretch { start, end: start + length };
        if !begins_name(inside.first().copied()) {
            return Err(self.bad_tag());
        }
        self.at = end + 1;
        Ok(Token::Open(Tag { name, attributes: Stretch { start: name.end, end: inside_end }, empty }))
    }

    #[inline]
    fn close(&mut self) -> Result<Token, Fault> {
        let start = self.at + 2;
        let end = self.tag_end(start)?;
        let name = self.buffer.row()[start..end].trim_ascii_end();
        if !begins_name(name.first().copied()) {
            return Err(self.bad_tag());
        }
        let name = Stretch { start, end: start + name.len() };
        self.at = end + 1;
        Ok(Token::Close(name))
    }

    /// The `>` that ends the tag of which `from` is inside; one in quotes does not.
    #[inline]
    fn tag_end(&mut self, from: usize) -> Result<usize, Fault> {
        let mut at = from;
        loop {
            let bytes = self.buffer.padded();
            let here = self.buffer.row_start() + at;
            let word = load(bytes, here);
            let marks = mark(word, splat(b'>')) | mark(word, splat(b'"')) | mark(word, splat(b'\''));
            let found = here + first(marks);
            if found >= self.buffer.end() {
                at = self.buffer.row().len();
                if !self.buffer.more()? {
                    return Err(Fault::new(Code::BadXml, self.at, "this tag is not closed"));
                }
                continue;
            }
            at += first(marks);
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

    /// A comment, a processing instruction, CDATA or a declaration.
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
            return Err(Fault::new(Code::Declared, start, "a document type declaration is not read")
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
            b"]]>" => Ok(Token::Cdata(Stretch { start: start + open, end })),
            b"?>" => {
                check_encoding(&self.buffer.row()[start + open..end], start)?;
                Ok(Token::Aside)
            }
            _ => Ok(Token::Aside),
        }
    }

    #[cold]
    fn bad_tag(&mut self) -> Fault {
        let at = self.at;
        let rest = self.ahead();
        let length = rest.iter().position(|&byte| byte == b'>').map_or(rest.len(), |end| end + 1).min(16);
        Fault::new(Code::BadXml, at, format!("{} begins no tag", quote(&rest[..length])))
            .help("a `<` that is meant as such is written `&lt;`")
    }

    /// The document ends, or closes an element that is not the innermost.
    #[cold]
    pub(crate) fn not_closed(&self, inside: &str, token: Token) -> Fault {
        match token {
            Token::Close(name) => {
                let message = format!("`</{}>` stands inside `<{inside}>`", lossy(name.of(self.row())));
                Fault::new(Code::BadXml, name.start - 2, message)
            }
            _ => Fault::new(Code::BadXml, self.at, format!("the input ends inside `<{inside}>`"))
                .help("the trace may have been cut off; get all of it"),
        }
    }

    /// An element that does not belong here.
    #[cold]
    pub(crate) fn misplaced(&self, tag: Tag, inside: &str, expected: &str) -> Fault {
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

/// An XML declaration may name the encoding.
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
