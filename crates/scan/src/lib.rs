// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tokenisers of XML and JSON, and their foundations: a window on a stream, locations for messages, errors, limits.
//!
//! Every reader of XML or JSON in the workspace uses these two: formats of traces, captured messages, descriptions of
//! services, OpenTelemetry exports, rules in XML. [`xml`] works on a [`Cursor`], which keeps the row being read whole
//! in a [`Buffer`]; [`json::Scanner`] works on a row that is in memory. Neither copies text, and both refuse malformed
//! input also in parts that no property uses. `docs/adr/0025` gives the reasons for tokenisers of our own.

mod buffer;
mod cursor;
mod error;
mod fields;
pub mod json;
mod location;
mod range;
pub mod word;
pub mod xml;

pub use buffer::{Buffer, ByteSource, PADDING, skip_by_reading};
pub use cursor::{Cursor, is_space};
pub use error::{Code, Fault, TraceError, out_of_range, quote};
pub use fields::{MOST_FIELDS, last_wins, too_many_fields};
pub use location::Location;
pub use range::{ByteRange, utf8};
