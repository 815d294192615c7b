// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writer. The columns and their types must be known before the first row: from a first pass over the trace, else from
//! its first events, which are kept until there are enough of them.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::builder::StringBuilder;
use arrow_schema::extension::Json;
use arrow_schema::{DataType, Field, Schema};
use foldhash::fast::RandomState;
use gnomon_core::event::OwnedFields;
use gnomon_core::symbols::Key;
use gnomon_core::value::Value;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::cells::{Cells, TimeCells};
use super::shape::{Kind, Shape, TimeColumn};
use crate::columns::Columns;
use crate::loss::{Loss, Losses};
use crate::reader::Entry;
use crate::writer::{Moment, Record, Writer, field_name, keeps_positions};

/// How many rows are handed on at once, and how many make a row group.
const BATCH: usize = 1 << 13;
const ROW_GROUP: usize = 1 << 20;
/// A row group with more bytes than this ends, however few rows it has.
const ROW_GROUP_BYTES: usize = 128 << 20;
/// How many events tell the columns, where no first pass does.
const GATHERED: usize = 1 << 16;

/// Writes Parquet; see `parquet/FORMAT.md`.
pub struct ParquetWriter<W: Write + Send> {
    state: State<W>,
    losses: Losses,
}

enum State<W: Write + Send> {
    /// The columns are not known yet.
    Gathering {
        out: Option<W>,
        events: Vec<Kept>,
        columns: Option<Columns>,
    },
    Writing(Box<Sheet<W>>),
}

/// An event that waits for the columns.
struct Kept {
    name: String,
    index: u64,
    case: u64,
    moment: Option<(String, Moment<'static>)>,
    fields: Vec<Entry<'static>>,
    parameters: OwnedFields,
}

/// A file under construction.
struct Sheet<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: Arc<Schema>,
    columns: Columns,
    places: HashMap<String, usize, RandomState>,
    names: StringBuilder,
    times: Option<TimeCells>,
    cells: Vec<Cells>,
    /// Which fields the present event has.
    is_set: Vec<bool>,
    rows: usize,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Begins a trace. Columns that a first pass found carry everything; without them the first events tell, and what
    /// does not fit later is an error.
    pub fn new(out: W, columns: Option<Columns>) -> Self {
        let columns = columns.filter(Columns::has_shapes);
        ParquetWriter {
            state: State::Gathering { out: Some(out), events: Vec::new(), columns },
            losses: Losses::default(),
        }
    }

    /// The columns are known, or are those of the events that were kept.
    fn settle(&mut self) -> io::Result<()> {
        let State::Gathering { out, events, columns } = &mut self.state else { return Ok(()) };
        let Some(out) = out.take() else { return Err(io::Error::other("the output failed before")) };
        let events = std::mem::take(events);
        let columns = match columns.take() {
            Some(columns) => columns,
            None => seen(&events)?,
        };
        let mut sheet = Box::new(Sheet::new(out, columns, &mut self.losses)?);
        for event in &events {
            event.show(|record| sheet.write(record, &mut self.losses))?;
        }
        self.state = State::Writing(sheet);
        Ok(())
    }
}

impl<W: Write + Send> Writer for ParquetWriter<W> {
    fn write(&mut self, event: &Record<'_>) -> io::Result<()> {
        match &mut self.state {
            State::Writing(sheet) => sheet.write(event, &mut self.losses),
            State::Gathering { events, columns, .. } => {
                events.push(Kept::new(event));
                if columns.is_none() && events.len() < GATHERED { Ok(()) } else { self.settle() }
            }
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        self.settle()?;
        let State::Writing(sheet) = &mut self.state else { return Ok(()) };
        sheet.hand_on()?;
        sheet.writer.finish().map(drop).map_err(failed)
    }

    fn losses(&self) -> &Losses {
        &self.losses
    }
}

/// The columns of these events.
fn seen(events: &[Kept]) -> io::Result<Columns> {
    let mut columns = Columns::default();
    for event in events {
        if let Some((field, moment)) = &event.moment {
            columns.see_time(field, moment.time, moment.kind, moment.clock);
        }
        if !event.fields.iter().all(|entry| columns.see(&entry.key, &entry.value)) {
            return Err(io::Error::other("the events have too many different fields for a table"));
        }
    }
    Ok(columns)
}

impl Kept {
    fn new(event: &Record<'_>) -> Self {
        let moment = event.moment.map(|moment| {
            let Moment { time, kind, clock, .. } = moment;
            (moment.field.to_owned(), Moment { field: "", time, kind, clock, written: None })
        });
        let parameters = (0..event.parameters.parameter_count())
            .map(|index| (Key::OTHER, event.parameters.parameter(index).into_owned()));
        Kept {
            name: event.name.to_owned(),
            index: event.index,
            case: event.case,
            moment,
            fields: event.fields.iter().cloned().map(Entry::into_owned).collect(),
            parameters: OwnedFields { entries: parameters.collect() },
        }
    }

    fn show<T>(&self, show: impl FnOnce(&Record<'_>) -> T) -> T {
        show(&Record {
            name: &self.name,
            index: self.index,
            moment: self.moment.as_ref().map(|(field, moment)| Moment { field, ..*moment }),
            fields: &self.fields,
            parameters: &self.parameters,
            case: self.case,
        })
    }
}

impl<W: Write + Send> Sheet<W> {
    fn new(out: W, columns: Columns, losses: &mut Losses) -> io::Result<Self> {
        let time = columns.time.as_deref();
        let places: HashMap<String, usize, RandomState> =
            columns.fields.iter().cloned().enumerate().map(|(place, name)| (name, place)).collect();
        let mut fields = vec![Field::new("event", DataType::Utf8, false)];
        let time_column = time.map(|_| columns.time_shape().column());
        if let (Some(time), Some(column)) = (time, time_column) {
            fields.push(Field::new(time, column.data_type(), false));
        }
        let kinds: Vec<Kind> = columns.shapes().map(Shape::kind).collect();
        for (key, kind) in columns.fields.iter().zip(&kinds) {
            let name = field_name(key, time, &["event"], |name| places.contains_key(name));
            if name != *key {
                losses.add(Loss::Renamed, 0, key);
            }
            let field = Field::new(name, kind.data_type(), true);
            let is_json = *kind == Kind::Json;
            fields.push(if is_json { field.with_extension_type(Json::default()) } else { field });
        }
        let schema = Arc::new(Schema::new(fields));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
            .set_created_by(concat!("gnomon ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        Ok(Sheet {
            writer: ArrowWriter::try_new(out, schema.clone(), Some(properties)).map_err(failed)?,
            schema,
            places,
            names: StringBuilder::new(),
            times: time_column.map(TimeColumn::cells),
            is_set: vec![false; kinds.len()],
            cells: kinds.into_iter().map(Kind::cells).collect(),
            columns,
            rows: 0,
        })
    }

    fn write(&mut self, event: &Record<'_>, losses: &mut Losses) -> io::Result<()> {
        let misfit = |field: &str, what: &str| {
            io::Error::other(format!(
                "the field `{field}` of event {} {what}; convert from a file, which is read twice, not from a stream",
                event.index
            ))
        };
        self.names.append_value(event.name);
        match (&mut self.times, &event.moment) {
            (Some(times), Some(moment)) => {
                if !times.add(moment) {
                    return Err(misfit(moment.field, "does not fit the column that the first events told"));
                }
            }
            (None, None) => {}
            _ => return Err(misfit("time", "is there or not, unlike in the first events")),
        }
        self.is_set.fill(false);
        for field in event.fields {
            let Some(&place) = self.places.get(field.key.as_ref()) else {
                return Err(misfit(&field.key, "is in none of the first events"));
            };
            if field.value == Value::Null && !self.cells[place].is_json() {
                losses.add(Loss::Null, event.index, &field.key);
                continue;
            }
            if !self.cells[place].add(&field.value) {
                return Err(misfit(&field.key, "does not fit the column that the first events told"));
            }
            self.is_set[place] = true;
        }
        let unset = self.cells.iter_mut().zip(&self.is_set).filter(|(_, is_set)| !**is_set);
        unset.for_each(|(cells, _)| cells.add_null());
        if !keeps_positions(event, &self.columns.fields, |column| self.is_set[column]) {
            losses.add(Loss::Positions, event.index, "");
        }
        self.rows += 1;
        if self.rows >= BATCH { self.hand_on() } else { Ok(()) }
    }

    /// Hands the rows on that are ready.
    fn hand_on(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.rows = 0;
        let names = Arc::new(self.names.finish()) as arrow_array::ArrayRef;
        let times = self.times.as_mut().map(TimeCells::finish);
        let fields = self.cells.iter_mut().map(Cells::finish);
        let arrays = std::iter::once(names).chain(times).chain(fields).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), arrays).map_err(io::Error::other)?;
        self.writer.write(&batch).map_err(failed)
    }
}

/// What the output said, if it was the output.
fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
