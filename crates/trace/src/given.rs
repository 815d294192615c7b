// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events that a program has made and hands over one by one, instead of a file of them.
//!
//! Their times are texts, read as a file's are: the same numbers, the same date-times, the same complaints.

use std::borrow::Cow;
use std::io;

use gnomon_core::event::{Fields, OwnedFields};
use gnomon_core::symbols::Key;
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;

use crate::context::{Context, answer_from_context, late_time, no_name, no_time};
use crate::error::{Code, Fault, TraceError};
use crate::reader::{Entry, Place, Reader, Setup};
use crate::times::Times;

/// The field that the time is taken for.
const TIME: &str = "time";
/// What events are called that come from no file.
const EVENTS: &str = "<events>";

/// An event that was made, not read.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Given {
    /// Its name.
    pub name: String,
    /// When it happened, as a file would have it; `None`: its place is its time.
    pub time: Option<String>,
    /// Its other fields, in their order.
    pub fields: Vec<(String, Value<'static>)>,
}

/// Reads events from whoever makes them.
pub struct GivenReader<I> {
    events: I,
    context: Context,
    time_field: String,
    count: u64,
    time: Option<String>,
    names: Vec<String>,
    fields: OwnedFields,
    /// The key of the time, if somebody asks for it as a field.
    time_key: Option<Key>,
}

impl<I: Iterator<Item = io::Result<Given>>> GivenReader<I> {
    /// The events of this iterator; `name` stands for them in messages.
    pub fn new(events: I, name: &str, setup: Setup) -> Self {
        let Setup { symbols, projection, time_field, clock, .. } = setup;
        let time_field = time_field.unwrap_or_else(|| TIME.to_owned());
        let time_key = symbols.find_key(&time_field);
        let context = Context::new(name, symbols, projection, clock);
        let (time, names, fields) = (None, Vec::new(), OwnedFields::default());
        GivenReader { events, context, time_field, count: 0, time, names, fields, time_key }
    }

    fn read(&mut self, event: Given) -> Result<Origin, Fault> {
        if event.name.is_empty() {
            return Err(no_name(0));
        }
        let time = stamp(&mut self.context.times, event.time.as_deref(), self.count)?;
        let name = self.context.names.intern(&event.name, None);
        let symbols = self.context.names.symbols();
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

/// The time of an event that is written like this, after `before` others.
fn stamp(times: &mut Times, written: Option<&str>, before: u64) -> Result<Timestamp, Fault> {
    match (written, times.kind()) {
        (Some(_), Some(TimeKind::Position)) => Err(late_time(0)),
        (Some(written), _) => times.parse(written.as_bytes(), 0),
        (None, Some(TimeKind::Number | TimeKind::DateTime)) => Err(no_time(0)),
        (None, Some(TimeKind::Position) | None) => {
            times.count_positions();
            Ok(times.whole(before as i64))
        }
    }
}

impl<I: Iterator<Item = io::Result<Given>>> Reader for GivenReader<I> {
    answer_from_context!();

    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        let read = match self.events.next() {
            None => return Ok(None),
            Some(Ok(event)) => self.read(event),
            Some(Err(error)) => Err(Fault::io(0, error)),
        };
        let place = place(self.count);
        let origin = read.map_err(|fault| TraceError::new(&self.context.source, place, fault))?;
        self.count += 1;
        Ok(Some(origin))
    }

    fn fields(&self) -> &dyn Fields {
        self
    }

    fn bytes_read(&self) -> u64 {
        0
    }

    fn place(&self) -> Place {
        place(self.count.saturating_sub(1))
    }

    fn time_field(&self) -> Option<&str> {
        self.time.as_ref().map(|_| &*self.time_field)
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        let time = self.time.as_ref().map(|time| Entry {
            key: Cow::Borrowed(self.time_field.as_str()),
            value: Value::from_cell(Cow::Borrowed(time)),
            is_time: true,
        });
        let fields = self.names.iter().zip(&self.fields.entries).map(|(name, (_, value))| Entry {
            key: Cow::Borrowed(name.as_str()),
            value: value.clone(),
            is_time: false,
        });
        time.into_iter().chain(fields).collect()
    }
}

impl<I> Fields for GivenReader<I> {
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

/// Events have no lines: their numbers stand for them, from 1.
fn place(index: u64) -> Place {
    Place { line: index + 1, column: 1 }
}

/// The times of events that are told one by one: read as [`GivenReader`] reads them, and never earlier than one before.
#[derive(Clone, Debug)]
pub struct Stamps {
    clock: Clock,
    kind: Option<TimeKind>,
    last: Option<Timestamp>,
    count: u64,
}

impl Stamps {
    /// No event yet.
    pub fn new(clock: Clock) -> Self {
        Self::resume(clock, None, None, 0)
    }

    /// As they were after so many events, the last one of these times.
    pub fn resume(clock: Clock, kind: Option<TimeKind>, last: Option<Timestamp>, count: u64) -> Self {
        Stamps { clock, kind, last, count }
    }

    /// What the times are, once there is one.
    pub fn kind(&self) -> Option<TimeKind> {
        self.kind
    }

    /// The latest time.
    pub fn last(&self) -> Option<Timestamp> {
        self.last
    }

    /// The time of the next event, which has this name.
    pub fn event(&mut self, name: &str, written: Option<&str>) -> Result<Timestamp, TraceError> {
        if name.is_empty() {
            return Err(self.error(no_name(0)));
        }
        let time = self.read(written).and_then(|time| self.in_order(time)).map_err(|fault| self.error(fault))?;
        (self.last, self.count) = (Some(time), self.count + 1);
        Ok(time)
    }

    /// Another reader has read this time of the next event.
    pub fn read_event(&mut self, time: Timestamp, kind: TimeKind) -> Result<(), TraceError> {
        self.kind.get_or_insert(kind);
        self.in_order(time).map_err(|fault| self.error(fault))?;
        (self.last, self.count) = (Some(time), self.count + 1);
        Ok(())
    }

    /// A time that passes without an event.
    pub fn tick(&mut self, written: &str) -> Result<Timestamp, TraceError> {
        let time = self.read(Some(written)).and_then(|time| self.in_order(time)).map_err(|fault| self.error(fault))?;
        self.last = Some(time);
        Ok(time)
    }

    fn read(&mut self, written: Option<&str>) -> Result<Timestamp, Fault> {
        let mut times = Times::resume(self.clock, self.kind);
        let time = stamp(&mut times, written, self.count)?;
        self.kind = times.kind();
        Ok(time)
    }

    fn in_order(&self, time: Timestamp) -> Result<Timestamp, Fault> {
        let Some(last) = self.last.filter(|last| time < *last) else { return Ok(time) };
        let print = |time| self.clock.print(self.kind.unwrap_or_default(), time);
        let message = format!("time goes back: {} is earlier than {} before it", print(time), print(last));
        Err(Fault::new(Code::TimeGoesBack, 0, message).help("hand events over in the order of their times"))
    }

    #[cold]
    fn error(&self, fault: Fault) -> TraceError {
        TraceError::new(EVENTS, place(self.count), fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(name: &str, time: Option<&str>) -> Given {
        let fields = vec![("user".to_owned(), Value::Text("u1".into()))];
        Given { name: name.to_owned(), time: time.map(str::to_owned), fields }
    }

    fn read(events: Vec<Given>) -> Result<Vec<(u64, i128)>, String> {
        read_some(events.into_iter().map(Ok).collect())
    }

    fn read_some(events: Vec<io::Result<Given>>) -> Result<Vec<(u64, i128)>, String> {
        let mut setup = Setup::everything();
        let user = setup.symbols.key("user");
        let mut reader = GivenReader::new(events.into_iter(), "<events>", setup);
        let mut times = Vec::new();
        while let Some(event) = reader.next().map_err(|error| format!("{} {error}", error.code()))? {
            assert_eq!(event.fields.get(user), Some(Value::Text("u1".into())));
            times.push((event.index, event.time.ticks() / 1_000_000_000));
        }
        Ok(times)
    }

    #[test]
    fn events_are_read_as_from_a_file() {
        assert_eq!(read(vec![given("a", Some("1")), given("b", Some("2.5"))]), Ok(vec![(0, 1), (1, 2)]));
        assert_eq!(read(vec![given("a", None), given("b", None)]), Ok(vec![(0, 0), (1, 1)]));
    }

    #[test]
    fn what_is_wrong_is_said_with_the_events_number() {
        let error = |events| read(events).unwrap_err();
        assert!(error(vec![given("a", Some("1")), given("b", None)]).contains("<events>:2:1: this event has no time"));
        assert!(error(vec![given("a", None), given("b", Some("1"))]).contains("<events>:2:1"));
        assert!(error(vec![given("a", Some("soon"))]).starts_with("G0506"));
        assert!(error(vec![given("", None)]).contains("no name"));
        assert!(read_some(vec![Err(io::Error::other("gone"))]).unwrap_err().contains("gone"));
    }

    #[test]
    fn time_does_not_go_back() {
        let mut stamps = Stamps::new(Clock::default());
        assert!(
            stamps.event("a", Some("2")).is_ok() && stamps.event("a", Some("2")).is_ok() && stamps.tick("3").is_ok()
        );
        let error = stamps.event("a", Some("2.5")).unwrap_err();
        assert!(error.is_order() && error.message().contains("2.5 is earlier than 3"), "{error}");
        assert!(stamps.event("a", Some("2026-01-01")).is_err());
    }
}
