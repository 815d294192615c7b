// SPDX-License-Identifier: MIT OR Apache-2.0
//! The journal: an append-only write-ahead log of records, numbered from 1.
//!
//! A record is a kind and bytes; their meaning is the caller's. Records are stored in segments, files that are named
//! after their first record (`frame.rs` defines the bytes). Many threads append. One thread calls
//! [`Journal::sync_next`] in a loop, which makes everything appended since the last call durable with one system call
//! (group commit). Only records that it has returned may be acknowledged.
//!
//! INVARIANTS: no durable record is lost without an error; no record is read that was not written; a record keeps its
//! number.
//!
//! **Recovery.** A crash can leave an unfinished write at the end of the last segment. It was never acknowledged, so
//! opening the journal cuts it off. Damage elsewhere must not be cut: records behind it may have been acknowledged.
//! `recovery.rs` distinguishes the two by searching for intact frames behind the first bad one:
//!
//! ```text
//!  │ 1 ok │ 2 ok │ 3 bad │ garbage          nothing intact follows: unfinished write, cut off after 2
//!  │ 1 ok │ 2 ok │ 3 bad │ 4 ok │ 5 ok      intact records follow: damage, refuse to open and say what to do
//! ```

mod append_file;
mod frame;
mod records;
mod recovery;
mod retain;
mod writer;

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crc32fast::Hasher;

pub use records::{JournalRecord, RecordReader};
pub use retain::{JournalRetention, RemovedSegments};

use crate::error::{ErrorKind, StoreError};
use crate::files::Directory;
use append_file::FileFactory;
use frame::MAX_PAYLOAD;
use writer::JournalWriter;

/// Extension of segments.
const SEGMENT: &str = "gnj";

/// Options of a journal.
#[derive(Clone, Debug)]
pub struct JournalOptions {
    /// Size above which a new segment is begun. It limits the bytes that are checked when the journal is opened, and
    /// is the unit in which old records are removed.
    pub segment_bytes: u64,
    /// True if records are made durable. Otherwise they survive a crash of the process, but not a power failure.
    pub sync: bool,
}

impl Default for JournalOptions {
    fn default() -> Self {
        JournalOptions { segment_bytes: 64 << 20, sync: true }
    }
}

/// Condition of a journal when it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JournalState {
    /// Sequence number of the first record, or of the next one if there is none.
    pub first: u64,
    /// Sequence number of the last record; 0 if there never was one.
    pub last: u64,
    /// Number of bytes of an unfinished write that were cut off.
    pub torn_bytes: u64,
}

/// A journal in a folder of its own.
#[derive(Debug)]
pub struct Journal {
    shared: Arc<JournalInner>,
    /// Held while the journal is open; the system releases it however the process ends.
    _lock: File,
}

/// The part that readers share and that may outlive the journal.
struct JournalInner {
    directory: Directory,
    options: JournalOptions,
    file_factory: FileFactory,
    writer: Mutex<JournalWriter>,
    /// Signals that there are records to sync, or that the journal was closed.
    changed: Condvar,
}

impl Journal {
    /// Opens or creates the journal in this folder. Every frame of the last segment is checked; of the others header
    /// and size (their frames are checked when they are read).
    ///
    /// An unfinished write at the end is cut off and reported. Any other deviation is an error that names file and
    /// offset: [`ErrorKind::Damaged`], [`ErrorKind::Version`].
    pub fn open(folder: &Path, options: JournalOptions) -> Result<(Journal, JournalState), StoreError> {
        Journal::open_on(append_file::file_factory(), folder, options)
    }

    /// Returns true if this folder has segments of a journal.
    pub fn exists(folder: &Path) -> Result<bool, StoreError> {
        Ok(folder.exists() && !Directory::open(folder)?.numbers(SEGMENT)?.is_empty())
    }

    fn open_on(
        file_factory: FileFactory,
        folder: &Path,
        options: JournalOptions,
    ) -> Result<(Journal, JournalState), StoreError> {
        let directory = Directory::open(folder)?;
        let lock = recovery::lock(&directory)?;
        let (writer, opened) = recovery::recover(&directory, &options, &file_factory)?;
        let shared =
            JournalInner { directory, options, file_factory, writer: Mutex::new(writer), changed: Condvar::new() };
        Ok((Journal { shared: Arc::new(shared), _lock: lock }, opened))
    }

    /// Appends a record and returns its sequence number. It is durable once [`Journal::sync_next`] has returned it.
    ///
    /// After [`ErrorKind::Full`] the journal is unchanged and the call can be repeated. After [`ErrorKind::Refused`]
    /// the journal must be reopened.
    pub fn append(&self, kind: u8, payload: &[u8]) -> Result<u64, StoreError> {
        self.append_then(kind, payload, |sequence| sequence)
    }

    /// Appends a record and calls `then` with its number before another append can happen, so that records can be
    /// forwarded in order. `then` must be quick and must not call the journal.
    pub fn append_then<T>(&self, kind: u8, payload: &[u8], then: impl FnOnce(u64) -> T) -> Result<T, StoreError> {
        if payload.len() > MAX_PAYLOAD {
            let message = format!("a record of {} bytes is larger than {MAX_PAYLOAD}", payload.len());
            let error = StoreError::new(ErrorKind::TooLarge, &self.shared.directory.path, message);
            return Err(error.help("send it in smaller batches"));
        }
        // Outside the lock, because it is the longest part of the work.
        let mut checksum = Hasher::new();
        checksum.update(payload);

        let mut writer = self.shared.lock();
        let sequence = writer.append(&self.shared, kind, payload, checksum)?;
        self.shared.changed.notify_one();
        Ok(then(sequence))
    }

    /// Waits for records that are not durable, makes all appended records durable, and returns the last sequence
    /// number; `None` once the journal is closed and everything is durable. One thread calls it in a loop; appends do
    /// not wait for it.
    ///
    /// After an error the content of the disk is unknown, and repeating the call would not tell: the journal refuses
    /// everything until it is reopened.
    pub fn sync_next(&self) -> Result<Option<u64>, StoreError> {
        let mut writer = self.shared.lock();
        while writer.nothing_to_sync() {
            if writer.closed {
                return Ok(None);
            }
            writer = self.shared.changed.wait(writer).unwrap_or_else(PoisonError::into_inner);
        }
        let due = writer.take_unsynced(&self.shared)?;
        drop(writer);

        let outcome = if self.shared.options.sync { due.sync() } else { Ok(()) };
        self.shared.lock().synced(&self.shared, &due, outcome).map(Some)
    }

    /// Returns the sequence number of the last record; 0 if there never was one.
    pub fn last(&self) -> u64 {
        self.shared.lock().last
    }

    /// Returns the sequence number of the first record, or of the next one if there is none.
    pub fn first(&self) -> u64 {
        self.shared.lock().first()
    }

    /// Returns the size of all segments.
    pub fn bytes(&self) -> u64 {
        self.shared.lock().bytes()
    }

    /// Refuses further records. [`Journal::sync_next`] makes the rest durable, then returns `None`.
    pub fn close(&self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
    }

    /// Reads records from this number on, from disk and in order, up to the end at the time of reading; called again
    /// later, it continues with newer records. Appends do not wait for it.
    pub fn read(&self, from: u64) -> Result<RecordReader, StoreError> {
        RecordReader::new(Arc::clone(&self.shared), from)
    }

    /// Removes old segments whose records are all before `before`, as far as `keep` allows.
    pub fn retain(&self, before: u64, keep: &JournalRetention) -> Result<RemovedSegments, StoreError> {
        retain::retain(&self.shared, before, keep)
    }
}

impl JournalInner {
    /// A panic in a caller's `then` leaves the writer consistent, so a poisoned lock is ignored.
    fn lock(&self) -> MutexGuard<'_, JournalWriter> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for JournalInner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("directory", &self.directory)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
