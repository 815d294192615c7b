// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writing end of the journal: appends records, begins segments, and handles failures of the disk.
//!
//! INVARIANT: the last segment has exactly `bytes` bytes and ends with record `last`, or the writer refuses
//! everything. `recover` establishes it; `append` restores it after a failed write.
//!
//! A failed write is undone by truncating the file, after which the writer continues (a full disk may have space
//! again). A failed sync is final: the system may have dropped the pages that it could not write and reports the
//! error only once, so nothing can be said about records since the last successful sync.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crc32fast::Hasher;

use super::append_file::{AppendFile, append_all};
use super::frame::{FrameHead, HEAD_BYTES, HEADER_BYTES, SegmentHeader};
use super::{JournalInner, SEGMENT};
use crate::error::{ErrorKind, StoreError};

/// A segment as known without reading it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct JournalSegment {
    /// Sequence number of its first record.
    pub(super) first: u64,
    /// Size up to the end of its last complete frame.
    pub(super) bytes: u64,
}

pub(super) struct JournalWriter {
    /// Oldest first, never empty; the last one is appended to.
    pub(super) segments: VecDeque<JournalSegment>,
    file: Arc<dyn AppendFile>,
    salt: u64,
    pub(super) last: u64,
    durable: u64,
    /// Complete segments with records that `sync_next` has not returned yet.
    finished: Vec<Arc<dyn AppendFile>>,
    pub(super) closed: bool,
    /// Reason why nothing is accepted any more.
    refusal: Option<String>,
    /// True if a sync failed: the content of the disk is unknown.
    sync_failed: bool,
}

impl JournalWriter {
    /// Creates the writer behind these segments, all of which are durable.
    pub(super) fn new(
        segments: VecDeque<JournalSegment>,
        file: Arc<dyn AppendFile>,
        salt: u64,
        last: u64,
    ) -> JournalWriter {
        JournalWriter {
            segments,
            file,
            salt,
            last,
            durable: last,
            finished: Vec::new(),
            closed: false,
            refusal: None,
            sync_failed: false,
        }
    }

    pub(super) fn append(
        &mut self,
        shared: &JournalInner,
        kind: u8,
        payload: &[u8],
        checksum: Hasher,
    ) -> Result<u64, StoreError> {
        self.accepts(shared)?;
        let size = HEAD_BYTES + payload.len() as u64;
        let full = self.end().bytes.saturating_add(size) > shared.options.segment_bytes;
        if full && self.end().bytes > HEADER_BYTES {
            self.begin_segment(shared)?;
        }
        let sequence = self.last + 1;
        let head = FrameHead::new(checksum, payload.len() as u32, sequence, kind, self.salt).to_bytes(self.salt);
        let written = append_all(&*self.file, &mut [IoSlice::new(&head), IoSlice::new(payload)]);
        if let Err(error) = written {
            return Err(self.undo(shared, error));
        }
        self.end_mut().bytes += size;
        self.last = sequence;
        Ok(sequence)
    }

    /// Cuts off the part of a frame that was written before the failure, so that the next frame can follow.
    #[cold]
    fn undo(&mut self, shared: &JournalInner, error: io::Error) -> StoreError {
        let path = self.path(shared);
        if let Err(second) = self.file.cut(self.end().bytes) {
            let reason = format!("a record was written in part ({error}) and that could not be undone ({second})");
            self.refusal.get_or_insert(reason);
        }
        StoreError::io(&path, "be written", error)
    }

    fn begin_segment(&mut self, shared: &JournalInner) -> Result<(), StoreError> {
        let sync = shared.options.sync;
        // The old segment first: only the last one may have an unfinished tail. This does not make its records
        // durable for callers: a concurrent `sync_next` may have received the failure. So the segment stays in
        // `finished` until that thread has synced it.
        if sync && let Err(error) = self.file.sync() {
            return Err(self.lost_sync(shared, error));
        }
        let JournalSegment { first, bytes } = self.end();
        let header = SegmentHeader::new(self.last + 1, first, bytes);
        let file = shared.directory.place(header.first, SEGMENT, &[&header.to_bytes()], sync)?;
        if sync && let Err(error) = shared.directory.sync() {
            self.refusal.get_or_insert(format!("a new segment could not be made durable ({error})"));
            return Err(error);
        }
        let finished = std::mem::replace(
            &mut self.file,
            (shared.file_factory)(file, shared.directory.numbered(header.first, SEGMENT)),
        );
        if self.durable < self.last {
            self.finished.push(finished);
        }
        self.salt = header.salt;
        self.segments.push_back(JournalSegment { first: header.first, bytes: HEADER_BYTES });
        Ok(())
    }

    fn accepts(&self, shared: &JournalInner) -> Result<(), StoreError> {
        if let Some(reason) = &self.refusal {
            return Err(refused(&shared.directory.path, reason));
        }
        if self.closed {
            return Err(StoreError::new(ErrorKind::Closed, &shared.directory.path, "the journal was closed"));
        }
        Ok(())
    }

    /// Returns true if `sync_next` has to wait.
    pub(super) fn nothing_to_sync(&self) -> bool {
        self.durable == self.last && !self.sync_failed
    }

    /// Takes the files to sync, so that syncing needs no lock.
    pub(super) fn take_unsynced(&mut self, shared: &JournalInner) -> Result<PendingSync, StoreError> {
        match &self.refusal {
            Some(reason) if self.sync_failed => Err(refused(&shared.directory.path, reason)),
            _ => {
                let mut files = std::mem::take(&mut self.finished);
                files.push(Arc::clone(&self.file));
                Ok(PendingSync { files, through: self.last })
            }
        }
    }

    /// Records the result of a sync.
    pub(super) fn synced(
        &mut self,
        shared: &JournalInner,
        due: &PendingSync,
        outcome: io::Result<()>,
    ) -> Result<u64, StoreError> {
        if let Err(error) = outcome {
            return Err(self.lost_sync(shared, error));
        }
        // A failure of another thread in the meantime concerned the same records.
        if let Some(reason) = self.refusal.as_ref().filter(|_| self.sync_failed) {
            return Err(refused(&shared.directory.path, reason));
        }
        self.durable = self.durable.max(due.through);
        Ok(due.through)
    }

    /// Handles a failed sync: it must never be repeated, because the system may have dropped pages and reports it
    /// only once.
    #[cold]
    fn lost_sync(&mut self, shared: &JournalInner, error: io::Error) -> StoreError {
        self.refusal.get_or_insert_with(|| format!("records could not be made durable ({error})"));
        self.sync_failed = true;
        let help = if error.kind() == io::ErrorKind::NotFound { RESTORE } else { OPEN_ANEW };
        StoreError::io(&self.path(shared), "be made durable", error).help(help)
    }

    pub(super) fn first(&self) -> u64 {
        self.segments.front().map_or(1, |segment| segment.first)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes).sum()
    }

    /// Removes the oldest segment from the list; the last one stays.
    pub(super) fn forget_oldest(&mut self, first: u64) {
        if self.segments.len() > 1 && self.first() == first {
            self.segments.pop_front();
        }
    }

    fn end(&self) -> JournalSegment {
        *self.segments.back().expect("there is a segment to append to")
    }

    fn end_mut(&mut self) -> &mut JournalSegment {
        self.segments.back_mut().expect("there is a segment to append to")
    }

    fn path(&self, shared: &JournalInner) -> PathBuf {
        shared.directory.numbered(self.end().first, SEGMENT)
    }
}

/// Files with records that are not durable yet.
pub(super) struct PendingSync {
    files: Vec<Arc<dyn AppendFile>>,
    through: u64,
}

impl PendingSync {
    pub(super) fn sync(&self) -> io::Result<()> {
        self.files.iter().try_for_each(|file| file.sync())
    }
}

const RESTORE: &str = "restore the store from a copy, or start with another `--store`";
const OPEN_ANEW: &str = "repair the disk, then start again: all acknowledged records are still there";

#[cold]
fn refused(folder: &Path, reason: &str) -> StoreError {
    let message = format!("the journal no longer accepts records: {reason}");
    StoreError::new(ErrorKind::Refused, folder, message).help(OPEN_ANEW)
}
