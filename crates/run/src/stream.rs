// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace in order of time, with the values of external variables.

use gnomon_core::event::{Fields, Projection};
use gnomon_core::event_block::EventBlock;
use gnomon_core::symbols::{Key, Name};
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_trace::{
    Checkpoint, Checkpoints, EventGap, LateEvents, NameSet, OrderPolicy, OrderedReader, Reader, SkippedEvents,
    TraceError, UnmatchedLines,
};

use crate::driver::EventSource;
use crate::externs::{ExternReport, Externs, READ, SharedRecorder};
use crate::offline::TraceContext;

/// The items of a trace. Each event has, beside its fields, the values of external variables at its time; events that record
/// reads of such variables are absorbed.
pub struct EventStream<R> {
    reader: OrderedReader<R>,
    /// `None` if the spec has no external variables and the trace is not recorded.
    supply: Option<Box<ExternSupply>>,
}

/// External variables and the recorder of a stream.
struct ExternSupply {
    externs: Externs,
    /// The name of recorded reads; `None` if there is no variable to read.
    read: Option<Name>,
    recording: Option<SharedRecorder>,
    /// Number of events that were recorded reads. They have no index, so that all other events keep the index that they had
    /// before reads were recorded.
    absorbed: u64,
}

impl<R: Reader> EventStream<R> {
    /// Reads a trace. `across_cases`: times must be in order over the whole, not only within each case of the format.
    pub(crate) fn new(
        reader: R,
        order: OrderPolicy,
        across_cases: bool,
        externs: Externs,
        recording: Option<SharedRecorder>,
    ) -> Self {
        let read = reader.symbols().find_name(READ).filter(|_| !externs.is_empty());
        let is_plain = externs.is_empty() && recording.is_none();
        let supply = (!is_plain).then(|| Box::new(ExternSupply { externs, read, recording, absorbed: 0 }));
        let ordered = OrderedReader::new(reader, order);
        EventStream { reader: if across_cases { ordered.across_cases() } else { ordered }, supply }
    }

    /// Advances to the next event or marker ([`EventStream::is_marker`]). Returns `None` at the end.
    pub fn next_origin(&mut self) -> Result<Option<Origin>, TraceError> {
        if self.supply.is_some() { self.supplied_origin() } else { self.plain_origin() }
    }

    /// Returns true for a progress marker or a case marker.
    #[inline]
    pub fn is_marker(&self, origin: Origin) -> bool {
        self.reader.is_marker(origin)
    }

    /// Returns true for a case marker.
    pub fn is_case_marker(&self, origin: Origin) -> bool {
        self.reader.is_case_marker(origin)
    }

    /// Returns true if events pass through unchanged and nothing is recorded.
    pub(crate) fn is_plain(&self) -> bool {
        self.supply.is_none()
    }

    /// Does the work of [`EventStream::next_origin`] for a plain stream.
    #[allow(clippy::inline_always)] // as `OrderedReader::next_origin`
    #[inline(always)]
    pub(crate) fn plain_origin(&mut self) -> Result<Option<Origin>, TraceError> {
        self.reader.next_origin()
    }

    /// Reads on while events have names of `bare`, in a plain stream; see [`OrderedReader::next_run`].
    pub(crate) fn plain_run(&mut self, bare: &NameSet, run: &mut Vec<Origin>) -> Result<(), TraceError> {
        self.reader.next_run(bare, run)
    }

    /// Reads on while events have names of `names` and nothing is wanted but whole numbers, in a plain stream; see
    /// [`OrderedReader::next_block`].
    pub(crate) fn plain_block(
        &mut self,
        names: &NameSet,
        required: Option<Key>,
        block: &mut EventBlock,
    ) -> Result<(), TraceError> {
        self.reader.next_block(names, required, block)
    }

    /// Continues at a checkpoint behind the events that were read. Returns false if the trace must be read event by event; then nothing
    /// has changed.
    pub(crate) fn skip_to(&mut self, checkpoint: Checkpoint) -> Result<bool, TraceError> {
        if self.is_plain() { self.reader.skip_to(checkpoint) } else { Ok(false) }
    }

    /// Returns the fields that are wanted of each event.
    pub(crate) fn projection(&self) -> &Projection {
        self.reader.projection()
    }

    #[inline(never)]
    fn supplied_origin(&mut self) -> Result<Option<Origin>, TraceError> {
        let Some(supply) = &mut self.supply else { return self.reader.next_origin() };
        while let Some(origin) = self.reader.next_origin()? {
            if self.reader.is_marker(origin) {
                supply.record(&self.reader, origin);
                return Ok(Some(origin));
            }
            if !supply.absorbs(&self.reader, origin) {
                let event_index = origin.event_index - supply.absorbed;
                return Ok(Some(Origin { event_index, ..origin }));
            }
        }
        Ok(None)
    }

    /// Returns the gap that begins with the next event: events that no property mentions and that are needed for nothing else.
    #[inline]
    pub fn gap(&mut self) -> Option<EventGap> {
        match &self.supply {
            Some(supply) if supply.recording.is_some() || supply.externs.reads_sources() => None,
            _ => self.reader.gap(),
        }
    }

    /// Skips the events of the gap that [`EventStream::gap`] returned last.
    pub fn leap(&mut self, gap: EventGap) {
        self.reader.skip_gap(gap);
    }

    /// Returns the fields of the current event.
    #[inline]
    pub fn fields(&self) -> &dyn Fields {
        match &self.supply {
            Some(supply) if !supply.externs.is_empty() => self,
            _ => self.reader.fields(),
        }
    }

    /// Returns the reader of the trace.
    pub(crate) fn reader(&self) -> &R {
        self.reader.inner()
    }

    /// Returns the places of events that were noted; empty if some rows are not events, because then rows and indices differ.
    pub(crate) fn checkpoints(&self) -> Checkpoints {
        let absorbed = self.supply.as_ref().map_or(0, |supply| supply.absorbed);
        if absorbed > 0 || !self.reader.counts_all_rows() {
            return Checkpoints::default();
        }
        let reader = self.reader.inner();
        let checkpoints = reader.checkpoints().clone();
        match reader.state().event_count().checked_sub(1) {
            Some(last) => checkpoints.ending_at(last, reader.location().line),
            None => checkpoints,
        }
    }

    /// Returns the offset from UTC, in seconds, in which the first date-time of the trace is written.
    pub(crate) fn utc_offset(&self) -> i32 {
        self.reader.inner().utc_offset()
    }

    /// Returns the events that came too late to be put in order.
    pub fn late(&self) -> Option<&LateEvents> {
        self.reader.late()
    }

    /// Lists decisions of the reader that a user must know.
    pub fn notes(&self) -> Vec<String> {
        self.reader.notes()
    }

    /// Returns the lines of a text log that are not events.
    pub fn unmatched(&self) -> &UnmatchedLines {
        self.reader.unmatched()
    }

    /// Returns the names of the cases of the format that have no events.
    pub fn empty_cases(&self) -> &[String] {
        self.reader.empty_cases()
    }

    /// Returns the numbers of events that the reader skipped.
    pub fn skipped(&self) -> SkippedEvents {
        self.reader.skipped()
    }

    /// Returns the reads of the external variables that the properties use.
    pub fn externs(&self) -> Vec<ExternReport> {
        self.supply.as_ref().map_or_else(Vec::new, |supply| supply.externs.report())
    }
}

impl ExternSupply {
    /// Takes an event of the trace. Returns true if it is a recorded read; otherwise refreshes the outdated variables.
    fn absorbs<R: Reader>(&mut self, reader: &OrderedReader<R>, origin: Origin) -> bool {
        let ExternSupply { externs, read, recording, absorbed } = self;
        let is_read = *read == Some(origin.event) && externs.absorb(reader.fields(), origin.time);
        *absorbed += u64::from(is_read);
        if !is_read {
            externs.refresh(origin.time, |read| {
                if let Some(recording) = recording {
                    recording.read(reader, origin, read);
                }
            });
        }
        self.record(reader, origin);
        is_read
    }

    fn record<R: Reader>(&self, reader: &OrderedReader<R>, origin: Origin) {
        if let Some(recording) = &self.recording {
            recording.event(reader, origin);
        }
    }
}

impl<R: Reader> EventSource for EventStream<R> {
    #[inline]
    fn context(&self) -> TraceContext<'_> {
        TraceContext { symbols: self.reader.symbols(), time_kind: self.reader.time_kind() }
    }

    #[inline]
    fn case(&self) -> (u64, Option<&str>) {
        (self.reader.case_number(), self.reader.case())
    }

    #[inline]
    fn bytes_read(&self) -> u64 {
        self.reader.bytes_read()
    }

    fn field_names(&self) -> Vec<String> {
        self.reader.field_names()
    }
}

/// Fields of the current event and values of external variables.
impl<R: Reader> Fields for EventStream<R> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        match &self.supply {
            Some(supply) => supply.externs.get(self.reader.fields(), key),
            None => self.reader.fields().get(key),
        }
    }

    fn parameter_count(&self) -> usize {
        self.reader.fields().parameter_count()
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        self.reader.fields().parameter(index)
    }
}
