// SPDX-License-Identifier: MIT OR Apache-2.0
//! From one format to another.

use std::error::Error;
use std::{fmt, io};

use gnomon_core::time::TimeKind;
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;

use crate::error::TraceError;
use crate::loss::Losses;
use crate::reader::{Entry, Reader};
use crate::writer::{Moment, Record, Writer};

/// What was converted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// How many events.
    pub events: u64,
    /// What the target could not carry.
    pub losses: Losses,
}

/// A trace that cannot be read, or an output that cannot be written.
#[derive(Debug)]
pub enum ConvertError {
    /// The trace.
    Trace(TraceError),
    /// The output.
    Output(io::Error),
}

/// Copies the events of a reader, whose setup must want everything, to a writer, and ends the trace.
///
/// ```
/// use gnomon_trace::{Format, Setup, convert, create, open};
/// let mut reader = open("event, time, user\nlogon, 3, ann\n".as_bytes(), "t.csv", None, Setup::everything())?;
/// let mut out = Vec::new();
/// let mut writer = create(Format::Ndjson, &mut out, None).expect("NDJSON can be written");
/// let summary = convert(&mut reader, &mut *writer)?;
/// assert!(summary.losses.is_empty());
/// drop(writer);
/// assert_eq!(out, b"{\"event\": \"logon\", \"time\": 3, \"user\": \"ann\"}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn convert<R: Reader>(reader: &mut R, writer: &mut dyn Writer) -> Result<Summary, ConvertError> {
    let mut events = 0;
    while let Some(origin) = reader.advance()? {
        with_record(reader, origin, |record| writer.write(record))?;
        events += 1;
    }
    writer.finish()?;
    Ok(Summary { events, losses: writer.losses().clone() })
}

/// The present event of a reader, whose setup must want everything, as a writer takes it.
pub fn with_record<R: Reader + ?Sized, T>(reader: &R, origin: Origin, write: impl FnOnce(&Record<'_>) -> T) -> T {
    let mut written = None;
    let mut fields: Vec<Entry<'_>> = reader.entries();
    fields.retain_mut(|entry| {
        if entry.is_time {
            written = Some(std::mem::replace(&mut entry.value, Value::Null));
        }
        !entry.is_time
    });
    let kind = reader.time_kind();
    let field = reader.time_field().filter(|_| kind != TimeKind::Position);
    let written = match &written {
        Some(Value::Text(text)) => Some(text.trim_ascii()),
        _ => None,
    };
    let moment = |field| Moment { field, time: origin.time, kind, clock: reader.clock(), written };
    let record = Record {
        name: reader.symbols().name_text(origin.event),
        index: origin.event_index,
        moment: field.map(moment),
        fields: &fields,
        parameters: reader.fields(),
        case: reader.case_number(),
    };
    write(&record)
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::Trace(error) => error.fmt(f),
            ConvertError::Output(error) => write!(f, "the output cannot be written: {error}"),
        }
    }
}

impl Error for ConvertError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(match self {
            ConvertError::Trace(error) => error,
            ConvertError::Output(error) => error,
        })
    }
}

impl From<TraceError> for ConvertError {
    fn from(error: TraceError) -> Self {
        ConvertError::Trace(error)
    }
}

impl From<io::Error> for ConvertError {
    fn from(error: io::Error) -> Self {
        ConvertError::Output(error)
    }
}
