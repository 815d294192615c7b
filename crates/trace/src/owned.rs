// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events that a program passes one by one, instead of a file.
//!
//! Their times are texts and parsed like those of a file: the same numbers, date-times and errors.

use std::borrow::Cow;
use std::io;

use gnomon_core::event::{Fields, OwnedEvent, OwnedFields};
use gnomon_core::symbols::Key;
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_scan::{Code, Fault, TraceError};

use crate::reader::{FieldEntry, Location, Reader, ReaderSetup};
use crate::state::{ReaderState, no_time, unexpected_time};
use crate::times::TimeParser;

/// The default name of the time field.
const TIME: &str = "time";
/// The source name of events that come from no file.
const EVENTS: &str = "<events>";

/// An event whose time is written as in a file; `None` if its position is its time.
pub type WrittenEvent = OwnedEvent<Option<String>>;

/// The events of a program, in order.
pub type EventIterator = Box<dyn Iterator<Item = io::Result<WrittenEvent>> + Send>;

/// Reads the events of a program.
pub struct OwnedEventReader {
    events: EventIterator,
    state: ReaderState,
    time_field: String,
    count: u64,
    time: Option<String>,
    names: Vec<String>,
    fields: OwnedFields,
    /// The key of the time, if a property asks for it as a field.
    time_key: Option<Key>,
}

impl OwnedEventReader {
    /// Reads the events of an iterator; `name` stands for them in messages.
    pub fn new(events: EventIterator, name: &str, mut setup: ReaderSetup) -> Self {
        let state = ReaderState::new(name, &mut setup);
        let time_field = setup.time_field.unwrap_or_else(|| TIME.to_owned());
        let time_key = state.symbols().find_key(&time_field);
        let (time, names, fields) = (None, Vec::new(), OwnedFields::default());
        OwnedEventReader { events, state, time_field, count: 0, time, names, fields, time_key }
    }

    fn read(&mut self, event: WrittenEvent) -> Result<Origin, Fault> {
        if event.name.is_empty() {
            return Err(Fault::no_name(0));
        }
        let time = parse_time(&mut self.state.times, event.time.as_deref(), self.count)?;
        let name = self.state.names.intern(&event.name, None);
        let symbols = self.state.names.symbols();
        self.fields.entries.clear();
        self.names.clear();
        for (field, value) in event.fields {
            self.fields.entries.push((symbols.find_key(&field).unwrap_or(Key::OTHER), value));
            self.names.push(field);
        }
        self.time = event.time;
        Ok(Origin { event_index: self.count, time, event: name })
    }
}

/// Parses the time of an event; `before` is the number of events before it.
fn parse_time(times: &mut TimeParser, written: Option<&str>, before: u64) -> Result<Timestamp, Fault> {
    match (written, times.kind()) {
        (Some(_), Some(TimeKind::Position)) => Err(unexpected_time(0)),
        (Some(written), _) => times.parse(written.as_bytes(), 0),
        (None, Some(TimeKind::Number | TimeKind::DateTime)) => Err(no_time(0)),
        (None, Some(TimeKind::Position) | None) => {
            times.set_kind(TimeKind::Position);
            Ok(times.whole(before as i64))
        }
    }
}

impl Reader for OwnedEventReader {
    fn state(&self) -> &ReaderState {
        &self.state
    }

    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        let read = match self.events.next() {
            None => return Ok(None),
            Some(Ok(event)) => self.read(event),
            Some(Err(error)) => Err(Fault::io(0, error)),
        };
        let location = location(self.count);
        let origin = read.map_err(|fault| TraceError::new(&self.state.source, location, fault))?;
        self.count += 1;
        Ok(Some(origin))
    }

    fn fields(&self) -> &dyn Fields {
        self
    }

    fn bytes_read(&self) -> u64 {
        0
    }

    fn location(&self) -> Location {
        location(self.count.saturating_sub(1))
    }

    fn counts_rows(&self) -> bool {
        true
    }

    fn time_field(&self) -> Option<&str> {
        self.time.as_ref().map(|_| &*self.time_field)
    }

    fn entries(&self) -> Vec<FieldEntry<'_>> {
        let time = self.time.as_ref().map(|time| FieldEntry {
            key: Cow::Borrowed(self.time_field.as_str()),
            value: Value::from_cell(Cow::Borrowed(time)),
            is_time: true,
        });
        let fields = self.names.iter().zip(&self.fields.entries).map(|(name, (_, value))| FieldEntry {
            key: Cow::Borrowed(name.as_str()),
            value: value.clone(),
            is_time: false,
        });
        time.into_iter().chain(fields).collect()
    }
}

impl Fields for OwnedEventReader {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        match &self.time {
            Some(time) if self.time_key == Some(key) => Some(Value::from_cell(Cow::Borrowed(time))),
            _ => self.fields.get(key),
        }
    }
    fn parameter_count(&self) -> usize {
        self.fields.parameter_count()
    }
    fn parameter(&self, index: usize) -> Value<'_> {
        self.fields.parameter(index)
    }
}

/// Returns the location of an event. Events have no lines: their numbers are used, from 1.
fn location(index: u64) -> Location {
    Location { line: index + 1, column: 1 }
}

/// The times of events that are pushed one by one: parsed as [`OwnedEventReader`] does, and never earlier than the one
/// before.
#[derive(Clone, Debug)]
pub struct MonotonicTimes {
    clock: Clock,
    kind: Option<TimeKind>,
    last: Option<Timestamp>,
    count: u64,
}

impl MonotonicTimes {
    /// Starts before the first event.
    pub fn new(clock: Clock) -> Self {
        Self::resume(clock, None, None, 0)
    }

    /// Restores the state after `count` events.
    pub fn resume(clock: Clock, kind: Option<TimeKind>, last: Option<Timestamp>, count: u64) -> Self {
        MonotonicTimes { clock, kind, last, count }
    }

    /// Returns the kind of the times, once there is one.
    pub fn kind(&self) -> Option<TimeKind> {
        self.kind
    }

    /// Returns the latest time.
    pub fn last(&self) -> Option<Timestamp> {
        self.last
    }

    /// Parses the time of the next event, and checks its name.
    pub fn event(&mut self, name: &str, written: Option<&str>) -> Result<Timestamp, TraceError> {
        if name.is_empty() {
            return Err(self.error(Fault::no_name(0)));
        }
        let time = self.advance(written)?;
        self.count += 1;
        Ok(time)
    }

    /// Accepts the time of the next event, which the program has as a number or a date-time, and checks its name.
    pub fn event_at(&mut self, name: &str, time: Timestamp, kind: TimeKind) -> Result<(), TraceError> {
        if name.is_empty() {
            return Err(self.error(Fault::no_name(0)));
        }
        self.tick_at(time, kind)?;
        self.count += 1;
        Ok(())
    }

    /// Accepts a time without an event, which the program has as a number or a date-time.
    pub fn tick_at(&mut self, time: Timestamp, kind: TimeKind) -> Result<(), TraceError> {
        if self.kind.is_some_and(|known| known != kind) {
            let mut times = TimeParser::resume(self.clock, self.kind);
            let mixed = if kind == TimeKind::DateTime { times.expect_dates() } else { times.expect_numbers() };
            mixed.map_err(|fault| self.error(fault))?;
        }
        self.read_tick(time, kind)
    }

    /// Accepts the time of the next event, which another reader has parsed.
    pub fn read_event(&mut self, time: Timestamp, kind: TimeKind) -> Result<(), TraceError> {
        self.read_tick(time, kind)?;
        self.count += 1;
        Ok(())
    }

    /// Accepts a time without an event, which another reader has parsed.
    pub fn read_tick(&mut self, time: Timestamp, kind: TimeKind) -> Result<(), TraceError> {
        self.kind.get_or_insert(kind);
        self.check_order(time).map_err(|fault| self.error(fault))?;
        self.last = Some(time);
        Ok(())
    }

    /// Parses a time that passes without an event.
    pub fn tick(&mut self, written: &str) -> Result<Timestamp, TraceError> {
        self.advance(Some(written))
    }

    fn advance(&mut self, written: Option<&str>) -> Result<Timestamp, TraceError> {
        let time = self.read(written).and_then(|time| self.check_order(time)).map_err(|fault| self.error(fault))?;
        self.last = Some(time);
        Ok(time)
    }

    fn read(&mut self, written: Option<&str>) -> Result<Timestamp, Fault> {
        let mut times = TimeParser::resume(self.clock, self.kind);
        let time = parse_time(&mut times, written, self.count)?;
        self.kind = times.kind();
        Ok(time)
    }

    fn check_order(&self, time: Timestamp) -> Result<Timestamp, Fault> {
        let Some(last) = self.last.filter(|last| time < *last) else { return Ok(time) };
        let print = |time| self.clock.print(self.kind.unwrap_or_default(), time);
        let message = format!("time goes back: {} is earlier than {} before it", print(time), print(last));
        Err(Fault::new(Code::TimeGoesBack, 0, message).help("hand events over in the order of their times"))
    }

    #[cold]
    fn error(&self, fault: Fault) -> TraceError {
        TraceError::new(EVENTS, location(self.count), fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str, time: Option<&str>) -> WrittenEvent {
        let fields = vec![("user".to_owned(), Value::Text("u1".into()))];
        OwnedEvent { name: name.to_owned(), time: time.map(str::to_owned), fields }
    }

    fn read(events: Vec<WrittenEvent>) -> Result<Vec<(u64, i128)>, String> {
        read_some(events.into_iter().map(Ok).collect())
    }

    fn read_some(events: Vec<io::Result<WrittenEvent>>) -> Result<Vec<(u64, i128)>, String> {
        let mut setup = ReaderSetup::everything();
        let user = setup.symbols.key("user");
        let mut reader = OwnedEventReader::new(Box::new(events.into_iter()), "<events>", setup);
        let mut times = Vec::new();
        while let Some(event) = reader.next().map_err(|error| format!("{} {error}", error.code()))? {
            assert_eq!(event.fields.get(user), Some(Value::Text("u1".into())));
            times.push((event.index, event.time.ticks() / 1_000_000_000));
        }
        Ok(times)
    }

    #[test]
    fn events_are_read_as_from_a_file() {
        assert_eq!(read(vec![event("a", Some("1")), event("b", Some("2.5"))]), Ok(vec![(0, 1), (1, 2)]));
        assert_eq!(read(vec![event("a", None), event("b", None)]), Ok(vec![(0, 0), (1, 1)]));
    }

    #[test]
    fn errors_have_the_number_of_the_event() {
        let error = |events| read(events).unwrap_err();
        assert!(error(vec![event("a", Some("1")), event("b", None)]).contains("<events>:2:1: this event has no time"));
        assert!(error(vec![event("a", None), event("b", Some("1"))]).contains("<events>:2:1"));
        assert!(error(vec![event("a", Some("soon"))]).starts_with("G0506"));
        assert!(error(vec![event("", None)]).contains("no name"));
        assert!(read_some(vec![Err(io::Error::other("gone"))]).unwrap_err().contains("gone"));
    }

    #[test]
    fn time_does_not_go_back() {
        let mut stamps = MonotonicTimes::new(Clock::default());
        assert!(
            stamps.event("a", Some("2")).is_ok() && stamps.event("a", Some("2")).is_ok() && stamps.tick("3").is_ok()
        );
        let error = stamps.event("a", Some("2.5")).unwrap_err();
        assert!(error.code() == "G0508" && error.message().contains("2.5 is earlier than 3"), "{error}");
        assert!(stamps.event("a", Some("2026-01-01")).is_err());
    }
}
