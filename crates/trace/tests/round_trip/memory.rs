// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events in memory, read like a trace, and a seeded generator of awkward ones.

use std::borrow::Cow;

use gnomon_core::event::Fields;
use gnomon_core::number::Number;
use gnomon_core::random::Random;
use gnomon_core::symbols::Key;
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_trace::{FieldEntry, Location, Reader, ReaderSetup, ReaderState, TraceError};

/// The events of a trace, independent of the format.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Trace {
    pub(crate) kind: TimeKind,
    pub(crate) events: Vec<TestEvent>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TestEvent {
    pub(crate) name: String,
    pub(crate) time: Timestamp,
    /// Without the time.
    pub(crate) fields: Vec<(String, Value<'static>)>,
}

/// A reader of events in memory.
pub(crate) struct Memory {
    trace: Trace,
    state: ReaderState,
    next: usize,
}

impl Memory {
    pub(crate) fn new(trace: Trace, time_field: &'static str) -> Self {
        let mut setup = ReaderSetup::everything();
        for event in &trace.events {
            setup.symbols.name(&event.name);
        }
        let mut state = ReaderState::new("memory", &mut setup);
        state.set_times((trace.kind != TimeKind::Position).then_some(time_field), trace.kind);
        Memory { trace, state, next: 0 }
    }

    fn present(&self) -> &TestEvent {
        &self.trace.events[self.next - 1]
    }
}

impl Fields for Memory {
    fn get(&self, _: Key) -> Option<Value<'_>> {
        None
    }
    fn parameter_count(&self) -> usize {
        self.present().fields.len()
    }
    fn parameter(&self, index: usize) -> Value<'_> {
        self.present().fields[index].1.clone()
    }
}

impl Reader for Memory {
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        let event_index = self.next as u64;
        let Some(event) = self.trace.events.get(self.next) else {
            return Ok(None);
        };
        self.next += 1;
        let name = self.symbols().find_name(&event.name).unwrap();
        Ok(Some(Origin { event_index, time: event.time, event: name }))
    }
    fn fields(&self) -> &dyn Fields {
        self
    }
    fn state(&self) -> &ReaderState {
        &self.state
    }
    fn bytes_read(&self) -> u64 {
        0
    }
    fn location(&self) -> Location {
        Location { line: self.next as u64, column: 1 }
    }
    fn entries(&self) -> Vec<FieldEntry<'_>> {
        let event = self.present();
        let entry = |(key, value): &(String, Value<'static>)| FieldEntry {
            key: Cow::Owned(key.clone()),
            value: value.clone(),
            is_time: false,
        };
        event.fields.iter().map(entry).collect()
    }
}

const NAMES: [&str; 14] =
    ["a", "logon", "a b", "é", "x,y", "say \"no\"", " lead", "two\nlines", "<b>&amp;", "@1", "1", "(x)", "#", "a=b"];
const KEYS: [&str; 18] = [
    "x",
    "y",
    "z",
    "user",
    "a b",
    "é",
    "k,l",
    "q\"r",
    " lead",
    "trail ",
    "<k>",
    "event",
    "name",
    "case:id",
    "k=l",
    "arg1",
    "arg2",
    "concept:name",
];
const TEXTS: [&str; 26] = [
    "ann",
    "",
    " ",
    "1",
    "1.50",
    "-0",
    "1e5",
    "true",
    "null",
    "a,b",
    "say \"no\"",
    "two\nlines",
    "tab\there",
    "\r\n",
    "é ü 😀",
    "<b>&amp;</b>",
    "]]>",
    " both ",
    "\u{1}",
    "\u{FFFE}",
    "=1",
    "2024-05-01",
    "{\"a\": 1}",
    "#x",
    "'",
    "+7",
];

/// A trace of awkward events. `plain` ones have keys and values that every format can carry.
pub(crate) fn generate(random: &mut Random, plain: bool) -> Trace {
    let kind = [TimeKind::Number, TimeKind::DateTime, TimeKind::Position][random.index(3)];
    let mut time = 0;
    let events = (0..random.index(6))
        .map(|index| {
            time += [0, 1, 1_000_000_000, 60_000_000_000][random.index(4)];
            let ticks = if kind == TimeKind::Position { index as i128 * 1_000_000_000 } else { time };
            let mut fields: Vec<(String, Value<'static>)> = Vec::new();
            for position in 0..random.index(4) {
                let key = if plain { format!("arg{}", position + 1) } else { (*random.pick(&KEYS)).to_owned() };
                if fields.iter().all(|(known, _)| *known != key) {
                    let value = if plain { plain_value(random) } else { value(random, 2) };
                    fields.push((key, value));
                }
            }
            let name = if plain { random.pick(&["a", "b"]) } else { *random.pick(&NAMES) };
            TestEvent { name: name.to_owned(), time: Timestamp::from_ticks(ticks), fields }
        })
        .collect();
    Trace { kind, events }
}

fn plain_value(random: &mut Random) -> Value<'static> {
    match random.index(2) {
        0 => Value::Text(Cow::Borrowed(*random.pick(&["ann", "a,b", "é < &", "two\nlines", " both "]))),
        _ => number(random),
    }
}

fn number(random: &mut Random) -> Value<'static> {
    let text = random.pick(&[
        "0",
        "-7",
        "9223372036854775807",
        "0.25",
        "-1.5",
        "123456789.987654321",
        "1e300",
        "1e300",
        "18446744073709551617",
        "0.00000000000000000000000000000000000001",
        "1e-7",
    ]);
    Value::Number(Number::parse(text).unwrap())
}

fn value(random: &mut Random, depth: usize) -> Value<'static> {
    match random.index(if depth == 0 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => Value::Bool(random.index(2) == 0),
        2 => number(random),
        3..=5 => Value::Text(Cow::Borrowed(*random.pick(&TEXTS))),
        6 => Value::List((0..random.index(3)).map(|_| value(random, depth - 1)).collect()),
        _ => {
            let keys = ["a", "b c", "<é>"].into_iter().take(random.index(4));
            Value::Map(keys.map(|key| (Cow::Borrowed(key), value(random, depth - 1))).collect())
        }
    }
}
