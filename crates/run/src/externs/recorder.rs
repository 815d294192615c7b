// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records reads of external variables as events, so that the trace can be checked again without reading them.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use gnomon_core::event::NoFields;
use gnomon_core::time::TimeKind;
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_trace::{EventRecord, EventTime, FieldEntry, Reader, with_record};

use super::variables::ExternRead;

/// The name of the event that records a read.
pub const READ: &str = "extern";
/// The field with the name of the variable.
pub const VARIABLE: &str = "variable";
/// The field that is true if the read failed.
pub const FAILED: &str = "failed";
/// The field with the reason of a failure.
pub const REASON: &str = "reason";

/// The field for times if the trace has none.
const TIME: &str = "time";

/// Receives the events of a trace that is checked, with each read in front of the event that caused it.
pub trait TraceRecorder: Send {
    /// Takes an event or a read.
    fn event(&mut self, record: &EventRecord<'_>);
}

impl ExternRead<'_> {
    /// Returns the fields of the event that records the read.
    pub fn entries(&self) -> Vec<FieldEntry<'_>> {
        let entry = |key, value| FieldEntry { key, value, is_time: false };
        let (value, reason) = match &self.result {
            Ok(value) => (Some(entry(Cow::Borrowed(self.variable), (*value).clone())), None),
            Err(reason) => (None, Some(entry(REASON.into(), Value::Text(Cow::Borrowed(reason))))),
        };
        let mut fields = vec![entry(VARIABLE.into(), Value::Text(self.variable.into()))];
        fields.extend(value);
        fields.push(entry(FAILED.into(), Value::Bool(self.result.is_err())));
        fields.extend(reason);
        fields
    }
}

/// A recorder with several owners.
#[derive(Clone)]
pub struct SharedRecorder(Arc<Mutex<dyn TraceRecorder>>);

impl SharedRecorder {
    /// Shares this recorder.
    pub fn to(recorder: Arc<Mutex<dyn TraceRecorder>>) -> Self {
        SharedRecorder(recorder)
    }

    /// Records an event of the trace.
    pub(crate) fn event<R: Reader>(&self, reader: &R, origin: Origin) {
        with_record(reader, origin, |record| self.write(reader, origin, record));
    }

    /// Records a read at the time of the event that caused it.
    pub(crate) fn read<R: Reader>(&self, reader: &R, origin: Origin, read: &ExternRead<'_>) {
        let fields = read.entries();
        with_record(reader, origin, |record| {
            let record = EventRecord { name: READ, fields: &fields, parameters: &NoFields, ..*record };
            self.write(reader, origin, &record);
        });
    }

    /// Writes a record with its time. If a trace has no times, the index of an event is its time; a read in between would
    /// shift it, so the time is written explicitly.
    fn write<R: Reader>(&self, reader: &R, origin: Origin, record: &EventRecord<'_>) {
        let (time, clock, kind) = (origin.time, reader.clock(), TimeKind::Number);
        let event_time = record.event_time.unwrap_or(EventTime { field: TIME, time, kind, clock, written: None });
        let mut recorder = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recorder.event(&EventRecord { event_time: Some(event_time), ..*record });
    }
}

impl fmt::Debug for SharedRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recording")
    }
}
