// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packs what is written, as the name of the file says: the other way of [`crate::source`].

use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A writer that packs with gzip (`.gz`) or zstd (`.zst`), or not at all. Call [`Packer::finish`] at the end.
pub struct Packer<W: Write>(Kind<W>);

enum Kind<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::Encoder<'static, W>),
}

impl<W: Write> Packer<W> {
    /// Packs for a file of this name.
    pub fn new(path: &Path, out: W) -> io::Result<Self> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        Ok(Packer(match extension.to_ascii_lowercase().as_str() {
            "gz" => Kind::Gzip(GzEncoder::new(out, Compression::default())),
            "zst" | "zstd" => Kind::Zstd(zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?),
            _ => Kind::Plain(out),
        }))
    }

    /// Writes what is still held back, and the end of the packed data.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            Kind::Plain(mut out) => out.flush(),
            Kind::Gzip(encoder) => encoder.finish()?.flush(),
            Kind::Zstd(encoder) => encoder.finish()?.flush(),
        }
    }
}

impl<W: Write> Write for Packer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Plain(out) => out.write(bytes),
            Kind::Gzip(encoder) => encoder.write(bytes),
            Kind::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Plain(out) => out.flush(),
            Kind::Gzip(encoder) => encoder.flush(),
            Kind::Zstd(encoder) => encoder.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reader, Setup, open};

    #[test]
    fn what_is_packed_is_read_back() {
        for name in ["a.csv", "a.csv.gz", "a.csv.zst"] {
            let mut bytes = Vec::new();
            let mut packer = Packer::new(Path::new(name), &mut bytes).unwrap();
            packer.write_all(b"event, time\na, 1\nb, 2\n").unwrap();
            packer.finish().unwrap();
            let mut reader = open(bytes.as_slice(), name, None, Setup::default()).unwrap();
            let mut events = 0;
            while reader.next().unwrap().is_some() {
                events += 1;
            }
            assert_eq!(events, 2, "{name}");
        }
    }
}
