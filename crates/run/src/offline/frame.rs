// SPDX-License-Identifier: MIT OR Apache-2.0
//! A part of a trace that is judged as a part: it is told where the whole begins and ends.
//!
//! A case by itself ends with its last event, and deadlines after that stay open; what is asked at the beginning of a trace is asked at its
//! first event. Where a trace is taken apart by a key of its properties
//! ([`Compiled::partition`](crate::compile::Compiled::partition)) and the outcome shall be that of the whole, the
//! cases are told of the first and the last event of the whole. These concern none of their properties.

use gnomon_core::symbols::Symbols;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::Origin;
use gnomon_engine::Monitor;

/// Where the whole trace begins and ends. Only for properties that have a key: others take these events as events of each case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// Its first event.
    pub first: Option<Landmark>,
    /// Its last event.
    pub last: Option<Landmark>,
}

/// An event of the whole trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Landmark {
    /// Its number. The case that has an event of this number needs not be told of it.
    pub index: u64,
    /// Its time.
    pub time: Timestamp,
    /// Its name.
    pub event: String,
}

/// A frame in the terms of a reader.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounds {
    first: Option<Origin>,
    last: Option<Origin>,
}

impl Frame {
    /// Numbers the names, before a reader numbers its own.
    pub(super) fn announce(&self, symbols: &mut Symbols) {
        for landmark in self.first.iter().chain(&self.last) {
            symbols.name(&landmark.event);
        }
    }
}

impl Bounds {
    /// The frame, if there is one, where names are numbered like this.
    pub(super) fn new(frame: Option<&Frame>, symbols: &Symbols) -> Self {
        let origin = |landmark: &Landmark| {
            let event = symbols.find_name(&landmark.event)?;
            Some(Origin { event_index: landmark.index, time: landmark.time, event })
        };
        let Some(frame) = frame else { return Bounds::default() };
        Bounds { first: frame.first.as_ref().and_then(origin), last: frame.last.as_ref().and_then(origin) }
    }

    /// A case begins with the event of this number, at this time.
    pub(super) fn begin(self, monitor: &mut Monitor, index: u64, time: Timestamp) {
        if let Some(first) = self.first.filter(|first| first.event_index != index && first.time <= time) {
            monitor.pass(&[first]);
        }
    }

    /// A case ends with the event of this number, at this time.
    pub(super) fn end(self, monitor: &mut Monitor, index: u64, time: Timestamp) {
        if let Some(last) = self.last.filter(|last| last.event_index != index && last.time >= time) {
            monitor.advance(last.time);
            monitor.pass(&[last]);
        }
    }
}
