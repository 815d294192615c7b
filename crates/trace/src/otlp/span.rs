// SPDX-License-Identifier: MIT OR Apache-2.0
//! Storage of the spans of a file.
//!
//! A span is exported when it has ended, after spans that started later, and the spans of one trace come from several services.
//! Their order is known only at the end of the file, so all spans are stored, each with the fields that the projection wants.

use gnomon_core::event::{FieldSelection, Projection};
use gnomon_core::symbols::{Key, Name};
use gnomon_otlp::{SpanEventKind, SpanId, SpanOccurrence, SpanRef, SpanTimes, TraceId};
use gnomon_scan::{Code, Fault};

use crate::names::EventNames;
use crate::reader::Location;
use crate::row::{StoredField, StoredFields, is_wanted};

/// Limit on the memory of all spans, in bytes. The sizes below are estimates.
const MOST_BYTES: usize = 1 << 30;
/// The size of a span without its events.
const SPAN_BYTES: usize = 320;
/// The size of an event of a span without its fields.
const EVENT_BYTES: usize = 64;
/// The size of a field without its texts.
const FIELD_BYTES: usize = 64;

/// A span with the events that it stands for.
pub(super) struct StoredSpan {
    trace: TraceId,
    id: SpanId,
    parent: SpanId,
    pub(super) location: Location,
    start: Option<StoredSpanEvent>,
    notes: Vec<Option<StoredSpanEvent>>,
    end: Option<StoredSpanEvent>,
}

/// An event of a span: its start, its end, or an event recorded on it.
pub(super) struct StoredSpanEvent {
    time_ns: u64,
    pub(super) name: Name,
    /// The wanted fields; `None` if nothing is wanted of the event.
    pub(super) fields: Option<StoredFields>,
}

impl StoredSpan {
    /// Returns one of the span's events.
    pub(super) fn event(&self, what: SpanEventKind) -> Option<&StoredSpanEvent> {
        match what {
            SpanEventKind::Start => self.start.as_ref(),
            SpanEventKind::Note(index) => self.notes.get(index).and_then(Option::as_ref),
            SpanEventKind::End => self.end.as_ref(),
        }
    }

    fn time(&self, what: SpanEventKind) -> Option<u64> {
        self.event(what).map(|event| event.time_ns)
    }
}

impl SpanTimes for StoredSpan {
    fn trace(&self) -> TraceId {
        self.trace
    }
    fn id(&self) -> SpanId {
        self.id
    }
    fn parent(&self) -> SpanId {
        self.parent
    }
    fn start(&self) -> Option<u64> {
        self.time(SpanEventKind::Start)
    }
    fn end(&self) -> Option<u64> {
        self.time(SpanEventKind::End)
    }
    fn note_count(&self) -> usize {
        self.notes.len()
    }
    fn note(&self, index: usize) -> Option<u64> {
        self.time(SpanEventKind::Note(index))
    }
}

/// Stores spans and estimates the memory that they take.
#[derive(Default)]
pub(super) struct SpanCollector {
    bytes: usize,
}

impl SpanCollector {
    /// Stores a span with the fields that the projection wants.
    pub(super) fn store(
        &mut self,
        span: SpanRef<'_>,
        location: Location,
        names: &mut EventNames,
        projection: &Projection,
    ) -> Result<StoredSpan, Fault> {
        if span.untimed() > 0 {
            return Err(Fault::new(Code::NoTime, span.at(), "this span, or an event on it, has no time")
                .help("leave it out, or give it a `startTimeUnixNano` or an `endTimeUnixNano`, and each event on it a `timeUnixNano`"));
        }
        let mut event = |what: SpanEventKind, time: Option<u64>| {
            time.map(|time_ns| self.store_event(span.occurrence(what), time_ns, names, projection))
        };
        let start = event(SpanEventKind::Start, span.start());
        let notes = (0..span.note_count()).map(|index| event(SpanEventKind::Note(index), span.note(index))).collect();
        let end = event(SpanEventKind::End, span.end());
        self.bytes = self.bytes.saturating_add(SPAN_BYTES);
        if self.bytes > MOST_BYTES {
            return Err(Fault::new(Code::TooMuch, span.at(), "the spans up to here take more than 1 GiB of memory")
                .help("split the export by time or by trace ids, and check the parts"));
        }
        Ok(StoredSpan { trace: span.trace(), id: span.id(), parent: span.parent(), location, start, notes, end })
    }

    fn store_event(
        &mut self,
        event: SpanOccurrence<'_>,
        time_ns: u64,
        names: &mut EventNames,
        projection: &Projection,
    ) -> StoredSpanEvent {
        self.bytes = self.bytes.saturating_add(EVENT_BYTES);
        let name = names.intern(event.name(), None);
        let want = projection.selection(name);
        if *want == FieldSelection::Nothing {
            return StoredSpanEvent { time_ns, name, fields: None };
        }
        let mut fields = Vec::new();
        event.each_field(&mut |text, value| {
            let key = names.symbols().find_key(&text).unwrap_or(Key::OTHER);
            if is_wanted(want, key) {
                let name: Option<Box<str>> = (*want == FieldSelection::All).then(|| Box::from(&*text));
                let texts = name.as_deref().map_or(0, str::len) + value.heap_bytes(FIELD_BYTES);
                self.bytes = self.bytes.saturating_add(FIELD_BYTES + texts);
                fields.push(StoredField { key, name, value: value.into_owned(), is_time: false });
            }
        });
        fields.shrink_to_fit();
        StoredSpanEvent { time_ns, name, fields: Some(StoredFields(fields)) }
    }
}
