// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was judged, to be judged again: the events in their order, and the ticks that may have settled something.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use gnomon_core::event::NoFields;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_report::numbers::Dial;
use gnomon_run::externs::{READ, Read};
use gnomon_store::StoreError;
use gnomon_store::journal::{Record as Kept, Records};
use gnomon_trace::{Entry, Moment, NdjsonWriter, Record, Writer as _};

use crate::event::{STAMPED, Seen, TICK};
use crate::judge::Settings;
use crate::live::Live;
use crate::options::TimeSource;
use crate::record::{self, CONTROL, Control, EVENTS};
use crate::rows;
use crate::sorter::{Place, Slot, Sorter};

/// The field that times are written in.
const TIME: &str = "time";

/// Lines of NDJSON, some at a time.
pub struct Export {
    records: Records,
    settings: Settings,
    sorter: Sorter,
    dial: Dial,
    field: String,
    index: u64,
    from: u64,
    /// Reads of external variables that no event has followed yet.
    reads: Vec<(String, Result<Value<'static>, String>)>,
}

impl Live {
    /// The events in the order in which they were judged, from this index on. Blocks while it reads the journal; without one
    /// there is nothing to tell.
    pub fn export(&self, from: u64) -> Result<Option<Export>, StoreError> {
        let Some(journal) = &self.inner.journal else { return Ok(None) };
        let compiled = self.compiled();
        let date_times = crate::shared::lock(&self.inner.shared.published).date_times;
        Ok(Some(Export {
            records: journal.read(journal.first())?,
            settings: self.inner.settings.clone(),
            sorter: Sorter::new(self.inner.settings.lateness),
            dial: rows::dial(&compiled, date_times),
            field: compiled.spec.time.field.clone().unwrap_or_else(|| TIME.to_owned()),
            index: 0,
            from,
            reads: vec![],
        }))
    }
}

impl Iterator for Export {
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

impl Export {
    fn lines(&mut self, kept: Kept) -> io::Result<Vec<u8>> {
        let mut writer = NdjsonWriter::new(Vec::new());
        match kept.kind {
            EVENTS => self.events(&Arc::new(kept.payload), &mut writer)?,
            CONTROL => match postcard::from_bytes::<Control>(&kept.payload) {
                Ok(Control::Tick { to, settles, .. }) => {
                    self.tick(Timestamp::from_ticks(to), settles, &mut writer)?;
                }
                Ok(Control::Read { variable, result }) => self.read(variable, result),
                Ok(Control::Begin { .. } | Control::Spec { .. } | Control::Release { .. }) | Err(_) => {}
            },
            _ => {}
        }
        writer.into_inner()
    }

    fn events(&mut self, record: &Arc<Vec<u8>>, writer: &mut NdjsonWriter<Vec<u8>>) -> io::Result<()> {
        let Some((header, start)) = record::open_batch(record) else { return Ok(()) };
        let (mut offset, mut stamp) = (start, header.arrival);
        while let Some((seen, length)) = Seen::read(&record[offset..]) {
            let time = match self.settings.time {
                TimeSource::Arrival => Timestamp::from_ticks(stamp),
                TimeSource::Event | TimeSource::Replay => seen.timestamp(stamp),
            };
            let is_stamped = self.settings.time == TimeSource::Arrival || seen.time == STAMPED;
            if seen.name == TICK {
                self.tick(time, true, writer)?;
            } else {
                match self.sorter.place(time, || Slot { record: record.clone(), offset }) {
                    Place::Next => self.line(&seen, time, writer)?,
                    Place::Waits | Place::Late(_) => {}
                }
                while let Some((time, slot)) = self.sorter.release() {
                    self.line_of(time, &slot, writer)?;
                }
                if is_stamped && self.settings.lateness == gnomon_core::time::Duration::ZERO {
                    self.sorter.leave(time);
                }
            }
            offset += length;
            stamp += 1;
        }
        Ok(())
    }

    fn tick(&mut self, to: Timestamp, settles: bool, writer: &mut NdjsonWriter<Vec<u8>>) -> io::Result<()> {
        while let Some((time, slot)) = self.sorter.release_to(to) {
            self.line_of(time, &slot, writer)?;
        }
        if settles { self.write(TICK, to, &[], writer) } else { Ok(()) }
    }

    /// A variable was read. Of what is read before the next event the last value matters, and a failure since.
    fn read(&mut self, variable: String, result: Result<Value<'static>, String>) {
        self.reads.retain(|(name, before)| *name != variable || (result.is_err() && before.is_ok()));
        self.reads.push((variable, result));
    }

    fn line_of(&mut self, time: Timestamp, slot: &Slot, writer: &mut NdjsonWriter<Vec<u8>>) -> io::Result<()> {
        match Seen::read(&slot.record[slot.offset..]) {
            Some((seen, _)) => self.line(&seen, time, writer),
            None => Ok(()),
        }
    }

    fn line(&mut self, seen: &Seen<'_>, time: Timestamp, writer: &mut NdjsonWriter<Vec<u8>>) -> io::Result<()> {
        let index = self.index;
        self.index += 1;
        if index < self.from {
            return Ok(());
        }
        for (variable, result) in std::mem::take(&mut self.reads) {
            let read = Read { variable: &variable, result: result.as_ref().map_err(String::as_str) };
            self.write(READ, time, &read.entries(), writer)?;
        }
        let entry = |(key, value)| Entry { key: Cow::Borrowed(key), value, is_time: false };
        let fields: Vec<Entry<'_>> = seen.entries().map(entry).collect();
        self.write(seen.name, time, &fields, writer)
    }

    fn write(
        &self,
        name: &str,
        time: Timestamp,
        fields: &[Entry<'_>],
        writer: &mut NdjsonWriter<Vec<u8>>,
    ) -> io::Result<()> {
        let (kind, clock) = (self.dial.kind, self.dial.clock);
        let moment = Some(Moment { field: &self.field, time, kind, clock, written: None });
        writer.write(&Record { name, index: self.index, moment, fields, parameters: &NoFields, case: 0 })
    }
}
