// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is kept of an export request: resources, their spans, and the notes on those.

use gnomon_core::value::Value;

use crate::attributes::{Attributes, weight};
use crate::error::{Error, ErrorKind};
use crate::id::{SpanId, TraceId};
use crate::limits::Budget;
use crate::occurrence::OneSpan;

/// An export request, decoded. Whatever the limits refuse is not in it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Request {
    resources: Vec<Resource>,
}

/// A service, or another source of spans, with its spans.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Resource {
    /// By the names of fields.
    pub(crate) attributes: Attributes,
    /// `service.name`
    pub(crate) service: Option<String>,
    pub(crate) spans: Vec<Span>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Span {
    /// Where it begins in the request.
    pub(crate) at: usize,
    pub(crate) trace: TraceId,
    pub(crate) id: SpanId,
    pub(crate) parent: SpanId,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Nanoseconds since 1970; 0 where none are told, here and in the notes.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// By the names of fields.
    pub(crate) attributes: Attributes,
    pub(crate) notes: Vec<Note>,
    pub(crate) status: Status,
    pub(crate) status_message: String,
}

/// What OpenTelemetry calls an event: something that a span notes on its way.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Note {
    pub(crate) time: u64,
    pub(crate) name: String,
    /// By the names of fields.
    pub(crate) attributes: Attributes,
}

/// Which side of a call a span is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Kind {
    #[default]
    Unspecified,
    Internal,
    Server,
    Client,
    Producer,
    Consumer,
}

impl Kind {
    const ALL: [Kind; 6] =
        [Kind::Unspecified, Kind::Internal, Kind::Server, Kind::Client, Kind::Producer, Kind::Consumer];

    /// The kind with this number; what is not known is not specified.
    pub(crate) fn of(number: u64) -> Kind {
        usize::try_from(number).ok().and_then(|number| Kind::ALL.get(number).copied()).unwrap_or_default()
    }

    pub(crate) fn named(name: &str) -> Kind {
        let word = name.strip_prefix("SPAN_KIND_").unwrap_or_default();
        Kind::ALL.into_iter().find(|kind| kind.word().eq_ignore_ascii_case(word)).unwrap_or_default()
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Kind::Unspecified => "unspecified",
            Kind::Internal => "internal",
            Kind::Server => "server",
            Kind::Client => "client",
            Kind::Producer => "producer",
            Kind::Consumer => "consumer",
        }
    }
}

/// What became of a span.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Status {
    #[default]
    Unset,
    Ok,
    Error,
}

impl Status {
    const ALL: [Status; 3] = [Status::Unset, Status::Ok, Status::Error];

    /// The status with this number; what is not known is not set.
    pub(crate) fn of(number: u64) -> Status {
        usize::try_from(number).ok().and_then(|number| Status::ALL.get(number).copied()).unwrap_or_default()
    }

    pub(crate) fn named(name: &str) -> Status {
        let word = name.strip_prefix("STATUS_CODE_").unwrap_or_default();
        Status::ALL.into_iter().find(|status| status.word().eq_ignore_ascii_case(word)).unwrap_or_default()
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Status::Unset => "unset",
            Status::Ok => "ok",
            Status::Error => "error",
        }
    }
}

/// About as many bytes as the fields take that every event has.
const OWN_FIELDS: usize = 1024;

impl Request {
    /// A request of these resources, if its events would not take too much. `is_export`: something in it was one.
    pub(crate) fn new(resources: Vec<Resource>, is_export: bool, budget: &Budget) -> Result<Request, Error> {
        if !is_export {
            return Err(Error::new(
                ErrorKind::NotAnExport,
                0,
                "this is no export of traces: it has no `resourceSpans`",
            )
            .help("export traces as OTLP, in protobuf, or in JSON with keys like `resourceSpans`"));
        }
        let mut bytes = 0_usize;
        for resource in &resources {
            let shared = OWN_FIELDS + weight(&resource.attributes);
            for span in &resource.spans {
                let own = span.name.len() + span.status_message.len() + weight(&span.attributes);
                bytes = bytes.saturating_add(2 * (shared + own));
                let notes =
                    span.notes.iter().map(|note| shared + span.name.len() + note.name.len() + weight(&note.attributes));
                bytes = notes.fold(bytes, usize::saturating_add);
            }
        }
        budget.expand(bytes)?;
        Ok(Request { resources })
    }

    /// All spans, in the order of the request.
    pub fn spans(&self) -> impl Iterator<Item = OneSpan<'_>> {
        self.resources.iter().flat_map(|resource| resource.spans.iter().map(move |span| OneSpan::new(resource, span)))
    }

    /// How many spans, and notes on spans, tell nothing because they have no time.
    pub fn untimed(&self) -> usize {
        self.spans().map(OneSpan::untimed).sum()
    }
}

impl Resource {
    /// The name of a service, as its resource tells it.
    pub(crate) fn service_of(attributes: &Attributes) -> Option<String> {
        let is_name = |(key, _): &&(String, Value<'static>)| key == "service.name";
        attributes.iter().rfind(is_name).and_then(|(_, value)| match value {
            Value::Text(text) => Some(text.to_string()),
            _ => None,
        })
    }
}
