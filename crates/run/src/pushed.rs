// SPDX-License-Identifier: MIT OR Apache-2.0
//! A monitor that a program pushes events into: their times as the program writes them, in order or refused; what was found, and a
//! report whenever it is asked for.
//!
//! [`Pushed`] is [`Online`] with the manners of a file's reader. It is what a binding hands to its language.

use std::sync::Arc;

use gnomon_core::symbols::Symbols;
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::verdict::End;
use gnomon_trace::{Late, Stamps, Unmatched};
use serde::{Deserialize, Serialize};

use crate::compile::Compiled;
use crate::error::Error;
use crate::offline::{Report, units_are_known};
use crate::online::{Found, NamedFields, Online, ResumeError};

/// A run that is pushed by a program.
#[derive(Clone, Debug)]
pub struct Pushed {
    online: Online,
    stamps: Stamps,
}

#[derive(Serialize, Deserialize)]
struct Saved {
    online: Vec<u8>,
    kind: Option<TimeKind>,
    last: Option<Timestamp>,
}

impl Pushed {
    /// Judges by this spec; `by`: each value of this field is a trace of its own.
    pub fn new(compiled: Arc<Compiled>, by: Option<&str>) -> Self {
        let stamps = Stamps::new(Clock::new(compiled.spec.time.unit));
        Pushed { online: Online::new(compiled, by), stamps }
    }

    /// The spec.
    pub fn compiled(&self) -> &Arc<Compiled> {
        self.online.compiled()
    }

    /// How many events there were.
    pub fn events(&self) -> u64 {
        self.online.events()
    }

    /// What the times are.
    pub fn time_kind(&self) -> TimeKind {
        self.stamps.kind().unwrap_or_default()
    }

    /// The latest time that was told.
    pub fn now(&self) -> Option<Timestamp> {
        self.stamps.last()
    }

    /// An event happens; its index. `time`: as a file would have it; `None` where places are times.
    pub fn step(&mut self, name: &str, time: Option<&str>, fields: &dyn NamedFields) -> Result<u64, Error> {
        let time = self.stamps.event(name, time)?;
        self.judge(name, time, fields)
    }

    /// An event that a reader has read happens; its index.
    pub fn step_read(
        &mut self,
        name: &str,
        time: Timestamp,
        kind: TimeKind,
        fields: &dyn NamedFields,
    ) -> Result<u64, Error> {
        self.stamps.read_event(time, kind)?;
        self.judge(name, time, fields)
    }

    fn judge(&mut self, name: &str, time: Timestamp, fields: &dyn NamedFields) -> Result<u64, Error> {
        if self.online.events() == 0 {
            units_are_known(self.online.compiled(), self.time_kind(), None)?;
        }
        Ok(self.online.step(name, time, fields).0)
    }

    /// Nothing earlier than this will come.
    pub fn advance(&mut self, time: &str) -> Result<(), Error> {
        let time = self.stamps.tick(time)?;
        self.online.tick(time);
        Ok(())
    }

    /// The earliest time whose passing may decide something, as events have their times.
    pub fn next_deadline(&self) -> Option<String> {
        let clock = Clock::new(self.compiled().spec.time.unit);
        self.online.next_deadline().map(|time| clock.print(self.time_kind(), time))
    }

    /// The time of a position that further events of the same time would still belong to.
    pub fn open_position(&self) -> Option<Timestamp> {
        self.online.open_position()
    }

    /// What was found since this was last asked.
    pub fn take_found(&mut self) -> Vec<Found> {
        self.online.take_found()
    }

    /// The names of events.
    pub fn symbols(&self) -> Option<&Symbols> {
        self.online.legend(0).map(|(symbols, _)| symbols)
    }

    /// What became of each property so far; `end`: as if the trace ended here, or as if more came.
    pub fn report(&self, name: &str, end: End) -> Report {
        let compiled = self.online.compiled();
        let (outcomes, cases) = self.online.outcomes(end);
        let (first_time, last_time) = self.online.extent();
        let symbols = self.symbols().unwrap_or(compiled.plan.symbols()).clone();
        Report {
            source: name.to_owned(),
            events: self.online.events() - self.online.without_case(),
            first_time,
            last_time,
            clock: Clock::new(compiled.spec.time.unit),
            time_kind: self.time_kind(),
            symbols,
            outcomes,
            late: Late::default(),
            unseen: vec![],
            unmatched: Unmatched::default(),
            stopped: None,
            cases,
            freer: vec![],
            externs: self.online.externs(),
        }
    }

    /// The run as data, without its spec; violations that were not taken are not in it.
    pub fn save(&self) -> Vec<u8> {
        let online = self.online.save_state().expect("its spec is never replaced");
        let saved = Saved { online, kind: self.stamps.kind(), last: self.stamps.last() };
        postcard::to_stdvec(&saved).expect("it has only types that postcard writes, into memory")
    }

    /// A run as it was saved, by the same spec.
    pub fn restore(bytes: &[u8], compiled: &Arc<Compiled>) -> Result<Pushed, ResumeError> {
        let Saved { online, kind, last } = postcard::from_bytes(bytes).map_err(|_| ResumeError::Damaged)?;
        let online = Online::resume(&online, compiled)?;
        let clock = Clock::new(compiled.spec.time.unit);
        let stamps = Stamps::resume(clock, kind, last, online.events());
        Ok(Pushed { online, stamps })
    }
}
