// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads as events: how one is written, so that a trace that has it can be judged again without asking.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use gnomon_core::event::NoFields;
use gnomon_core::time::TimeKind;
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_trace::{Entry, Moment, Reader, Record, with_record};

use super::variables::Read;

/// The name of the event that records a read.
pub const READ: &str = "extern";
/// The field that says which variable was read.
pub const VARIABLE: &str = "variable";
/// The field that says whether the read failed.
pub const FAILED: &str = "failed";
/// The field that says why.
pub const REASON: &str = "reason";

/// The field that times are written in where the trace has none.
const TIME: &str = "time";

/// Takes down what is judged: the events of the trace, and the reads in front of those that made them necessary.
pub trait Recorder: Send {
    /// An event, or a read.
    fn event(&mut self, record: &Record<'_>);
}

impl Read<'_> {
    /// The fields of the event that records it.
    pub fn entries(&self) -> Vec<Entry<'_>> {
        let entry = |key, value| Entry { key, value, is_time: false };
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

/// A recorder that several may hold.
#[derive(Clone)]
pub struct Recording(Arc<Mutex<dyn Recorder>>);

impl Recording {
    /// What is judged is told to this recorder.
    pub fn to(recorder: Arc<Mutex<dyn Recorder>>) -> Self {
        Recording(recorder)
    }

    /// An event of the trace.
    pub(super) fn event<R: Reader>(&self, reader: &R, origin: Origin) {
        with_record(reader, origin, |record| self.write(reader, origin, record));
    }

    /// What was read of a variable because of an event, at the time of that event.
    pub(super) fn read<R: Reader>(&self, reader: &R, origin: Origin, read: &Read<'_>) {
        let fields = read.entries();
        with_record(reader, origin, |record| {
            let record = Record { name: READ, fields: &fields, parameters: &NoFields, ..*record };
            self.write(reader, origin, &record);
        });
    }

    /// Where places are times, a read in between would move them: there the times are written down.
    fn write<R: Reader>(&self, reader: &R, origin: Origin, record: &Record<'_>) {
        let (time, clock, kind) = (origin.time, reader.clock(), TimeKind::Number);
        let moment = record.moment.unwrap_or(Moment { field: TIME, time, kind, clock, written: None });
        let mut recorder = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recorder.event(&Record { moment: Some(moment), ..*record });
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recording")
    }
}
