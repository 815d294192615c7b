// SPDX-License-Identifier: MIT OR Apache-2.0
//! A whole trace in memory, and its positions.

use std::ops::Range;

use gnomon_core::{Name, Origin, Simultaneous, Symbols, Timestamp, Value};
use gnomon_ir::atom::Path;

/// One event.
#[derive(Clone, PartialEq, Debug)]
pub struct OracleEvent {
    /// Its name.
    pub name: String,
    /// Time of the event.
    pub time: Timestamp,
    /// Its fields in the order of the file, the time left out. `None` is an empty cell of a CSV file: no field, but a
    /// place among the positional parameters.
    pub fields: Vec<(String, Option<Value<'static>>)>,
}

impl OracleEvent {
    /// An event without fields.
    pub fn new(name: impl Into<String>, time: Timestamp) -> Self {
        OracleEvent { name: name.into(), time, fields: vec![] }
    }

    /// Returns the value at the end of a path into the fields.
    // RULE T6
    pub fn at_path(&self, path: &Path) -> Option<&Value<'static>> {
        let (_, field) = self.fields.iter().find(|(name, value)| *name == path.field && value.is_some())?;
        path.steps.iter().try_fold(field.as_ref()?, |value, step| value.step(step))
    }

    /// The positional parameters: the fields in order, empty cells at the end dropped, inner ones null.
    // RULE T7
    pub fn parameters(&self) -> Vec<Value<'static>> {
        let count = self.fields.iter().rposition(|(_, value)| value.is_some()).map_or(0, |last| last + 1);
        self.fields[..count].iter().map(|(_, value)| value.clone().unwrap_or(Value::Null)).collect()
    }
}

/// A trace: events in the order of the file, times never going back.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    events: Vec<OracleEvent>,
    names: Vec<Name>,
    symbols: Symbols,
    /// Values of variables that no event brings, in order: from which event on, which variable, what value.
    assigned: Vec<(usize, String, Value<'static>)>,
}

impl Trace {
    /// The trace of these events.
    pub fn new(events: Vec<OracleEvent>) -> Self {
        Trace::with_symbols(events, Symbols::default())
    }

    /// The trace of these events, their names numbered by this table, which grows as needed.
    pub fn with_symbols(events: Vec<OracleEvent>, mut symbols: Symbols) -> Self {
        let names = events.iter().map(|event| symbols.name(&event.name)).collect();
        Trace { events, names, symbols, assigned: vec![] }
    }

    /// Assigns a value to a variable that is not a field, from the event at this index on. Must be called in the order
    /// of the trace.
    pub fn assign(&mut self, from: usize, variable: &str, value: Value<'static>) {
        self.assigned.push((from, variable.to_owned(), value));
    }

    /// Returns the value that a variable was last assigned before the event at this index.
    pub(crate) fn assigned(&self, variable: &str, before: usize) -> Option<&Value<'static>> {
        let mut earlier = self.assigned.iter().rev().filter(|(from, ..)| *from < before);
        earlier.find(|(_, name, _)| name == variable).map(|(.., value)| value)
    }

    /// The events.
    pub fn events(&self) -> &[OracleEvent] {
        &self.events
    }

    /// The texts behind the names in outcomes.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The trace's positions.
    // RULE T3, T4
    pub fn positions(&self, simultaneous: Simultaneous) -> Vec<Position> {
        let mut positions: Vec<Position> = Vec::new();
        for (index, event) in self.events.iter().enumerate() {
            match positions.last_mut() {
                Some(last) if simultaneous == Simultaneous::Merge && last.time == event.time => {
                    last.events.end = index + 1;
                }
                _ => positions.push(Position { time: event.time, events: index..index + 1 }),
            }
        }
        positions
    }

    pub(crate) fn origin(&self, index: usize) -> Origin {
        Origin { event_index: index as u64, time: self.events[index].time, event: self.names[index] }
    }
}

/// The events of one position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// Its time.
    pub time: Timestamp,
    /// Its events' places in the trace; never empty.
    pub events: Range<usize>,
}
