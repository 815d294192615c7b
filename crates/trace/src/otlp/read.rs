// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: stores the spans of the whole input, then yields their events in order.

use std::borrow::Cow;
use std::collections::HashMap;

use gnomon_core::datetime;
use gnomon_core::event::{Fields, NoFields};
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_otlp::{OrderedSpanEvent, SpanTimes, TraceId, sequence};
use gnomon_scan::{Buffer, ByteSource, Fault, TraceError};

use super::frame::Frames;
use super::span::{SpanCollector, StoredSpan, StoredSpanEvent};
use crate::reader::{FieldEntry, Location, Reader, ReaderSetup};
use crate::state::ReaderState;

/// The name of the time field.
const TIME: &str = "time";

/// Reads exports of OpenTelemetry traces; see `otlp/FORMAT.md`.
pub struct OtlpReader<R> {
    frames: Frames<R>,
    state: ReaderState,
    by_trace: bool,
    spans: Vec<StoredSpan>,
    /// The events of the spans, in order; `None` until all spans are stored.
    steps: Option<Vec<OrderedSpanEvent>>,
    current: Option<OrderedSpanEvent>,
    case: TraceCase,
}

/// The trace that the current event belongs to.
#[derive(Default)]
struct TraceCase {
    number: u64,
    trace: Option<TraceId>,
    name: Option<String>,
}

impl<R: ByteSource> OtlpReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, mut setup: ReaderSetup) -> Self {
        let mut state = ReaderState::new(source, &mut setup);
        state.set_times(Some(TIME), TimeKind::DateTime);
        OtlpReader {
            frames: Frames::new(buffer),
            state,
            by_trace: false,
            spans: Vec::new(),
            steps: None,
            current: None,
            case: TraceCase::default(),
        }
    }

    /// Yields one trace after the other, each a case, instead of all events by time. Traces come in the order of their first events.
    #[must_use]
    pub fn by_trace(mut self) -> Self {
        self.by_trace = true;
        self
    }

    /// Stores all spans and returns the order of their events.
    fn collect(&mut self) -> Result<Vec<OrderedSpanEvent>, Fault> {
        let mut collector = SpanCollector::default();
        while let Some(request) = self.frames.next()? {
            let (mut location, mut behind) = (self.frames.start(), 0);
            for span in request.spans() {
                location = self.frames.location(location, behind, span.at());
                behind = span.at();
                let ReaderState { names, projection, .. } = &mut self.state;
                self.spans.push(collector.store(span, location, names, projection)?);
            }
        }
        let mut steps = sequence(&self.spans);
        if self.by_trace {
            let mut ranks: HashMap<TraceId, usize> = HashMap::new();
            for step in &steps {
                let next = ranks.len();
                ranks.entry(self.spans[step.span].trace()).or_insert(next);
            }
            steps.sort_by_key(|step| ranks.get(&self.spans[step.span].trace()).copied());
        }
        Ok(steps)
    }

    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        if self.steps.is_none() {
            self.steps = Some(self.collect()?);
        }
        self.current = self.steps.as_ref().and_then(|steps| steps.get(self.state.index as usize)).copied();
        let Some(step) = self.current else { return Ok(None) };
        let Some(event) = self.event().map(|event| event.name) else { return Ok(None) };
        let trace = self.spans[step.span].trace();
        if self.by_trace && self.case.trace != Some(trace) {
            let number = self.case.number + 1;
            self.case = TraceCase { number, trace: Some(trace), name: (!trace.is_absent()).then(|| trace.to_string()) };
        }
        Ok(Some(self.state.origin(event, Some(time(step)))))
    }
}

impl<R> OtlpReader<R> {
    fn event(&self) -> Option<&StoredSpanEvent> {
        let step = self.current?;
        self.spans.get(step.span)?.event(step.kind)
    }
}

fn time(step: OrderedSpanEvent) -> Timestamp {
    Timestamp::from_ticks(i128::from(step.time_ns))
}

impl<R: ByteSource> Reader for OtlpReader<R> {
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        self.read().map_err(|fault| self.frames.error(&self.state.source, fault))
    }

    fn fields(&self) -> &dyn Fields {
        match self.event().and_then(|event| event.fields.as_ref()) {
            Some(fields) => fields,
            None => &NoFields,
        }
    }

    fn state(&self) -> &ReaderState {
        &self.state
    }

    fn bytes_read(&self) -> u64 {
        self.frames.bytes_read()
    }

    fn location(&self) -> Location {
        self.current.and_then(|step| self.spans.get(step.span)).map_or(Location::START, |span| span.location)
    }

    fn entries(&self) -> Vec<FieldEntry<'_>> {
        let (Some(step), Some(fields)) = (self.current, self.event().and_then(|event| event.fields.as_ref())) else {
            return Vec::new();
        };
        let written = Value::Text(Cow::Owned(datetime::print(time(step))));
        let time = FieldEntry { key: Cow::Borrowed(TIME), value: written, is_time: true };
        [time].into_iter().chain(fields.entries()).collect()
    }

    fn case(&self) -> Option<&str> {
        self.case.name.as_deref()
    }

    fn case_number(&self) -> u64 {
        self.case.number
    }
}

#[cfg(test)]
mod tests;
