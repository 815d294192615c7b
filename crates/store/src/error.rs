// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong with files: which one, where in it, what is the case, what to do about it.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// A store that cannot do what it was asked to. The questions `is_…` tell the cases apart that a caller treats differently.
#[derive(Debug)]
pub struct StoreError(Box<Details>);

#[derive(Debug)]
struct Details {
    kind: Kind,
    path: PathBuf,
    offset: Option<u64>,
    message: String,
    help: Option<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Io,
    Full,
    Damaged,
    Version,
    Locked,
    Refused,
    Closed,
    TooLarge,
    Gone,
    Unknown,
}

impl StoreError {
    #[cold]
    pub(crate) fn new(kind: Kind, path: &Path, message: impl Into<String>) -> Self {
        let (path, message) = (path.to_owned(), message.into());
        StoreError(Box::new(Details { kind, path, offset: None, message, help: None, source: None }))
    }

    /// The system refused to `act` on a file: "be written", "be opened".
    #[cold]
    pub(crate) fn io(path: &Path, act: &str, error: io::Error) -> Self {
        let kind = if is_full(&error) { Kind::Full } else { Kind::Io };
        let new = StoreError::new(kind, path, format!("it cannot {act}: {error}"));
        let new = if kind == Kind::Full {
            new.help("make room on the disk; what was refused can be tried again")
        } else {
            new
        };
        new.caused(error)
    }

    #[cold]
    pub(crate) fn damaged(path: &Path, offset: u64, message: impl Into<String>) -> Self {
        let mut new = StoreError::new(Kind::Damaged, path, message);
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

    /// The file or folder that it is about.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Where in the file, in bytes from its beginning.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// What is the case, in one line, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do about it.
    pub fn remedy(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Whether there is no room: on the disk, in the quota, below the limit on the size of a file. The same may be
    /// tried again; if durability had failed with it, the answer will be [`StoreError::is_refused`].
    pub fn is_full(&self) -> bool {
        self.0.kind == Kind::Full
    }

    /// Whether a file is not what was once written to it.
    pub fn is_damaged(&self) -> bool {
        self.0.kind == Kind::Damaged
    }

    /// Whether a file was written by another version of this program.
    pub fn is_version(&self) -> bool {
        self.0.kind == Kind::Version
    }

    /// Whether another process, or this one, has the folder already.
    pub fn is_locked(&self) -> bool {
        self.0.kind == Kind::Locked
    }

    /// Whether a former failure leaves it unknown what is on disk: nothing more is accepted until the store is opened anew.
    pub fn is_refused(&self) -> bool {
        self.0.kind == Kind::Refused
    }

    /// Whether it was closed before.
    pub fn is_closed(&self) -> bool {
        self.0.kind == Kind::Closed
    }

    /// Whether a record is larger than a journal accepts.
    pub fn is_too_large(&self) -> bool {
        self.0.kind == Kind::TooLarge
    }

    /// Whether records were asked for that retention has removed.
    pub fn is_gone(&self) -> bool {
        self.0.kind == Kind::Gone
    }

    /// Whether something was to be changed that does not exist.
    pub fn is_unknown(&self) -> bool {
        self.0.kind == Kind::Unknown
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { path, offset, message, .. } = &*self.0;
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

fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// For `map_err`: what the system said, with the file and what was being done to it.
pub(crate) fn failed<'a>(path: &'a Path, act: &'a str) -> impl FnOnce(io::Error) -> StoreError + 'a {
    move |error| StoreError::io(path, act, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_from_a_failing_one() {
        let path = Path::new("store/journal");
        let error = |kind: io::ErrorKind| StoreError::io(path, "be written", kind.into());
        assert!(error(io::ErrorKind::StorageFull).is_full());
        assert!(error(io::ErrorKind::QuotaExceeded).is_full());
        assert!(!error(io::ErrorKind::PermissionDenied).is_full());
        assert!(error(io::ErrorKind::StorageFull).remedy().is_some_and(|help| help.contains("room")));
    }

    #[test]
    fn it_says_where_and_what() {
        let error = StoreError::damaged(Path::new("a.gnj"), 17, "the checksum is wrong");
        assert_eq!(error.to_string(), "a.gnj, byte 17: the checksum is wrong");
        assert_eq!((error.offset(), error.message()), (Some(17), "the checksum is wrong"));
    }
}
