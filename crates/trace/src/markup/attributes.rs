// SPDX-License-Identifier: MIT OR Apache-2.0
//! The attributes of a tag, one after the other.

use std::borrow::Cow;

use memchr::memchr;

use super::content::{Content, entity};
use crate::cursor::is_space;
use crate::error::{Code, Fault, quote};
use crate::scan::{first, load, mark, splat};
use crate::stretch::{Stretch, utf8};

/// Walks over the attributes in a stretch of the row.
pub(crate) struct Attributes<'a> {
    /// The row, with bytes behind it that can be loaded.
    row: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Attributes<'a> {
    #[inline]
    pub(crate) fn new(row: &'a [u8], stretch: Stretch) -> Self {
        Attributes { row, at: stretch.start, end: stretch.end }
    }

    /// The next attribute: its name and its value.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<(&'a [u8], Content)>, Fault> {
        self.skip_space();
        if self.at == self.end {
            return Ok(None);
        }
        let start = self.at;
        while self.at < self.end && self.row[self.at] != b'=' && !is_space(self.row[self.at]) {
            self.at += 1;
        }
        let name = &self.row[start..self.at];
        self.skip_space();
        if name.is_empty() || self.at == self.end || self.row[self.at] != b'=' {
            return Err(self.bad(start));
        }
        self.at += 1;
        self.skip_space();
        let quote = if self.at < self.end { self.row[self.at] } else { 0 };
        if quote != b'"' && quote != b'\'' {
            return Err(self.bad(start));
        }
        self.at += 1;
        let Some((end, plain)) = self.closing(quote) else {
            return Err(self.bad(start));
        };
        let inside = Stretch { start: self.at, end };
        self.at = end + 1;
        Ok(Some((name, Content { inside, plain })))
    }

    /// Where the value ends that begins here, and whether it is meant as it is written.
    #[inline]
    fn closing(&self, quote: u8) -> Option<(usize, bool)> {
        const BLANKS: u64 = splat(b' ');
        let mut at = self.at;
        loop {
            let word = load(self.row, at);
            // Bytes below a blank borrow; those above ASCII are left out by their own high bit.
            let control = word.wrapping_sub(BLANKS) & !word & splat(0x80);
            let marks = mark(word, splat(quote)) | mark(word, splat(b'&')) | control;
            if marks == 0 {
                at += 8;
                if at >= self.end {
                    return None;
                }
                continue;
            }
            at += first(marks);
            if at >= self.end {
                return None;
            }
            if self.row[at] == quote {
                return Some((at, true));
            }
            return memchr(quote, &self.row[at..self.end]).map(|length| (at + length, false));
        }
    }

    #[inline]
    fn skip_space(&mut self) {
        while self.at < self.end && is_space(self.row[self.at]) {
            self.at += 1;
        }
    }

    #[cold]
    fn bad(&self, start: usize) -> Fault {
        let piece = &self.row[start..self.end.min(start + 16)];
        Fault::new(Code::BadXml, start, format!("{} is no attribute", quote(piece)))
            .help("attributes are written like `key=\"user\"`")
    }
}

/// The text that an attribute's value means. Line breaks and tabs that are written as such are blanks.
pub(crate) fn attribute_text(row: &[u8], value: Content) -> Result<Cow<'_, str>, Fault> {
    let text = utf8(row, value.inside)?;
    if value.plain {
        return Ok(Cow::Borrowed(text));
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.find(['&', '\n', '\r', '\t']) {
        decoded.push_str(&rest[..next]);
        rest = &rest[next..];
        if rest.starts_with('&') {
            let (character, length) = entity(rest, value.inside.end - rest.len())?;
            decoded.push(character);
            rest = &rest[length..];
        } else {
            decoded.push(' ');
            rest = rest.strip_prefix("\r\n").unwrap_or(&rest[1..]);
        }
    }
    decoded.push_str(rest);
    Ok(Cow::Owned(decoded))
}
