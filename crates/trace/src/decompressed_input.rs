// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bytes of an input, decompressed if necessary. Compression is detected by the first bytes, not by the name: gzip
//! begins with `1F 8B`, zstd with `28 B5 2F FD`, and so on.
//!
//! Input is decompressed as it is read, so that a small file that expands to a huge one costs time but no memory.
//! Progress is counted in compressed bytes, since the size of the content is not known. An error of the decoder is
//! reported as damaged input, with the location up to which events could be read; an error of the underlying input is
//! reported as such.

use std::io::{self, BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gnomon_scan::{ByteSource, Code, Fault, skip_by_reading};

use crate::cancellable::CancellableFile;
use crate::compression::decoder;

/// The length of the longest signature of a compressed input.
const HEAD: usize = 6;
const COMPRESSED_CAPACITY: usize = 64 << 10;

/// A kind of compression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Codec {
    Gzip,
    Zstd,
    Xz,
    Bzip2,
    Lz4,
}

impl Codec {
    /// Returns the kind of compression by the first bytes of an input.
    fn detect(head: &[u8]) -> Option<Codec> {
        match head {
            [0x1F, 0x8B, ..] => Some(Codec::Gzip),
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Some(Codec::Zstd),
            [0xFD, b'7', b'z', b'X', b'Z', 0] => Some(Codec::Xz),
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, 0x41 | 0x72] => Some(Codec::Bzip2),
            [0x04, 0x22, 0x4D, 0x18, ..] => Some(Codec::Lz4),
            _ => None,
        }
    }
}

/// An input, decompressed if it is compressed.
pub struct DecompressedInput<'a> {
    input: Box<dyn Read + Send + 'a>,
    /// The progress of the compressed input, if it is compressed.
    compressed: Option<Arc<ReadProgress>>,
    /// A second handle of a file that is not compressed. The two share their position.
    seeker: Option<CancellableFile>,
}

/// The progress of an input that a decoder reads.
#[derive(Default)]
struct ReadProgress {
    bytes: AtomicU64,
    /// True if reading the input failed; then the compressed data are not to blame.
    failed: AtomicBool,
}

/// A reader that counts the bytes taken from it.
struct CountingReader<R> {
    input: R,
    progress: Arc<ReadProgress>,
}

/// An input without bytes.
impl Default for DecompressedInput<'_> {
    fn default() -> Self {
        DecompressedInput { input: Box::new(io::empty()), compressed: None, seeker: None }
    }
}

impl<'a> DecompressedInput<'a> {
    /// Reads a file, of which parts can be skipped without reading them, if `seeker` is a second handle of it.
    pub(crate) fn with_seeker(mut self, seeker: Option<CancellableFile>) -> Self {
        self.seeker = seeker.filter(|_| self.compressed.is_none());
        self
    }

    pub(crate) fn open(mut input: Box<dyn Read + Send + 'a>) -> Result<Self, Fault> {
        let io = |error| Fault::io(0, error);
        let mut head = Vec::with_capacity(HEAD);
        input.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(io)?;
        let codec = Codec::detect(&head);
        let input = Cursor::new(head).chain(input);
        let Some(codec) = codec else {
            return Ok(DecompressedInput { input: Box::new(input), compressed: None, seeker: None });
        };
        let progress = Arc::<ReadProgress>::default();
        let counted = CountingReader { input, progress: Arc::clone(&progress) };
        let input = decoder(codec, BufReader::with_capacity(COMPRESSED_CAPACITY, counted)).map_err(io)?;
        Ok(DecompressedInput { input, compressed: Some(progress), seeker: None })
    }

    #[cold]
    fn fault(&self, error: io::Error, at: usize) -> Fault {
        if self.compressed.as_ref().is_none_or(|compressed| compressed.failed.load(Ordering::Relaxed)) {
            return Fault::io(at, error);
        }
        let message = match error.kind() {
            ErrorKind::UnexpectedEof => {
                "the compressed input ends too early, at this place of the decompressed data".to_owned()
            }
            _ => format!("the compressed input is damaged after this place: {error}"),
        };
        Fault::new(Code::Packed, at, message).help(
            "fetch or compress the trace again; `gzip -t`, `zstd -t`, `xz -t`, `bzip2 -t` and `lz4 -t` test a file",
        )
    }
}

impl ByteSource for DecompressedInput<'_> {
    fn read(&mut self, into: &mut [u8], at: usize) -> Result<usize, Fault> {
        loop {
            match self.input.read(into) {
                Ok(read) => return Ok(read.min(into.len())),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.fault(error, at)),
            }
        }
    }

    fn skip(&mut self, count: u64) -> Result<(), Fault> {
        let distance = i64::try_from(count).ok();
        // The beginning of the file was read to find out whether it is compressed: nothing of it is left in between.
        if let Some((seeker, distance)) = self.seeker.as_mut().zip(distance) {
            return seeker.seek(SeekFrom::Current(distance)).map(|_| ()).map_err(|error| Fault::io(0, error));
        }
        skip_by_reading(self, count)
    }

    fn compressed_bytes(&self) -> Option<u64> {
        self.compressed.as_ref().map(|compressed| compressed.bytes.load(Ordering::Relaxed))
    }
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into);
        match &read {
            Ok(read) => {
                self.progress.bytes.fetch_add(*read as u64, Ordering::Relaxed);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => self.progress.failed.store(true, Ordering::Relaxed),
        }
        read
    }
}
