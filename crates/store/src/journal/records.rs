// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads records while others are appended.

use std::fs::File;
use std::io::{self, BufReader, Read, Take};
use std::path::PathBuf;
use std::sync::Arc;

use super::frame::{HEAD_BYTES, HEADER_BYTES, read_frame};
use super::recovery::read_header;
use super::{JournalInner, SEGMENT};
use crate::error::{ErrorKind, StoreError};

/// A record of the journal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JournalRecord {
    /// Sequence number, from 1.
    pub sequence: u64,
    /// Kind, chosen by the caller.
    pub kind: u8,
    /// Content.
    pub payload: Vec<u8>,
}

/// Iterates over records in order. At the end it returns `None`; called again later, it continues with new records.
/// It ends after an error.
#[derive(Debug)]
pub struct RecordReader {
    shared: Arc<JournalInner>,
    /// Sequence number of the next record to return.
    due: u64,
    current: Option<SegmentReader>,
    failed: bool,
}

/// A segment that is being read.
#[derive(Debug)]
struct SegmentReader {
    first: u64,
    path: PathBuf,
    salt: u64,
    /// Sequence number of the next record in the file.
    next: u64,
    /// Offset of this record.
    at: u64,
    /// Offset of the end of complete frames. Bytes behind it may belong to an unfinished write that will be cut off.
    end: u64,
    reader: BufReader<Take<File>>,
}

/// Extent of a segment as known to the writer.
enum SegmentExtent {
    /// The segment is still being written; size.
    Last(u64),
    /// The segment is complete; size and first record of the next segment.
    Finished(u64, u64),
    /// The segment was removed.
    Gone,
}

impl RecordReader {
    pub(super) fn new(shared: Arc<JournalInner>, from: u64) -> Result<RecordReader, StoreError> {
        let due = from.max(1);
        let first = shared.lock().first();
        if due < first {
            return Err(gone(&shared, due, first));
        }
        Ok(RecordReader { shared, due, current: None, failed: false })
    }

    fn step(&mut self) -> Result<Option<JournalRecord>, StoreError> {
        let mut payload = Vec::new();
        loop {
            let Some(current) = &mut self.current else {
                match self.open()? {
                    Some(current) => self.current = Some(current),
                    None => return Ok(None),
                }
                continue;
            };
            if current.at == current.end {
                match self.shared.extent(current.first) {
                    // Whether the next record was removed with it is found by `open`.
                    SegmentExtent::Gone => self.current = None,
                    SegmentExtent::Last(end) | SegmentExtent::Finished(end, _) if end > current.end => {
                        current.extend(end);
                    }
                    SegmentExtent::Last(_) => return Ok(None),
                    SegmentExtent::Finished(_, next) if next == current.next => self.current = None,
                    SegmentExtent::Finished(_, next) => {
                        let message =
                            format!("it ends before record {}, but the next begins with {next}", current.next);
                        return Err(StoreError::damaged(&current.path, current.at, message));
                    }
                }
                continue;
            }
            let (sequence, kind) = current.frame(&mut payload)?;
            if sequence >= self.due {
                self.due = sequence + 1;
                return Ok(Some(JournalRecord { sequence, kind, payload }));
            }
        }
    }

    /// Opens the segment of the next record; `None` if there is no such record yet.
    fn open(&self) -> Result<Option<SegmentReader>, StoreError> {
        let segment = {
            let writer = self.shared.lock();
            if self.due > writer.last {
                return Ok(None);
            }
            writer.segments.iter().rev().find(|segment| segment.first <= self.due).copied()
        };
        let first_there = || self.shared.lock().first();
        let Some(segment) = segment else { return Err(gone(&self.shared, self.due, first_there())) };
        let path = self.shared.directory.numbered(segment.first, SEGMENT);
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound && first_there() > self.due => {
                return Err(gone(&self.shared, self.due, first_there()));
            }
            Err(error) => return Err(StoreError::io(&path, "be opened", error)),
        };
        let header = read_header(&path, &mut file, segment.first)?;
        Ok(Some(SegmentReader {
            first: segment.first,
            path,
            salt: header.salt,
            next: segment.first,
            at: HEADER_BYTES,
            end: segment.bytes,
            reader: BufReader::with_capacity(256 << 10, file.take(segment.bytes - HEADER_BYTES)),
        }))
    }
}

impl Iterator for RecordReader {
    type Item = Result<JournalRecord, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let step = self.step();
        self.failed = step.is_err();
        step.transpose()
    }
}

impl SegmentReader {
    /// Reads the next record. Returns its number and kind.
    fn frame(&mut self, payload: &mut Vec<u8>) -> Result<(u64, u8), StoreError> {
        let read = read_frame(&mut self.reader, self.end - self.at, self.salt, self.next, payload);
        match read.map_err(|error| StoreError::io(&self.path, "be read", error))? {
            Ok(head) => {
                self.at += HEAD_BYTES + u64::from(head.length);
                self.next += 1;
                Ok((head.sequence, head.kind))
            }
            Err(fault) => {
                let error = StoreError::damaged(&self.path, self.at, fault.text(self.next));
                Err(error.help("restore the file from a copy"))
            }
        }
    }

    fn extend(&mut self, end: u64) {
        let take = self.reader.get_mut();
        take.set_limit(take.limit() + (end - self.end));
        self.end = end;
    }
}

impl JournalInner {
    fn extent(&self, first: u64) -> SegmentExtent {
        let writer = self.lock();
        let mut from = writer.segments.iter().skip_while(|segment| segment.first != first);
        match (from.next(), from.next()) {
            (Some(segment), Some(next)) => SegmentExtent::Finished(segment.bytes, next.first),
            (Some(segment), None) => SegmentExtent::Last(segment.bytes),
            (None, _) => SegmentExtent::Gone,
        }
    }
}

#[cold]
fn gone(shared: &JournalInner, due: u64, first: u64) -> StoreError {
    let message = format!("record {due} was removed; the first that is there is {first}");
    let error = StoreError::new(ErrorKind::Gone, &shared.directory.path, message);
    error.help(format!("read from {first} on, or keep more by the limits on size and age"))
}
