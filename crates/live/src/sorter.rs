// SPDX-License-Identifier: MIT OR Apache-2.0
//! Puts late events in order, and defines the order of evaluation.
//!
//! An event may arrive up to `lateness` after events with later timestamps. The *watermark* is the latest timestamp seen less the
//! lateness: events up to it can no longer be overtaken. An event above the watermark waits; one below an event that was evaluated
//! already, or below a tick, is late and is not evaluated.
//!
//! Example with lateness 2: times 5, 4, 3, 7, 4, 9 arrive.
//!
//! ```text
//! arrives   watermark   evaluated   waiting      late
//!    5          3           -        5
//!    4          3           -        4 5
//!    3          3           3        4 5               not above the watermark, and the earliest
//!    7          5           4 5      7
//!    4          5           -        7           4     5 was evaluated
//!    9          7           7        9
//! ```
//!
//! The evaluator and the export must see the same order, so both use [`Sorter::order_batch`] and [`Sorter::order_tick`].

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use gnomon_core::time::{Duration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::event::{EventView, PROGRESS_MARKER, STAMPED};
use crate::options::TimeSource;
use crate::record::{BatchHeader, Policy};

/// The location of an event: a record and an offset in it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct EventSlot {
    pub(crate) record: Arc<Vec<u8>>,
    pub(crate) offset: usize,
}

impl EventSlot {
    /// Returns the length of the event.
    pub(crate) fn size(&self) -> usize {
        EventView::length(&self.record[self.offset..]).unwrap_or_default()
    }

    /// Copies the bytes of the event.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.record[self.offset..self.offset + self.size()].to_vec()
    }
}

/// An event that may be overtaken. Ordered by time, then by arrival; `number` is unique, so slots are never compared.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct WaitingEvent {
    time: Timestamp,
    number: u64,
    slot: EventSlot,
}

/// A step in the order of evaluation.
pub(crate) enum OrderedStep<'a> {
    /// An event with this time is about to be placed; its batch arrived at the second time.
    Arrived(Timestamp, i128),
    /// The next event to evaluate.
    Event(EventView<'a>, Timestamp, EventSlot),
    /// An event that is too late, by this much.
    Late(EventView<'a>, Timestamp, Duration),
    /// An event that is too far ahead of its arrival, by this much. It has no effect on event time.
    Ahead(EventView<'a>, Timestamp, Duration),
    /// Event time advances: no earlier event will be evaluated.
    Tick(Timestamp),
    /// No other event has the time of the last one.
    PositionComplete,
}

/// The place of an arriving event in the order.
#[derive(Debug)]
pub(crate) enum Placement {
    /// It is evaluated next.
    Next,
    /// It may be overtaken.
    Waits,
    /// It is too late, by this much.
    Late(Duration),
}

/// Orders events by time.
///
/// COST: holds the events of the last `lateness` before the latest.
#[derive(Clone, Debug)]
pub(crate) struct Sorter {
    lateness: Duration,
    waiting: BinaryHeap<Reverse<WaitingEvent>>,
    number: u64,
    /// No event before this time will be evaluated.
    frontier: Timestamp,
    latest: Timestamp,
}

/// Serialised form of a sorter.
#[derive(Serialize, Deserialize)]
pub(crate) struct SorterSnapshot {
    frontier: Timestamp,
    latest: Timestamp,
    /// Times and bytes of events.
    waiting: Vec<(Timestamp, Vec<u8>)>,
}

impl Sorter {
    pub(crate) fn new(lateness: Duration) -> Self {
        Sorter { lateness, waiting: BinaryHeap::new(), number: 0, frontier: Timestamp::MIN, latest: Timestamp::MIN }
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn frontier(&self) -> Timestamp {
        self.frontier
    }

    /// Returns the time up to which all events have arrived, given the lateness.
    fn watermark(&self) -> Timestamp {
        if self.latest == Timestamp::MIN { Timestamp::MIN } else { self.latest.saturating_sub(self.lateness) }
    }

    /// Places an arriving event. If it is next the caller evaluates it immediately; [`Sorter::release`] returns others that may follow.
    fn place(&mut self, time: Timestamp, slot: impl FnOnce() -> EventSlot) -> Placement {
        if time < self.frontier {
            return Placement::Late(self.latest.max(self.frontier) - time);
        }
        self.latest = self.latest.max(time);
        if self.waiting.is_empty() && time <= self.watermark() {
            self.frontier = time;
            return Placement::Next;
        }
        self.number += 1;
        self.waiting.push(Reverse(WaitingEvent { time, number: self.number, slot: slot() }));
        Placement::Waits
    }

    /// Returns the next event that nothing can overtake.
    fn release(&mut self) -> Option<(Timestamp, EventSlot)> {
        let watermark = self.watermark();
        self.pop_up_to(watermark)
    }

    /// Returns the next event up to `to`, before which no event will arrive. Once there is none, the frontier is `to`.
    fn release_to(&mut self, to: Timestamp) -> Option<(Timestamp, EventSlot)> {
        let next = self.pop_up_to(to);
        if next.is_none() {
            self.frontier = self.frontier.max(to);
        }
        next
    }

    fn pop_up_to(&mut self, to: Timestamp) -> Option<(Timestamp, EventSlot)> {
        if self.waiting.peek()?.0.time > to {
            return None;
        }
        let Reverse(WaitingEvent { time, slot, .. }) = self.waiting.pop()?;
        self.frontier = self.frontier.max(time);
        Some((time, slot))
    }

    /// Declares that no further event will have the time of the last one.
    fn leave(&mut self, time: Timestamp) {
        self.frontier = self.frontier.max(Timestamp::from_ticks(time.ticks().saturating_add(1)));
    }

    /// Returns the time of the first waiting event.
    pub(crate) fn first_waiting(&self) -> Option<Timestamp> {
        self.waiting.peek().map(|Reverse(first)| first.time)
    }

    /// Calls `visit` with the events of a batch and with waiting ones that they release, in the order of evaluation.
    pub(crate) fn order_batch<E>(
        &mut self,
        (source, policy): (TimeSource, &Policy),
        (header, start): (&BatchHeader, usize),
        record: &Arc<Vec<u8>>,
        visit: &mut impl FnMut(OrderedStep<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let latest_allowed = policy.latest_allowed(source, header);
        let (mut offset, mut stamp) = (start, header.arrival);
        while let Some((view, length)) = EventView::read(&record[offset..]) {
            let is_stamped = source == TimeSource::Arrival || view.time == STAMPED;
            let time = if is_stamped { Timestamp::from_ticks(stamp) } else { view.timestamp(stamp) };
            let slot = || EventSlot { record: record.clone(), offset };
            if !is_stamped && latest_allowed.is_some_and(|latest| time > latest) {
                visit(OrderedStep::Ahead(view, time, time - Timestamp::from_ticks(header.arrival)))?;
                offset += length;
                stamp += 1;
                continue;
            }
            visit(OrderedStep::Arrived(time, header.arrival))?;
            if view.name == PROGRESS_MARKER {
                self.order_tick(time, visit)?;
            } else {
                match self.place(time, slot) {
                    Placement::Next => visit(OrderedStep::Event(view, time, slot()))?,
                    Placement::Waits => {}
                    Placement::Late(by) => visit(OrderedStep::Late(view, time, by))?,
                }
                while let Some((time, slot)) = self.release() {
                    visit_slot(time, slot, visit)?;
                }
                // Arrival timestamps are unique, so no other event belongs to this position.
                if is_stamped && self.lateness == Duration::ZERO {
                    self.leave(time);
                    visit(OrderedStep::PositionComplete)?;
                }
            }
            offset += length;
            stamp += 1;
        }
        Ok(())
    }

    /// Calls `visit` with the events that a tick releases, then with the tick.
    pub(crate) fn order_tick<E>(
        &mut self,
        to: Timestamp,
        visit: &mut impl FnMut(OrderedStep<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some((time, slot)) = self.release_to(to) {
            visit_slot(time, slot, visit)?;
        }
        visit(OrderedStep::Tick(to))
    }

    pub(crate) fn save(&self) -> SorterSnapshot {
        let mut waiting: Vec<&WaitingEvent> = self.waiting.iter().map(|Reverse(one)| one).collect();
        waiting.sort();
        SorterSnapshot {
            frontier: self.frontier,
            latest: self.latest,
            waiting: waiting.into_iter().map(|one| (one.time, one.slot.bytes())).collect(),
        }
    }

    pub(crate) fn restore(saved: SorterSnapshot, lateness: Duration) -> Self {
        let mut sorter = Sorter::new(lateness);
        for (time, bytes) in saved.waiting {
            sorter.number += 1;
            let slot = EventSlot { record: Arc::new(bytes), offset: 0 };
            sorter.waiting.push(Reverse(WaitingEvent { time, number: sorter.number, slot }));
        }
        Sorter { frontier: saved.frontier, latest: saved.latest, ..sorter }
    }
}

fn visit_slot<E>(
    time: Timestamp,
    slot: EventSlot,
    visit: &mut impl FnMut(OrderedStep<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let record = slot.record.clone();
    match EventView::read(&record[slot.offset..]) {
        Some((view, _)) => visit(OrderedStep::Event(view, time, slot)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: i128) -> Timestamp {
        Timestamp::from_ticks(time)
    }

    fn slot(number: usize) -> EventSlot {
        EventSlot { record: Arc::new(vec![]), offset: number }
    }

    fn feed(lateness: i128, times: &[i128]) -> (Vec<(i128, usize)>, Vec<usize>) {
        let mut sorter = Sorter::new(Duration::from_ticks(lateness));
        let (mut evaluated, mut late) = (vec![], vec![]);
        for (number, time) in times.iter().enumerate() {
            match sorter.place(at(*time), || slot(number)) {
                Placement::Next => evaluated.push((*time, number)),
                Placement::Waits => {}
                Placement::Late(_) => late.push(number),
            }
            while let Some((time, slot)) = sorter.release() {
                evaluated.push((time.ticks(), slot.offset));
            }
        }
        while let Some((time, slot)) = sorter.release_to(at(i128::MAX)) {
            evaluated.push((time.ticks(), slot.offset));
        }
        (evaluated, late)
    }

    #[test]
    fn without_lateness_order_is_that_of_arrival() {
        assert_eq!(feed(0, &[1, 1, 2, 1, 3]), (vec![(1, 0), (1, 1), (2, 2), (3, 4)], vec![3]));
    }

    #[test]
    fn within_lateness_times_decide_and_ties_keep_their_order() {
        let (evaluated, late) = feed(2, &[5, 4, 5, 3, 7, 4, 9, 6]);
        assert_eq!(evaluated, [(3, 3), (4, 1), (5, 0), (5, 2), (7, 4), (9, 6)]);
        assert_eq!(late, [5, 7]);
    }
}
