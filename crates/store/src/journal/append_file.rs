// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operations that the journal needs of a file: a trait, so that tests can make them fail.

use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::sync::Arc;

/// A file that is appended to.
pub(super) trait AppendFile: Send + Sync {
    /// Writes at the end with one system call; possibly only a part.
    fn append(&self, parts: &[IoSlice<'_>]) -> io::Result<usize>;
    /// Truncates the file to this many bytes.
    fn cut(&self, bytes: u64) -> io::Result<()>;
    /// Returns when all appended bytes would survive a power failure. Fails if the file was removed.
    fn sync(&self) -> io::Result<()>;
}

impl AppendFile for File {
    fn append(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut file = self;
        file.write_vectored(parts)
    }

    fn cut(&self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()?;
        if is_removed(self)? {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the file was removed"));
        }
        Ok(())
    }
}

/// Returns true if no folder has the file any more: what is written to it is lost when it is closed.
#[cfg(unix)]
fn is_removed(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.nlink() == 0)
}

/// Other systems refuse to remove open files.
#[cfg(not(unix))]
fn is_removed(_: &File) -> io::Result<bool> {
    Ok(false)
}

/// Wraps an open file.
pub(super) type FileFactory = Box<dyn Fn(File) -> Arc<dyn AppendFile> + Send + Sync>;

/// Returns the factory for real files.
pub(super) fn file_factory() -> FileFactory {
    Box::new(|file| Arc::new(file))
}

/// Appends all parts.
pub(super) fn append_all(file: &dyn AppendFile, mut parts: &mut [IoSlice<'_>]) -> io::Result<()> {
    while !parts.is_empty() {
        match file.append(parts) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut parts, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
