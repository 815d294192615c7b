// SPDX-License-Identifier: MIT OR Apache-2.0
//! A position in the current row, for tokenisers. It reads more input when it reaches the end of the buffer.

use memchr::{memchr, memmem};

use crate::buffer::{Buffer, ByteSource};
use crate::error::{Fault, TraceError};
use crate::location::Location;
use crate::range::ByteRange;

/// A position in the current row.
pub struct Cursor<R> {
    /// The window on the input.
    pub buffer: Buffer<R>,
    /// The offset from the start of the row.
    pub at: usize,
    /// Line and column at which the row begins.
    location: Location,
    /// An offset behind the row and its location, if that is known without a look at the text between.
    known_end: Option<(usize, Location)>,
    /// The lines that [`Cursor::next_line`] has passed, the current one included.
    line_count: u64,
}

impl<R> Cursor<R> {
    /// Creates a cursor at the start of the input.
    pub fn new(buffer: Buffer<R>) -> Self {
        Cursor { buffer, at: 0, location: Location::START, known_end: None, line_count: 0 }
    }

    /// Returns the current row and everything behind it, as far as it was read.
    #[inline]
    pub fn row(&self) -> &[u8] {
        self.buffer.row()
    }

    /// Sets the line with which the current row begins, after other bytes were loaded.
    pub fn move_to_line(&mut self, line: u64) {
        (self.at, self.line_count) = (0, line - 1);
        self.location = Location { line, column: 1 };
    }

    /// Returns the lines that [`Cursor::next_line`] has passed.
    pub fn line_count(&self) -> u64 {
        self.line_count
    }

    /// Returns the line and column at which the row begins.
    #[inline]
    pub fn location(&self) -> Location {
        self.location
    }

    /// Ends the current row here; the next one begins at this offset. What lies before may be overwritten.
    #[inline]
    pub fn start_row(&mut self) {
        self.location = match self.known_end.take() {
            Some((end, location)) if end == self.at => location,
            _ => self.location.after(&self.buffer.row()[..self.at]),
        };
        self.buffer.set_row_length(self.at);
        self.buffer.start_next_row();
        self.at = 0;
    }

    /// Advances to an offset whose location is known.
    #[inline]
    pub fn advance_to(&mut self, at: usize, location: Location) {
        self.at = at;
        self.known_end = Some((at, location));
    }

    /// Makes the line that ends before `next` in [`Buffer::padded`] the current row, and counts it. The line must begin where the row
    /// before it ended.
    #[inline]
    pub fn start_line_ending_at(&mut self, next: usize) {
        self.buffer.start_next_row_ending_at(next);
        self.line_count += 1;
        self.location.line = self.line_count;
    }

    /// Returns the text from the start of the row to the position, and its offset in the decompressed input.
    pub fn raw(&self) -> (u64, &[u8]) {
        let row = self.buffer.row();
        (self.buffer.row_offset(), row[..self.at.min(row.len())].trim_ascii_end())
    }

    /// Adds source and location to a fault in the current row.
    #[cold]
    pub fn error(&self, source: &str, fault: Fault) -> TraceError {
        let row = self.buffer.row();
        TraceError::new(source, self.location.after(&row[..fault.at().min(row.len())]), fault)
    }
}

impl<R: ByteSource> Cursor<R> {
    /// Makes the next line that is not blank the current row and counts the lines passed; `None` at the end of the input.
    /// Returns its range in [`Buffer::padded`], without blanks at its end. A cursor is used either for lines or for tokens.
    #[expect(clippy::inline_always, reason = "the readers' inner loop; several formats share it")]
    #[inline(always)]
    pub fn next_line(&mut self) -> Result<Option<ByteRange>, Fault> {
        loop {
            self.buffer.start_next_row();
            let mut length = 0;
            let newline = loop {
                let row = self.buffer.row();
                if let Some(found) = memchr(b'\n', &row[length..]) {
                    length += found;
                    break true;
                }
                length = row.len();
                if !self.buffer.read_more()? {
                    break false;
                }
            };
            if length == 0 && !newline {
                return Ok(None);
            }
            self.line_count += 1;
            self.location.line = self.line_count;
            self.buffer.set_row_length(length + usize::from(newline));
            let text = self.buffer.row()[..length].trim_ascii_end();
            if !text.is_empty() {
                let start = self.buffer.row_start();
                return Ok(Some(ByteRange { start, end: start + text.len() }));
            }
        }
    }

    /// Continues with the line that begins at this offset of the decompressed input, after the lines that were read.
    pub fn skip_to_line(&mut self, offset: u64, line: u64) -> Result<(), Fault> {
        self.line_count = line.saturating_sub(1);
        self.buffer.skip_to(offset)
    }

    /// Returns the byte at the position; `None` at the end of the input.
    #[inline]
    pub fn peek(&mut self) -> Result<Option<u8>, Fault> {
        if self.at >= self.buffer.row().len() {
            self.buffer.fill(self.at + 1)?;
        }
        Ok(self.buffer.row().get(self.at).copied())
    }

    /// Returns up to 64 bytes from here on, for a message. The result does not depend on the pieces in which the input
    /// arrives.
    #[cold]
    pub fn ahead(&mut self) -> &[u8] {
        // A read error here would hide the fault that the message is about.
        let _ = self.buffer.fill(self.at + 64);
        let rest = &self.buffer.row()[self.at..];
        &rest[..rest.len().min(64)]
    }

    /// Skips white space.
    #[inline]
    pub fn skip_space(&mut self) -> Result<(), Fault> {
        loop {
            let row = self.buffer.row();
            while let Some(byte) = row.get(self.at) {
                if !is_space(*byte) {
                    return Ok(());
                }
                self.at += 1;
            }
            if !self.buffer.read_more()? {
                return Ok(());
            }
        }
    }

    /// Returns the offset of the next occurrence of a byte.
    #[inline]
    pub fn find(&mut self, byte: u8, from: usize) -> Result<Option<usize>, Fault> {
        self.find_with(from, 1, |rest| memchr(byte, rest))
    }

    /// Returns the offset of the next occurrence of a few bytes.
    pub fn find_text(&mut self, text: &[u8], from: usize) -> Result<Option<usize>, Fault> {
        self.find_with(from, text.len(), |rest| memmem::find(rest, text))
    }

    /// Searches for a pattern of `length` bytes; after each read the search resumes where a match may be cut in two.
    #[inline]
    fn find_with(
        &mut self,
        from: usize,
        length: usize,
        search: impl Fn(&[u8]) -> Option<usize>,
    ) -> Result<Option<usize>, Fault> {
        let mut at = from;
        loop {
            let row = self.buffer.row();
            if let Some(found) = row.get(at..).and_then(&search) {
                return Ok(Some(at + found));
            }
            at = from.max((row.len() + 1).saturating_sub(length));
            if !self.buffer.read_more()? {
                return Ok(None);
            }
        }
    }
}

/// Returns true for the white space of XML and JSON.
#[inline]
pub const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}
