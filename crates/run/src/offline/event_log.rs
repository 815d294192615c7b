// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compact log of the events of up to 1,024 cases, in order.
//!
//! An event takes about ten bytes: the number of its case in two bytes, then its name, and its index and time as differences to the
//! event before it, each as a variable-length number of seven bits a byte. The lowest bit of the name says that the event has fields,
//! which follow as their numbers and are stored apart ([`PackedFields`]).

use gnomon_core::event::{Event, FieldSelection};
use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::Origin;

use gnomon_trace::{FieldRange, PackedFields};

/// Events in order, of cases that are numbered from 0.
#[derive(Default)]
pub(super) struct EventLog {
    bytes: Vec<u8>,
    pub(super) fields: PackedFields,
    last: LogPosition,
}

/// Index and time of the event before, from which differences count, and the number of fields before.
#[derive(Clone, Copy, Default)]
struct LogPosition {
    index: u64,
    ticks: i128,
    fields: u32,
}

/// An event of a log.
#[derive(Clone, Copy)]
pub(super) struct LoggedEvent {
    pub(super) case: u16,
    pub(super) origin: Origin,
    pub(super) fields: FieldRange,
}

impl EventLog {
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the approximate size in bytes.
    #[inline]
    pub(super) fn bytes(&self) -> usize {
        self.bytes.capacity() + self.fields.bytes()
    }

    /// Adds an event of a case, with the wanted fields; see [`PackedFields::push`].
    #[inline]
    pub(super) fn push(&mut self, case: u16, event: &Event<'_>, want: &FieldSelection, keys: u32) {
        let ticks = event.time.ticks();
        let range = self.fields.push(event.fields, want, keys);
        let has_fields = range.cell_count() > 0;
        self.bytes.extend_from_slice(&case.to_le_bytes());
        self.write(u128::from(event.name.0) << 1 | u128::from(has_fields));
        self.write(u128::from(event.index.wrapping_sub(self.last.index)));
        self.write(ticks.wrapping_sub(self.last.ticks).cast_unsigned());
        if has_fields {
            self.write(u128::from(range.parameters));
            self.write(u128::from(range.named));
        }
        self.last = LogPosition { index: event.index, ticks, fields: range.first + range.cell_count() };
    }

    #[inline]
    fn write(&mut self, mut number: u128) {
        while let Ok(small) = u64::try_from(number)
            && small >= 0x80
        {
            self.bytes.push(small as u8 | 0x80);
            number = u128::from(small >> 7);
        }
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// Lists the events in order.
    pub(super) fn events(&self) -> LogEvents<'_> {
        LogEvents { rest: &self.bytes, last: LogPosition::default() }
    }
}

/// The events of a log, in order.
pub(super) struct LogEvents<'a> {
    rest: &'a [u8],
    last: LogPosition,
}

impl LogEvents<'_> {
    #[inline]
    fn read(&mut self) -> Option<u128> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        if first < 0x80 {
            return Some(u128::from(first));
        }
        let mut number = u64::from(first & 0x7f);
        for shift in (7..63).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(u128::from(number));
            }
        }
        let mut number = u128::from(number);
        for shift in (63..128).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= u128::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        Some(number)
    }
}

impl Iterator for LogEvents<'_> {
    type Item = LoggedEvent;

    #[inline]
    fn next(&mut self) -> Option<LoggedEvent> {
        let (case, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        let name = self.read()?;
        let index = self.last.index.wrapping_add(self.read()? as u64);
        let ticks = self.last.ticks.wrapping_add(self.read()?.cast_signed());
        let mut fields = FieldRange { first: self.last.fields, ..FieldRange::default() };
        if name & 1 == 1 {
            (fields.parameters, fields.named) = (self.read()? as u32, self.read()? as u32);
        }
        self.last = LogPosition { index, ticks, fields: fields.first + fields.cell_count() };
        let origin = Origin { event_index: index, time: Timestamp::from_ticks(ticks), event: Name((name >> 1) as u32) };
        Some(LoggedEvent { case: u16::from_le_bytes(*case), origin, fields })
    }
}

#[cfg(test)]
mod tests {
    use gnomon_core::event::{Fields as _, OwnedFields};
    use gnomon_core::symbols::Key;
    use gnomon_core::value::Value;

    use super::*;

    #[test]
    fn events_are_read_as_they_were_written() {
        let mut log = EventLog::default();
        let fields = OwnedFields { entries: vec![(Key(3), Value::Text("x".into())), (Key(4), Value::Null)] };
        let times = [0, 1, 127, 128, 1 << 70, i128::MAX, i128::MIN, -5, -4];
        let wants = [FieldSelection::Nothing, FieldSelection::Fields(vec![Key(4)]), FieldSelection::All];
        let events: Vec<_> = times.into_iter().zip([0, 1, 2, 1 << 40, u64::MAX, u64::MAX, 7, 8, 9]).collect();
        for (number, (ticks, index)) in events.iter().enumerate() {
            let (name, time) = (Name(number as u32 * 1000), Timestamp::from_ticks(*ticks));
            let event = Event { name, index: *index, time, fields: &fields };
            log.push(number as u16 * 100, &event, &wants[number % 3], 9);
        }
        let read: Vec<LoggedEvent> = log.events().collect();
        assert_eq!(read.len(), events.len());
        for (number, (event, (ticks, index))) in read.iter().zip(&events).enumerate() {
            assert_eq!((event.case, event.origin.event), (number as u16 * 100, Name(number as u32 * 1000)));
            assert_eq!((event.origin.time.ticks(), event.origin.event_index), (*ticks, *index));
            let view = log.fields.view(event.fields);
            let expected = [(0, false), (0, true), (2, true)][number % 3];
            assert_eq!((view.parameter_count(), view.get(Key(4)).is_some()), expected);
        }
    }
}
