// SPDX-License-Identifier: MIT OR Apache-2.0
//! The inputs from which a trace can be read: a stream, a file, memory, or the columns or events of another program.

use std::fmt;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use gnomon_scan::{Fault, TraceError};

use crate::arrow::{ArrowReader, RecordBatchReader};
use crate::cancellable::{CancellableBytes, CancellableFile};
use crate::format::{Format, MAGIC};
use crate::owned::{EventIterator, OwnedEventReader};
use crate::parquet;
use crate::reader::{AnyReader, Location, ReaderSetup, open_boxed};

/// An open trace.
pub enum TraceInput {
    /// A stream of bytes.
    Stream(Box<dyn Read + Send>),
    /// A file with random access.
    File(CancellableFile),
    /// Bytes in memory.
    Memory(CancellableBytes),
    /// Columns, in place of a format.
    Batches(Box<dyn RecordBatchReader + Send>),
    /// Events, in place of a format.
    Events(EventIterator),
    /// An input that another program can open again.
    Repeatable {
        /// The input, at its beginning.
        content: Box<TraceInput>,
        /// Opens the input at its beginning.
        reopen: Reopen,
    },
}

/// Opens an input of another program again; `None` if that failed.
pub type Reopen = Arc<dyn Fn() -> Option<TraceInput> + Send + Sync>;

impl TraceInput {
    /// Returns the same input from its beginning, to be read after this one; `None` if it can be read only once.
    pub fn again(&self) -> Option<TraceInput> {
        match self {
            TraceInput::File(file) => file.again().ok().map(TraceInput::File),
            TraceInput::Memory(bytes) => Some(TraceInput::Memory(bytes.again())),
            TraceInput::Repeatable { reopen, .. } => reopen().map(|content| content.repeatable(reopen.clone())),
            TraceInput::Stream(_) | TraceInput::Batches(_) | TraceInput::Events(_) => None,
        }
    }

    /// Adds a function that opens the input again.
    #[must_use]
    pub fn repeatable(self, reopen: Reopen) -> TraceInput {
        TraceInput::Repeatable { content: Box::new(self), reopen }
    }
}

impl fmt::Debug for TraceInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TraceInput::Stream(_) => "Stream",
            TraceInput::File(_) => "File",
            TraceInput::Memory(_) => "Memory",
            TraceInput::Batches(_) => "Batches",
            TraceInput::Events(_) => "Events",
            TraceInput::Repeatable { .. } => "Repeatable",
        })
    }
}

/// Begins to read a trace, as [`open`](crate::open) does. Parquet files are read with random access.
pub fn open_input(
    content: TraceInput,
    name: &str,
    format: Option<Format>,
    setup: ReaderSetup,
) -> Result<AnyReader<'static>, TraceError> {
    match content {
        TraceInput::Stream(bytes) => open_boxed(bytes, None, name, format, setup),
        TraceInput::Memory(bytes) => open_boxed(Box::new(bytes), None, name, format, setup),
        TraceInput::Events(events) => Ok(AnyReader::Events(OwnedEventReader::new(events, name, setup))),
        TraceInput::Repeatable { content, .. } => open_input(*content, name, format, setup),
        TraceInput::Batches(batches) => Ok(AnyReader::Arrow(ArrowReader::new(batches, name, setup)?)),
        TraceInput::File(mut file) => {
            let io = |error| TraceError::new(name, Location::START, Fault::io(0, error));
            // A second handle of a file that was read is at its end.
            file.seek(SeekFrom::Start(0)).map_err(io)?;
            let mut head = Vec::new();
            file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut head).map_err(io)?;
            file.seek(SeekFrom::Start(0)).map_err(io)?;
            let format = format.or_else(|| setup.format_of(name));
            if head == MAGIC && format.is_none_or(|format| format == Format::Parquet) {
                return Ok(AnyReader::Arrow(parquet::open(file, name, setup)?));
            }
            let seeker = file.again().ok();
            open_boxed(Box::new(file), seeker, name, format, setup)
        }
    }
}
