// SPDX-License-Identifier: MIT OR Apache-2.0
//! Callbacks while a trace is checked.

use gnomon_core::symbols::Symbols;
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::verdict::{Binding, Origin, Outcome, Violation};

/// Receives progress and results while a trace is checked. A closure of bytes and events receives progress only.
pub trait Listener {
    /// Reports the number of bytes read and events checked. Called at intervals.
    fn progress(&mut self, _bytes: u64, _events: u64) {}

    /// Reports a violation that became certain. Called only with [`super::Options::report_violations`].
    fn violation(&mut self, _found: &ReportedViolation<'_>) {}

    /// Reports an event and the violations that it decides. Called only with [`super::Options::report_events`], in order.
    fn event(&mut self, _verdict: &EventVerdict<'_>) {}

    /// Reports violations that the end of the trace or of a case decides. Called only with
    /// [`super::Options::report_events`].
    fn end(&mut self, _verdict: &EndVerdict<'_>) {}

    /// Reports a finished case. Called only for divided traces.
    fn case(&mut self, _case: &CaseOutcomes<'_>) {}
}

impl<F: FnMut(u64, u64)> Listener for F {
    fn progress(&mut self, bytes: u64, events: u64) {
        self(bytes, events);
    }
}

/// Notation of names and times in a trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceContext<'a> {
    /// The names of events.
    pub symbols: &'a Symbols,
    /// The kind of times.
    pub time_kind: TimeKind,
}

/// A violation that is reported as soon as it is certain.
#[derive(Clone, Copy, Debug)]
pub struct ReportedViolation<'a> {
    /// The property of the plan.
    pub property: usize,
    /// Position and explanation.
    pub violation: &'a Violation,
    /// The case, in a divided trace.
    pub case: Option<&'a str>,
    /// The notation of the trace.
    pub context: TraceContext<'a>,
}

/// An event with the violations that it decides.
#[derive(Clone, Copy, Debug)]
pub struct EventVerdict<'a> {
    /// The event.
    pub origin: Origin,
    /// The properties of the plan of which a violation was decided at the position of this event, or by a deadline that was found
    /// to have passed when the event came.
    pub violated: &'a [usize],
    /// The bindings of the first violations of those properties that have variables, as many as are listed.
    pub bindings: &'a [(usize, Binding)],
    /// The case, in a divided trace.
    pub case: Option<&'a str>,
    /// The notation of the trace.
    pub context: TraceContext<'a>,
}

/// The violations that the end of a trace or of a case decides.
#[derive(Clone, Copy, Debug)]
pub struct EndVerdict<'a> {
    /// The time of the last event.
    pub last: Option<Timestamp>,
    /// The properties of the plan of which the end decided a violation.
    pub violated: &'a [usize],
    /// The bindings of those violations, as in [`EventVerdict::bindings`].
    pub bindings: &'a [(usize, Binding)],
    /// The case that ended, in a divided trace.
    pub case: Option<&'a str>,
    /// The notation of the trace.
    pub context: TraceContext<'a>,
}

/// The outcomes of one case.
#[derive(Clone, Copy, Debug)]
pub struct CaseOutcomes<'a> {
    /// The value that its events share.
    pub label: &'a str,
    /// Number of events.
    pub events: u64,
    /// The outcome of each property of the plan.
    pub outcomes: &'a [Outcome],
    /// The notation of the trace.
    pub context: TraceContext<'a>,
}
