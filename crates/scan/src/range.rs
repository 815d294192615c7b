// SPDX-License-Identifier: MIT OR Apache-2.0
//! A range of bytes, stored as offsets instead of a borrow, so that the buffer may be refilled.

use std::str;

use crate::error::{Code, Fault, quote};

/// A range of bytes of a row or of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByteRange {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl ByteRange {
    /// Returns the bytes in the range.
    #[inline]
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start..self.end]
    }

    /// Returns the number of bytes.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "an empty range is nothing special")]
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Returns the range with `by` added to both ends.
    #[inline]
    #[must_use]
    pub fn shifted(self, by: usize) -> ByteRange {
        ByteRange { start: self.start + by, end: self.end + by }
    }
}

/// Returns the text in a range, or the fault that it is not UTF-8.
pub fn utf8(row: &[u8], range: ByteRange) -> Result<&str, Fault> {
    str::from_utf8(range.of(row)).map_err(|error| {
        let at = range.start + error.valid_up_to();
        let piece = &row[at..range.end.min(at + 8)];
        Fault::new(Code::NotUtf8, at, format!("{} is not UTF-8", quote(piece)))
            .help("convert the trace to UTF-8: `iconv -f LATIN1 -t UTF-8 FILE`")
    })
}
