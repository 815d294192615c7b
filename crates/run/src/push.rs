// SPDX-License-Identifier: MIT OR Apache-2.0
//! A monitor for the events of a program, as language bindings offer it.
//!
//! [`PushMonitor`] adds to [`OnlineMonitor`] what a reader of files does: it parses times from text, refuses events that are out
//! of order, and builds a report at any moment.

mod time;

use std::sync::Arc;

use gnomon_core::event::{Event, Fields, PROGRESS_MARKER};
use gnomon_core::symbols::Symbols;
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::End;
use gnomon_trace::{MonotonicTimes, OrderPolicy, WrittenEvent, open_input};
use serde::{Deserialize, Serialize};

use crate::compile::CompiledSpec;
use crate::error::Error;
use crate::externs::Externs;
use crate::offline::{
    Driver, EventSource, EventStream, NamedInput, Options, Report, TraceContext, Visitor, check_units, setup,
};
use crate::online::{NamedFields, NumberedViolation, OnlineMonitor, ResumeError, snapshot};
pub use time::Time;
use time::TimeForm;

/// Checks the events that a program pushes.
#[derive(Clone, Debug)]
pub struct PushMonitor {
    online: OnlineMonitor,
    stamps: MonotonicTimes,
}

/// The saved state, written by position; [`snapshot`] has its version.
#[derive(Serialize, Deserialize)]
struct PushSnapshot {
    online: Vec<u8>,
    kind: Option<TimeKind>,
    last: Option<Timestamp>,
}

impl PushMonitor {
    /// Starts a monitor. With `by`, the events that share a value of this field are a trace of their own.
    pub fn new(compiled: Arc<CompiledSpec>, by: Option<&str>) -> Self {
        let stamps = MonotonicTimes::new(compiled.clock());
        PushMonitor { online: OnlineMonitor::new(compiled, by), stamps }
    }

    /// Returns the spec.
    pub fn compiled(&self) -> &Arc<CompiledSpec> {
        self.online.compiled()
    }

    /// Returns the number of events so far.
    pub fn event_count(&self) -> u64 {
        self.online.event_count()
    }

    /// Returns the kind of times that the events have.
    pub fn time_kind(&self) -> TimeKind {
        self.stamps.kind().unwrap_or_default()
    }

    /// Returns the latest time of an event or of [`PushMonitor::advance`].
    pub fn now(&self) -> Option<Timestamp> {
        self.stamps.last()
    }

    /// Takes an event whose time is written as in a file. Returns its index; for a progress marker, the index of the next event.
    pub fn step(&mut self, event: &WrittenEvent) -> Result<u64, Error> {
        self.event(&event.name, &event.time.as_deref().map_or(Time::from(()), Time::from), event)
    }

    /// Takes an event. Returns its index; for a progress marker, the index of the next event.
    pub fn event(&mut self, name: &str, time: &Time<'_>, fields: &dyn NamedFields) -> Result<u64, Error> {
        if name == PROGRESS_MARKER && time.0 != TimeForm::Index {
            return self.advance(time).map(|()| self.event_count());
        }
        let at = match time.0.resolve(self.compiled().clock()) {
            None => self.stamps.event(name, time.0.text())?,
            Some((at, kind)) => {
                self.stamps.event_at(name, at, kind)?;
                at
            }
        };
        self.judge(name, at, fields, matches!(time.0, TimeForm::Elapsed(_)))
    }

    /// Takes the events of an input. Returns their number.
    pub fn feed(&mut self, input: NamedInput, options: &Options) -> Result<u64, Error> {
        let before = self.event_count();
        let (name, compiled) = (input.name.clone(), self.compiled().clone());
        // The stream has no external variables: recorded reads go to the monitor, which has them.
        let reader = open_input(input.content, &name, options.format, setup(&compiled, options))?;
        let mut stream = EventStream::new(reader, OrderPolicy::Strict, true, Externs::default(), None);
        let _ = Driver::new(&compiled, &name, options).run(&mut stream, &mut TraceFeeder(self))?;
        Ok(self.event_count() - before)
    }

    /// Passes an event to the monitor, after a check of the units at the first one. `has_unit` is true if the unit of the time is known
    /// without a declaration.
    fn judge(&mut self, name: &str, time: Timestamp, fields: &dyn NamedFields, has_unit: bool) -> Result<u64, Error> {
        let index = self.event_count();
        if index == 0 && !has_unit {
            check_units(self.online.compiled(), self.time_kind(), time, None)?;
        }
        Ok(self.online.push(name, time, fields).map_or(index, |(index, _)| index))
    }

    /// Advances time: nothing earlier than this follows.
    pub fn advance(&mut self, time: &Time<'_>) -> Result<(), Error> {
        let at = match (time.0.resolve(self.compiled().clock()), time.0.text()) {
            (Some((at, kind)), _) => {
                self.stamps.tick_at(at, kind)?;
                at
            }
            (None, Some(text)) => self.stamps.tick(text)?,
            // Without times, none can pass.
            (None, None) => return Ok(()),
        };
        self.online.advance(at);
        Ok(())
    }

    /// Returns the earliest time whose passing may decide something, in the notation of the events.
    pub fn next_deadline(&self) -> Option<String> {
        let clock = self.compiled().clock();
        self.online.next_deadline().map(|time| clock.print(self.time_kind(), time))
    }

    /// Drains the violations found since the last call.
    pub fn drain_violations(&mut self) -> Vec<NumberedViolation> {
        self.online.drain_violations()
    }

    /// Returns the names of events.
    pub fn symbols(&self) -> Option<&Symbols> {
        self.online.context(0).map(|(symbols, _)| symbols)
    }

    /// Reports the properties so far. `end` decides if the trace is taken as complete or as a prefix.
    pub fn report(&self, name: &str, end: End) -> Report {
        let compiled = self.online.compiled();
        let (outcomes, cases) = self.online.outcomes(end);
        let (first_time, last_time) = self.online.extent();
        let symbols = self.symbols().unwrap_or(compiled.plan.symbols()).clone();
        Report {
            source: name.to_owned(),
            events: self.online.event_count() - self.online.events_without_case(),
            first_time,
            last_time,
            clock: compiled.clock(),
            time_kind: self.time_kind(),
            symbols,
            outcomes,
            cases,
            externs: self.online.externs(),
            ..Report::default()
        }
    }

    /// Saves the state without the spec. Violations that were not drained are lost.
    pub fn save(&self) -> Vec<u8> {
        let online = self.online.save_state().expect("its spec is never replaced");
        snapshot::encode(&PushSnapshot { online, kind: self.stamps.kind(), last: self.stamps.last() })
    }

    /// Restores a saved monitor of the same spec.
    pub fn restore(bytes: &[u8], compiled: &Arc<CompiledSpec>) -> Result<PushMonitor, ResumeError> {
        let PushSnapshot { online, kind, last } = snapshot::decode(bytes)?;
        let online = OnlineMonitor::resume(&online, compiled)?;
        let stamps = MonotonicTimes::resume(compiled.clock(), kind, last, online.event_count());
        Ok(PushMonitor { online, stamps })
    }
}

/// Feeds the events of a trace to a monitor.
struct TraceFeeder<'a>(&'a mut PushMonitor);

impl Visitor for TraceFeeder<'_> {
    fn event<S: EventSource>(&mut self, event: &Event<'_>, source: &S) -> Result<bool, Error> {
        let TraceContext { symbols, time_kind } = source.context();
        self.0.stamps.read_event(event.time, time_kind)?;
        let fields = TraceFields { fields: event.fields, symbols };
        self.0.judge(symbols.name_text(event.name), event.time, &fields, false)?;
        Ok(true)
    }

    fn progress<S: EventSource>(&mut self, to: Timestamp, source: &S) -> Result<(), Error> {
        self.0.stamps.read_tick(to, source.context().time_kind)?;
        self.0.online.advance(to);
        Ok(())
    }
}

/// Fields of an event of a trace, by name.
struct TraceFields<'a> {
    fields: &'a dyn Fields,
    symbols: &'a Symbols,
}

impl NamedFields for TraceFields<'_> {
    fn named(&self, name: &str) -> Option<Value<'_>> {
        self.fields.get(self.symbols.find_key(name)?)
    }
    fn count(&self) -> usize {
        self.fields.parameter_count()
    }
    fn nth(&self, index: usize) -> Value<'_> {
        self.fields.parameter(index)
    }
}
