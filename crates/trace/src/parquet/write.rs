// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writer. The columns and their types must be known before the first row: from a first pass over the trace, or
//! else from its first events, which are stored until there are enough of them.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::builder::StringBuilder;
use arrow_schema::extension::Json;
use arrow_schema::{DataType, Field, Schema};
use gnomon_core::event::OwnedFields;
use gnomon_core::symbols::Key;
use gnomon_core::value::Value;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::cells::CellBuilder;
use crate::column_profile::{ColumnProfile, ColumnType};
use crate::columns::TableColumns;
use crate::loss::{Loss, Losses};
use crate::reader::FieldEntry;
use crate::writer::{EventRecord, EventTime, Writer, keeps_positions};

/// The rows of a batch, and of a row group.
const BATCH: usize = 1 << 13;
const ROW_GROUP: usize = 1 << 20;
/// Limit on the bytes of a row group.
const ROW_GROUP_BYTES: usize = 128 << 20;
/// The number of events from which the columns are determined if there was no first pass.
const MOST_STORED: usize = 1 << 16;

/// Writes Parquet; see `parquet/FORMAT.md`.
pub struct ParquetWriter<W: Write + Send> {
    state: WriterState<W>,
    losses: Losses,
}

enum WriterState<W: Write + Send> {
    /// The columns are not known yet.
    Collecting {
        out: Option<W>,
        events: Vec<OwnedRecord>,
        columns: Option<TableColumns>,
    },
    Writing(Box<ParquetTable<W>>),
}

/// An event that is stored until the columns are known.
struct OwnedRecord {
    name: String,
    index: u64,
    case: u64,
    event_time: Option<(String, EventTime<'static>)>,
    fields: Vec<FieldEntry<'static>>,
    parameters: OwnedFields,
}

/// A file that is being written.
struct ParquetTable<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: Arc<Schema>,
    columns: TableColumns,
    names: StringBuilder,
    times: Option<CellBuilder>,
    cells: Vec<CellBuilder>,
    /// True for each field that the current event has.
    is_set: Vec<bool>,
    rows: usize,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Begins a trace. Columns from a first pass fit all events. Without them the first events determine the columns,
    /// and a later event that does not fit is an error.
    pub fn new(out: W, columns: Option<TableColumns>) -> Self {
        let columns = columns.filter(TableColumns::has_profiles);
        ParquetWriter {
            state: WriterState::Collecting { out: Some(out), events: Vec::new(), columns },
            losses: Losses::default(),
        }
    }

    /// Determines the columns, if they are not known, and writes the stored events.
    fn begin_table(&mut self) -> io::Result<()> {
        let WriterState::Collecting { out, events, columns } = &mut self.state else { return Ok(()) };
        let Some(out) = out.take() else { return Err(io::Error::other("the output failed before")) };
        let events = std::mem::take(events);
        let columns = match columns.take() {
            Some(columns) => columns,
            None => find_columns(&events)?,
        };
        let mut table = Box::new(ParquetTable::new(out, columns, &mut self.losses)?);
        for event in &events {
            event.with_record(|record| table.write(record, &mut self.losses))?;
        }
        self.state = WriterState::Writing(table);
        Ok(())
    }
}

impl<W: Write + Send> Writer for ParquetWriter<W> {
    fn write(&mut self, event: &EventRecord<'_>) -> io::Result<()> {
        match &mut self.state {
            WriterState::Writing(table) => table.write(event, &mut self.losses),
            WriterState::Collecting { events, columns, .. } => {
                events.push(OwnedRecord::new(event));
                if columns.is_none() && events.len() < MOST_STORED { Ok(()) } else { self.begin_table() }
            }
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        self.begin_table()?;
        let WriterState::Writing(table) = &mut self.state else { return Ok(()) };
        table.write_batch()?;
        table.writer.finish().map(drop).map_err(output_error)
    }

    fn losses(&self) -> &Losses {
        &self.losses
    }
}

/// Determines the columns of these events.
fn find_columns(events: &[OwnedRecord]) -> io::Result<TableColumns> {
    let mut columns = TableColumns::default();
    for event in events {
        if let Some((field, event_time)) = &event.event_time {
            columns.add_time(field, event_time.time, event_time.kind, event_time.clock);
        }
        if !event.fields.iter().all(|entry| columns.add_value(&entry.key, &entry.value)) {
            return Err(io::Error::other("the events have too many different fields for a table"));
        }
    }
    Ok(columns)
}

impl OwnedRecord {
    fn new(event: &EventRecord<'_>) -> Self {
        let event_time = event.event_time.map(|event_time| {
            let EventTime { time, kind, clock, .. } = event_time;
            (event_time.field.to_owned(), EventTime { field: "", time, kind, clock, written: None })
        });
        let parameters = (0..event.parameters.parameter_count())
            .map(|index| (Key::OTHER, event.parameters.parameter(index).into_owned()));
        OwnedRecord {
            name: event.name.to_owned(),
            index: event.index,
            case: event.case,
            event_time,
            fields: event.fields.iter().cloned().map(FieldEntry::into_owned).collect(),
            parameters: OwnedFields { entries: parameters.collect() },
        }
    }

    fn with_record<T>(&self, write: impl FnOnce(&EventRecord<'_>) -> T) -> T {
        write(&EventRecord {
            name: &self.name,
            index: self.index,
            event_time: self.event_time.as_ref().map(|(field, event_time)| EventTime { field, ..*event_time }),
            fields: &self.fields,
            parameters: &self.parameters,
            case: self.case,
        })
    }
}

impl<W: Write + Send> ParquetTable<W> {
    fn new(out: W, columns: TableColumns, losses: &mut Losses) -> io::Result<Self> {
        let time = columns.time.as_deref();
        let mut fields = vec![Field::new("event", DataType::Utf8, false)];
        let time_column = time.map(|_| columns.time_profile().column());
        if let (Some(time), Some(column)) = (time, time_column) {
            fields.push(Field::new(time, column.data_type(), false));
        }
        let kinds: Vec<ColumnType> = columns.profiles().map(ColumnProfile::kind).collect();
        for ((key, name), kind) in columns.fields.iter().zip(columns.written_names()).zip(&kinds) {
            if name != *key {
                losses.add(Loss::Renamed, 0, key);
            }
            let field = Field::new(name, kind.data_type(), true);
            let is_json = *kind == ColumnType::Json;
            fields.push(if is_json { field.with_extension_type(Json::default()) } else { field });
        }
        let schema = Arc::new(Schema::new(fields));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
            .set_created_by(concat!("gnomon ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        Ok(ParquetTable {
            writer: ArrowWriter::try_new(out, schema.clone(), Some(properties)).map_err(output_error)?,
            schema,
            names: StringBuilder::new(),
            times: time_column.map(ColumnType::builder),
            is_set: vec![false; kinds.len()],
            cells: kinds.into_iter().map(ColumnType::builder).collect(),
            columns,
            rows: 0,
        })
    }

    fn write(&mut self, event: &EventRecord<'_>, losses: &mut Losses) -> io::Result<()> {
        let mismatch = |field: &str, what: &str| {
            io::Error::other(format!(
                "the field `{field}` of event {} {what}; convert from a file, which is read twice, not from a stream",
                event.index
            ))
        };
        self.names.append_value(event.name);
        match (&mut self.times, &event.event_time) {
            (Some(times), Some(event_time)) => {
                if !times.add_time(event_time) {
                    return Err(mismatch(
                        event_time.field,
                        "does not fit the type of the column, which the first events determined",
                    ));
                }
            }
            (None, None) => {}
            _ => return Err(mismatch("time", "is sometimes missing, unlike in the first events")),
        }
        self.is_set.fill(false);
        for field in event.fields {
            let Some(index) = self.columns.index_of(&field.key) else {
                return Err(mismatch(&field.key, "is in none of the first events"));
            };
            if field.value == Value::Null && !self.cells[index].is_json() {
                losses.add(Loss::Null, event.index, &field.key);
                continue;
            }
            if !self.cells[index].add(&field.value) {
                return Err(mismatch(
                    &field.key,
                    "does not fit the type of the column, which the first events determined",
                ));
            }
            self.is_set[index] = true;
        }
        let unset = self.cells.iter_mut().zip(&self.is_set).filter(|(_, is_set)| !**is_set);
        unset.for_each(|(cells, _)| cells.add_null());
        if !keeps_positions(event, &self.columns.fields, |column| self.is_set[column]) {
            losses.add(Loss::Positions, event.index, "");
        }
        self.rows += 1;
        if self.rows >= BATCH { self.write_batch() } else { Ok(()) }
    }

    /// Writes the rows of the current batch.
    fn write_batch(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.rows = 0;
        let names = Arc::new(self.names.finish()) as arrow_array::ArrayRef;
        let times = self.times.as_mut().map(CellBuilder::finish);
        let fields = self.cells.iter_mut().map(CellBuilder::finish);
        let arrays = std::iter::once(names).chain(times).chain(fields).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), arrays).map_err(io::Error::other)?;
        self.writer.write(&batch).map_err(output_error)
    }
}

/// Returns the error of the output, if it is the cause.
fn output_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
