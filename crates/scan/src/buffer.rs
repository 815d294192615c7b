// SPDX-License-Identifier: MIT OR Apache-2.0
//! A window on the input that holds the row being read.
//!
//! A row is the text of one event: a line of CSV, an element of XML. The buffer guarantees that the current row is
//! contiguous in memory, so that readers keep fields as offsets instead of copies. `read_more` appends to the row; only
//! then may the bytes move, and offsets from the start of the row stay valid:
//!
//! ```text
//! bytes: [ passed rows | current row | next rows, as far as read | 64 zero bytes ]
//!                       ^ row         ^ next                      ^ end
//! ```
//!
//! The padding of zeros lets readers load eight bytes at any offset of the data without a bounds check of their own.
//! Reading into a buffer instead of mapping the file keeps the peak memory constant and works for pipes too.

use crate::error::{Code, Fault};

/// The initial capacity: large enough to make a system call per fill cheap, small enough to stay in the second-level
/// cache.
const CAPACITY: usize = 256 << 10;
/// Limit on the length of a row.
const MAX_ROW: usize = 64 << 20;
/// Number of zero bytes after the data.
pub const PADDING: usize = 64;

/// The source of the bytes of a [`Buffer`].
pub trait ByteSource {
    /// Reads some bytes; returns 0 at the end. `at` is the offset of the end of the row, for a fault.
    fn read(&mut self, into: &mut [u8], at: usize) -> Result<usize, Fault>;

    /// Skips bytes. Fewer are skipped at the end of the input.
    fn skip(&mut self, count: u64) -> Result<(), Fault>
    where
        Self: Sized,
    {
        skip_by_reading(self, count)
    }

    /// Returns the number of bytes taken from a compressed input; `None` if it is not compressed.
    fn compressed_bytes(&self) -> Option<u64> {
        None
    }
}

/// Skips bytes of a source that can only be read.
pub fn skip_by_reading<R: ByteSource>(source: &mut R, count: u64) -> Result<(), Fault> {
    let mut left = count;
    let mut bytes = vec![0; 64 << 10];
    while left > 0 {
        let most = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        match source.read(&mut bytes[..most], 0)? {
            0 => break,
            read => left -= read as u64,
        }
    }
    Ok(())
}

/// A source without bytes, for buffers over a text in memory.
impl ByteSource for () {
    fn read(&mut self, _: &mut [u8], _: usize) -> Result<usize, Fault> {
        Ok(0)
    }
}

/// A window on the input; see the module.
pub struct Buffer<R> {
    input: R,
    /// INVARIANT: at least [`PADDING`] zero bytes follow `end`; established by `new` and [`Buffer::read_more`].
    bytes: Vec<u8>,
    /// Start of the current row.
    row: usize,
    /// Start of the next row.
    next: usize,
    end: usize,
    /// Number of bytes of the input before `bytes[0]`.
    base: u64,
    done: bool,
    /// The fault that ended the input of a buffer that was loaded.
    fault: Option<Fault>,
}

impl<R: Default> Default for Buffer<R> {
    /// Creates a buffer without bytes.
    fn default() -> Self {
        Buffer {
            input: R::default(),
            bytes: vec![0; PADDING],
            row: 0,
            next: 0,
            end: 0,
            base: 0,
            done: true,
            fault: None,
        }
    }
}

impl<R: Default> Buffer<R> {
    /// Ends the data at an offset from the start of the current row, which is not before the next row. Returns a buffer with the
    /// bytes behind it and the rest of the input; its first row begins there.
    #[must_use]
    pub fn split_off(&mut self, at: usize) -> Self {
        let split = (self.row + at).clamp(self.next, self.end);
        let mut bytes = self.bytes[split..self.end].to_vec();
        let end = bytes.len();
        bytes.resize(end.max(CAPACITY) + PADDING, 0);
        self.end = split;
        self.bytes[split..split + PADDING].fill(0);
        let (input, done) = (std::mem::take(&mut self.input), std::mem::replace(&mut self.done, true));
        let (base, fault) = (self.base + split as u64, self.fault.take());
        Buffer { input, bytes, row: 0, next: 0, end, base, done, fault }
    }

    /// Replaces the data by `bytes`, which begin at this offset of the decompressed input and end with [`PADDING`] zeros. Nothing
    /// follows them but the fault. Returns the bytes from before.
    pub fn load(&mut self, bytes: Vec<u8>, offset: u64, fault: Option<Fault>) -> Vec<u8> {
        let end = bytes.len().saturating_sub(PADDING);
        (self.row, self.next, self.end, self.base) = (0, 0, end, offset);
        (self.done, self.fault) = (true, fault);
        std::mem::replace(&mut self.bytes, bytes)
    }
}

impl<R: ByteSource> Buffer<R> {
    /// Fills the buffer for the first time, drops a byte order mark, and refuses input that is plainly not text.
    pub fn open(input: R) -> Result<Self, Fault> {
        let bytes = vec![0; CAPACITY + PADDING];
        let mut buffer = Buffer { input, bytes, row: 0, next: 0, end: 0, base: 0, done: false, fault: None };
        buffer.fill(4)?;
        match buffer.row() {
            [0xEF, 0xBB, 0xBF, ..] => (buffer.row, buffer.next) = (3, 3),
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
                return Err(Fault::new(Code::NotText, 0, "the input is UTF-16, not UTF-8")
                    .help("convert it: `iconv -f UTF-16 -t UTF-8 FILE`"));
            }
            [0x1F, 0x8B, ..] | [0x28, 0xB5, 0x2F, 0xFD, ..] | [0xFD, b'7', b'z', b'X', ..] => {
                return Err(Fault::new(Code::NotText, 0, "the input is compressed twice")
                    .help("decompress it once: `gunzip`, `zstd -d` or `xz -d`"));
            }
            [b'P', b'K', 3, 4, ..] => {
                return Err(Fault::new(Code::NotText, 0, "the input is a zip archive")
                    .help("extract it, or pass on one of its files: `unzip -p FILE NAME | gnomon check SPEC -`"));
            }
            _ => {}
        }
        Ok(buffer)
    }

    /// Returns the number of bytes of the input before the next row; of a compressed input, the compressed bytes.
    pub fn bytes_read(&self) -> u64 {
        self.input.compressed_bytes().unwrap_or(self.base + self.next as u64)
    }

    /// Continues at this offset of the decompressed input, which must not be before the next row: the next row begins there.
    pub fn skip_to(&mut self, offset: u64) -> Result<(), Fault> {
        let end = self.base + self.end as u64;
        if offset <= end {
            self.next = (offset.max(self.base) - self.base) as usize;
            self.row = self.next;
            return Ok(());
        }
        self.input.skip(offset - end)?;
        self.base = offset;
        (self.row, self.next, self.end) = (0, 0, 0);
        self.bytes[..PADDING].fill(0);
        Ok(())
    }

    /// Reads until the current row has this many bytes, or the input ends.
    pub fn fill(&mut self, count: usize) -> Result<(), Fault> {
        while self.row().len() < count && self.read_more()? {}
        Ok(())
    }

    /// Moves the first bytes of the current row into `chunk`, with [`PADDING`] zeros behind them.
    pub fn take_chunk(&mut self, length: usize, chunk: &mut Vec<u8>) {
        chunk.clear();
        chunk.reserve(length + PADDING);
        chunk.extend_from_slice(&self.row()[..length]);
        chunk.resize(length + PADDING, 0);
        self.set_row_length(length);
        self.start_next_row();
    }

    /// Returns everything from the current row on; `None` if that is more than `most` bytes.
    pub fn read_to_end(mut self, most: usize) -> Result<Option<Vec<u8>>, Fault> {
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

    /// Reads more of the input; returns false at its end. Offsets from the start of the row stay valid.
    #[cold]
    pub fn read_more(&mut self) -> Result<bool, Fault> {
        if self.done {
            let at = self.end - self.row;
            return self.fault.take().map_or(Ok(false), |fault| Err(fault.placed(at)));
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
            if capacity >= MAX_ROW {
                return Err(Fault::new(Code::TooLong, 0, "this event is longer than 64 MiB")
                    .help("a quotation mark or a line end may be missing"));
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

impl Buffer<()> {
    /// Creates a buffer over these bytes.
    pub fn from_bytes(text: &[u8]) -> Self {
        let mut bytes = text.to_vec();
        bytes.resize(text.len() + PADDING, 0);
        Buffer { input: (), bytes, row: 0, next: 0, end: text.len(), base: 0, done: true, fault: None }
    }
}

impl<R> Buffer<R> {
    /// Returns the bytes from the start of the current row to the end of the data.
    #[inline]
    pub fn row(&self) -> &[u8] {
        &self.bytes[self.row..self.end]
    }

    /// Returns the text of the current row without blanks at its end, and its offset in the decompressed input.
    pub fn raw_row(&self) -> (u64, &[u8]) {
        (self.row_offset(), self.bytes[self.row..self.next.max(self.row)].trim_ascii_end())
    }

    /// Returns the number of bytes before the current row in the decompressed input.
    #[inline]
    pub fn row_offset(&self) -> u64 {
        self.base + self.row as u64
    }

    /// Returns all bytes with the padding. Offsets of rows refer to this slice.
    #[inline]
    pub fn padded(&self) -> &[u8] {
        &self.bytes[..self.end + PADDING]
    }

    /// Returns the start of the current row in [`Buffer::padded`].
    #[inline]
    pub fn row_start(&self) -> usize {
        self.row
    }

    /// Returns the start of the next row in [`Buffer::padded`].
    #[inline]
    pub fn next_row(&self) -> usize {
        self.next
    }

    /// Returns the end of the data in [`Buffer::padded`].
    #[inline]
    pub fn end(&self) -> usize {
        self.end
    }

    /// Makes the next row the current one.
    #[inline]
    pub fn start_next_row(&mut self) {
        self.row = self.next;
    }

    /// Sets the length of the current row, and thereby the start of the next one.
    #[inline]
    pub fn set_row_length(&mut self, length: usize) {
        self.next = self.row + length;
    }

    /// Makes the next row the current one; the row after it starts at `next` in [`Buffer::padded`].
    #[inline]
    pub fn start_next_row_ending_at(&mut self, next: usize) {
        self.row = self.next;
        self.next = next;
    }
}
