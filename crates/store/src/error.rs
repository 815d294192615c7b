// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors of the store. Each names the file, the offset if known, the problem and a remedy.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// An error of the store. [`StoreError::is`] distinguishes the cases that callers treat differently.
#[derive(Debug)]
pub struct StoreError(Box<ErrorDetails>);

#[derive(Debug)]
struct ErrorDetails {
    kind: ErrorKind,
    path: PathBuf,
    offset: Option<u64>,
    message: String,
    help: Option<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// Cases that a caller may treat differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The operating system refused.
    Io,
    /// No space is left: on the disk, in the quota, or below the limit on file sizes. The operation can be repeated;
    /// if a sync failed because of it, the next error is `Refused`.
    Full,
    /// A file differs from what was written to it.
    Damaged,
    /// A file was written by another version of this program.
    Version,
    /// Another process, or this one, has the folder open already.
    Locked,
    /// After an earlier failure the content of the disk is unknown: nothing is accepted until the store is reopened.
    Refused,
    /// It was closed before.
    Closed,
    /// A record is larger than a journal accepts.
    TooLarge,
    /// The requested records were removed by retention.
    Gone,
    /// The item to change does not exist.
    Unknown,
}

impl StoreError {
    #[cold]
    pub(crate) fn new(kind: ErrorKind, path: &Path, message: impl Into<String>) -> Self {
        let (path, message) = (path.to_owned(), message.into());
        StoreError(Box::new(ErrorDetails { kind, path, offset: None, message, help: None, source: None }))
    }

    /// The system refused to `act` on a file: "be written", "be opened".
    #[cold]
    pub(crate) fn io(path: &Path, act: &str, error: io::Error) -> Self {
        let kind = if is_full(&error) { ErrorKind::Full } else { ErrorKind::Io };
        let mut new = StoreError::new(kind, path, format!("it cannot {act}: {error}"));
        new.0.help = (kind == ErrorKind::Full).then(|| MAKE_ROOM.to_owned());
        new.caused(error)
    }

    #[cold]
    pub(crate) fn damaged(path: &Path, offset: u64, message: impl Into<String>) -> Self {
        let mut new = StoreError::new(ErrorKind::Damaged, path, message);
        new.0.offset = Some(offset);
        new
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    pub(crate) fn caused(mut self, by: impl Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Box::new(by));
        self
    }

    /// Returns the file or folder that it is about.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns the offset in the file, in bytes.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Returns the problem in one line, without the location.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns advice on how to fix it.
    pub fn remedy(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Returns true if the error is of this kind.
    pub fn is(&self, kind: ErrorKind) -> bool {
        self.0.kind == kind
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ErrorDetails { path, offset, message, .. } = &*self.0;
        match offset {
            Some(offset) => write!(f, "{}, byte {offset}: {message}", path.display()),
            None => write!(f, "{}: {message}", path.display()),
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_ref().map(|source| &**source as &(dyn Error + 'static))
    }
}

pub(crate) const MAKE_ROOM: &str = "free space on the disk; refused requests can be repeated";

fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// Adds the file and the attempted action to an error of the system, for `map_err`.
pub(crate) fn failed<'a>(path: &'a Path, act: &'a str) -> impl FnOnce(io::Error) -> StoreError + 'a {
    move |error| StoreError::io(path, act, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_distinguished_from_a_failing_one() {
        let path = Path::new("store/journal");
        let error = |kind: io::ErrorKind| StoreError::io(path, "be written", kind.into());
        assert!(error(io::ErrorKind::StorageFull).is(ErrorKind::Full));
        assert!(error(io::ErrorKind::QuotaExceeded).is(ErrorKind::Full));
        assert!(!error(io::ErrorKind::PermissionDenied).is(ErrorKind::Full));
        assert!(error(io::ErrorKind::StorageFull).remedy().is_some_and(|help| help.contains("free space")));
    }

    #[test]
    fn it_says_where_and_what() {
        let error = StoreError::damaged(Path::new("a.gnj"), 17, "the checksum is wrong");
        assert_eq!(error.to_string(), "a.gnj, byte 17: the checksum is wrong");
        assert_eq!((error.offset(), error.message()), (Some(17), "the checksum is wrong"));
    }
}
