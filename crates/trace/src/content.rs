// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a trace may be handed over as: bytes as they come, a file, or the columns of another program.

use std::fmt;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

pub use arrow_array::RecordBatchReader;

use crate::arrow::ArrowReader;
use crate::error::{Fault, TraceError};
use crate::format::Format;
use crate::guarded::GuardedFile;
use crate::parquet::{self, MAGIC};
use crate::reader::{AnyReader, Place, Setup, open};

/// A trace that is open.
pub enum Content {
    /// Its bytes, one after the other.
    Stream(Box<dyn Read + Send>),
    /// A file that can be read at any place.
    File(GuardedFile),
    /// Its columns, whatever the format.
    Batches(Box<dyn RecordBatchReader + Send>),
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Content::Stream(_) => "Stream",
            Content::File(_) => "File",
            Content::Batches(_) => "Batches",
        })
    }
}

/// Begins to read a trace, as [`open`] does; files in formats that are not read from front to back are read in place.
pub fn open_content(
    content: Content,
    name: &str,
    format: Option<Format>,
    setup: Setup,
) -> Result<AnyReader<Box<dyn Read + Send>>, TraceError> {
    match content {
        Content::Stream(bytes) => open(bytes, name, format, setup),
        Content::Batches(batches) => Ok(AnyReader::Arrow(ArrowReader::new(batches, name, setup)?)),
        Content::File(mut file) => {
            let io = |error| TraceError::new(name, Place::START, Fault::io(0, error));
            let mut head = Vec::new();
            file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut head).map_err(io)?;
            file.seek(SeekFrom::Start(0)).map_err(io)?;
            let format = format.or_else(|| Format::of_path(Path::new(name), setup.text.is_some()));
            if head == MAGIC && format.is_none_or(|format| format == Format::Parquet) {
                return Ok(AnyReader::Arrow(parquet::open(file, name, setup)?));
            }
            open(Box::new(file), name, format, setup)
        }
    }
}
