// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of the journal: where records are appended, segments begun, and failures of the disk borne.
//!
//! INVARIANT: the last segment has exactly `bytes` bytes, the last of which belong to record `last`; or the writer refuses
//! everything. `append` restores it after a failed write, `recover` establishes it.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crc32fast::Hasher;

use super::frame::{HEAD, HEADER, Head, Header};
use super::medium::{Medium, append_all};
use super::{SEGMENT, Shared};
use crate::error::{Kind, StoreError};

/// A segment, as far as the journal knows it without looking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Segment {
    /// The number of its first record.
    pub(super) first: u64,
    /// Its size, up to the end of its last complete frame.
    pub(super) bytes: u64,
}

pub(super) struct Writer {
    /// Oldest first, never empty; the last is appended to.
    segments: VecDeque<Segment>,
    medium: Arc<dyn Medium>,
    salt: u64,
    last: u64,
    durable: u64,
    /// Finished segments with records that nobody has been told are durable.
    finished: Vec<Arc<dyn Medium>>,
    closed: bool,
    /// Why nothing is accepted any more.
    refusal: Option<String>,
    /// Whether that is because durability failed: then it is unknown what is on disk.
    sync_failed: bool,
}

impl Writer {
    /// The writer behind these segments, all of which are durable.
    pub(super) fn new(segments: VecDeque<Segment>, medium: Arc<dyn Medium>, salt: u64, last: u64) -> Writer {
        Writer {
            segments,
            medium,
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
        shared: &Shared,
        kind: u8,
        payload: &[u8],
        checksum: Hasher,
    ) -> Result<u64, StoreError> {
        self.accepts(shared)?;
        let size = HEAD + payload.len() as u64;
        let full = self.end().bytes.saturating_add(size) > shared.options.segment_bytes;
        if full && self.end().bytes > HEADER {
            self.begin_segment(shared)?;
        }
        let sequence = self.last + 1;
        let head = Head::new(checksum, payload.len() as u32, sequence, kind, self.salt).to_bytes(self.salt);
        let written = append_all(&*self.medium, &mut [IoSlice::new(&head), IoSlice::new(payload)]);
        if let Err(error) = written {
            return Err(self.undo(shared, error));
        }
        self.end_mut().bytes += size;
        self.last = sequence;
        Ok(sequence)
    }

    /// Cuts off the part of a frame that was written before the disk refused, so that the next one may follow.
    #[cold]
    fn undo(&mut self, shared: &Shared, error: io::Error) -> StoreError {
        let path = self.path(shared);
        if let Err(second) = self.medium.cut(self.end().bytes) {
            let reason = format!("a record was written in part ({error}) and that could not be undone ({second})");
            self.refusal.get_or_insert(reason);
        }
        StoreError::io(&path, "be written", error)
    }

    fn begin_segment(&mut self, shared: &Shared) -> Result<(), StoreError> {
        let sync = shared.options.sync;
        // First the old one: only the last segment may have an unfinished tail. This is no news of durability, as a failure may
        // have been told to whoever is in `sync_next` just now; so the segment is in `finished` until that thread had its turn.
        if sync && let Err(error) = self.medium.sync() {
            return Err(self.lost_sync(shared, error));
        }
        let Segment { first, bytes } = self.end();
        let header = Header::new(self.last + 1, first, bytes);
        let file = shared.directory.place(header.first, SEGMENT, &[&header.to_bytes()], sync)?;
        if sync && let Err(error) = shared.directory.sync() {
            self.refusal.get_or_insert(format!("a new segment could not be made durable ({error})"));
            return Err(error);
        }
        let finished = std::mem::replace(&mut self.medium, (shared.disk)(file));
        if self.durable < self.last {
            self.finished.push(finished);
        }
        self.salt = header.salt;
        self.segments.push_back(Segment { first: header.first, bytes: HEADER });
        Ok(())
    }

    fn accepts(&self, shared: &Shared) -> Result<(), StoreError> {
        if let Some(reason) = &self.refusal {
            return Err(refused(shared.directory.path(), reason));
        }
        if self.closed {
            return Err(StoreError::new(Kind::Closed, shared.directory.path(), "the journal was closed"));
        }
        Ok(())
    }

    /// Whether there is no reason for `sync_next` to stop waiting.
    pub(super) fn nothing_to_sync(&self) -> bool {
        self.durable == self.last && !self.sync_failed
    }

    /// What is to be made durable, without the lock.
    pub(super) fn take_unsynced(&mut self, shared: &Shared) -> Result<Unsynced, StoreError> {
        match &self.refusal {
            Some(reason) if self.sync_failed => Err(refused(shared.directory.path(), reason)),
            _ => {
                let mut media = std::mem::take(&mut self.finished);
                media.push(Arc::clone(&self.medium));
                Ok(Unsynced { media, through: self.last })
            }
        }
    }

    /// Takes note of how that went.
    pub(super) fn synced(
        &mut self,
        shared: &Shared,
        due: &Unsynced,
        outcome: io::Result<()>,
    ) -> Result<u64, StoreError> {
        if let Err(error) = outcome {
            return Err(self.lost_sync(shared, error));
        }
        // Another thread's failure, in the meantime, was about the same records.
        if let Some(reason) = self.refusal.as_ref().filter(|_| self.sync_failed) {
            return Err(refused(shared.directory.path(), reason));
        }
        self.durable = self.durable.max(due.through);
        Ok(due.through)
    }

    /// After a failed sync the system may have dropped what it could not write, and says so only once: never try again.
    #[cold]
    fn lost_sync(&mut self, shared: &Shared, error: io::Error) -> StoreError {
        self.refusal.get_or_insert_with(|| format!("records could not be made durable ({error})"));
        self.sync_failed = true;
        StoreError::io(&self.path(shared), "be made durable", error).help(OPEN_ANEW)
    }

    pub(super) fn last(&self) -> u64 {
        self.last
    }

    pub(super) fn first(&self) -> u64 {
        self.segments.front().map_or(1, |segment| segment.first)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes).sum()
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(super) fn segments(&self) -> &VecDeque<Segment> {
        &self.segments
    }

    /// Takes the oldest segment off the list; the last one stays.
    pub(super) fn forget_oldest(&mut self, first: u64) {
        if self.segments.len() > 1 && self.first() == first {
            self.segments.pop_front();
        }
    }

    fn end(&self) -> Segment {
        *self.segments.back().expect("there is a segment to append to")
    }

    fn end_mut(&mut self) -> &mut Segment {
        self.segments.back_mut().expect("there is a segment to append to")
    }

    fn path(&self, shared: &Shared) -> PathBuf {
        shared.directory.numbered(self.end().first, SEGMENT)
    }
}

/// Records that are written but not durable.
pub(super) struct Unsynced {
    media: Vec<Arc<dyn Medium>>,
    through: u64,
}

impl Unsynced {
    pub(super) fn sync(&self) -> io::Result<()> {
        self.media.iter().try_for_each(|medium| medium.sync())
    }
}

const OPEN_ANEW: &str = "see to the disk, then start again: what was acknowledged will be there";

#[cold]
fn refused(folder: &Path, reason: &str) -> StoreError {
    let message = format!("the journal accepts nothing more: {reason}");
    StoreError::new(Kind::Refused, folder, message).help(OPEN_ANEW)
}
