// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streaming readers and writers of traces. A reader turns bytes into [`gnomon_core::event::Event`]s, one at a time, in
//! constant memory, and makes values only for the fields that the projection wants. It knows no property, opens no file
//! and starts no thread: its caller passes an open input.
//!
//! The main types: [`Reader`], implemented for every format; [`AnyReader`], one of them, created by [`open`];
//! [`OrderedReader`], which refuses time that goes back or sorts within a bounded delay; and [`Writer`], created by
//! [`create`], which reports the information that its format cannot represent.
//!
//! A reader is built of these parts, from the bytes to the event:
//!
//! | module | step |
//! |---|---|
//! | `decompressed_input` | decompresses the input ([`CompressingWriter`] is the counterpart for output) |
//! | `gnomon_scan::Buffer` | keeps the row of the current event in memory |
//! | the folder of a format | splits the row into names, times and fields |
//! | `names`, `name_cache` | map the bytes of an event name to a number |
//! | `roles`, `header` | decide which field is the name, the time, or wanted by a property |
//! | `times`, `dates` | parse times exactly, without floating point |
//! | `row` | keeps fields as ranges of the row; makes values on demand |
//! | `order` | checks or restores the order of time |
//!
//! ```
//! use gnomon_trace::{OrderPolicy, OrderedReader, Reader, ReaderSetup, open};
//! let input = "event, time\nlogon, 3\nlogoff, 7\n".as_bytes();
//! let reader = open(input, "session.csv", None, ReaderSetup::default())?;
//! let mut reader = OrderedReader::new(reader, OrderPolicy::Strict);
//! let mut count = 0;
//! while let Some(event) = reader.next()? {
//!     assert_eq!(event.index, count);
//!     count += 1;
//! }
//! assert_eq!((count, reader.location().line), (2, 3));
//! # Ok::<(), gnomon_trace::TraceError>(())
//! ```
//!
//! To add a format: a folder with `read.rs`, `write.rs` and `FORMAT.md`, a variant of [`Format`] and one of
//! [`AnyReader`].

mod advice;
#[cfg(feature = "arrow")]
mod arrow;
#[cfg(not(feature = "arrow"))]
#[path = "arrow_absent.rs"]
mod arrow;
mod cancellable;
mod case_reader;
mod checkpoints;
mod chunks;
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only Parquet files ask for the types of columns"))]
mod column_profile;
mod columns;
mod compressing_writer;
#[cfg(feature = "compression")]
mod compression;
#[cfg(not(feature = "compression"))]
#[path = "compression_absent.rs"]
mod compression;
mod convert;
mod csv;
mod dates;
mod decompressed_input;
mod format;
mod header;
mod input;
mod json;
mod logfmt;
mod loss;
mod markup;
mod markup_shapes;
mod messages;
mod monpoly;
mod name_cache;
mod name_template;
mod names;
mod ndjson;
mod order;
mod otlp;
mod owned;
mod packed_fields;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "parquet_absent.rs"]
mod parquet;
mod reader;
mod roles;
mod row;
mod shapes;
mod state;
mod summary;
mod text;
mod times;
mod writer;
mod xes;
mod xml;

#[cfg(test)]
mod testing;

#[cfg(feature = "parquet")]
pub use self::parquet::ParquetWriter;
pub use arrow::{ArrowReader, RecordBatchReader};
pub use cancellable::{CancelCheck, Cancellable, CancellableBytes, CancellableFile, never_cancelled};
pub use case_reader::CaseReader;
pub use checkpoints::{Checkpoint, Checkpoints};
pub use chunks::{ChunkedReader, ParseQueue, ParseWork};
pub use columns::{TableColumns, find_columns};
pub use compressing_writer::CompressingWriter;
pub use convert::{ConversionSummary, ConvertError, convert, with_record};
pub use csv::{CsvReader, CsvWriter, parse_csv_table};
pub use dates::DateNotation;
pub use format::Format;
pub use gnomon_message as message;
pub use gnomon_scan::TraceError;
pub use input::{Reopen, TraceInput, open_input};
pub use json::{JsonReader, JsonWriter};
pub use logfmt::LogfmtReader;
pub use loss::{Loss, LossSummary, Losses};
pub use messages::MessageReader;
pub use monpoly::{MonpolyReader, MonpolyWriter};
pub use name_template::NameTemplate;
pub use ndjson::{NdjsonReader, NdjsonWriter};
pub use order::{LateEvent, LateEvents, OrderPolicy, OrderedReader};
pub use otlp::OtlpReader;
pub use owned::{EventIterator, MonotonicTimes, OwnedEventReader, WrittenEvent};
pub use packed_fields::{FieldRange, FieldsView, LONGEST_TEXT, PackedFields};
pub use reader::{
    AnyReader, EventGap, FieldEntry, Location, LogFormat, NameSet, RUN_LENGTH, Reader, ReaderSetup, open,
};
pub use state::{LineSample, ReaderState, SkippedEvents, UnmatchedLines};
pub use summary::{EventSummary, FieldSummary, TraceSummary, ValueTypeCounts, WrittenDate, summarise};
pub use text::{PatternError, Preset, TextPattern, TextReader};
pub use writer::{EventRecord, EventTime, Writer, create};
pub use xes::{XesReader, XesWriter};
pub use xml::{XmlReader, XmlWriter};
