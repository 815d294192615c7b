// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conversion from one format to another.

use std::io;

use gnomon_core::time::TimeKind;
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_scan::TraceError;
use thiserror::Error;

use crate::loss::Losses;
use crate::reader::{FieldEntry, Reader};
use crate::writer::{EventRecord, EventTime, Writer};

/// The result of a conversion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConversionSummary {
    /// The number of events.
    pub events: u64,
    /// The information that the target format cannot represent.
    pub losses: Losses,
}

/// An error of a conversion.
#[derive(Debug, Error)]
pub enum ConvertError {
    /// The trace cannot be read.
    #[error("{0}")]
    Trace(#[from] TraceError),
    /// The output cannot be written.
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
}

/// Copies the events of a reader, whose setup must want everything, to a writer, and ends the trace.
///
/// ```
/// use gnomon_trace::{Format, ReaderSetup, convert, create, open};
/// let mut reader = open("event, time, user\nlogon, 3, ann\n".as_bytes(), "t.csv", None, ReaderSetup::everything())?;
/// let mut out = Vec::new();
/// let mut writer = create(Format::Ndjson, &mut out, None).expect("NDJSON can be written");
/// let summary = convert(&mut reader, &mut *writer)?;
/// assert!(summary.losses.is_empty());
/// drop(writer);
/// assert_eq!(out, b"{\"event\": \"logon\", \"time\": 3, \"user\": \"ann\"}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn convert<R: Reader>(reader: &mut R, writer: &mut dyn Writer) -> Result<ConversionSummary, ConvertError> {
    let mut events = 0;
    while let Some(origin) = reader.advance()? {
        with_record(reader, origin, |record| writer.write(record))?;
        events += 1;
    }
    writer.finish()?;
    Ok(ConversionSummary { events, losses: writer.losses().clone() })
}

/// Calls a function with the current event of a reader as a record for a writer. The setup of the reader must want
/// everything.
pub fn with_record<R: Reader + ?Sized, T>(reader: &R, origin: Origin, write: impl FnOnce(&EventRecord<'_>) -> T) -> T {
    let mut written = None;
    let mut fields: Vec<FieldEntry<'_>> = reader.entries();
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
    let event_time = |field| EventTime { field, time: origin.time, kind, clock: reader.clock(), written };
    let record = EventRecord {
        name: reader.symbols().name_text(origin.event),
        index: origin.event_index,
        event_time: field.map(event_time),
        fields: &fields,
        parameters: reader.fields(),
        case: reader.case_number(),
    };
    write(&record)
}
