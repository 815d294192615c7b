// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stretch of bytes, kept as a place instead of a borrow, so that the buffer may move on.

use std::str;

use crate::error::{Code, Fault, quote};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Stretch {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Stretch {
    #[inline]
    pub(crate) fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start..self.end]
    }

    #[inline]
    pub(crate) fn len(self) -> usize {
        self.end - self.start
    }

    /// The same stretch, counted from a place that lies `by` bytes before.
    #[inline]
    pub(crate) fn shifted(self, by: usize) -> Stretch {
        Stretch { start: self.start + by, end: self.end + by }
    }
}

/// The text there, which is used and therefore must be UTF-8.
pub(crate) fn utf8(row: &[u8], stretch: Stretch) -> Result<&str, Fault> {
    str::from_utf8(stretch.of(row)).map_err(|error| {
        let at = stretch.start + error.valid_up_to();
        let piece = &row[at..stretch.end.min(at + 8)];
        Fault::new(Code::NotUtf8, at, format!("{} is not UTF-8", quote(piece)))
            .help("convert the trace to UTF-8: `iconv -f LATIN1 -t UTF-8 FILE`")
    })
}
