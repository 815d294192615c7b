// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text inside an element, found quickly and decoded only when somebody wants it.

use std::borrow::Cow;
use std::io::Read;

use memchr::{memchr, memmem};

use super::{Tag, Token};
use crate::cursor::{Cursor, is_space};
use crate::error::{Code, Fault, quote};
use crate::stretch::{Stretch, utf8};

/// A text as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Content {
    pub(crate) inside: Stretch,
    /// Whether it is meant as it is written: no entities, no CDATA, no comments, no carriage returns.
    pub(crate) plain: bool,
}

impl<R: Read> Cursor<R> {
    /// The text of the element whose tag was read, blanks around it left out, up to and with the closing tag.
    #[inline]
    pub(crate) fn content(&mut self, tag: Tag, name: &'static str) -> Result<Content, Fault> {
        let start = self.at;
        if tag.empty {
            return Ok(Content { inside: Stretch { start, end: start }, plain: true });
        }
        let row = self.row();
        if let Some(length) = memchr(b'<', &row[start..]) {
            let rest = &row[start + length + 1..];
            let closes = rest.first() == Some(&b'/')
                && rest[1..].starts_with(name.as_bytes())
                && rest.get(1 + name.len()) == Some(&b'>');
            if closes {
                let content = plain_content(row, start, start + length);
                if !content.plain {
                    content_text(row, content)?;
                }
                self.at = start + length + name.len() + 3;
                return Ok(content);
            }
        }
        self.mixed_content(start, name)
    }

    #[inline(never)]
    fn mixed_content(&mut self, start: usize, name: &'static str) -> Result<Content, Fault> {
        loop {
            let end = self.at;
            match self.token()? {
                Token::Text(_) | Token::Cdata(_) | Token::Aside => {}
                Token::Close(close) if close.of(self.row()) == name.as_bytes() => {
                    let row = self.row();
                    let content = match memchr(b'<', &row[start..end]) {
                        None => plain_content(row, start, end),
                        Some(_) => Content { inside: Stretch { start, end }, plain: false },
                    };
                    if !content.plain {
                        content_text(row, content)?;
                    }
                    return Ok(content);
                }
                Token::Open(tag) => {
                    return Err(self.misplaced(tag, &format!("inside `<{name}>`"), "only text is expected there"));
                }
                other => return Err(self.not_closed(name, other)),
            }
        }
    }
}

/// The text there, which has no tags inside. Whether it is plain is looked up in what is left without blanks.
#[inline]
fn plain_content(row: &[u8], start: usize, end: usize) -> Content {
    let text = &row[start..end];
    let leading = text.iter().take_while(|&&byte| is_space(byte)).count();
    let trailing = text[leading..].iter().rev().take_while(|&&byte| is_space(byte)).count();
    let inside = Stretch { start: start + leading, end: end - trailing };
    let plain = !inside.of(row).iter().any(|&byte| byte == b'&' || byte == b'\r');
    Content { inside, plain }
}

/// The text that is meant.
pub(crate) fn content_text(row: &[u8], content: Content) -> Result<Cow<'_, str>, Fault> {
    let text = utf8(row, content.inside)?;
    if content.plain {
        return Ok(Cow::Borrowed(text));
    }
    let mut decoded = String::with_capacity(text.len());
    // Blanks that are written as such are trimmed, not those of CDATA and of character references.
    let mut solid = 0;
    let mut rest = text;
    let place = |rest: &str| content.inside.end - rest.len();
    while let Some(next) = rest.find(['<', '&', '\r']).or((!rest.is_empty()).then_some(rest.len())) {
        let (plain, tail) = rest.split_at(next);
        decoded.push_str(if decoded.is_empty() && solid == 0 { plain.trim_start_matches(blank) } else { plain });
        if let Some(last) = plain.rfind(|character| !blank(character)) {
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
            let (character, length) = entity(rest, place(rest))?;
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
    Ok(Cow::Owned(decoded))
}

const fn blank(character: char) -> bool {
    matches!(character, ' ' | '\n' | '\t' | '\r')
}

/// The character that the entity at the head of a text stands for, and how long its writing is.
pub(crate) fn entity(text: &str, at: usize) -> Result<(char, usize), Fault> {
    const LONGEST: usize = 64;
    let head = &text.as_bytes()[..text.len().min(LONGEST)];
    let end = memchr(b';', head);
    let body = end.and_then(|end| text.get(1..end)).unwrap_or("");
    let valid_name = body.bytes().next().is_some_and(|byte| byte == b'#' || byte.is_ascii_alphabetic() || byte == b'_');
    let (Some(end), true) = (end, valid_name) else {
        return Err(Fault::new(Code::BadXml, at, "a `&` that begins no entity").help("write `&amp;`"));
    };
    let character = match body {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => match body.strip_prefix('#') {
            Some(number) => {
                let digits = |number: &str| number.bytes().all(|byte| byte.is_ascii_alphanumeric());
                let code = match number.strip_prefix('x') {
                    Some(hexadecimal) if digits(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok(),
                    None if digits(number) => number.parse().ok(),
                    _ => None,
                };
                let character = code.and_then(char::from_u32).filter(|&character| character != '\0');
                return character
                    .map(|character| (character, end + 1))
                    .ok_or_else(|| Fault::new(Code::BadXml, at, format!("{} is no character", quote(&head[..=end]))));
            }
            None => None,
        },
    };
    character.map(|character| (character, end + 1)).ok_or_else(|| {
        Fault::new(Code::Declared, at, format!("the entity {} is not one of XML's own", quote(&head[..=end])))
            .help("write out what it stands for; only `&amp;` `&lt;` `&gt;` `&quot;` `&apos;` and numbers are known")
    })
}
