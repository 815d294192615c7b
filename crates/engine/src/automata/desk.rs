// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was asked for, and where it is counted what became of it.

use gnomon_core::diagnostic::Span;
use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{At, Because, Binding, Decided, Durations, End, Origin, Outcome, Verdict, Violation};
use serde::{Deserialize, Serialize};

use crate::slice::machine::Sink;
use crate::slice::sum::Sum;

/// A position at which a clause asked for something. Laid out to be small: there may be millions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Asked {
    position: u64,
    event_index: u64,
    /// The halves of the time, so that 16 bytes need no alignment of their own.
    time: (u64, u64),
    event: u32,
    pub(super) clause: u8,
    #[serde(skip)]
    room: Room,
}

/// A byte with one meaning: its others tell the variants of an enum apart, which then takes no more than what it holds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(u8)]
enum Room {
    #[default]
    Empty,
}

/// Kept here so that a change of the layout is noticed.
const _: () = assert!(size_of::<Asked>() == 40 && size_of::<Option<Asked>>() == 40);

impl Asked {
    #[inline]
    pub(super) fn new(clause: u8, position: u64, origin: &Origin) -> Self {
        let ticks = origin.time.ticks();
        Asked {
            position,
            event_index: origin.event_index,
            time: ((ticks >> 64) as u64, ticks as u64),
            event: origin.event.0,
            clause,
            room: Room::Empty,
        }
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    #[inline]
    pub(super) fn time(&self) -> Timestamp {
        Timestamp::from_ticks(i128::from(self.time.0 as i64) << 64 | i128::from(self.time.1))
    }

    pub(super) fn at(&self) -> At {
        let origin = Origin { event_index: self.event_index, time: self.time(), event: Name(self.event) };
        At { position: self.position, origin }
    }
}

/// With what something became certain.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cause<'a> {
    /// A position came, at which the atoms of `letter` are true.
    Position { position: u64, decider: &'a Origin, letter: usize },
    /// This time passed.
    Deadline(Timestamp),
    /// The trace ended, its last position at this time.
    End(Timestamp),
}

impl Cause<'_> {
    #[inline]
    pub(super) fn time(self) -> Timestamp {
        match self {
            Cause::Position { decider, .. } => decider.time,
            Cause::Deadline(time) | Cause::End(time) => time,
        }
    }

    fn decided(self) -> Decided {
        match self {
            Cause::Position { decider, .. } => Decided::Event(*decider),
            Cause::Deadline(time) => Decided::Deadline(time),
            Cause::End(time) => Decided::End(time),
        }
    }
}

/// What a binding counted for itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Counted {
    pub(super) sum: Sum,
    /// The violations, apart from the sum: a list that only grows.
    listed: Vec<Violation>,
}

impl Counted {
    pub(super) fn new(most_listed: usize) -> Self {
        Counted { sum: Sum::new(most_listed), listed: vec![] }
    }

    pub(super) fn desk(&mut self) -> Desk<'_> {
        let room = self.sum.most_listed();
        Desk { sum: &mut self.sum, listed: &mut self.listed, room }
    }

    pub(super) fn violations(&self) -> (u64, &[Violation]) {
        (self.sum.violated, &self.listed)
    }

    /// Forgets listed violations beyond so many; the last, which may grow, stays.
    pub(super) fn trim(counted: &mut Option<Box<Counted>>, keep: usize) {
        if let Some(counted) = counted {
            let length = counted.listed.len();
            if length > keep + 1 {
                counted.listed.drain(keep..length - 1);
            }
        }
    }

    /// The trace ended: what is counted is all there is.
    pub(super) fn conclude(self, end: End, if_complete: bool, positions: u64) -> Outcome {
        let verdict = match end {
            _ if self.sum.violated > 0 => Verdict::Violated,
            End::Complete => Verdict::Holds,
            End::Prefix => Verdict::Inconclusive,
        };
        let presumably = (verdict == Verdict::Inconclusive).then_some(if_complete);
        self.outcome(verdict, presumably, positions)
    }

    pub(super) fn outcome(self, verdict: Verdict, presumably: Option<bool>, positions: u64) -> Outcome {
        let Counted { mut sum, listed } = self;
        sum.list(listed.into_iter());
        sum.outcome(verdict, presumably, positions)
    }
}

/// Where things are counted.
pub(super) struct Desk<'d> {
    pub(super) sum: &'d mut Sum,
    listed: &'d mut Vec<Violation>,
    room: usize,
}

impl Desk<'_> {
    /// Lets something count where the binding is told to: in the sink, or else in what it keeps itself.
    #[inline]
    pub(super) fn with<R>(
        sink: &mut Sink<'_>,
        own: &mut Option<Box<Counted>>,
        count: impl FnOnce(&mut Desk<'_>) -> R,
    ) -> R {
        let most_listed = sink.most_listed;
        // One call, so that it is compiled into the caller.
        count(&mut match &mut sink.sum {
            Some(sum) => Desk { sum, listed: sink.found, room: most_listed },
            None => own.get_or_insert_with(|| Box::new(Counted::new(most_listed))).desk(),
        })
    }

    /// So many obligations were met at this time; `times` is the sum of their own times, which lie between the others.
    #[inline]
    pub(super) fn satisfy(&mut self, count: u64, first: Timestamp, last: Timestamp, times: i128, until: Timestamp) {
        let sum = until.ticks() * i128::from(count) - times;
        self.sum.satisfied += count;
        self.sum.measure(Durations { min: until - last, max: until - first, sum, count });
    }

    /// Whether the list has room for a violation, or ends with one that it continues.
    pub(super) fn lists(&self, position: u64) -> bool {
        self.listed.len() < self.room || self.listed.last().is_some_and(|last| goes_on(last, position))
    }

    /// Lists the violations of the positions from `at` to `to`, as a range with the last one where it is of the same
    /// part and the positions are consecutive.
    pub(super) fn list(
        &mut self,
        at: At,
        to: u64,
        failed: Span,
        why: Cause<'_>,
        tell: impl FnOnce() -> (String, Vec<Because>),
    ) {
        if let Some(last) = self.listed.last_mut()
            && last.failed == failed
            && goes_on(last, at.position)
        {
            last.until_position = Some(to);
        } else if self.listed.len() < self.room {
            let (summary, because) = tell();
            let until_position = (to > at.position).then_some(to);
            let binding = Binding::default();
            let decided = why.decided();
            self.listed.push(Violation { at, until_position, decided, binding, failed, summary, because });
        }
    }
}

fn goes_on(last: &Violation, position: u64) -> bool {
    last.until_position.unwrap_or(last.at.position) + 1 == position
}
