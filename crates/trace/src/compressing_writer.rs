// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compresses output as the name of the file asks for; the counterpart of [`crate::decompressed_input`].

use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::compression::encoder;
use crate::decompressed_input::Codec;

/// A writer that compresses with gzip (`.gz`) or zstd (`.zst`), or not at all. Call [`CompressingWriter::finish`] at
/// the end.
pub struct CompressingWriter<'a>(Box<dyn EndedOutput + 'a>);

/// Output that has an end: what is buffered, and that of compressed data.
pub(crate) trait EndedOutput: Write + Send {
    fn end(self: Box<Self>) -> io::Result<()>;
}

impl<W: Write + Send> EndedOutput for BufWriter<W> {
    fn end(mut self: Box<Self>) -> io::Result<()> {
        self.flush()
    }
}

impl<'a> CompressingWriter<'a> {
    /// Chooses the compression by the name of the file.
    pub fn new(path: &Path, out: impl Write + Send + 'a) -> io::Result<Self> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        Ok(CompressingWriter(match extension.to_ascii_lowercase().as_str() {
            "gz" => encoder(Codec::Gzip, out)?,
            "zst" | "zstd" => encoder(Codec::Zstd, out)?,
            _ => Box::new(BufWriter::new(out)),
        }))
    }

    /// Writes what is buffered, and the end of the compressed data.
    pub fn finish(self) -> io::Result<()> {
        self.0.end()
    }
}

impl Write for CompressingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(all(test, feature = "compression"))]
mod tests {
    use super::*;
    use crate::{Reader, ReaderSetup, open};

    #[test]
    fn compressed_output_is_read_back() {
        for name in ["a.csv", "a.csv.gz", "a.csv.zst"] {
            let mut bytes = Vec::new();
            let mut packer = CompressingWriter::new(Path::new(name), &mut bytes).unwrap();
            packer.write_all(b"event, time\na, 1\nb, 2\n").unwrap();
            packer.finish().unwrap();
            let mut reader = open(bytes.as_slice(), name, None, ReaderSetup::default()).unwrap();
            let mut events = 0;
            while reader.next().unwrap().is_some() {
                events += 1;
            }
            assert_eq!(events, 2, "{name}");
        }
    }
}
