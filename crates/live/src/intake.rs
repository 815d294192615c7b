// SPDX-License-Identifier: MIT OR Apache-2.0
//! From what a client sends to events as bytes. A batch is taken whole or not at all.

use std::io::Read;

use gnomon_core::event::Projection;
use gnomon_core::symbols::Symbols;
use gnomon_core::time::{Clock, TimeKind};
use gnomon_run::compile::Compiled;
use gnomon_run::offline::units_are_known;
use gnomon_trace::{AnyReader, Reader, Setup};

use crate::event::{NewEvent, STAMPED, encode};
use crate::options::TimeSource;
use crate::refusal::{BadBatch, Refusal};

/// How a body is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BodyFormat {
    /// One flat JSON object per line.
    Ndjson,
    /// CRV XML: `<log>` with events in it.
    Xml,
}

impl BodyFormat {
    fn format(self) -> gnomon_trace::Format {
        match self {
            BodyFormat::Ndjson => gnomon_trace::Format::Ndjson,
            BodyFormat::Xml => gnomon_trace::Format::Xml,
        }
    }
}

/// Events as bytes.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    pub(crate) events: Vec<u8>,
    pub(crate) count: u32,
    /// Whether the times are date-times; `None`: no event has one.
    pub(crate) date_times: Option<bool>,
}

/// Reads a body. `known`: whether the times of this watch are date-times.
pub(crate) fn read(
    body: impl Read,
    format: BodyFormat,
    compiled: &Compiled,
    source: TimeSource,
    known: Option<bool>,
    most_bytes: usize,
) -> Result<Taken, Refusal> {
    let mut projection = Projection::default();
    projection.add_everything();
    let setup = Setup {
        symbols: Symbols::default(),
        projection,
        time_field: compiled.spec.time.field.clone(),
        clock: Clock::new(compiled.spec.time.unit),
        ..Setup::default()
    };
    let reader = gnomon_trace::open(body, "body", Some(format.format()), setup).map_err(|error| bad(&error))?;
    match reader {
        AnyReader::Ndjson(reader) => take(reader, compiled, source, known, most_bytes),
        other => take(other, compiled, source, known, most_bytes),
    }
}

fn take(
    mut reader: impl Reader,
    compiled: &Compiled,
    source: TimeSource,
    known: Option<bool>,
    most_bytes: usize,
) -> Result<Taken, Refusal> {
    let mut taken = Taken::default();
    while let Some(origin) = reader.advance().map_err(|error| bad(&error))? {
        let kind = reader.time_kind();
        let line = reader.place().line;
        let is_timed = source != TimeSource::Arrival && kind != TimeKind::Position;
        if is_timed {
            check_kind(kind, known.or(taken.date_times), line)?;
            taken.date_times = Some(kind == TimeKind::DateTime);
        }
        if taken.count == 0 {
            let kind = if is_timed { kind } else { TimeKind::DateTime };
            units_are_known(compiled, kind, None).map_err(|error| BadBatch::unit(&error.to_string()))?;
            if !is_timed && source != TimeSource::Arrival {
                check_kind(TimeKind::DateTime, known, line)?;
            }
        }
        let time = if is_timed { origin.time.ticks() } else { STAMPED };
        let entries = reader.entries();
        let fields = entries.iter().filter(|entry| !entry.is_time || !is_timed);
        let name = reader.symbols().name_text(origin.event);
        encode(&mut taken.events, name, time, fields.map(|entry| (&*entry.key, &entry.value)));
        taken.count += 1;
        if taken.events.len() > most_bytes {
            return Err(Refusal::too_large(most_bytes));
        }
    }
    Ok(taken)
}

/// Events that were made here.
pub(crate) fn made(events: &[NewEvent], source: TimeSource, known: Option<bool>) -> Result<Taken, Refusal> {
    let mut taken = Taken::default();
    for (line, event) in (1..).zip(events) {
        if source != TimeSource::Arrival {
            check_kind(TimeKind::DateTime, known, line)?;
            taken.date_times = taken.date_times.or(event.time.map(|_| true));
        }
        let time = event.time.filter(|_| source != TimeSource::Arrival).unwrap_or(STAMPED);
        let fields = event.fields.iter().map(|(key, value)| (key.as_str(), value));
        encode(&mut taken.events, &event.name, time, fields);
        taken.count += 1;
    }
    Ok(taken)
}

/// Numbers and date-times cannot be laid side by side.
fn check_kind(kind: TimeKind, date_times: Option<bool>, line: u64) -> Result<(), Refusal> {
    let is_date_time = kind == TimeKind::DateTime;
    match date_times {
        Some(known) if known != is_date_time => Err(BadBatch::kind(known, line)),
        _ => Ok(()),
    }
}

fn bad(error: &gnomon_trace::TraceError) -> Refusal {
    Refusal::Bad(BadBatch {
        line: error.line(),
        column: error.column(),
        code: error.code(),
        message: error.message().to_owned(),
        help: error.help().map(str::to_owned),
    })
}
