// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader of Parquet: one row group after the other, some thousand rows at a time.
//!
//! Of each group only the columns of names and times and those that a property uses are decoded. The dictionary or the statistics of the
//! names show before a group is read which names it has, and so which columns it needs (`prune`). INVARIANT: what is left out changes no
//! verdict; the events of a skipped column are still counted and timed.

use std::fs::File;
use std::io;
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
use parquet::file::reader::{ChunkReader, Length};

use gnomon_scan::{Buffer, ByteSource, Code, Fault, TraceError};

use super::page_limits;
use super::prune::{GroupNames, WantedColumns, names};
use crate::arrow::{self, ArrowReader, BatchSource, ColumnBatch, IdleRows, damaged};
use crate::cancellable::CancellableFile;
use crate::header::TableHeader;
use crate::reader::{Location, ReaderSetup};

/// Limit on the size of a file that comes as a stream and is kept in memory.
const LONGEST_STREAM: usize = 256 << 20;

/// The number of rows of a batch.
const ROWS: usize = 1 << 13;

/// An input with random access, which several readers can share.
pub(crate) trait RandomAccess: ChunkReader + Send + 'static {
    /// Returns a second handle.
    fn again(&self) -> io::Result<Self>
    where
        Self: Sized;
}

impl RandomAccess for CancellableFile {
    fn again(&self) -> io::Result<Self> {
        CancellableFile::again(self)
    }
}

impl Length for CancellableFile {
    fn len(&self) -> u64 {
        self.source.len()
    }
}

impl ChunkReader for CancellableFile {
    type T = <File as ChunkReader>::T;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        (self.check)()?;
        self.source.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        (self.check)()?;
        self.source.get_bytes(start, length)
    }
}

impl RandomAccess for Bytes {
    fn again(&self) -> io::Result<Self> {
        Ok(self.clone())
    }
}

/// Begins to read a file; `name` stands for it in messages.
pub(crate) fn open<S: RandomAccess>(store: S, name: &str, setup: ReaderSetup) -> Result<ArrowReader, TraceError> {
    let start = |fault| TraceError::new(name, Location::START, fault);
    let (groups, header) = RowGroups::new(store, &setup).map_err(start)?;
    Ok(ArrowReader::with(Box::new(groups), header, name, setup))
}

/// Begins to read a stream. It is read into memory first, because a file is read from its end.
pub(crate) fn open_stream<R: ByteSource>(
    buffer: Buffer<R>,
    name: &str,
    setup: ReaderSetup,
) -> Result<ArrowReader, TraceError> {
    let start = |fault| TraceError::new(name, Location::START, fault);
    if let Some(bytes) = buffer.read_to_end(LONGEST_STREAM).map_err(start)? {
        return open(Bytes::from(bytes), name, setup);
    }
    let message = "more than 256 MiB of Parquet, which is read from its end, come as a stream";
    let help = "save it to an uncompressed file (Parquet is compressed inside), and give that file";
    Err(start(Fault::new(Code::NotAFile, 0, message).help(help)))
}

/// The row groups of a file, in order.
struct RowGroups<S> {
    store: S,
    metadata: ArrowReaderMetadata,
    wanted: WantedColumns,
    /// The leaf column of the names, if there is exactly one.
    name_leaf: Option<usize>,
    /// The name of the column of times.
    time: Option<String>,
    /// The group that is read next, and its names, if they were determined.
    next: usize,
    group_names: Option<GroupNames>,
    open_group: Option<OpenRowGroup>,
    /// The next batch of the current group, read in advance to see if there is one.
    read_ahead: Option<Result<ColumnBatch, Fault>>,
    bytes: u64,
}

/// A group that is being read.
struct OpenRowGroup {
    batches: ParquetRecordBatchReader,
    columns: Vec<usize>,
    bytes: u64,
}

impl<S: RandomAccess> RowGroups<S> {
    fn new(store: S, setup: &ReaderSetup) -> Result<(Self, TableHeader), Fault> {
        let load = || ArrowReaderMetadata::load(&store, ArrowReaderOptions::new()).map_err(|error| unreadable(&error));
        let metadata = catch_panic(load)?;
        let header = match metadata.metadata().file_metadata().num_rows() {
            // A table without events may lack the declared time field.
            0 => arrow::header(metadata.schema(), &ReaderSetup { time_field: None, ..setup.clone() })?,
            _ => arrow::header(metadata.schema(), setup)?,
        };
        let name = header.name.column();
        let metadata = with_hints(metadata, name);
        let wanted = WantedColumns::new(&header, &setup.symbols, &setup.projection);
        let leaves = metadata.parquet_schema();
        let mut of_name = (0..leaves.num_columns()).filter(|leaf| Some(leaves.get_column_root_idx(*leaf)) == name);
        let name_leaf = of_name.next().filter(|_| of_name.next().is_none());
        let time = header.time.map(|column| metadata.schema().field(column).name().clone());
        let (group_names, open_group, read_ahead) = (None, None, None);
        Ok((
            RowGroups {
                store,
                metadata,
                wanted,
                name_leaf,
                time,
                next: 0,
                group_names,
                open_group,
                read_ahead,
                bytes: 0,
            },
            header,
        ))
    }

    /// Determines the names that the next group may have.
    fn find_names(&self) -> Result<GroupNames, Fault> {
        let group = self.metadata.metadata().row_group(self.next);
        Ok(match self.name_leaf {
            Some(leaf) => {
                page_limits::check(&self.store, group.column(leaf))?;
                names(self.store.again().map_err(|error| Fault::io(0, error))?, group, leaf)
            }
            None => GroupNames::Any,
        })
    }

    /// Returns the next group if it is idle.
    fn next_idle(&mut self) -> Result<Option<IdleRows>, Fault> {
        let Some(time) = self.time.clone().filter(|_| self.next < self.metadata.metadata().num_row_groups()) else {
            return Ok(None);
        };
        let group_names = match self.group_names.take() {
            Some(names) => names,
            None => self.find_names()?,
        };
        let group_names = self.group_names.insert(group_names);
        if !self.wanted.is_idle(group_names) {
            return Ok(None);
        }
        let group = self.metadata.metadata().row_group(self.next);
        let has_all_names =
            self.name_leaf.and_then(|leaf| group.column(leaf).statistics()?.null_count_opt()) == Some(0);
        let times = has_all_names.then(|| extremes(&self.metadata, &time, group)).flatten();
        let rows = u32::try_from(group.num_rows()).map_or(0, u64::from);
        Ok(times.map(|times| IdleRows { rows, times, names: group_names.certain() }))
    }

    /// Returns the next batch of the current group.
    fn read(&mut self) -> Result<Option<ColumnBatch>, Fault> {
        let Some(open_group) = &mut self.open_group else { return Ok(None) };
        if let Some(batch) = catch_panic(|| open_group.batches.next().transpose().map_err(|error| damaged(&error)))? {
            return Ok(Some(ColumnBatch { batch, columns: open_group.columns.clone() }));
        }
        self.bytes += open_group.bytes;
        self.open_group = None;
        Ok(None)
    }

    /// Begins the next group; returns `None` after the last.
    fn begin(&mut self) -> Result<Option<OpenRowGroup>, Fault> {
        let number = self.next;
        let metadata = self.metadata.metadata();
        if number >= metadata.num_row_groups() {
            return Ok(None);
        }
        let group_names = match self.group_names.take() {
            Some(names) => names,
            None if self.wanted.can_spare() => self.find_names()?,
            None => GroupNames::Any,
        };
        self.next += 1;
        let group = self.metadata.metadata().row_group(number);
        let columns = self.wanted.columns(&group_names);
        let leaves = self.metadata.parquet_schema();
        page_limits::check_fields(self.metadata.schema(), &columns)?;
        for leaf in (0..leaves.num_columns()).filter(|leaf| columns.contains(&leaves.get_column_root_idx(*leaf))) {
            page_limits::check(&self.store, group.column(leaf))?;
        }
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), columns.iter().copied());
        let bytes = u64::try_from(group.compressed_size()).unwrap_or(0);
        let store = self.store.again().map_err(|error| Fault::io(0, error))?;
        let batches = ParquetRecordBatchReaderBuilder::new_with_metadata(store, self.metadata.clone())
            .with_row_groups(vec![number])
            .with_projection(mask)
            .with_batch_size(ROWS)
            .build()
            .map_err(|error| unreadable(&error))?;
        Ok(Some(OpenRowGroup { batches, columns, bytes }))
    }
}

impl<S: RandomAccess> BatchSource for RowGroups<S> {
    fn next(&mut self) -> Result<Option<ColumnBatch>, Fault> {
        if let Some(read_ahead) = self.read_ahead.take() {
            return read_ahead.map(Some);
        }
        loop {
            if self.open_group.is_none() {
                self.open_group = catch_panic(|| self.begin())?;
            }
            if self.open_group.is_none() {
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

    fn idle(&mut self) -> Option<IdleRows> {
        if self.read_ahead.is_none() && self.open_group.is_some() {
            self.read_ahead = self.read().transpose();
        }
        if self.read_ahead.is_some() || self.open_group.is_some() {
            None
        } else {
            catch_panic(|| self.next_idle()).ok()?
        }
    }

    fn skip_idle(&mut self) {
        let group = self.metadata.metadata().row_group(self.next);
        self.bytes += u64::try_from(group.compressed_size()).unwrap_or(0);
        self.group_names = None;
        self.next += 1;
    }
}

/// Returns the least and the greatest time of a group, if its statistics are exact and every row has a time.
fn extremes(metadata: &ArrowReaderMetadata, time: &str, group: &RowGroupMetaData) -> Option<[ArrayRef; 2]> {
    let converter = StatisticsConverter::try_new(time, metadata.schema(), metadata.parquet_schema()).ok()?;
    let missing = converter.row_group_null_counts([group]).ok()?;
    let is_whole = missing.len() == 1 && missing.is_valid(0) && missing.value(0) == 0;
    let ends = [converter.row_group_mins([group]).ok()?, converter.row_group_maxes([group]).ok()?];
    // Bounds of texts may be truncated; those of floats ignore NaN.
    let is_exact = |end: &ArrayRef| {
        let kind = end.data_type();
        end.null_count() == 0 && (kind.is_integer() || matches!(kind, DataType::Timestamp(..) | DataType::Date32))
    };
    (is_whole && ends.iter().all(is_exact)).then_some(ends)
}

/// Requests names as entries of a dictionary, and other texts as views, which need no copy.
fn with_hints(metadata: ArrowReaderMetadata, name: Option<usize>) -> ArrowReaderMetadata {
    let hint = |(column, field): (usize, &Arc<Field>)| {
        let is_text = matches!(field.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        let kind = match is_text {
            true if Some(column) == name => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            true => DataType::Utf8View,
            false => return field.clone(),
        };
        Arc::new(field.as_ref().clone().with_data_type(kind))
    };
    let schema: &SchemaRef = metadata.schema();
    let fields: Vec<Arc<Field>> = schema.fields().iter().enumerate().map(hint).collect();
    let hinted = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    let options = ArrowReaderOptions::new().with_schema(hinted);
    // A file that does not support this is read as it is.
    ArrowReaderMetadata::try_new(metadata.metadata().clone(), options).unwrap_or(metadata)
}

/// Converts a panic into a fault. The page decoders trust some of the data of a file and panic if it is damaged.
/// Nothing that was read of such a file is used afterwards.
fn catch_panic<T>(read: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        Err(Fault::new(Code::Columns, 0, "the columns cannot be read: a page of the file is damaged")
            .help("write the file again"))
    })
}

#[cold]
fn unreadable(error: &ParquetError) -> Fault {
    Fault::new(Code::Columns, 0, format!("this is not a Parquet file that can be read: {error}"))
        .help("the file is damaged or was not written completely; write it again")
}
