// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streaming readers and writers of traces. A reader turns bytes into [`gnomon_core::event::Event`]s, one at a time, in constant
//! memory, and materialises only what the projection asks for. It knows no property, opens no file and starts no
//! thread: whoever runs the monitors hands it an open input.
//!
//! The nouns that matter: [`Reader`] (what every format offers), [`AnyReader`] (one of them, made by [`open`]),
//! [`Ordered`], which refuses time that goes back or sorts within a bounded delay, and [`Writer`] (made by [`create`]),
//! which says what its format cannot carry.
//!
//! ```
//! use gnomon_trace::{Order, Ordered, Reader, Setup, open};
//! let input = "event, time\nlogon, 3\nlogoff, 7\n".as_bytes();
//! let reader = open(input, "session.csv", None, Setup::default())?;
//! let mut reader = Ordered::new(reader, Order::Strict);
//! let mut count = 0;
//! while let Some(event) = reader.next()? {
//!     assert_eq!(event.index, count);
//!     count += 1;
//! }
//! assert_eq!((count, reader.place().line), (2, 3));
//! # Ok::<(), gnomon_trace::TraceError>(())
//! ```
//!
//! To add a format: a folder with `read.rs`, `write.rs` and `FORMAT.md`, a variant of [`Format`] and one of
//! [`AnyReader`].

mod arrow;
mod buffer;
mod columns;
mod content;
mod context;
mod convert;
mod csv;
mod cursor;
mod error;
mod fields;
mod format;
mod given;
mod guarded;
mod json;
mod keyed;
mod lines;
mod lookup;
mod loss;
mod markup;
pub mod message;
mod monpoly;
mod names;
mod ndjson;
mod order;
mod otlp;
mod pack;
mod parquet;
mod reader;
mod roles;
mod scan;
mod source;
mod stretch;
mod survey;
mod text;
mod times;
mod writer;
mod xes;
mod xml;

#[cfg(test)]
mod testing;

pub use self::parquet::ParquetWriter;
pub use arrow::ArrowReader;
pub use columns::{Columns, columns};
pub use content::{Content, RecordBatchReader, open_content};
pub use convert::{ConvertError, Summary, convert, with_record};
pub use csv::{CsvReader, CsvWriter, table};
pub use error::TraceError;
pub use format::Format;
pub use given::{Given, GivenReader, Stamps};
pub use guarded::{Guard, GuardedFile};
pub use json::{JsonReader, JsonWriter};
pub use keyed::Keyed;
pub use loss::{Loss, Losses, Lost};
pub use monpoly::{MonpolyReader, MonpolyWriter};
pub use ndjson::{NdjsonReader, NdjsonWriter};
pub use order::{Late, LateEvent, Order, Ordered};
pub use otlp::OtlpReader;
pub use pack::Packer;
pub use reader::{AnyReader, Entry, Gap, Place, Reader, Setup, open};
pub use survey::{Catalogue, EventSummary, FieldSummary, Kinds, survey};
pub use text::{PatternError, TextPattern, TextReader, Unmatched};
pub use writer::{Moment, Record, Writer, create};
pub use xes::{XesReader, XesWriter};
pub use xml::{XmlReader, XmlWriter};
