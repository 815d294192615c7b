// SPDX-License-Identifier: MIT OR Apache-2.0
//! The attributes of a tag, one after the other.

use memchr::memchr;

use super::text::{TextForm, XmlText};
use crate::cursor::is_space;
use crate::error::{Code, Fault, quote};
use crate::range::ByteRange;
use crate::word::text_end;

/// Iterates over the attributes in a range of the row.
pub struct Attributes<'a> {
    /// The row, followed by padding.
    row: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Attributes<'a> {
    /// Starts at the first attribute in this range of a padded row.
    #[inline]
    pub fn new(row: &'a [u8], range: ByteRange) -> Self {
        Attributes { row, at: range.start, end: range.end }
    }

    /// Returns the name and the value of the next attribute.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "an iterator that can fail")]
    pub fn next(&mut self) -> Result<Option<(&'a [u8], XmlText)>, Fault> {
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
            return Err(self.malformed(start));
        }
        self.at += 1;
        self.skip_space();
        let quote = if self.at < self.end { self.row[self.at] } else { 0 };
        if quote != b'"' && quote != b'\'' {
            return Err(self.malformed(start));
        }
        self.at += 1;
        let Some((end, form)) = self.closing(quote) else {
            return Err(self.malformed(start));
        };
        let range = ByteRange { start: self.at, end };
        self.at = end + 1;
        Ok(Some((name, XmlText { range, form })))
    }

    /// Returns the offset of the closing quote of the value that begins here, and the form of the value.
    #[inline]
    fn closing(&self, quote: u8) -> Option<(usize, TextForm)> {
        let at = text_end(self.row, self.at, quote);
        if at >= self.end {
            return None;
        }
        if self.row[at] == quote {
            return Some((at, TextForm::Literal));
        }
        memchr(quote, &self.row[at..self.end]).map(|length| (at + length, TextForm::Attribute))
    }

    #[inline]
    fn skip_space(&mut self) {
        while self.at < self.end && is_space(self.row[self.at]) {
            self.at += 1;
        }
    }

    #[cold]
    fn malformed(&self, start: usize) -> Fault {
        let piece = &self.row[start..self.end.min(start + 16)];
        Fault::new(Code::BadXml, start, format!("{} is not an attribute", quote(piece)))
            .help("attributes are written like `key=\"user\"`")
    }
}
