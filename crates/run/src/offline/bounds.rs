// SPDX-License-Identifier: MIT OR Apache-2.0
//! First and last event of the whole trace, for checking a part of it.
//!
//! A case by itself ends with its last event, so deadlines after that stay open, and a property that refers to the beginning
//! of the trace takes the first event of the case for it. Where a trace is partitioned by a key of its properties
//! ([`CompiledSpec::partition`](crate::compile::CompiledSpec::partition)) and the outcome must be that of the whole trace,
//! each case is shown the first and the last event of the whole. These match no atom of its properties, but they mark the
//! beginning, and the time at the end.
//!
//! Example: `forall x. G(ask(x) -> F[0,3] answer(x))` on `ask(1)@1 ask(2)@2 end@9`, partitioned by `x`. The part with `x =
//! 1` has the single event `ask(1)@1` and would be undecided; with the last event `end@9` it is violated, as in the whole
//! trace.

use gnomon_core::event::PROGRESS_MARKER;
use gnomon_core::symbols::Symbols;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::Origin;
use gnomon_engine::Monitor;

/// First and last event of the whole trace. Only for properties that have a key: others would take these events as events of
/// each case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TraceBounds {
    /// The first event.
    pub first: Option<BoundaryEvent>,
    /// The last event.
    pub last: Option<BoundaryEvent>,
}

/// The first or the last event of the whole trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundaryEvent {
    /// Its index. A case that contains the event itself is not shown it again.
    pub index: u64,
    /// Its time.
    pub time: Timestamp,
    /// Its name.
    pub event: String,
}

/// Bounds with the names as a reader numbers them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ResolvedBounds {
    first: Option<Origin>,
    last: Option<Origin>,
    /// The latest progress marker: time has advanced to it in every case.
    until: Option<Timestamp>,
}

impl TraceBounds {
    /// Numbers the names of the boundary events before a reader numbers its own.
    pub(super) fn announce(&self, symbols: &mut Symbols) {
        for boundary in self.first.iter().chain(&self.last) {
            symbols.name(&boundary.event);
        }
    }
}

impl ResolvedBounds {
    /// Resolves the names of the boundary events.
    pub(super) fn new(bounds: Option<&TraceBounds>, symbols: &Symbols) -> Self {
        let Some(TraceBounds { first, last }) = bounds else { return ResolvedBounds::default() };
        let is_marker = |boundary: &&BoundaryEvent| boundary.event == PROGRESS_MARKER;
        let origin = |boundary: &BoundaryEvent| {
            let event = symbols.find_name(&boundary.event)?;
            Some(Origin { event_index: boundary.index, time: boundary.time, event })
        };
        ResolvedBounds {
            first: first.as_ref().filter(|first| !is_marker(first)).and_then(origin),
            last: last.as_ref().filter(|last| !is_marker(last)).and_then(origin),
            until: last.as_ref().filter(is_marker).map(|marker| marker.time),
        }
    }

    /// Notes a progress marker.
    pub(super) fn progress(&mut self, to: Timestamp) {
        self.until = self.until.max(Some(to));
    }

    /// Returns the latest time that is known to have passed in every case.
    pub(super) fn until(&self) -> Option<Timestamp> {
        self.until.max(self.last.map(|last| last.time))
    }

    /// Shows the first event of the whole to a case that begins with this event.
    pub(super) fn begin(self, monitor: &mut Monitor, index: u64, time: Timestamp) {
        if let Some(first) = self.first.filter(|first| first.event_index != index && first.time <= time) {
            monitor.skip(&[first]);
        }
    }

    /// Shows the last event of the whole to a case that ends with this event.
    pub(super) fn end(self, monitor: &mut Monitor, index: u64, time: Timestamp) {
        if let Some(last) = self.last.filter(|last| last.event_index != index && last.time >= time) {
            monitor.advance(last.time);
            monitor.skip(&[last]);
        }
        let ended = self.last.map_or(time, |last| last.time.max(time));
        if let Some(until) = self.until.filter(|until| *until > ended) {
            monitor.advance(until);
        }
    }
}
