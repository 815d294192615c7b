// SPDX-License-Identifier: MIT OR Apache-2.0
//! OpenTelemetry traces as events. An export request, in protobuf or in JSON, is decoded within [`Limits`]; each span of it
//! then tells that it started, what it noted on its way, and that it ended. Nothing here listens on a network or opens a
//! file: servers and readers of files hand in the bytes.
//!
//! The nouns that matter: [`Request`] (what was exported), [`Occurrence`] (something that a span tells, borrowed from the
//! request) and [`SpanEvent`] (the same with memory of its own). `docs/otlp.md` has the mapping.
//!
//! ```
//! let body = br#"{"resourceSpans":[{"scopeSpans":[{"spans":[
//!     {"name":"pay","startTimeUnixNano":"1000","endTimeUnixNano":"1250"}]}]}]}"#;
//! let request = gnomon_otlp::decode_json(body, &gnomon_otlp::Limits::default())?;
//! let events = gnomon_otlp::events(&request);
//! let told: Vec<(&str, u64)> = events.iter().map(|event| (event.name.as_str(), event.time_ns)).collect();
//! assert_eq!(told, [("pay", 1000), ("pay", 1250)]);
//! # Ok::<(), gnomon_otlp::Error>(())
//! ```
//!
//! The messages are decoded here and not by generated code: that builds every message before anyone can count it, two
//! hundred bytes for a span that takes two on the wire, and its JSON knows no places.

mod attributes;
mod error;
mod id;
mod json;
mod limits;
mod occurrence;
mod order;
mod protobuf;
mod request;

pub use error::{Error, ErrorKind};
pub use id::{SpanId, TraceId};
pub use json::decode_json;
pub use limits::Limits;
pub use occurrence::{Occurrence, OneSpan, SpanEvent, What, events};
pub use order::{Lifeline, Step, sequence};
pub use protobuf::decode_protobuf;
pub use request::Request;
