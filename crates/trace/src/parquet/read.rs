// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: one row group after the other, of each the columns that are wanted, some thousand rows at a time.

use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::ChunkReader;

use super::prune::{Occurring, Wanted, names};
use crate::arrow::{ArrowReader, Batches, Chunk, Idle, Layout, damaged, layout};
use crate::buffer::Buffer;
use crate::error::{Code, Fault, TraceError};
use crate::guarded::GuardedFile;
use crate::reader::{Place, Setup};

/// How a file begins and ends.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// How much of a file that comes as a stream is kept in memory.
const LONGEST_STREAM: usize = 256 << 20;

/// How many rows are read at once.
const ROWS: usize = 1 << 13;

/// What can be read at any place, by several at once.
pub(crate) trait Store: ChunkReader + Send + 'static {
    /// The same once more.
    fn again(&self) -> io::Result<Self>
    where
        Self: Sized;
}

impl Store for GuardedFile {
    fn again(&self) -> io::Result<Self> {
        GuardedFile::again(self)
    }
}

impl Store for Bytes {
    fn again(&self) -> io::Result<Self> {
        Ok(self.clone())
    }
}

/// Begins to read a file; `name` stands for it in messages.
pub(crate) fn open<S: Store>(store: S, name: &str, setup: Setup) -> Result<ArrowReader, TraceError> {
    let start = |fault| TraceError::new(name, Place::START, fault);
    let (groups, layout) = Groups::new(store, &setup).map_err(start)?;
    Ok(ArrowReader::with(Box::new(groups), layout, name, setup))
}

/// Begins to read what comes as a stream: it is gathered first, because a file is read from its end.
pub(crate) fn open_stream<R: Read>(buffer: Buffer<R>, name: &str, setup: Setup) -> Result<ArrowReader, TraceError> {
    let start = |fault| TraceError::new(name, Place::START, fault);
    if let Some(bytes) = buffer.into_rest(LONGEST_STREAM).map_err(start)? {
        return open(Bytes::from(bytes), name, setup);
    }
    let message = "more than 256 MiB of Parquet, which is read from its end, come as a stream";
    let help = "save it to a file, not packed (Parquet is packed inside), and name that";
    Err(start(Fault::new(Code::NotAFile, 0, message).help(help)))
}

/// The row groups of a file, in order.
struct Groups<S> {
    store: S,
    metadata: ArrowReaderMetadata,
    wanted: Wanted,
    /// The leaf of the column of names, if it is one.
    name_leaf: Option<usize>,
    /// The column of times, by its name.
    time: Option<String>,
    /// The group that is read next, and the names in it, if someone asked.
    next: usize,
    occurring: Option<Occurring>,
    present: Option<Present>,
    /// What the present group has next, read to see whether there is something.
    ahead: Option<Result<Chunk, Fault>>,
    bytes: u64,
}

/// A group that is being read.
struct Present {
    batches: ParquetRecordBatchReader,
    columns: Vec<usize>,
    bytes: u64,
}

impl<S: Store> Groups<S> {
    fn new(store: S, setup: &Setup) -> Result<(Self, Layout), Fault> {
        let load = || ArrowReaderMetadata::load(&store, ArrowReaderOptions::new()).map_err(|error| unreadable(&error));
        let metadata = guarded(load)?;
        let layout = match metadata.metadata().file_metadata().num_rows() {
            // Whoever writes a table of no events does not know what fields they have.
            0 => layout(metadata.schema(), &Setup { time_field: None, ..setup.clone() })?,
            _ => layout(metadata.schema(), setup)?,
        };
        let metadata = with_hints(metadata, layout.name);
        let wanted = Wanted::new(&layout, &setup.symbols, &setup.projection);
        let leaves = metadata.parquet_schema();
        let mut of_name = (0..leaves.num_columns()).filter(|leaf| leaves.get_column_root_idx(*leaf) == layout.name);
        let name_leaf = of_name.next().filter(|_| of_name.next().is_none());
        let time = layout.time.map(|column| metadata.schema().field(column).name().clone());
        let (occurring, present, ahead) = (None, None, None);
        Ok((Groups { store, metadata, wanted, name_leaf, time, next: 0, occurring, present, ahead, bytes: 0 }, layout))
    }

    /// The names that the next group may have.
    fn find_names(&self) -> Result<Occurring, Fault> {
        let group = self.metadata.metadata().row_group(self.next);
        Ok(match self.name_leaf {
            Some(leaf) => names(self.store.again().map_err(|error| Fault::io(0, error))?, group, leaf),
            None => Occurring::Any,
        })
    }

    /// The next group, if it is idle.
    fn next_idle(&mut self) -> Result<Option<Idle>, Fault> {
        let Some(time) = self.time.clone().filter(|_| self.next < self.metadata.metadata().num_row_groups()) else {
            return Ok(None);
        };
        let occurring = match self.occurring.take() {
            Some(names) => names,
            None => self.find_names()?,
        };
        let occurring = self.occurring.insert(occurring);
        if !self.wanted.is_idle(occurring) {
            return Ok(None);
        }
        let group = self.metadata.metadata().row_group(self.next);
        let has_all_names =
            self.name_leaf.and_then(|leaf| group.column(leaf).statistics()?.null_count_opt()) == Some(0);
        let times = has_all_names.then(|| extremes(&self.metadata, &time, group)).flatten();
        let rows = u32::try_from(group.num_rows()).map_or(0, u64::from);
        Ok(times.map(|times| Idle { rows, times, names: occurring.certain() }))
    }

    /// The next batch of the present group.
    fn read(&mut self) -> Result<Option<Chunk>, Fault> {
        let Some(present) = &mut self.present else { return Ok(None) };
        if let Some(batch) = guarded(|| present.batches.next().transpose().map_err(|error| damaged(&error)))? {
            return Ok(Some(Chunk { batch, columns: present.columns.clone() }));
        }
        self.bytes += present.bytes;
        self.present = None;
        Ok(None)
    }

    /// Begins the next group; `None` after the last.
    fn begin(&mut self) -> Result<Option<Present>, Fault> {
        let number = self.next;
        let metadata = self.metadata.metadata();
        if number >= metadata.num_row_groups() {
            return Ok(None);
        }
        let occurring = match self.occurring.take() {
            Some(names) => names,
            None if self.wanted.can_spare() => self.find_names()?,
            None => Occurring::Any,
        };
        self.next += 1;
        let group = self.metadata.metadata().row_group(number);
        let columns = self.wanted.columns(&occurring);
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), columns.iter().copied());
        let bytes = u64::try_from(group.compressed_size()).unwrap_or(0);
        let store = self.store.again().map_err(|error| Fault::io(0, error))?;
        let batches = ParquetRecordBatchReaderBuilder::new_with_metadata(store, self.metadata.clone())
            .with_row_groups(vec![number])
            .with_projection(mask)
            .with_batch_size(ROWS)
            .build()
            .map_err(|error| unreadable(&error))?;
        Ok(Some(Present { batches, columns, bytes }))
    }
}

impl<S: Store> Batches for Groups<S> {
    fn next(&mut self) -> Result<Option<Chunk>, Fault> {
        if let Some(ahead) = self.ahead.take() {
            return ahead.map(Some);
        }
        loop {
            if self.present.is_none() {
                self.present = guarded(|| self.begin())?;
            }
            if self.present.is_none() {
                return Ok(None);
            }
            if let Some(chunk) = self.read()? {
                return Ok(Some(chunk));
            }
        }
    }

    fn bytes_read(&self) -> u64 {
        self.bytes
    }

    fn idle(&mut self) -> Option<Idle> {
        if self.ahead.is_none() && self.present.is_some() {
            self.ahead = self.read().transpose();
        }
        if self.ahead.is_some() || self.present.is_some() { None } else { guarded(|| self.next_idle()).ok()? }
    }

    fn leap(&mut self) {
        let group = self.metadata.metadata().row_group(self.next);
        self.bytes += u64::try_from(group.compressed_size()).unwrap_or(0);
        self.occurring = None;
        self.next += 1;
    }
}

/// The least and the greatest time of a group, if its statistics tell and every row has a time.
fn extremes(metadata: &ArrowReaderMetadata, time: &str, group: &RowGroupMetaData) -> Option<[ArrayRef; 2]> {
    let converter = StatisticsConverter::try_new(time, metadata.schema(), metadata.parquet_schema()).ok()?;
    let missing = converter.row_group_null_counts([group]).ok()?;
    let is_whole = missing.len() == 1 && missing.is_valid(0) && missing.value(0) == 0;
    let ends = [converter.row_group_mins([group]).ok()?, converter.row_group_maxes([group]).ok()?];
    // Bounds of texts and floats may be cut short, or leave something out.
    let is_exact = |end: &ArrayRef| {
        let kind = end.data_type();
        end.null_count() == 0 && (kind.is_integer() || matches!(kind, DataType::Timestamp(..) | DataType::Date32))
    };
    (is_whole && ends.iter().all(is_exact)).then_some(ends)
}

/// Asks for the names as entries of a dictionary, and for texts that stay where they were unpacked.
fn with_hints(metadata: ArrowReaderMetadata, name: usize) -> ArrowReaderMetadata {
    let hint = |(column, field): (usize, &Arc<Field>)| {
        let is_text = matches!(field.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        let kind = match is_text {
            true if column == name => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            true => DataType::Utf8View,
            false => return field.clone(),
        };
        Arc::new(field.as_ref().clone().with_data_type(kind))
    };
    let schema: &SchemaRef = metadata.schema();
    let fields: Vec<Arc<Field>> = schema.fields().iter().enumerate().map(hint).collect();
    let hinted = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    let options = ArrowReaderOptions::new().with_schema(hinted);
    // A file that does not bear with it is read as it is.
    ArrowReaderMetadata::try_new(metadata.metadata().clone(), options).unwrap_or(metadata)
}

/// The decoders of pages take some of what a file says for granted, and panic where it is not so. A damaged file is refused all
/// the same; what was read of it is not used any more.
fn guarded<T>(read: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        Err(Fault::new(Code::Columns, 0, "the columns cannot be read: a page of the file is damaged")
            .help("write the file anew"))
    })
}

#[cold]
fn unreadable(error: &ParquetError) -> Fault {
    Fault::new(Code::Columns, 0, format!("this is no Parquet file that can be read: {error}"))
        .help("the file is damaged or was not written to its end; write it anew")
}
