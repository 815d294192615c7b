// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the journal asks of the file that it appends to: a trait, so that tests can let it fail.

use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::sync::Arc;

/// A file that is appended to.
pub(super) trait Medium: Send + Sync {
    /// Writes at the end, with one call to the system; perhaps not all of it.
    fn append(&self, parts: &[IoSlice<'_>]) -> io::Result<usize>;
    /// Cuts off what is behind this many bytes.
    fn cut(&self, bytes: u64) -> io::Result<()>;
    /// Returns when what was appended would outlive a loss of power.
    fn sync(&self) -> io::Result<()>;
}

impl Medium for File {
    fn append(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut file = self;
        file.write_vectored(parts)
    }

    fn cut(&self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}

/// How an open file becomes a medium.
pub(super) type Disk = Box<dyn Fn(File) -> Arc<dyn Medium> + Send + Sync>;

/// The real one.
pub(super) fn disk() -> Disk {
    Box::new(|file| Arc::new(file))
}

/// Appends all of it.
pub(super) fn append_all(medium: &dyn Medium, mut parts: &mut [IoSlice<'_>]) -> io::Result<()> {
    while !parts.is_empty() {
        match medium.append(parts) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut parts, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
