// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader. Names and times are read for some thousand rows at once; fields stay in the batch until a property asks
//! for them.
//!
//! A batch is processed in windows of a few thousand rows: one pass over the column of names, one over the column of
//! times. A fault in the middle of a window is reported only after the events before it. Where the source knows that a
//! whole group of rows is of no interest ([`BatchSource::idle`]), the reader offers it as a gap that the caller may
//! skip.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use gnomon_core::event::{Fields, NoFields};
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_scan::{Code, Fault, MOST_FIELDS, TraceError, quote, too_many_fields};

use super::column::Column;
use super::names::{DictionaryNames, append_template_names};
use super::times;
use crate::header::{RowName, TableHeader};
use crate::reader::{EventGap, FieldEntry, Location, NameSet, RUN_LENGTH, Reader, ReaderSetup};
use crate::roles::{find_other_case, list_names};
use crate::state::ReaderState;

/// The rows of a window: few enough to stay in the cache of a processor.
const WINDOW: usize = 1 << 12;

/// A source of batches.
pub(crate) trait BatchSource: Send {
    /// Returns the next batch; `None` at the end.
    fn next(&mut self) -> Result<Option<ColumnBatch>, Fault>;

    /// Returns the number of bytes of the input that were read.
    fn bytes_read(&self) -> u64;

    /// Returns the rows that come next, if none of them need be read.
    fn idle(&mut self) -> Option<IdleRows> {
        None
    }

    /// Skips the rows that [`BatchSource::idle`] returned last.
    fn skip_idle(&mut self) {}
}

/// Rows whose names no property mentions.
pub(crate) struct IdleRows {
    pub(crate) rows: u64,
    /// The least and the greatest time, in the type of the column.
    pub(crate) times: [ArrayRef; 2],
    /// Names that the rows have, as far as they are known.
    pub(crate) names: Vec<String>,
}

/// A batch; unwanted columns may be missing.
pub(crate) struct ColumnBatch {
    pub(crate) batch: RecordBatch,
    /// The number of each column in the [`TableHeader`].
    pub(crate) columns: Vec<usize>,
}

/// Reads record batches of Arrow; see `parquet/FORMAT.md`.
pub struct ArrowReader {
    rows: BatchRows,
    state: ReaderState,
    batches: Box<dyn BatchSource>,
    dictionary: DictionaryNames,
    /// True for each column that some event needs.
    used: Vec<bool>,
    /// The name and the time of each row of the window.
    names: Vec<Name>,
    times: Vec<Timestamp>,
    /// The row of the batch with which the window begins.
    base: usize,
    /// The number of rows of the window that were read.
    at: usize,
    /// The fault in the row after the window.
    fault: Option<Fault>,
}

/// The current batch and row.
struct BatchRows {
    header: TableHeader,
    columns: Vec<Column>,
    length: usize,
    row: usize,
}

impl ArrowReader {
    /// Reads the batches of another program; `name` stands for them in messages.
    pub fn new(batches: Box<dyn RecordBatchReader + Send>, name: &str, setup: ReaderSetup) -> Result<Self, TraceError> {
        let schema = batches.schema();
        let start = |fault| TraceError::new(name, Location::START, fault);
        let header = header(&schema, &setup).map_err(start)?;
        Ok(ArrowReader::with(Box::new(ExternalBatches { batches, bytes: 0 }), header, name, setup))
    }

    /// Reads batches with this header.
    pub(crate) fn with(batches: Box<dyn BatchSource>, header: TableHeader, name: &str, mut setup: ReaderSetup) -> Self {
        let mut state = ReaderState::new(name, &mut setup);
        let mut used = vec![false; header.texts.len()];
        let names = (0..state.symbols().name_count() as u32).map(|name| state.projection.selection(Name(name)));
        let wanted = names.chain([state.projection.default_selection()]).flat_map(|want| header.wanted(want));
        for column in wanted.chain(header.name.columns().iter().copied()).chain(header.time) {
            used[column] = true;
        }
        state.set_time_field(header.time_field(), &header.texts);
        // Rows are counted as lines.
        state.location.line = 0;
        let columns = header.texts.iter().map(|_| Column::absent()).collect();
        ArrowReader {
            rows: BatchRows { header, columns, length: 0, row: 0 },
            state,
            batches,
            dictionary: DictionaryNames::default(),
            used,
            names: Vec::new(),
            times: Vec::new(),
            base: 0,
            at: 0,
            fault: None,
        }
    }

    /// Reads the names and times of the next window; returns false at the end.
    #[inline(never)]
    fn read_window(&mut self) -> Result<bool, Fault> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        self.base += self.names.len();
        while self.base >= self.rows.length {
            let Some(batch_part) = self.batches.next()? else {
                self.names.clear();
                return Ok(false);
            };
            self.begin_batch(&batch_part)?;
        }
        self.state.checkpoints.note(self.state.index, self.state.location.line + 1, 0);
        let ReaderState { names, times, index, .. } = &mut self.state;
        let BatchRows { header, columns, length, .. } = &self.rows;
        let window = self.base..(self.base + WINDOW).min(*length);
        self.names.clear();
        self.times.clear();
        self.at = 0;
        self.fault = match &header.name {
            RowName::Column(column) => self.dictionary.append(&columns[*column], window, names, &mut self.names).err(),
            RowName::Constant(name) => {
                let name = names.find_or_intern(name);
                self.names.extend(window.map(|_| name));
                None
            }
            RowName::Template(template, parts) => {
                let parts: Vec<_> =
                    parts.iter().map(|column| (header.texts[*column].as_str(), &columns[*column])).collect();
                append_template_names(template, &parts, window, names, &mut self.names).err()
            }
        };
        let named = self.base..self.base + self.names.len();
        if let Some(time) = header.time {
            // This row precedes the one with the fault in its name.
            if let Err(fault) = times::append(&columns[time], named, times, &mut self.times) {
                self.fault = Some(fault);
                self.names.truncate(self.times.len());
            }
        } else {
            let first = *index as i64;
            self.times.extend((first..).take(self.names.len()).map(|index| times.whole(index)));
        }
        match self.fault.take_if(|_| self.names.is_empty()) {
            Some(fault) => Err(fault),
            None => Ok(true),
        }
    }

    /// Begins the next batch.
    fn begin_batch(&mut self, batch_part: &ColumnBatch) -> Result<(), Fault> {
        let BatchRows { header, columns, length, .. } = &mut self.rows;
        columns.fill_with(Column::absent);
        let fields = batch_part.batch.schema_ref().fields();
        let arrays = batch_part.batch.columns().iter().zip(fields).zip(&batch_part.columns);
        for ((array, field), &column) in arrays.filter(|(_, column)| self.used.get(**column) == Some(&true)) {
            columns[column] = Column::new(field, array.as_ref()).map_err(|unsupported| {
                let name = quote(header.texts[column].as_bytes());
                let message = format!("the column {name} has the type {}, which is not supported", unsupported.0);
                Fault::new(Code::ColumnType, 0, message).help("leave the column out, or make texts or numbers of it")
            })?;
            if let Some(row) = columns[column].row_out_of_range() {
                let name = quote(header.texts[column].as_bytes());
                let message = format!("a number in the column {name} has more than 128 bits, {row} rows below");
                return Err(Fault::new(Code::NumberRange, 0, message).help("make texts of the column"));
            }
        }
        let name = batch_part.columns.iter().position(|column| Some(*column) == header.name.column());
        let dictionary = name.map(|column| batch_part.batch.column(column));
        let dictionary = dictionary.filter(|array| matches!(array.data_type(), DataType::Dictionary(..)));
        self.dictionary.begin_batch(dictionary.map(|array| array.as_any_dictionary().values()));
        *length = batch_part.batch.num_rows();
        self.base = 0;
        Ok(())
    }

    /// Returns the gap that follows the window.
    #[inline(never)]
    fn next_gap(&mut self) -> Option<EventGap> {
        if self.fault.is_some() || self.base + self.names.len() < self.rows.length || self.rows.header.time.is_none() {
            return None;
        }
        let idle = self.batches.idle()?;
        let mut ends = Vec::new();
        for time in &idle.times {
            let field = Field::new("", time.data_type().clone(), true);
            let column = Column::new(&field, time.as_ref()).ok()?;
            times::append(&column, 0..1, &mut self.state.times, &mut ends).ok()?;
        }
        for name in &idle.names {
            self.state.names.find_or_intern(name);
        }
        let &[first, last] = &ends[..] else { return None };
        (idle.rows > 0 && first <= last).then_some(EventGap { events: idle.rows, first, last })
    }

    #[cold]
    fn error(&self, fault: Fault) -> TraceError {
        TraceError::new(&self.state.source, Location { line: self.state.location.line + 1, column: 1 }, fault)
    }
}

/// Finds the columns of names, times and fields in a schema.
pub(crate) fn header(schema: &SchemaRef, setup: &ReaderSetup) -> Result<TableHeader, Fault> {
    let texts: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    if texts.len() > MOST_FIELDS {
        return Err(too_many_fields(0));
    }
    TableHeader::new(texts, (&setup.symbols, &setup.projection), setup, no_event_column)
        .map_err(|fault| fault.placed(0))
}

#[cold]
fn no_event_column(texts: &[String]) -> Fault {
    let fault = Fault::new(Code::NoEventColumn, 0, "no column is `event` or `name`, so the events have no names");
    match find_other_case(texts) {
        Some(text) => fault.help(format!(
            "rename {} to `{}`: names are case-sensitive",
            quote(text.as_bytes()),
            text.to_lowercase()
        )),
        None => fault.help(format!(
            "the columns are {}; name the one with the events' names: `--event COLUMN`",
            list_names(texts)
        )),
    }
}

impl Reader for ArrowReader {
    #[inline]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        if self.at >= self.names.len() && !self.read_window().map_err(|fault| self.error(fault))? {
            return Ok(None);
        }
        let (event, time) = (self.names[self.at], self.times[self.at]);
        self.rows.row = self.base + self.at;
        self.at += 1;
        self.state.location.line += 1;
        self.state.want(event);
        Ok(Some(self.state.origin(event, Some(time))))
    }

    /// Takes rows of the window only: a gap may follow it.
    fn advance_run(&mut self, bare: &NameSet, run: &mut Vec<Origin>) {
        let (names, times) = (&self.names[self.at..], &self.times[self.at..]);
        let rows = names.iter().zip(times).zip(self.state.index..).take(RUN_LENGTH);
        let origins = rows.map(|((event, time), event_index)| Origin { event_index, time: *time, event: *event });
        run.extend(origins.take_while(|origin| bare.contains(origin.event)));
        if !run.is_empty() {
            self.at += run.len();
            self.rows.row = self.base + self.at - 1;
            self.state.location.line += run.len() as u64;
            self.state.index += run.len() as u64;
            self.state.has_fields = false;
        }
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        if self.state.has_fields { &self.rows } else { &NoFields }
    }

    #[inline]
    fn gap(&mut self) -> Option<EventGap> {
        if self.at < self.names.len() { None } else { self.next_gap() }
    }

    fn skip_gap(&mut self, gap: EventGap) {
        self.batches.skip_idle();
        self.state.index += gap.events;
        self.state.location.line += gap.events;
    }

    fn state(&self) -> &ReaderState {
        &self.state
    }

    fn counts_rows(&self) -> bool {
        true
    }

    fn bytes_read(&self) -> u64 {
        self.batches.bytes_read()
    }

    fn entries(&self) -> Vec<FieldEntry<'_>> {
        if self.state.has_fields { self.rows.entries() } else { Vec::new() }
    }

    fn field_names(&self) -> Vec<String> {
        self.rows.header.field_names()
    }
}

impl BatchRows {
    fn entries(&self) -> Vec<FieldEntry<'_>> {
        let columns = self.columns.iter().zip(&self.header.texts).enumerate();
        let others = columns.filter(|(number, _)| Some(*number) != self.header.name.column());
        let entries = others.filter_map(|(number, (column, text))| {
            let value = column.value(self.row)?;
            Some(FieldEntry { key: Cow::Borrowed(text.as_str()), value, is_time: Some(number) == self.header.time })
        });
        entries.collect()
    }
}

impl Fields for BatchRows {
    #[inline]
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.columns[self.header.column(key)?].value(self.row)
    }

    fn parameter_count(&self) -> usize {
        let is_set = |column: &usize| self.columns[*column].value(self.row).is_some();
        self.header.parameters.iter().rposition(is_set).map_or(0, |last| last + 1)
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        let column = self.header.parameters.get(index).map(|column| &self.columns[*column]);
        column.and_then(|column| column.value(self.row)).unwrap_or(Value::Null)
    }
}

/// Batches of another program.
struct ExternalBatches {
    batches: Box<dyn RecordBatchReader + Send>,
    bytes: u64,
}

impl BatchSource for ExternalBatches {
    fn next(&mut self) -> Result<Option<ColumnBatch>, Fault> {
        let Some(batch) = self.batches.next().transpose().map_err(|error| damaged(&error))? else {
            return Ok(None);
        };
        self.bytes += batch.get_array_memory_size() as u64;
        Ok(Some(ColumnBatch { columns: (0..batch.num_columns()).collect(), batch }))
    }

    fn bytes_read(&self) -> u64 {
        self.bytes
    }
}

#[cold]
pub(crate) fn damaged(error: &ArrowError) -> Fault {
    Fault::new(Code::Columns, 0, format!("the columns cannot be read: {error}"))
        .help("the input is damaged or uses an unsupported feature; write it again")
}

#[cfg(test)]
mod tests;
