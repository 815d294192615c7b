// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader. Names and times are found for some thousand rows at once; fields stay in the batch until someone asks.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use gnomon_core::event::{Fields, NoFields, TICK, Want};
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;

use super::column::Column;
use super::layout::Layout;
use super::names::Memo;
use super::times;
use crate::context::{Context, answer_from_context};
use crate::error::{Code, Fault, TraceError, quote};
use crate::reader::{Entry, Gap, Place, Reader, Setup};

/// So many rows are looked at together: few enough to stay in a processor's cache.
const WINDOW: usize = 1 << 12;

/// Where batches come from.
pub(crate) trait Batches: Send {
    /// The next batch; `None` at the end.
    fn next(&mut self) -> Result<Option<Chunk>, Fault>;

    /// How many bytes of the input lie behind.
    fn bytes_read(&self) -> u64;

    /// What comes next, if none of it need be read.
    fn idle(&mut self) -> Option<Idle> {
        None
    }

    /// Passes what [`Batches::idle`] told just now.
    fn leap(&mut self) {}
}

/// Rows of which nobody wants anything.
pub(crate) struct Idle {
    pub(crate) rows: u64,
    /// The least and the greatest time, as the column has them.
    pub(crate) times: [ArrayRef; 2],
    /// Names that they have, as far as is known.
    pub(crate) names: Vec<String>,
}

/// A batch that may lack columns which nobody asks for.
pub(crate) struct Chunk {
    pub(crate) batch: RecordBatch,
    /// The number that each column of the batch has in the [`Layout`].
    pub(crate) columns: Vec<usize>,
}

/// Reads record batches of Arrow; see `parquet/FORMAT.md`.
pub struct ArrowReader {
    rows: Rows,
    context: Context,
    batches: Box<dyn Batches>,
    memo: Memo,
    /// The columns that some event needs.
    used: Vec<bool>,
    /// Of the rows that were looked at, name and time.
    names: Vec<Name>,
    times: Vec<Timestamp>,
    /// The row of the batch that the first of them is.
    base: usize,
    /// How many of them were read.
    at: usize,
    /// What is wrong with the row after them.
    fault: Option<Fault>,
    /// The index of the next event.
    index: u64,
    /// How many rows were read.
    row_count: u64,
    has_fields: bool,
    /// The name of what is no event, if someone knows it.
    tick: Option<Name>,
}

/// The present batch and row.
struct Rows {
    layout: Layout,
    columns: Vec<Column>,
    length: usize,
    row: usize,
}

impl ArrowReader {
    /// Reads the batches of another program; `name` stands for them in messages.
    pub fn new(batches: Box<dyn RecordBatchReader + Send>, name: &str, setup: Setup) -> Result<Self, TraceError> {
        let schema = batches.schema();
        let start = |fault| TraceError::new(name, Place::START, fault);
        let layout = layout(&schema, &setup).map_err(start)?;
        Ok(ArrowReader::with(Box::new(Given { batches, bytes: 0 }), layout, name, setup))
    }

    /// Reads batches with this layout.
    pub(crate) fn with(batches: Box<dyn Batches>, layout: Layout, name: &str, setup: Setup) -> Self {
        let Setup { symbols, projection, clock, .. } = setup;
        let mut used = vec![false; layout.texts.len()];
        for name in 0..symbols.name_count() as u32 {
            layout.mark(projection.want(Name(name)), &mut used);
        }
        layout.mark(projection.others(), &mut used);
        used[layout.name] = true;
        layout.time.into_iter().for_each(|column| used[column] = true);
        let tick = symbols.find_name(TICK);
        let mut context = Context::new(name, symbols, projection, clock);
        if layout.time.is_none() {
            context.times.count_positions();
        }
        let columns = layout.texts.iter().map(|_| Column::Absent).collect();
        ArrowReader {
            rows: Rows { layout, columns, length: 0, row: 0 },
            context,
            batches,
            memo: Memo::default(),
            used,
            names: Vec::new(),
            times: Vec::new(),
            base: 0,
            at: 0,
            fault: None,
            index: 0,
            row_count: 0,
            has_fields: false,
            tick,
        }
    }

    /// Looks at more rows; false at the end.
    #[inline(never)]
    fn look(&mut self) -> Result<bool, Fault> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        self.base += self.names.len();
        while self.base >= self.rows.length {
            let Some(chunk) = self.batches.next()? else {
                self.names.clear();
                return Ok(false);
            };
            self.turn(&chunk)?;
        }
        let Context { names, times, .. } = &mut self.context;
        let Rows { layout, columns, length, .. } = &self.rows;
        let window = self.base..(self.base + WINDOW).min(*length);
        self.names.clear();
        self.times.clear();
        self.at = 0;
        self.fault = self.memo.fill(&columns[layout.name], window.clone(), names, &mut self.names).err();
        let named = self.base..self.base + self.names.len();
        if let Some(time) = layout.time {
            // What is wrong with an earlier row counts.
            if let Err(fault) = times::fill(&columns[time], named, times, &mut self.times) {
                self.fault = Some(fault);
                self.names.truncate(self.times.len());
            }
        } else {
            let mut index = self.index;
            for name in &self.names {
                self.times.push(times.whole(index as i64));
                index += u64::from(Some(*name) != self.tick);
            }
        }
        match self.fault.take_if(|_| self.names.is_empty()) {
            Some(fault) => Err(fault),
            None => Ok(true),
        }
    }

    /// Goes on to the next batch.
    fn turn(&mut self, chunk: &Chunk) -> Result<(), Fault> {
        let Rows { layout, columns, length, .. } = &mut self.rows;
        columns.fill_with(|| Column::Absent);
        let fields = chunk.batch.schema_ref().fields();
        let arrays = chunk.batch.columns().iter().zip(fields).zip(&chunk.columns);
        for ((array, field), &column) in arrays.filter(|(_, column)| self.used.get(**column) == Some(&true)) {
            columns[column] = Column::new(field, array.as_ref()).map_err(|unsupported| {
                let name = quote(layout.texts[column].as_bytes());
                let message = format!("the column {name} has the type {}, which no value has", unsupported.0);
                Fault::new(Code::ColumnType, 0, message).help("leave the column out, or make texts or numbers of it")
            })?;
        }
        let name = chunk.columns.iter().position(|column| *column == layout.name);
        let dictionary = name.map(|column| chunk.batch.column(column));
        let dictionary = dictionary.filter(|array| matches!(array.data_type(), DataType::Dictionary(..)));
        self.memo.turn(dictionary.map(|array| array.as_any_dictionary().values()));
        *length = chunk.batch.num_rows();
        self.base = 0;
        Ok(())
    }

    /// The gap that follows what was looked at.
    #[inline(never)]
    fn next_gap(&mut self) -> Option<Gap> {
        if self.fault.is_some() || self.base + self.names.len() < self.rows.length || self.rows.layout.time.is_none() {
            return None;
        }
        let idle = self.batches.idle()?;
        let mut ends = Vec::new();
        for time in &idle.times {
            let field = Field::new("", time.data_type().clone(), true);
            let column = Column::new(&field, time.as_ref()).ok()?;
            times::fill(&column, 0..1, &mut self.context.times, &mut ends).ok()?;
        }
        for name in &idle.names {
            self.context.names.find_or_intern(name);
        }
        let &[first, last] = &ends[..] else { return None };
        (idle.rows > 0 && first <= last).then_some(Gap { events: idle.rows, first, last })
    }

    #[cold]
    fn error(&self, fault: Fault) -> TraceError {
        TraceError::new(&self.context.source, Place { line: self.row_count + 1, column: 1 }, fault)
    }
}

/// The layout that a setup asks for.
pub(crate) fn layout(schema: &SchemaRef, setup: &Setup) -> Result<Layout, Fault> {
    let (event, time) = (setup.event_field.as_deref(), setup.time_field.as_deref());
    Layout::new(schema, &setup.symbols, &setup.projection, event, time)
}

impl Reader for ArrowReader {
    #[inline]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        if self.at >= self.names.len() && !self.look().map_err(|fault| self.error(fault))? {
            return Ok(None);
        }
        let (event, time) = (self.names[self.at], self.times[self.at]);
        self.rows.row = self.base + self.at;
        self.at += 1;
        self.row_count += 1;
        self.has_fields = *self.context.projection.want(event) != Want::Nothing;
        let event_index = self.index;
        self.index += u64::from(Some(event) != self.tick);
        Ok(Some(Origin { event_index, time, event }))
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        if self.has_fields { &self.rows } else { &NoFields }
    }

    #[inline]
    fn gap(&mut self) -> Option<Gap> {
        if self.at < self.names.len() { None } else { self.next_gap() }
    }

    fn leap(&mut self, gap: Gap) {
        self.batches.leap();
        self.index += gap.events;
        self.row_count += gap.events;
    }

    answer_from_context!();

    fn bytes_read(&self) -> u64 {
        self.batches.bytes_read()
    }

    #[inline]
    fn place(&self) -> Place {
        Place { line: self.row_count, column: 1 }
    }

    fn time_field(&self) -> Option<&str> {
        self.rows.layout.time.map(|column| self.rows.layout.texts[column].as_str())
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        if self.has_fields { self.rows.entries() } else { Vec::new() }
    }
}

impl Rows {
    fn entries(&self) -> Vec<Entry<'_>> {
        let columns = self.columns.iter().zip(&self.layout.texts).enumerate();
        let others = columns.filter(|(number, _)| *number != self.layout.name);
        let entries = others.filter_map(|(number, (column, text))| {
            let value = column.value(self.row)?;
            Some(Entry { key: Cow::Borrowed(text.as_str()), value, is_time: Some(number) == self.layout.time })
        });
        entries.collect()
    }
}

impl Fields for Rows {
    #[inline]
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.columns[self.layout.column(key)?].value(self.row)
    }

    fn parameter_count(&self) -> usize {
        let is_set = |column: &usize| self.columns[*column].value(self.row).is_some();
        self.layout.parameters.iter().rposition(is_set).map_or(0, |last| last + 1)
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        let column = self.layout.parameters.get(index).map(|column| &self.columns[*column]);
        column.and_then(|column| column.value(self.row)).unwrap_or(Value::Null)
    }
}

/// Batches that another program made.
struct Given {
    batches: Box<dyn RecordBatchReader + Send>,
    bytes: u64,
}

impl Batches for Given {
    fn next(&mut self) -> Result<Option<Chunk>, Fault> {
        let Some(batch) = self.batches.next().transpose().map_err(|error| damaged(&error))? else {
            return Ok(None);
        };
        self.bytes += batch.get_array_memory_size() as u64;
        Ok(Some(Chunk { columns: (0..batch.num_columns()).collect(), batch }))
    }

    fn bytes_read(&self) -> u64 {
        self.bytes
    }
}

#[cold]
pub(crate) fn damaged(error: &ArrowError) -> Fault {
    Fault::new(Code::Columns, 0, format!("the columns cannot be read: {error}"))
        .help("the input is damaged, or uses what is not known here; write it anew")
}

#[cfg(test)]
mod tests;
