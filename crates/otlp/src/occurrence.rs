// SPDX-License-Identifier: MIT OR Apache-2.0
//! The events of a span: its start, its notes, its end. `docs/otlp.md` has the tables.

use std::borrow::Cow;

use gnomon_core::number::Number;
use gnomon_core::value::Value;

use crate::id::{SpanId, TraceId};
use crate::order::{SpanTimes, sequence};
use crate::request::{ExportRequest, Note, Resource, Span, SpanKind};

/// Fields of the start and the end of a span; attributes cannot have these names.
pub(crate) const SPAN_FIELDS: &[&str] = &[
    "time",
    "EventType",
    "service",
    "source",
    "destination",
    "trace_id",
    "span_id",
    "parent_span_id",
    "kind",
    "status",
    "status_message",
    "duration",
];
/// Fields of a note; attributes cannot have these names.
pub(crate) const NOTE_FIELDS: &[&str] = &["time", "service", "source", "destination", "trace_id", "span_id", "span"];

/// Name of unnamed spans and notes, as the standard has it.
const UNNAMED: &str = "unknown";

/// Attributes for the callee, in order of preference. The last is an older name of the one before.
const CALLED: [&str; 3] = ["peer.service", "server.address", "net.peer.name"];
/// Attributes for the caller.
const CALLER: [&str; 3] = ["peer.service", "client.address", "net.peer.name"];

/// An event of a span, with its own memory.
#[derive(Clone, PartialEq, Debug)]
pub struct SpanEvent {
    /// Name of the span or of the note.
    pub name: String,
    /// Time in nanoseconds since 1970.
    pub time_ns: u64,
    /// Fields in the order of the tables; each name once.
    pub fields: Vec<(String, Value<'static>)>,
    /// Trace id in hexadecimal; empty if unknown.
    pub trace_id: String,
}

/// Returns all events of a request in the order of [`sequence`].
pub fn events(request: &ExportRequest) -> Vec<SpanEvent> {
    let spans: Vec<SpanRef<'_>> = request.spans().collect();
    sequence(&spans).into_iter().map(|step| spans[step.span].occurrence(step.kind).to_event()).collect()
}

/// Selects an event of a span.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SpanEventKind {
    /// Its start.
    Start,
    /// A note, by index. OpenTelemetry calls these events.
    Note(usize),
    /// Its end.
    End,
}

/// A span of a request with its resource.
#[derive(Clone, Copy, Debug)]
pub struct SpanRef<'a> {
    resource: &'a Resource,
    span: &'a Span,
}

impl<'a> SpanRef<'a> {
    pub(crate) fn new(resource: &'a Resource, span: &'a Span) -> Self {
        SpanRef { resource, span }
    }

    /// Returns its offset in the request.
    pub fn at(self) -> usize {
        self.span.at
    }

    /// Returns one of its events.
    pub fn occurrence(self, kind: SpanEventKind) -> SpanOccurrence<'a> {
        SpanOccurrence { of: self, kind }
    }

    /// Returns the number of its events that are lost because they have no time: the span itself and its notes.
    pub fn untimed(self) -> usize {
        let is_untimed = self.span.start == 0 && self.span.end == 0;
        usize::from(is_untimed) + self.span.notes.iter().filter(|note| note.time == 0).count()
    }

    /// Returns the service of the span and its peer as (source, destination).
    fn participants(self) -> (Option<&'a str>, Option<&'a str>) {
        let service = self.resource.service.as_deref();
        let first = |keys: [&str; 3]| keys.into_iter().find_map(|key| text_of(self.span, key));
        match self.span.kind {
            SpanKind::Client | SpanKind::Producer => (service, first(CALLED)),
            SpanKind::Server | SpanKind::Consumer => (first(CALLER), service),
            SpanKind::Internal | SpanKind::Unspecified => (service, service),
        }
    }
}

/// Returns the text of an attribute.
fn text_of<'a>(span: &'a Span, key: &str) -> Option<&'a str> {
    span.attributes.iter().find(|(name, _)| name == key).and_then(|(_, value)| match value {
        Value::Text(text) if !text.is_empty() => Some(&**text),
        _ => None,
    })
}

impl SpanTimes for SpanRef<'_> {
    fn trace(&self) -> TraceId {
        self.span.trace
    }
    fn id(&self) -> SpanId {
        self.span.id
    }
    fn parent(&self) -> SpanId {
        self.span.parent
    }
    fn start(&self) -> Option<u64> {
        Some(self.span.start).filter(|time| *time > 0)
    }
    fn end(&self) -> Option<u64> {
        // Clocks are adjusted while spans run, but a span cannot end before it started.
        Some(self.span.end).filter(|time| *time > 0).map(|time| time.max(self.span.start))
    }
    fn note_count(&self) -> usize {
        self.span.notes.len()
    }
    fn note(&self, index: usize) -> Option<u64> {
        self.span.notes.get(index).map(|note| note.time).filter(|time| *time > 0)
    }
}

/// An event of a span.
#[derive(Clone, Copy, Debug)]
pub struct SpanOccurrence<'a> {
    of: SpanRef<'a>,
    kind: SpanEventKind,
}

impl<'a> SpanOccurrence<'a> {
    fn note(self) -> Option<&'a Note> {
        match self.kind {
            SpanEventKind::Note(index) => self.of.span.notes.get(index),
            SpanEventKind::Start | SpanEventKind::End => None,
        }
    }

    /// Returns the name of the event.
    pub fn name(self) -> &'a str {
        let name = self.note().map_or(&self.of.span.name, |note| &note.name);
        if name.is_empty() { UNNAMED } else { name }
    }

    /// Returns its time in nanoseconds since 1970; 0 if unknown.
    pub fn time_ns(self) -> u64 {
        let time = match self.kind {
            SpanEventKind::Start => self.of.start(),
            SpanEventKind::Note(index) => self.of.note(index),
            SpanEventKind::End => self.of.end(),
        };
        time.unwrap_or(0)
    }

    /// Calls `take` with name and value of each field in the order of the tables, without the time.
    pub fn each_field(self, take: &mut dyn FnMut(Cow<'a, str>, Cow<'a, Value<'static>>)) {
        let SpanRef { resource, span } = self.of;
        let mut own = |name: &'static str, value: Option<Value<'static>>| {
            if let Some(value) = value {
                take(Cow::Borrowed(name), Cow::Owned(value));
            }
        };
        let text = |text: &str| Some(Value::Text(Cow::Owned(text.to_owned())));
        let word = |word: &'static str| Some(Value::Text(Cow::Borrowed(word)));
        let (source, destination) = self.of.participants();
        match self.kind {
            SpanEventKind::Start => own("EventType", word("start")),
            SpanEventKind::End => own("EventType", word("end")),
            SpanEventKind::Note(_) => {}
        }
        own("service", resource.service.as_deref().and_then(text));
        own("source", source.and_then(text));
        own("destination", destination.and_then(text));
        own("trace_id", Some(span.trace).filter(|id| !id.is_absent()).and_then(|id| text(&id.to_string())));
        own("span_id", Some(span.id).filter(|id| !id.is_absent()).and_then(|id| text(&id.to_string())));
        let attributes = if let Some(note) = self.note() {
            own("span", text(if span.name.is_empty() { UNNAMED } else { &span.name }));
            &note.attributes
        } else {
            own("parent_span_id", Some(span.parent).filter(|id| !id.is_absent()).and_then(|id| text(&id.to_string())));
            own("kind", word(span.kind.word()));
            if self.kind == SpanEventKind::End {
                own("status", word(span.status.word()));
                own(
                    "status_message",
                    Some(span.status_message.as_str()).filter(|text| !text.is_empty()).and_then(text),
                );
                own("duration", (span.start > 0).then(|| nanoseconds(span.start, span.end)));
            }
            &span.attributes
        };
        for (key, value) in attributes.iter().chain(&resource.attributes) {
            take(Cow::Borrowed(key), Cow::Borrowed(value));
        }
    }

    fn to_event(self) -> SpanEvent {
        let mut fields = Vec::new();
        self.each_field(&mut |key, value| fields.push((key.into_owned(), value.into_owned())));
        let trace_id = if self.of.span.trace.is_absent() { String::new() } else { self.of.span.trace.to_string() };
        SpanEvent { name: self.name().to_owned(), time_ns: self.time_ns(), fields, trace_id }
    }
}

/// Returns the duration as recorded, which may be negative.
fn nanoseconds(start: u64, end: u64) -> Value<'static> {
    Value::Number(Number::from(i128::from(end) - i128::from(start)))
}
