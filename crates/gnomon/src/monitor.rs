// SPDX-License-Identifier: MIT OR Apache-2.0
//! Monitors for the events of a program.

use std::fmt;

use gnomon_core::verdict::End;
use gnomon_run::push::{PushMonitor, Time};

use crate::error::Error;
use crate::fields::{EventFields, IntoFields};
use crate::outcome::Report;
use crate::spec::Spec;
use crate::violation::Violation;

/// The name of the events of a program in reports.
pub(crate) const EVENTS: &str = "<events>";

/// Checks the events of a program as they happen, in order of time.
///
/// It reads no clock and starts no thread: time passes with the events and with [`Monitor::advance`].
///
/// ```
/// let spec = gnomon::Spec::parse("time in s event request(id) event reply(id) mtl answered { forall id. G(request(id) -> F[0,3s] reply(id)) }")?;
/// let mut monitor = spec.monitor();
/// assert!(monitor.event("request", 1, [("id", 7)])?.is_empty());
/// assert_eq!(monitor.next_deadline().as_deref(), Some("4"));
/// let violations = monitor.advance(4.5)?;
/// assert_eq!((violations.len(), violations[0].value("id")), (1, Some(&7.into())));
/// # Ok::<(), gnomon::Error>(())
/// ```
#[derive(Clone)]
pub struct Monitor {
    spec: Spec,
    run: PushMonitor,
}

impl Monitor {
    pub(crate) fn new(spec: &Spec, by: Option<&str>) -> Monitor {
        Monitor { spec: spec.clone(), run: PushMonitor::new(spec.compiled.clone(), by) }
    }

    pub(crate) fn restore(spec: &Spec, state: &[u8]) -> Result<Monitor, Error> {
        let run = PushMonitor::restore(state, &spec.compiled).map_err(Error::state)?;
        Ok(Monitor { spec: spec.clone(), run })
    }

    /// Takes an event. Returns the violations that became certain.
    ///
    /// Events come in order of time; one that is earlier than the event before is an error, and is not taken. `time` is a
    /// number, a [`Duration`](std::time::Duration), a [`SystemTime`](std::time::SystemTime) or a text; see [`Time`].
    pub fn event<'a>(
        &mut self,
        name: &str,
        time: impl Into<Time<'a>>,
        fields: impl IntoFields<'a>,
    ) -> Result<Vec<Violation>, Error> {
        let taken = self.run.event(name, &time.into(), &EventFields(fields.into_fields()));
        taken.map_err(|error| Error::run(error, &self.spec))?;
        Ok(self.drain_violations())
    }

    /// Advances time: no earlier event follows. Returns the violations that became certain.
    pub fn advance<'a>(&mut self, time: impl Into<Time<'a>>) -> Result<Vec<Violation>, Error> {
        self.run.advance(&time.into()).map_err(|error| Error::run(error, &self.spec))?;
        Ok(self.drain_violations())
    }

    fn drain_violations(&mut self) -> Vec<Violation> {
        let found = self.run.drain_violations();
        let symbols = self.run.symbols().unwrap_or(self.spec.compiled.plan.symbols());
        let kind = self.run.time_kind();
        found.into_iter().map(|found| Violation::live(&self.spec, found, symbols, kind)).collect()
    }

    /// Ends the monitor and reports all properties: no event follows.
    pub fn finish(self) -> Report {
        Report::new(self.spec, self.run.report(EVENTS, End::Complete))
    }

    /// Reports the properties so far. What later events may still decide is inconclusive.
    pub fn report(&self) -> Report {
        Report::new(self.spec.clone(), self.run.report(EVENTS, End::Prefix))
    }

    /// Returns the number of events so far.
    pub fn event_count(&self) -> u64 {
        self.run.event_count()
    }

    /// Returns the earliest time whose passing may decide something, in the notation of the events. A program that must find
    /// out that something did *not* happen calls [`Monitor::advance`] after it.
    pub fn next_deadline(&self) -> Option<String> {
        self.run.next_deadline()
    }

    /// Saves the state, without the spec. [`Spec::restore`] continues from it.
    pub fn save(&self) -> Vec<u8> {
        self.run.save()
    }
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Monitor").field("spec", &self.spec).field("events", &self.event_count()).finish_non_exhaustive()
    }
}
