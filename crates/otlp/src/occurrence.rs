// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a span tells, as events: that it started, what it noted, that it ended. `docs/otlp.md` has the tables.

use std::borrow::Cow;

use gnomon_core::number::Number;
use gnomon_core::value::Value;

use crate::id::{SpanId, TraceId};
use crate::order::{Lifeline, sequence};
use crate::request::{Kind, Note, Request, Resource, Span};

/// The fields that the start and the end of a span have of themselves.
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
/// The fields that a note on a span has of itself.
pub(crate) const NOTE_FIELDS: &[&str] = &["time", "service", "source", "destination", "trace_id", "span_id", "span"];

/// What a thing is called that has no name, as the standard has it.
const UNNAMED: &str = "unknown";

/// Where a span says who was called, best first. The last is the older name of the one before.
const CALLED: [&str; 3] = ["peer.service", "server.address", "net.peer.name"];
/// Where a span says who calls.
const CALLER: [&str; 3] = ["peer.service", "client.address", "net.peer.name"];

/// An event that a span tells, with memory of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct SpanEvent {
    /// The name of the span, or of the note.
    pub name: String,
    /// When, in nanoseconds since 1970.
    pub time_ns: u64,
    /// Its fields, in the order of the tables; each name once.
    pub fields: Vec<(String, Value<'static>)>,
    /// The trace that the span belongs to, in hexadecimal; empty where none is told.
    pub trace_id: String,
}

/// All that the spans of a request tell, in the order of [`sequence`].
pub fn events(request: &Request) -> Vec<SpanEvent> {
    let spans: Vec<OneSpan<'_>> = request.spans().collect();
    sequence(&spans).into_iter().map(|step| spans[step.span].tell(step.what).to_event()).collect()
}

/// Which of the things that a span tells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum What {
    /// That it started.
    Start,
    /// What it noted, by its place among the notes. OpenTelemetry calls these events.
    Note(usize),
    /// That it ended.
    End,
}

/// A span of a request.
#[derive(Clone, Copy, Debug)]
pub struct OneSpan<'a> {
    resource: &'a Resource,
    span: &'a Span,
}

impl<'a> OneSpan<'a> {
    pub(crate) fn new(resource: &'a Resource, span: &'a Span) -> Self {
        OneSpan { resource, span }
    }

    /// Where it begins, in bytes from the beginning of the request.
    pub fn at(self) -> usize {
        self.span.at
    }

    /// One of the things that it tells.
    pub fn tell(self, what: What) -> Occurrence<'a> {
        Occurrence { of: self, what }
    }

    /// How much of it tells nothing because it has no time: the span itself, its notes.
    pub fn untimed(self) -> usize {
        let is_untimed = self.span.start == 0 && self.span.end == 0;
        usize::from(is_untimed) + self.span.notes.iter().filter(|note| note.time == 0).count()
    }

    /// The service that tells of the span, and whoever is on the other side: (source, destination).
    fn participants(self) -> (Option<&'a str>, Option<&'a str>) {
        let service = self.resource.service.as_deref();
        let first = |keys: [&str; 3]| keys.into_iter().find_map(|key| text_of(self.span, key));
        match self.span.kind {
            Kind::Client | Kind::Producer => (service, first(CALLED)),
            Kind::Server | Kind::Consumer => (first(CALLER), service),
            Kind::Internal | Kind::Unspecified => (service, service),
        }
    }
}

/// The text of an attribute of the span.
fn text_of<'a>(span: &'a Span, key: &str) -> Option<&'a str> {
    span.attributes.iter().find(|(name, _)| name == key).and_then(|(_, value)| match value {
        Value::Text(text) if !text.is_empty() => Some(&**text),
        _ => None,
    })
}

impl Lifeline for OneSpan<'_> {
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
        // Clocks are set while spans run. What ends was there before: it cannot end before it started.
        Some(self.span.end).filter(|time| *time > 0).map(|time| time.max(self.span.start))
    }
    fn note_count(&self) -> usize {
        self.span.notes.len()
    }
    fn note(&self, index: usize) -> Option<u64> {
        self.span.notes.get(index).map(|note| note.time).filter(|time| *time > 0)
    }
}

/// Something that a span tells.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence<'a> {
    of: OneSpan<'a>,
    what: What,
}

impl<'a> Occurrence<'a> {
    fn note(self) -> Option<&'a Note> {
        match self.what {
            What::Note(index) => self.of.span.notes.get(index),
            What::Start | What::End => None,
        }
    }

    /// What the event is called.
    pub fn name(self) -> &'a str {
        let name = self.note().map_or(&self.of.span.name, |note| &note.name);
        if name.is_empty() { UNNAMED } else { name }
    }

    /// When it was, in nanoseconds since 1970; 0 if that is not told.
    pub fn time_ns(self) -> u64 {
        let time = match self.what {
            What::Start => self.of.start(),
            What::Note(index) => self.of.note(index),
            What::End => self.of.end(),
        };
        time.unwrap_or(0)
    }

    /// Gives each field to `take`, its name and its value, in the order of the tables, without the time.
    pub fn each_field(self, take: &mut dyn FnMut(Cow<'a, str>, Cow<'a, Value<'static>>)) {
        let OneSpan { resource, span } = self.of;
        let mut own = |name: &'static str, value: Option<Value<'static>>| {
            if let Some(value) = value {
                take(Cow::Borrowed(name), Cow::Owned(value));
            }
        };
        let text = |text: &str| Some(Value::Text(Cow::Owned(text.to_owned())));
        let word = |word: &'static str| Some(Value::Text(Cow::Borrowed(word)));
        let (source, destination) = self.of.participants();
        match self.what {
            What::Start => own("EventType", word("start")),
            What::End => own("EventType", word("end")),
            What::Note(_) => {}
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
            if self.what == What::End {
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

/// From one time to another, as they are told: the end may lie before the start.
fn nanoseconds(start: u64, end: u64) -> Value<'static> {
    let difference = i128::from(end) - i128::from(start);
    let number = i64::try_from(difference).map_or(Number::Float(difference as f64), Number::Int);
    Value::Number(number)
}
