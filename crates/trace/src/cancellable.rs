// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files and bytes whose reads can be cancelled.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

/// A function that fails if reading is to stop. Called before each read.
pub type CancelCheck = Arc<dyn Fn() -> io::Result<()> + Send + Sync>;

/// A source of bytes whose reads fail once its check does.
pub struct Cancellable<T> {
    pub(crate) source: T,
    pub(crate) check: CancelCheck,
}

/// A file whose reads can be cancelled.
pub type CancellableFile = Cancellable<File>;
/// Bytes in memory whose reads can be cancelled.
pub type CancellableBytes = Cancellable<Cursor<Arc<[u8]>>>;

impl CancellableFile {
    /// Combines a file and its check.
    pub fn new(source: File, check: CancelCheck) -> Self {
        Cancellable { source, check }
    }

    /// Returns a second handle of the open file. The two share their position.
    pub(crate) fn again(&self) -> io::Result<Self> {
        Ok(CancellableFile::new(self.source.try_clone()?, self.check.clone()))
    }
}

impl CancellableBytes {
    /// Combines bytes and their check.
    pub fn new(bytes: Arc<[u8]>, check: CancelCheck) -> Self {
        Cancellable { source: Cursor::new(bytes), check }
    }

    /// Returns the bytes from their beginning.
    pub(crate) fn again(&self) -> Self {
        CancellableBytes::new(self.source.get_ref().clone(), self.check.clone())
    }
}

impl From<File> for CancellableFile {
    fn from(file: File) -> Self {
        CancellableFile::new(file, never_cancelled())
    }
}

/// Returns a check that never fails.
pub fn never_cancelled() -> CancelCheck {
    Arc::new(|| Ok(()))
}

impl<T: Read> Read for Cancellable<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (self.check)()?;
        self.source.read(buffer)
    }
}

impl<T: Seek> Seek for Cancellable<T> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.source.seek(to)
    }
}
