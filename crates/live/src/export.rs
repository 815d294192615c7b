// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exports the evaluated events as a log, in the order of evaluation, with the ticks that may have settled something. `gnomon check`
//! reports the same for this log as the watch.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use gnomon_core::event::{CASE_MARKER, CASE_MARKER_FIELDS, NoFields};
use gnomon_core::time::{Duration, Quantity, Timestamp, Unit};
use gnomon_core::value::Value;
use gnomon_report::numbers::TimeFormat;
use gnomon_run::externs::{ExternRead, READ};
use gnomon_store::StoreError;
use gnomon_store::journal::{JournalRecord, RecordReader};
use gnomon_trace::{EventRecord, EventTime, FieldEntry, NdjsonWriter, Writer as _};

use crate::evaluator::has_unit;
use crate::event::{EventView, PROGRESS_MARKER};
use crate::live::Live;
use crate::options::TimeSource;
use crate::record::{self, CONTROL, ControlRecord, EVENTS, Policy};
use crate::rows;
use crate::sorter::{OrderedStep, Sorter};

/// Default name of the time field.
const TIME: &str = "time";

/// Iterates over the NDJSON lines of each record.
pub struct JournalExport {
    records: RecordReader,
    time_source: TimeSource,
    policy: Policy,
    sorter: Sorter,
    time_format: TimeFormat,
    field: String,
    index: u64,
    from: u64,
    /// Silence after which a case is over, since the last event.
    case_expiry: Option<Duration>,
    /// Time of the last line.
    last: Option<Timestamp>,
    /// False if timestamps are numbers of an unknown unit, so that cases do not expire by default.
    has_unit: bool,
    /// Values of external variables since the last event.
    reads: Vec<(String, Result<Value<'static>, String>)>,
}

impl Live {
    /// Exports the events in the order of evaluation, from this index on. Blocks while it reads the journal; `None` without one.
    pub fn export(&self, from: u64) -> Result<Option<JournalExport>, StoreError> {
        let Some(journal) = &self.inner.journal else { return Ok(None) };
        let compiled = self.compiled();
        let date_times = crate::shared::lock(&self.inner.shared.report).date_times;
        Ok(Some(JournalExport {
            records: journal.read(journal.first())?,
            time_source: self.inner.settings.time,
            // The record with the policy is missing if retention removed the start of the journal.
            policy: if journal.first() == 1 {
                Policy::initial(&self.inner.settings)
            } else {
                self.inner.policy.clone()
            },
            sorter: Sorter::default(),
            time_format: rows::time_format(&compiled, date_times),
            field: compiled.spec.time.field.clone().unwrap_or_else(|| TIME.to_owned()),
            index: 0,
            from,
            // Its record is missing as well.
            case_expiry: self.inner.case_expiry.filter(|_| journal.first() > 1),
            last: None,
            has_unit: has_unit(&compiled, date_times),
            reads: vec![],
        }))
    }
}

impl Iterator for JournalExport {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<io::Result<Vec<u8>>> {
        loop {
            let record = match self.records.next()? {
                Ok(record) => record,
                Err(error) => return Some(Err(io::Error::other(error.to_string()))),
            };
            match self.lines(record) {
                Ok(lines) if lines.is_empty() => {}
                other => return Some(other),
            }
        }
    }
}

impl JournalExport {
    fn lines(&mut self, record: JournalRecord) -> io::Result<Vec<u8>> {
        let mut writer = NdjsonWriter::new(Vec::new());
        let mut sorter = std::mem::take(&mut self.sorter);
        let payload = Arc::new(record.payload);
        let mut written = Ok(());
        if record.kind == EVENTS
            && let Some((header, start)) = record::open_batch(&payload)
        {
            let (source, policy) = (self.time_source, self.policy.clone());
            let visit = &mut |step: OrderedStep<'_>| self.step(&step, true, &mut writer);
            written = sorter.order_batch((source, &policy), (&header, start), &payload, visit);
        } else if record.kind == CONTROL {
            match postcard::from_bytes::<ControlRecord>(&payload) {
                Ok(ControlRecord::Tick { to, settles, .. }) => {
                    let visit = &mut |step: OrderedStep<'_>| self.step(&step, settles, &mut writer);
                    written = sorter.order_tick(Timestamp::from_ticks(to), settles, visit);
                }
                Ok(ControlRecord::Read { variable, result }) => self.read(variable, result),
                Ok(ControlRecord::Policy(policy)) => self.policy = policy,
                Ok(ControlRecord::CaseExpiry(expiry)) => self.case_expiry = expiry.filter(|_| self.has_unit),
                Ok(ControlRecord::EvictCases { cases, .. }) => written = self.evicted(&cases, &mut writer),
                _ => {}
            }
        }
        self.sorter = sorter;
        written?;
        writer.into_inner()
    }

    /// Writes a step. A tick matters to the evaluation of the export only if it may settle something.
    fn step(&mut self, step: &OrderedStep<'_>, settles: bool, writer: &mut NdjsonWriter<Vec<u8>>) -> io::Result<()> {
        match step {
            OrderedStep::Event(view, ..) if view.name == CASE_MARKER => Ok(()),
            OrderedStep::Event(view, time, _) => self.line(view, *time, writer),
            OrderedStep::Tick(to) if settles => self.write(PROGRESS_MARKER, *to, &[], writer),
            _ => Ok(()),
        }
    }

    /// Writes the cases that were closed at a limit.
    fn evicted(&mut self, cases: &[String], writer: &mut NdjsonWriter<Vec<u8>>) -> io::Result<()> {
        // Before the first event there is no case.
        let Some(last) = self.last.filter(|_| self.index >= self.from) else { return Ok(()) };
        for case in cases {
            let end = ("end", Value::Text("inconclusive".into()));
            self.case_marker(last, &[(CASE_MARKER_FIELDS[0], Value::Text(case.into())), end], writer)?;
        }
        Ok(())
    }

    fn case_marker(
        &mut self,
        time: Timestamp,
        fields: &[(&str, Value<'_>)],
        writer: &mut NdjsonWriter<Vec<u8>>,
    ) -> io::Result<()> {
        let entry = |(key, value): &(&str, Value<'_>)| FieldEntry {
            key: Cow::Owned((*key).to_owned()),
            value: value.clone().into_owned(),
            is_time: false,
        };
        let fields: Vec<FieldEntry<'_>> = fields.iter().map(entry).collect();
        self.write(CASE_MARKER, time, &fields, writer)
    }

    /// Records the value of an external variable. Before the next event only the last value matters, and a failure after it.
    fn read(&mut self, variable: String, result: Result<Value<'static>, String>) {
        self.reads.retain(|(name, before)| *name != variable || (result.is_err() && before.is_ok()));
        self.reads.push((variable, result));
    }

    fn line(&mut self, view: &EventView<'_>, time: Timestamp, writer: &mut NdjsonWriter<Vec<u8>>) -> io::Result<()> {
        let index = self.index;
        self.index += 1;
        if index < self.from {
            return Ok(());
        }
        for (variable, result) in std::mem::take(&mut self.reads) {
            let read = ExternRead { variable: &variable, result: result.as_ref().map_err(String::as_str) };
            self.write(READ, time, &read.entries(), writer)?;
        }
        let entry = |(key, value)| FieldEntry { key: Cow::Borrowed(key), value, is_time: false };
        let fields: Vec<FieldEntry<'_>> = view.entries().map(entry).collect();
        self.write(view.name, time, &fields, writer)
    }

    fn write(
        &mut self,
        name: &str,
        time: Timestamp,
        fields: &[FieldEntry<'_>],
        writer: &mut NdjsonWriter<Vec<u8>>,
    ) -> io::Result<()> {
        self.last = Some(time);
        if let Some(expiry) = self.case_expiry.take() {
            let nanoseconds = Quantity { billionths: expiry.ticks() * 1_000_000_000, unit: Some(Unit::Nanosecond) };
            let expires = Value::Text(nanoseconds.to_string().into());
            self.case_marker(time, &[(CASE_MARKER_FIELDS[1], expires)], writer)?;
        }
        let (kind, clock) = (self.time_format.kind, self.time_format.clock);
        let event_time = Some(EventTime { field: &self.field, time, kind, clock, written: None });
        writer.write(&EventRecord { name, index: self.index, event_time, fields, parameters: &NoFields, case: 0 })
    }
}
