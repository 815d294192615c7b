// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operations that the journal needs of a file: a trait, so that tests can make them fail.

use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that is appended to.
pub(super) trait AppendFile: Send + Sync {
    /// Writes at the end with one system call; possibly only a part.
    fn append(&self, parts: &[IoSlice<'_>]) -> io::Result<usize>;
    /// Truncates the file to this many bytes.
    fn cut(&self, bytes: u64) -> io::Result<()>;
    /// Returns when all appended bytes would survive a power failure. Fails if the file was removed or moved.
    fn sync(&self) -> io::Result<()>;
}

/// An open file, and the path under which a later process will look for it.
pub(super) struct SegmentFile {
    file: File,
    path: PathBuf,
}

impl AppendFile for SegmentFile {
    fn append(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        (&self.file).write_vectored(parts)
    }

    fn cut(&self, bytes: u64) -> io::Result<()> {
        self.file.set_len(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()?;
        if is_there(&self.file, &self.path)? {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::NotFound, "the file was removed or moved"))
    }
}

/// Returns true if the path leads to the file. Otherwise what is written to it is lost when it is closed, or a later process does not
/// find it.
#[cfg(unix)]
fn is_there(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let opened = file.metadata()?;
    match path.metadata() {
        Ok(named) => Ok((named.dev(), named.ino()) == (opened.dev(), opened.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Other systems refuse to remove or move open files.
#[cfg(not(unix))]
fn is_there(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Wraps an open file with this path.
pub(super) type FileFactory = Box<dyn Fn(File, PathBuf) -> Arc<dyn AppendFile> + Send + Sync>;

/// Returns the factory for real files.
pub(super) fn file_factory() -> FileFactory {
    Box::new(|file, path| Arc::new(SegmentFile { file, path }))
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
