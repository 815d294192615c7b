// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading records, while others are appended.

use std::fs::File;
use std::io::{self, BufReader, Read, Take};
use std::path::PathBuf;
use std::sync::Arc;

use super::frame::{HEAD, HEADER, read_frame};
use super::recover::read_header;
use super::{SEGMENT, Shared};
use crate::error::{Kind, StoreError};

/// What was appended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Its number, from 1.
    pub sequence: u64,
    /// What the one who appended it said it is.
    pub kind: u8,
    /// Its content.
    pub payload: Vec<u8>,
}

/// Records in order. At the end it yields `None`; asked again later, what came since. An error ends it.
#[derive(Debug)]
pub struct Records {
    shared: Arc<Shared>,
    /// The number of the record to yield next.
    due: u64,
    reading: Option<Reading>,
    failed: bool,
}

/// A segment that is being read.
#[derive(Debug)]
struct Reading {
    first: u64,
    path: PathBuf,
    salt: u64,
    /// The number of the record that is next in the file.
    next: u64,
    /// Where it is.
    at: u64,
    /// Where complete frames end. Nothing behind is read, as it may be half written, and cut off again.
    end: u64,
    reader: BufReader<Take<File>>,
}

/// What the journal knows of a segment.
enum Extent {
    /// It ends here for now.
    Last(u64),
    /// It ends here, and the next begins with this record.
    Finished(u64, u64),
    /// It was removed.
    Gone,
}

impl Records {
    pub(super) fn new(shared: Arc<Shared>, from: u64) -> Result<Records, StoreError> {
        let due = from.max(1);
        let first = shared.lock().first();
        if due < first {
            return Err(gone(&shared, due, first));
        }
        Ok(Records { shared, due, reading: None, failed: false })
    }

    fn step(&mut self) -> Result<Option<Record>, StoreError> {
        let mut payload = Vec::new();
        loop {
            let Some(reading) = &mut self.reading else {
                match self.open()? {
                    Some(reading) => self.reading = Some(reading),
                    None => return Ok(None),
                }
                continue;
            };
            if reading.at == reading.end {
                match self.shared.extent(reading.first) {
                    // Read to its end or not: whether the record that is due is gone with it, `open` will find.
                    Extent::Gone => self.reading = None,
                    Extent::Last(end) | Extent::Finished(end, _) if end > reading.end => reading.extend(end),
                    Extent::Last(_) => return Ok(None),
                    Extent::Finished(_, next) if next == reading.next => self.reading = None,
                    Extent::Finished(_, next) => {
                        let message =
                            format!("it ends before record {}, but the next begins with {next}", reading.next);
                        return Err(StoreError::damaged(&reading.path, reading.at, message));
                    }
                }
                continue;
            }
            let (sequence, kind) = reading.frame(&mut payload)?;
            if sequence >= self.due {
                self.due = sequence + 1;
                return Ok(Some(Record { sequence, kind, payload }));
            }
        }
    }

    /// Opens the segment that the record that is due is in; `None` if there is no such record.
    fn open(&self) -> Result<Option<Reading>, StoreError> {
        let segment = {
            let writer = self.shared.lock();
            if self.due > writer.last() {
                return Ok(None);
            }
            writer.segments().iter().rev().find(|segment| segment.first <= self.due).copied()
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
        Ok(Some(Reading {
            first: segment.first,
            path,
            salt: header.salt,
            next: segment.first,
            at: HEADER,
            end: segment.bytes,
            reader: BufReader::with_capacity(256 << 10, file.take(segment.bytes - HEADER)),
        }))
    }
}

impl Iterator for Records {
    type Item = Result<Record, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let step = self.step();
        self.failed = step.is_err();
        step.transpose()
    }
}

impl Reading {
    /// The number and kind of the next record.
    fn frame(&mut self, payload: &mut Vec<u8>) -> Result<(u64, u8), StoreError> {
        let read = read_frame(&mut self.reader, self.end - self.at, self.salt, self.next, payload);
        match read.map_err(|error| StoreError::io(&self.path, "be read", error))? {
            Ok(head) => {
                self.at += HEAD + u64::from(head.length);
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

impl Shared {
    fn extent(&self, first: u64) -> Extent {
        let writer = self.lock();
        let mut from = writer.segments().iter().skip_while(|segment| segment.first != first);
        match (from.next(), from.next()) {
            (Some(segment), Some(next)) => Extent::Finished(segment.bytes, next.first),
            (Some(segment), None) => Extent::Last(segment.bytes),
            (None, _) => Extent::Gone,
        }
    }
}

#[cold]
fn gone(shared: &Shared, due: u64, first: u64) -> StoreError {
    let message = format!("record {due} was removed; the first that is there is {first}");
    let error = StoreError::new(Kind::Gone, shared.directory.path(), message);
    error.help(format!("read from {first} on, or keep more by the limits on size and age"))
}
