// SPDX-License-Identifier: MIT OR Apache-2.0
//! A decoded export request: resources, their spans, and the notes on those.

use gnomon_core::value::Value;

use crate::attributes::{Attributes, attribute_bytes};
use crate::id::{SpanId, TraceId};
use crate::limits::DecodeBudget;
use crate::occurrence::SpanRef;
use gnomon_scan::{Code, Fault};

/// A decoded export request.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ExportRequest {
    resources: Vec<Resource>,
}

/// A service, or another source of spans, with its spans.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Resource {
    /// By field name.
    pub(crate) attributes: Attributes,
    /// `service.name`.
    pub(crate) service: Option<String>,
    pub(crate) spans: Vec<Span>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Span {
    /// Offset in the request.
    pub(crate) at: usize,
    pub(crate) trace: TraceId,
    pub(crate) id: SpanId,
    pub(crate) parent: SpanId,
    pub(crate) name: String,
    pub(crate) kind: SpanKind,
    /// Nanoseconds since 1970; 0 if unknown, also in the notes.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// By field name.
    pub(crate) attributes: Attributes,
    pub(crate) notes: Vec<Note>,
    pub(crate) status: SpanStatus,
    pub(crate) status_message: String,
}

/// A note on a span, which OpenTelemetry calls an event.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Note {
    pub(crate) time: u64,
    pub(crate) name: String,
    /// By field name.
    pub(crate) attributes: Attributes,
}

/// An enumeration of OTLP: a number in protobuf, a number or a name in JSON. Unknown values are the default.
pub(crate) trait OtlpEnum: Copy + Default + PartialEq + 'static {
    /// Prefix of the names in JSON.
    const PREFIX: &'static str;
    /// Words with their values, ordered by number.
    const NAMES: &'static [(&'static str, Self)];

    fn from_number(number: u64) -> Self {
        let known = usize::try_from(number).ok().and_then(|number| Self::NAMES.get(number));
        known.map_or_else(Self::default, |(_, value)| *value)
    }

    fn from_name(name: &str) -> Self {
        let name = name.strip_prefix(Self::PREFIX).unwrap_or_default();
        let known = Self::NAMES.iter().find(|(word, _)| word.eq_ignore_ascii_case(name));
        known.map_or_else(Self::default, |(_, value)| *value)
    }
}

gnomon_core::words! {
    /// Side of a call that a span describes.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub(crate) enum SpanKind as word {
        #[default]
        Unspecified = "unspecified",
        Internal = "internal",
        Server = "server",
        Client = "client",
        Producer = "producer",
        Consumer = "consumer",
    }
}

impl OtlpEnum for SpanKind {
    const PREFIX: &'static str = "SPAN_KIND_";
    const NAMES: &'static [(&'static str, Self)] = &SpanKind::WORDS;
}

gnomon_core::words! {
    /// Result of a span.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub(crate) enum SpanStatus as word {
        #[default]
        Unset = "unset",
        Ok = "ok",
        Error = "error",
    }
}

impl OtlpEnum for SpanStatus {
    const PREFIX: &'static str = "STATUS_CODE_";
    const NAMES: &'static [(&'static str, Self)] = &SpanStatus::WORDS;
}

/// Approximate memory of the fields that every event has.
const OWN_FIELDS: usize = 1024;

impl ExportRequest {
    /// Creates a request, unless its events would take too much memory. `is_export`: some part of it was an export.
    pub(crate) fn new(
        resources: Vec<Resource>,
        is_export: bool,
        budget: &DecodeBudget,
    ) -> Result<ExportRequest, Fault> {
        if !is_export {
            return Err(Fault::new(Code::NotAnExport, 0, "this is not an export of traces: it has no `resourceSpans`")
                .help("export traces as OTLP, in protobuf, or in JSON with keys like `resourceSpans`"));
        }
        let mut bytes = 0_usize;
        for resource in &resources {
            let shared = OWN_FIELDS + attribute_bytes(&resource.attributes);
            for span in &resource.spans {
                let own = span.name.len() + span.status_message.len() + attribute_bytes(&span.attributes);
                bytes = bytes.saturating_add(2 * (shared + own));
                let notes = span
                    .notes
                    .iter()
                    .map(|note| shared + span.name.len() + note.name.len() + attribute_bytes(&note.attributes));
                bytes = notes.fold(bytes, usize::saturating_add);
            }
        }
        budget.expand(bytes)?;
        Ok(ExportRequest { resources })
    }

    /// Returns all spans in the order of the request.
    pub fn spans(&self) -> impl Iterator<Item = SpanRef<'_>> {
        self.resources.iter().flat_map(|resource| resource.spans.iter().map(move |span| SpanRef::new(resource, span)))
    }

    /// Returns the number of spans and notes without a time.
    pub fn untimed(&self) -> usize {
        self.spans().map(SpanRef::untimed).sum()
    }
}

impl Resource {
    /// Returns the name of the service.
    pub(crate) fn service_of(attributes: &Attributes) -> Option<String> {
        let is_name = |(key, _): &&(String, Value<'static>)| key == "service.name";
        attributes.iter().rfind(is_name).and_then(|(_, value)| match value {
            Value::Text(text) => Some(text.to_string()),
            _ => None,
        })
    }
}
