// SPDX-License-Identifier: MIT OR Apache-2.0
//! The journal: records in the one order in which things happened, numbered from 1, appended and never changed.
//!
//! A record is a kind and bytes; what they mean is the caller's. Records are in segments, files that are named after their first
//! record (`frame.rs` has the bytes). Many threads append; one thread calls [`Journal::sync_next`] in a loop and so makes
//! durable, with one call to the system, whatever came together since the last time. Only what it has returned may be acknowledged.
//!
//! Three things never happen: a record that was made durable is lost without an error; a record is read that was not written; a
//! record has another number when it is read again. A tail that a crash left unfinished is cut off when the journal
//! is opened: none of it was durable.

mod frame;
mod medium;
mod records;
mod recover;
mod retain;
mod writer;

#[cfg(test)]
mod faults;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crc32fast::Hasher;

pub use records::{Record, Records};
pub use retain::{Keep, Retained};

use crate::error::{Kind, StoreError};
use crate::files::Directory;
use frame::MAX_PAYLOAD;
use medium::Disk;
use writer::Writer;

/// The extension of segments.
const SEGMENT: &str = "gnj";

/// How a journal writes.
#[derive(Clone, Debug)]
pub struct JournalOptions {
    /// A segment that would become larger is followed by a new one. It bounds what is read when the journal is opened, and is the
    /// step in which old records are removed.
    pub segment_bytes: u64,
    /// Whether records are made durable. Without it they outlive a crash of the process, but not a loss of power.
    pub sync: bool,
}

impl Default for JournalOptions {
    fn default() -> Self {
        JournalOptions { segment_bytes: 64 << 20, sync: true }
    }
}

/// What a journal was found to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opened {
    /// The number of the first record that is there, or of the first there will be.
    pub first: u64,
    /// The number of the last record, 0 if there never was one.
    pub last: u64,
    /// How many bytes an unfinished write had left behind the last record. They were cut off.
    pub torn_bytes: u64,
}

/// A journal in a folder of its own.
#[derive(Debug)]
pub struct Journal {
    shared: Arc<Shared>,
    /// Held for as long as the journal is open; the system lets go of it however the process ends.
    _lock: File,
}

/// What readers need as well, which may outlive the journal.
struct Shared {
    directory: Directory,
    options: JournalOptions,
    disk: Disk,
    writer: Mutex<Writer>,
    /// Told when there is something to make durable, or nothing will come any more.
    changed: Condvar,
}

impl Journal {
    /// Opens the journal in this folder, or begins one. Of the last segment every frame is checked, of the others header and
    /// size; their frames are checked when they are read.
    ///
    /// An unfinished write behind the last good frame is cut off and reported. Anything else that is not as it was written is an
    /// error that names file and place: [`StoreError::is_damaged`], [`StoreError::is_version`].
    pub fn open(folder: &Path, options: JournalOptions) -> Result<(Journal, Opened), StoreError> {
        Journal::open_on(medium::disk(), folder, options)
    }

    fn open_on(disk: Disk, folder: &Path, options: JournalOptions) -> Result<(Journal, Opened), StoreError> {
        let directory = Directory::open(folder)?;
        let lock = recover::lock(&directory)?;
        let (writer, opened) = recover::recover(&directory, &options, &disk)?;
        let shared = Shared { directory, options, disk, writer: Mutex::new(writer), changed: Condvar::new() };
        Ok((Journal { shared: Arc::new(shared), _lock: lock }, opened))
    }

    /// Appends a record and returns its number. It is written, but not durable before [`Journal::sync_next`] says so.
    ///
    /// After [`StoreError::is_full`] the journal is as if it had not been called, and the same may be tried again. After
    /// [`StoreError::is_refused`] it must be opened anew.
    pub fn append(&self, kind: u8, payload: &[u8]) -> Result<u64, StoreError> {
        self.append_then(kind, payload, |sequence| sequence)
    }

    /// Appends a record and calls `then` with its number before another append can happen, so that records can be passed on in
    /// their order. `then` must be quick and must not call the journal.
    pub fn append_then<T>(&self, kind: u8, payload: &[u8], then: impl FnOnce(u64) -> T) -> Result<T, StoreError> {
        if payload.len() > MAX_PAYLOAD {
            let message = format!("a record of {} bytes is larger than {MAX_PAYLOAD}", payload.len());
            let error = StoreError::new(Kind::TooLarge, self.shared.directory.path(), message);
            return Err(error.help("send it in smaller batches"));
        }
        // Outside the lock: the longest part of the work does not hold up others.
        let mut checksum = Hasher::new();
        checksum.update(payload);

        let mut writer = self.shared.lock();
        let sequence = writer.append(&self.shared, kind, payload, checksum)?;
        self.shared.changed.notify_one();
        Ok(then(sequence))
    }

    /// Waits until something was appended that is not durable yet, makes everything durable that was appended so far, and returns
    /// the last number; `None` once the journal is closed and all is durable. One thread calls it in a loop; those who append do
    /// not wait for it.
    ///
    /// After an error it is not known what is on disk, and trying again would not tell: the journal refuses everything until it is
    /// opened anew.
    pub fn sync_next(&self) -> Result<Option<u64>, StoreError> {
        let mut writer = self.shared.lock();
        while writer.nothing_to_sync() {
            if writer.is_closed() {
                return Ok(None);
            }
            writer = self.shared.changed.wait(writer).unwrap_or_else(PoisonError::into_inner);
        }
        let due = writer.take_unsynced(&self.shared)?;
        drop(writer);

        let outcome = if self.shared.options.sync { due.sync() } else { Ok(()) };
        self.shared.lock().synced(&self.shared, &due, outcome).map(Some)
    }

    /// The number of the last record, 0 if there never was one.
    pub fn last(&self) -> u64 {
        self.shared.lock().last()
    }

    /// The number of the first record that is still there, or of the first there will be.
    pub fn first(&self) -> u64 {
        self.shared.lock().first()
    }

    /// The size of all segments.
    pub fn bytes(&self) -> u64 {
        self.shared.lock().bytes()
    }

    /// Accepts nothing more. [`Journal::sync_next`] makes durable what is not yet, then returns `None`.
    pub fn close(&self) {
        self.shared.lock().close();
        self.shared.changed.notify_all();
    }

    /// Reads the records from this number on, from disk and in order, up to what is written when the reader gets there; asked
    /// again later, it goes on with what came since. Those who append do not wait for it.
    pub fn read(&self, from: u64) -> Result<Records, StoreError> {
        Records::new(Arc::clone(&self.shared), from)
    }

    /// Removes old segments, all of whose records are before `before`, as far as `keep` allows.
    pub fn retain(&self, before: u64, keep: &Keep) -> Result<Retained, StoreError> {
        retain::retain(&self.shared, before, keep)
    }
}

impl Shared {
    /// A panic of a caller's `then` leaves the writer as it should be, so the lock is no worse for it.
    fn lock(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("directory", &self.directory)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
