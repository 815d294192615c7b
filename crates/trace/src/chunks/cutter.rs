// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cuts the input at the ends of rows.
//!
//! A chunk ends at the last end of a row within its length. Whether a line break ends a row depends on the bytes before it: a break inside
//! quotes of CSV does not. INVARIANT: each chunk begins with a row, so these states need not be carried from one chunk to the next.
//!
//! Example: the CSV text `pay,1,"a⏎b"⏎pay,2,c⏎`, where `⏎` is a line break, is cut with a length of 16 bytes. The first row ends behind `b"`,
//! since the line break after `"a` is inside quotes; `pay,2,c` is not complete within 16 bytes and begins the next chunk.

use gnomon_scan::{Buffer, Fault};
use memchr::memmem;
use memchr::{memchr, memchr_iter, memchr3, memrchr};

use crate::reader::AnyInput;

/// The ends of rows of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowEnds {
    /// Every line break.
    Lines,
    /// Line breaks outside of double quotes.
    UnquotedLines,
    /// Line breaks before `@`, outside of strings, comments and commands.
    TimePoints,
}

impl RowEnds {
    /// Returns the length of the rows that are complete in these bytes, which begin with a row; `None` if none is.
    pub(super) fn last(self, bytes: &[u8]) -> Option<usize> {
        match self {
            RowEnds::Lines => memrchr(b'\n', bytes).map(|at| at + 1),
            RowEnds::UnquotedLines => last_unquoted_line(bytes),
            RowEnds::TimePoints => last_time_point(bytes),
        }
    }
}

fn last_unquoted_line(bytes: &[u8]) -> Option<usize> {
    let quotes: Vec<usize> = memchr_iter(b'"', bytes).collect();
    let mut end = bytes.len();
    // The text between two quotes is outside of quotes if the number of quotes before it is even.
    for number in (0..=quotes.len()).rev() {
        let start = number.checked_sub(1).map_or(0, |before| quotes[before] + 1);
        if number.is_multiple_of(2)
            && let Some(at) = memrchr(b'\n', &bytes[start..end])
        {
            return Some(start + at + 1);
        }
        end = start.saturating_sub(1);
    }
    None
}

fn last_time_point(bytes: &[u8]) -> Option<usize> {
    let (mut last, mut at) = (None, 0);
    loop {
        let plain = memchr3(b'"', b'#', b'>', &bytes[at..]).map_or(bytes.len(), |found| at + found);
        // The line break may end a comment, so that it is the byte before.
        let from = at.saturating_sub(1);
        last = memmem::rfind(&bytes[from..plain], b"\n@").map(|found| from + found + 1).or(last);
        let close = match bytes.get(plain) {
            Some(b'"') => b'"',
            Some(b'#') => b'\n',
            Some(_) => b'<',
            None => return last,
        };
        match memchr(close, &bytes[plain + 1..]) {
            Some(length) => at = plain + length + 2,
            None => return last,
        }
    }
}

/// A part of the input, with its place.
pub(super) struct InputChunk {
    /// The bytes, and the padding of a [`Buffer`].
    pub(super) bytes: Vec<u8>,
    /// The number of bytes before it in the decompressed input.
    pub(super) offset: u64,
    /// Its first line, from 1.
    pub(super) line: u64,
    /// The progress of reading at its end.
    pub(super) bytes_read: u64,
}

/// The part of the input that comes next.
pub(super) enum CutInput {
    /// Complete rows.
    Rows(InputChunk),
    /// The bytes behind the last end of a row, and the fault that ended the input.
    Rest(InputChunk, Option<Fault>),
}

/// Cuts the input at the ends of rows.
pub(super) struct ChunkCutter {
    buffer: Buffer<AnyInput<'static>>,
    row_ends: RowEnds,
    /// The line that comes next.
    line: u64,
    /// The least length of a chunk, unless the input ends.
    length: usize,
}

impl ChunkCutter {
    /// Cuts the rest of an input that begins with a row on this line.
    pub(super) fn new(buffer: Buffer<AnyInput<'static>>, row_ends: RowEnds, line: u64, length: usize) -> Self {
        ChunkCutter { buffer, row_ends, line, length }
    }

    /// Returns the next part of the input. `bytes` is reused.
    pub(super) fn cut(&mut self, bytes: Vec<u8>) -> CutInput {
        let mut length = self.length;
        loop {
            let filled = self.buffer.fill(length);
            let row = self.buffer.row();
            let is_end = filled.is_err() || row.len() < length;
            match self.row_ends.last(&row[..row.len().min(length)]) {
                // A fault is reported after the rows before it.
                Some(end) if filled.is_ok() => return CutInput::Rows(self.take(end, bytes)),
                _ if is_end => {
                    let whole = row.len();
                    return CutInput::Rest(self.take(whole, bytes), filled.err());
                }
                _ => length *= 2,
            }
        }
    }

    fn take(&mut self, length: usize, mut bytes: Vec<u8>) -> InputChunk {
        let (offset, line) = (self.buffer.row_offset(), self.line);
        self.line += memchr_iter(b'\n', &self.buffer.row()[..length]).count() as u64;
        self.buffer.take_chunk(length, &mut bytes);
        InputChunk { bytes, offset, line, bytes_read: self.buffer.bytes_read() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_outside_of_quotes() {
        let ends = |text: &str| RowEnds::UnquotedLines.last(text.as_bytes());
        assert_eq!(ends("a,b\nc,d"), Some(4));
        assert_eq!(ends("a,b\nc,\"d\n"), Some(4));
        assert_eq!(ends("a,\"b\nc\",d\ne"), Some(10));
        assert_eq!(ends("a,\"b\nc\"\"\n\",d\n"), Some(13));
        assert_eq!((ends("a,\"b\nc\nd"), ends("a,b"), ends("")), (None, None, None));
        assert_eq!(RowEnds::Lines.last(b"a\"\nb\"\nc"), Some(6));
    }

    #[test]
    fn time_points_begin_lines() {
        let ends = |text: &str| RowEnds::TimePoints.last(text.as_bytes());
        assert_eq!(ends("@1 a (1)\n@2 b (2)\n"), Some(9));
        assert_eq!(ends("@1 a (\"x\n@2\")\n@3 b"), Some(14));
        assert_eq!(ends("@1 a # \"\n@2 b # it's\n@3"), Some(21));
        assert_eq!(ends("@1 a\n> set\n@x <\n@2"), Some(16));
        assert_eq!((ends("@1 a\n (2)\n"), ends("@1 a (\"\n@2"), ends("")), (None, None, None));
    }
}
