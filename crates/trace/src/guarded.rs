// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file that someone may stop being read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

/// Whether reading may go on. Asked before each piece.
pub type Guard = Arc<dyn Fn() -> io::Result<()> + Send + Sync>;

/// A file that is read as long as its guard lets it.
pub struct GuardedFile {
    file: File,
    guard: Guard,
}

impl GuardedFile {
    /// A file, and who is asked.
    pub fn new(file: File, guard: Guard) -> Self {
        GuardedFile { file, guard }
    }

    /// The same once more.
    pub(crate) fn again(&self) -> io::Result<Self> {
        Ok(GuardedFile { file: self.file.try_clone()?, guard: self.guard.clone() })
    }
}

impl From<File> for GuardedFile {
    fn from(file: File) -> Self {
        GuardedFile::new(file, Arc::new(|| Ok(())))
    }
}

impl Read for GuardedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (self.guard)()?;
        self.file.read(buffer)
    }
}

impl Seek for GuardedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Length for GuardedFile {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for GuardedFile {
    type T = <File as ChunkReader>::T;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        (self.guard)()?;
        self.file.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        (self.guard)()?;
        self.file.get_bytes(start, length)
    }
}
