// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gzip, zstd, xz, bzip2 and lz4, by the libraries of the feature `compression`.

use std::io::{self, BufRead, ErrorKind, Read, Write};

use bzip2::bufread::MultiBzDecoder;
use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use lz4_flex::frame::FrameDecoder;
use lzma_rust2::XzReader;

use crate::compressing_writer::EndedOutput;
use crate::decompressed_input::Codec;

/// Limit on the memory of an xz decoder, in KiB. `xz -9` needs 65 MiB; a file may claim 4 GiB.
const MOST_XZ_MEMORY: u32 = 256 << 10;

/// Decompresses an input as it is read.
pub(crate) fn decoder<'a>(codec: Codec, input: impl BufRead + Send + 'a) -> io::Result<Box<dyn Read + Send + 'a>> {
    Ok(match codec {
        Codec::Gzip => Box::new(MultiGzDecoder::new(input)),
        Codec::Zstd => Box::new(zstd::Decoder::with_buffer(input)?),
        Codec::Xz => Box::new(XzReader::new_mem_limit(input, true, MOST_XZ_MEMORY)),
        Codec::Bzip2 => Box::new(MultiBzDecoder::new(input)),
        Codec::Lz4 => Box::new(Lz4Decoder(FrameDecoder::new(TailReader { input, tail: [0; 8] }))),
    })
}

/// Compresses an output as it is written.
pub(crate) fn encoder<'a>(codec: Codec, out: impl Write + Send + 'a) -> io::Result<Box<dyn EndedOutput + 'a>> {
    Ok(match codec {
        Codec::Gzip => Box::new(GzEncoder::new(out, Compression::default())),
        Codec::Zstd => Box::new(zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?),
        Codec::Xz | Codec::Bzip2 | Codec::Lz4 => return Err(ErrorKind::Unsupported.into()),
    })
}

/// Decompresses lz4 frames, one after the other. The library takes an input that ends between two blocks for one that is complete.
struct Lz4Decoder<R: Read>(FrameDecoder<TailReader<R>>);

impl<R: Read> Read for Lz4Decoder<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        // At the end of a frame nothing is read, and at the end of the input once more.
        match self.0.read(into)? {
            0 if !into.is_empty() => match self.0.read(into)? {
                0 if !self.0.get_ref().ends_a_frame() => Err(ErrorKind::UnexpectedEof.into()),
                read => Ok(read),
            },
            read => Ok(read),
        }
    }
}

/// A reader that remembers the last bytes taken from it.
struct TailReader<R> {
    input: R,
    tail: [u8; 8],
}

impl<R> TailReader<R> {
    /// Returns true if the last bytes are four zeros, which end a frame, or four zeros and a checksum.
    fn ends_a_frame(&self) -> bool {
        self.tail.ends_with(&[0; 4]) || self.tail.starts_with(&[0; 4])
    }
}

impl<R: Read> Read for TailReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        let last = &into[read.saturating_sub(8)..read];
        self.tail.rotate_left(last.len());
        self.tail[8 - last.len()..].copy_from_slice(last);
        Ok(read)
    }
}

impl<W: Write + Send> EndedOutput for GzEncoder<W> {
    fn end(self: Box<Self>) -> io::Result<()> {
        self.finish()?.flush()
    }
}

impl<W: Write + Send> EndedOutput for zstd::Encoder<'_, W> {
    fn end(self: Box<Self>) -> io::Result<()> {
        self.finish()?.flush()
    }
}
