// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replaces `arrow` in a build without the feature `arrow`: the types exist and have no values.

use gnomon_core::event::Fields;
use gnomon_core::verdict::Origin;
use gnomon_scan::TraceError;

use crate::parquet::missing_feature;
use crate::reader::{FieldEntry, Reader, ReaderSetup};
use crate::state::ReaderState;

/// A source of record batches; a build without the feature `arrow` has none.
pub trait RecordBatchReader {}

/// A reader of columns; a build without the feature `arrow` has none.
pub enum ArrowReader {}

impl ArrowReader {
    /// Refuses the columns.
    pub fn new(_: Box<dyn RecordBatchReader + Send>, name: &str, _: ReaderSetup) -> Result<Self, TraceError> {
        Err(missing_feature("columns of Arrow", "arrow").in_text(name, ""))
    }
}

impl Reader for ArrowReader {
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        match *self {}
    }
    fn fields(&self) -> &dyn Fields {
        match *self {}
    }
    fn state(&self) -> &ReaderState {
        match *self {}
    }
    fn bytes_read(&self) -> u64 {
        match *self {}
    }
    fn entries(&self) -> Vec<FieldEntry<'_>> {
        match *self {}
    }
}
