// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace whose events have the values of external variables.

use gnomon_core::event::Fields;
use gnomon_core::symbols::{Key, Name};
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_trace::{Entry, Late, Ordered, Place, Reader, TraceError, Unmatched};

use super::variables::Externs;
use super::{ExternReport, READ, Recording};

/// A trace as it is judged: in order, and perhaps with more than its bytes say.
pub(crate) trait Feed: Reader {
    /// Events that came too late to be put in order.
    fn late(&self) -> Option<&Late>;

    /// What became of external variables.
    fn externs(&self) -> Vec<ExternReport> {
        vec![]
    }
}

impl<R: Reader> Feed for Ordered<R> {
    fn late(&self) -> Option<&Late> {
        Ordered::late(self)
    }
}

/// A trace whose events have, beside their fields, the values of external variables at their time. Events that record
/// reads are taken in, and are no events to whoever reads on.
pub struct Supplied<R> {
    reader: R,
    externs: Externs,
    /// The name of recorded reads; `None` if there is nothing to take in.
    read: Option<Name>,
    recording: Option<Recording>,
    /// How many events were reads. They are not counted, so that an event has the number that it had before they were recorded.
    taken: u64,
}

impl<R: Reader> Supplied<R> {
    /// These variables for that trace; the reader must know the fields of recorded reads, if any are to be taken in.
    pub(crate) fn new(reader: R, externs: Externs, recording: Option<Recording>) -> Self {
        let read = reader.symbols().find_name(READ).filter(|_| !externs.is_empty());
        Supplied { reader, externs, read, recording, taken: 0 }
    }

    /// What became of the variables.
    pub fn externs(&self) -> &Externs {
        &self.externs
    }

    /// The trace alone.
    pub fn get_ref(&self) -> &R {
        &self.reader
    }
}

impl<R: Feed> Feed for Supplied<R> {
    fn late(&self) -> Option<&Late> {
        self.reader.late()
    }

    fn externs(&self) -> Vec<ExternReport> {
        self.externs.report()
    }
}

impl<R: Reader> Reader for Supplied<R> {
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        loop {
            let Some(origin) = self.reader.advance()? else { return Ok(None) };
            let Supplied { reader, externs, read, recording, taken } = self;
            let is_read = *read == Some(origin.event) && externs.absorb(reader.fields(), origin.time);
            if !is_read {
                externs.refresh(origin.time, |read| {
                    if let Some(recording) = recording {
                        recording.read(reader, origin, read);
                    }
                });
            }
            if let Some(recording) = recording {
                recording.event(reader, origin);
            }
            if !is_read {
                return Ok(Some(Origin { event_index: origin.event_index - *taken, ..origin }));
            }
            *taken += 1;
        }
    }

    fn fields(&self) -> &dyn Fields {
        if self.externs.is_empty() { self.reader.fields() } else { self }
    }

    gnomon_trace::answer_from_reader!();

    fn place(&self) -> Place {
        self.reader.place()
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        self.reader.entries()
    }

    fn case(&self) -> Option<&str> {
        self.reader.case()
    }

    fn case_number(&self) -> u64 {
        self.reader.case_number()
    }

    fn unmatched(&self) -> Option<&Unmatched> {
        self.reader.unmatched()
    }
}

impl<R: Reader> Fields for Supplied<R> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.externs.get(self.reader.fields(), key)
    }

    fn parameter_count(&self) -> usize {
        self.reader.fields().parameter_count()
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        self.reader.fields().parameter(index)
    }
}
