// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the bytes come from: as they are, or unpacked on the way. The first bytes tell, not the name.
//!
//! Everything is unpacked as it is read, so a small file that unpacks to a giant one costs time, never memory.

use std::io::{self, BufReader, Chain, Cursor, ErrorKind, Read};

use flate2::bufread::MultiGzDecoder;

use crate::error::{Code, Fault};

/// As many bytes as the longest mark at the head of a packed input.
const HEAD: usize = 4;
const PACKED_CAPACITY: usize = 64 << 10;

pub(crate) enum Source<R> {
    Plain(Whole<R>),
    Gzip(Box<MultiGzDecoder<Packed<R>>>),
    Zstd(Box<zstd::Decoder<'static, Packed<R>>>),
}

/// The input, with the bytes that were looked at put back in front.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;
type Packed<R> = BufReader<Counted<Whole<R>>>;

/// A packed input, and what was taken from it.
pub(crate) struct Counted<R> {
    input: R,
    bytes: u64,
    /// Whether the input itself failed: then its content is not to blame.
    failed: bool,
}

impl<R: Read> Source<R> {
    pub(crate) fn open(mut input: R) -> Result<Self, Fault> {
        let mut head = Vec::with_capacity(HEAD);
        input.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(|error| Fault::io(0, error))?;
        let (is_gzip, is_zstd) = (head.starts_with(b"\x1F\x8B"), head.starts_with(b"\x28\xB5\x2F\xFD"));
        let whole = Cursor::new(head).chain(input);
        if !is_gzip && !is_zstd {
            return Ok(Source::Plain(whole));
        }
        let packed = BufReader::with_capacity(PACKED_CAPACITY, Counted { input: whole, bytes: 0, failed: false });
        Ok(if is_gzip {
            Source::Gzip(Box::new(MultiGzDecoder::new(packed)))
        } else {
            Source::Zstd(Box::new(zstd::Decoder::with_buffer(packed).map_err(|error| Fault::io(0, error))?))
        })
    }

    /// Reads some bytes; 0 at the end. A fault is `at` this offset of the row.
    pub(crate) fn read(&mut self, into: &mut [u8], at: usize) -> Result<usize, Fault> {
        loop {
            let read = match self {
                Source::Plain(input) => input.read(into),
                Source::Gzip(input) => input.read(into),
                Source::Zstd(input) => input.read(into),
            };
            match read {
                Ok(read) => return Ok(read.min(into.len())),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.fault(error, at)),
            }
        }
    }

    #[cold]
    fn fault(&self, error: io::Error, at: usize) -> Fault {
        if self.packed().is_none_or(|packed| packed.failed) {
            return Fault::io(at, error);
        }
        let message = match error.kind() {
            ErrorKind::UnexpectedEof => "the packed input ends too early; here ends what could be unpacked".to_owned(),
            _ => format!("the packed input is damaged behind this place: {error}"),
        };
        Fault::new(Code::Packed, at, message).help("fetch or pack the trace anew; `gzip -t` and `zstd -t` test a file")
    }

    fn packed(&self) -> Option<&Counted<Whole<R>>> {
        match self {
            Source::Plain(_) => None,
            Source::Gzip(input) => Some(input.get_ref().get_ref()),
            Source::Zstd(input) => Some(input.get_ref().get_ref()),
        }
    }

    /// How many bytes of a packed input were taken; `None` if it is not packed.
    pub(crate) fn packed_bytes(&self) -> Option<u64> {
        self.packed().map(|packed| packed.bytes)
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into);
        match &read {
            Ok(read) => self.bytes += *read as u64,
            Err(error) => self.failed |= error.kind() != ErrorKind::Interrupted,
        }
        read
    }
}
