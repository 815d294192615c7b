// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gzip and zstd, by the libraries of the feature `compression`.

use std::io::{self, BufRead, Read, Write};

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

use crate::compressing_writer::EndedOutput;
use crate::decompressed_input::Codec;

/// Decompresses an input as it is read.
pub(crate) fn decoder<'a>(codec: Codec, input: impl BufRead + Send + 'a) -> io::Result<Box<dyn Read + Send + 'a>> {
    Ok(match codec {
        Codec::Gzip => Box::new(MultiGzDecoder::new(input)),
        Codec::Zstd => Box::new(zstd::Decoder::with_buffer(input)?),
    })
}

/// Compresses an output as it is written.
pub(crate) fn encoder<'a>(codec: Codec, out: impl Write + Send + 'a) -> io::Result<Box<dyn EndedOutput + 'a>> {
    Ok(match codec {
        Codec::Gzip => Box::new(GzEncoder::new(out, Compression::default())),
        Codec::Zstd => Box::new(zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?),
    })
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
