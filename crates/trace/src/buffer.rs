// SPDX-License-Identifier: MIT OR Apache-2.0
//! A window on the input that always holds the row being read, whole or as far as it was read.
//!
//! Reading into memory of our own instead of mapping the file keeps the peak memory flat and serves pipes alike.

use std::io::{self, Cursor, Read};

use crate::error::{Code, Fault};
use crate::source::Source;

/// Big enough to make a system call per fill cheap, small enough to stay in the second-level cache.
const CAPACITY: usize = 256 << 10;
/// The longest row that is accepted.
const LONGEST_ROW: usize = 64 << 20;
/// Zero bytes kept after the data, so that words can be loaded up to its very end.
const PADDING: usize = 64;

pub(crate) struct Buffer<R> {
    input: Source<R>,
    /// INVARIANT: at least [`PADDING`] zero bytes follow `end`; established by `new` and [`Buffer::more`].
    bytes: Vec<u8>,
    /// Where the present row begins.
    row: usize,
    /// Where the next row begins.
    next: usize,
    end: usize,
    /// Bytes of the input that lie before `bytes[0]`.
    base: u64,
    done: bool,
}

impl<R: Read> Buffer<R> {
    /// Fills the buffer for the first time, drops a byte order mark, and refuses what is plainly no text.
    pub(crate) fn open(input: R) -> Result<Self, Fault> {
        let bytes = vec![0; CAPACITY + PADDING];
        let input = Source::open(input)?;
        let mut buffer = Buffer { input, bytes, row: 0, next: 0, end: 0, base: 0, done: false };
        buffer.fill(4)?;
        match buffer.row() {
            [0xEF, 0xBB, 0xBF, ..] => (buffer.row, buffer.next) = (3, 3),
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
                return Err(Fault::new(Code::NotText, 0, "the input is UTF-16, not UTF-8")
                    .help("convert it: `iconv -f UTF-16 -t UTF-8 FILE`"));
            }
            [0x1F, 0x8B, ..] | [0x28, 0xB5, 0x2F, 0xFD, ..] => {
                return Err(Fault::new(Code::NotText, 0, "the input is packed twice")
                    .help("unpack it once: `gunzip` or `zstd -d`"));
            }
            _ => {}
        }
        Ok(buffer)
    }

    /// How many bytes of the input lie behind: those before the next row, or those that were unpacked.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.input.packed_bytes().unwrap_or(self.base + self.next as u64)
    }

    /// Reads on until so many bytes of the present row are there, or the input ends.
    pub(crate) fn fill(&mut self, count: usize) -> Result<(), Fault> {
        while self.row().len() < count && self.more()? {}
        Ok(())
    }

    /// Everything from the present row on; `None` if that is more than so many bytes.
    pub(crate) fn into_rest(mut self, most: usize) -> Result<Option<Vec<u8>>, Fault> {
        let mut rest = self.row().to_vec();
        let mut piece = self.bytes;
        while rest.len() <= most {
            let read = if self.done { 0 } else { self.input.read(&mut piece, rest.len())? };
            if read == 0 {
                return Ok(Some(rest));
            }
            rest.extend_from_slice(&piece[..read]);
        }
        Ok(None)
    }

    /// Reads more of the input behind what is there; false at its end. Offsets from the row's start stay valid.
    #[cold]
    pub(crate) fn more(&mut self) -> Result<bool, Fault> {
        if self.done {
            return Ok(false);
        }
        if self.row > 0 {
            self.bytes.copy_within(self.row..self.end, 0);
            self.base += self.row as u64;
            self.next -= self.row;
            self.end -= self.row;
            self.row = 0;
        }
        let mut capacity = self.bytes.len() - PADDING;
        if self.end == capacity {
            if capacity >= LONGEST_ROW {
                return Err(Fault::new(Code::TooLong, 0, "this event is longer than 64 MiB")
                    .help("a quote or a line may not be closed where it should be"));
            }
            capacity *= 2;
            self.bytes.resize(capacity + PADDING, 0);
        }
        let read = self.input.read(&mut self.bytes[self.end..capacity], self.end)?;
        self.end += read;
        self.done = read == 0;
        self.bytes[self.end..self.end + PADDING].fill(0);
        Ok(!self.done)
    }
}

impl Buffer<io::Empty> {
    /// A buffer of these bytes alone.
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut bytes = text.to_vec();
        bytes.resize(text.len() + PADDING, 0);
        let input = Source::Plain(Cursor::new(Vec::new()).chain(io::empty()));
        Buffer { input, bytes, row: 0, next: 0, end: text.len(), base: 0, done: true }
    }
}

impl<R> Buffer<R> {
    /// From the start of the present row to the end of what was read.
    #[inline]
    pub(crate) fn row(&self) -> &[u8] {
        &self.bytes[self.row..self.end]
    }

    /// Everything, with the padding: rows are at offsets into this.
    #[inline]
    pub(crate) fn padded(&self) -> &[u8] {
        &self.bytes[..self.end + PADDING]
    }

    /// Where the present row begins in [`Buffer::padded`].
    #[inline]
    pub(crate) fn row_start(&self) -> usize {
        self.row
    }

    /// Where the next row begins in [`Buffer::padded`].
    #[inline]
    pub(crate) fn next_row(&self) -> usize {
        self.next
    }

    /// Where the data ends in [`Buffer::padded`].
    #[inline]
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// Makes the next row the present one.
    #[inline]
    pub(crate) fn turn(&mut self) {
        self.row = self.next;
    }

    /// Says where the row after the present one begins, as an offset from the present one's start.
    #[inline]
    pub(crate) fn set_length(&mut self, length: usize) {
        self.next = self.row + length;
    }

    /// Makes the next row the present one, and says where in [`Buffer::padded`] the one after it begins.
    #[inline]
    pub(crate) fn turn_to(&mut self, next: usize) {
        self.row = self.next;
        self.next = next;
    }
}
