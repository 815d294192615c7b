// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who hears what is found while a trace is still being judged.

use gnomon_core::symbols::Symbols;
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::verdict::{Binding, Origin, Outcome, Violation};

/// Hears what happens while a trace is judged. A closure that takes bytes and events hears of progress alone.
pub trait Listener {
    /// So many bytes were read and so many events judged. Called now and then.
    fn progress(&mut self, bytes: u64, events: u64) {
        let _ = (bytes, events);
    }

    /// A violation became certain. Called only with [`super::Options::tell_violations`].
    fn violation(&mut self, found: &Found<'_>) {
        let _ = found;
    }

    /// All that an event decides is known. Called only with [`super::Options::tell_events`], in the order of judging.
    fn event(&mut self, judged: &Judged<'_>) {
        let _ = judged;
    }

    /// The end of the trace, or of a case, decided something. Called only with [`super::Options::tell_events`].
    fn end(&mut self, ended: &Ended<'_>) {
        let _ = ended;
    }

    /// A case is over. Called only where a trace is judged by cases.
    fn case(&mut self, case: &JudgedCase<'_>) {
        let _ = case;
    }
}

impl<F: FnMut(u64, u64)> Listener for F {
    fn progress(&mut self, bytes: u64, events: u64) {
        self(bytes, events);
    }
}

/// How the trace that is being judged writes names and times.
#[derive(Clone, Copy, Debug)]
pub struct Legend<'a> {
    /// The names of its events.
    pub symbols: &'a Symbols,
    /// What its times are.
    pub time_kind: TimeKind,
}

/// A violation, told at once.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// Which property of the plan is violated.
    pub property: usize,
    /// Where and why.
    pub violation: &'a Violation,
    /// In which case, where the trace is judged by cases.
    pub case: Option<&'a str>,
    /// How to write it.
    pub legend: Legend<'a>,
}

/// An event with all that it decides.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The event.
    pub origin: Origin,
    /// The properties of the plan of which a violation was decided at this event's position, or by a deadline that was
    /// found to have passed when the event came.
    pub violated: &'a [usize],
    /// For which values of their variables, where those properties have any: of the first violations, as many as are
    /// listed.
    pub bindings: &'a [(usize, Binding)],
    /// The case that the event belongs to, where the trace is judged by cases.
    pub case: Option<&'a str>,
    /// How to write it.
    pub legend: Legend<'a>,
}

/// What the end decided.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    /// The time of the last event.
    pub last: Option<Timestamp>,
    /// The properties of the plan of which the end decided a violation.
    pub violated: &'a [usize],
    /// For which values of their variables, as in [`Judged::bindings`].
    pub bindings: &'a [(usize, Binding)],
    /// The case that ended, where the trace is judged by cases.
    pub case: Option<&'a str>,
    /// How to write it.
    pub legend: Legend<'a>,
}

/// One case, judged.
#[derive(Clone, Copy, Debug)]
pub struct JudgedCase<'a> {
    /// What its events have in common.
    pub label: &'a str,
    /// How many events it has.
    pub events: u64,
    /// What became of each property of the plan.
    pub outcomes: &'a [Outcome],
    /// How to write it.
    pub legend: Legend<'a>,
}
