// SPDX-License-Identifier: MIT OR Apache-2.0
//! Activations of a binding in few bytes, and the record in which they are counted.

use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Origin, TracePosition};
use serde::{Deserialize, Serialize};

use crate::accounting::{ObligationRecord, Totals, ViolationLog};
use crate::slice::machine::Sink;

/// The position that activated an obligation. Laid out to be small: there may be millions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Activation {
    position: u64,
    event_index: u64,
    /// The halves of the time, so that 16 bytes need no alignment of their own.
    time: (u64, u64),
    event: u32,
    pub(super) clause: u8,
    #[serde(skip)]
    room: Niche,
}

/// A byte with one valid value. The others encode the variants of an enum around it, which then needs no byte for its tag.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(u8)]
pub(super) enum Niche {
    #[default]
    Empty,
}

/// A change of the layout must be noticed.
const _: () = assert!(size_of::<Activation>() == 40 && size_of::<Option<Activation>>() == 40);

impl Activation {
    #[inline]
    pub(super) fn new(clause: u8, position: u64, origin: &Origin) -> Self {
        let ticks = origin.time.ticks();
        Activation {
            position,
            event_index: origin.event_index,
            time: ((ticks >> 64) as u64, ticks as u64),
            event: origin.event.0,
            clause,
            room: Niche::Empty,
        }
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    #[inline]
    pub(super) fn time(&self) -> Timestamp {
        Timestamp::from_ticks(i128::from(self.time.0 as i64) << 64 | i128::from(self.time.1))
    }

    pub(super) fn at(&self) -> TracePosition {
        let origin = Origin { event_index: self.event_index, time: self.time(), event: Name(self.event) };
        TracePosition { position: self.position, origin }
    }
}

/// Counts the decided obligations of one binding and lists its violations.
pub(super) struct Recorder<'r> {
    pub(super) totals: &'r mut Totals,
    pub(super) log: &'r mut ViolationLog,
}

impl<'r> Recorder<'r> {
    pub(super) fn new(record: &'r mut ObligationRecord) -> Self {
        Recorder { totals: &mut record.totals, log: &mut record.log }
    }

    /// Calls `count` with the record that a visit is counted in: the sink's, or else the binding's own.
    #[inline]
    pub(super) fn with<R>(
        sink: &mut Sink<'_>,
        own: &mut Option<Box<ObligationRecord>>,
        count: impl FnOnce(&mut Recorder<'_>) -> R,
    ) -> R {
        let most_listed = sink.found.limit();
        // One call, so that it is compiled into the caller.
        count(&mut match &mut sink.totals {
            Some(totals) => Recorder { totals, log: sink.found },
            None => Recorder::new(own.get_or_insert_with(|| Box::new(ObligationRecord::new(most_listed)))),
        })
    }
}

/// Takes the record of a binding at the end; an empty one if it has counted nothing.
pub(super) fn take(own: &mut Option<Box<ObligationRecord>>, most_listed: usize) -> ObligationRecord {
    own.take().map_or_else(|| ObligationRecord::new(most_listed), |record| *record)
}
