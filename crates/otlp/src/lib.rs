// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts OpenTelemetry traces to events. An export request in protobuf or JSON is decoded within [`Limits`]; each
//! of its spans yields an event for its start, one for each event on it, and one for its end. This crate neither
//! listens on a network nor opens files.
//!
//! The main types: [`ExportRequest`]; [`SpanOccurrence`], an event of a span that borrows from the request;
//! [`SpanEvent`], the same event with its own memory. `docs/otlp.md` defines the mapping. Events on spans are called
//! notes in the code, to distinguish them from events of a trace.
//!
//! ```
//! let body = br#"{"resourceSpans":[{"scopeSpans":[{"spans":[
//!     {"name":"pay","startTimeUnixNano":"1000","endTimeUnixNano":"1250"}]}]}]}"#;
//! let request = gnomon_otlp::decode_json(body, &gnomon_otlp::Limits::default())?;
//! let events = gnomon_otlp::events(&request);
//! let names: Vec<(&str, u64)> = events.iter().map(|event| (event.name.as_str(), event.time_ns)).collect();
//! assert_eq!(names, [("pay", 1000), ("pay", 1250)]);
//! # Ok::<(), gnomon_otlp::Fault>(())
//! ```
//!
//! The messages are decoded by hand and not by generated code, which builds every message before it can be counted
//! (two hundred bytes for a span that takes two on the wire), and whose JSON decoder has no positions.

mod attributes;
mod id;
mod json;
mod limits;
mod occurrence;
mod order;
mod protobuf;
mod request;

pub use gnomon_scan::{Code, Fault};
pub use id::{SpanId, TelemetryId, TraceId};
pub use json::decode_json;
pub use limits::Limits;
pub use occurrence::{SpanEvent, SpanEventKind, SpanOccurrence, SpanRef, events};
pub use order::{OrderedSpanEvent, SpanTimes, sequence};
pub use protobuf::decode_protobuf;
pub use request::ExportRequest;
