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
//! With date-times the watermark follows the slowest sender instead of the latest timestamp ([`SourceClocks`]), unless the lateness is 0.
//! A message of the proxy is not held for the default lateness: it is waiting for its verdict. The events before it are evaluated first.
//!
//! The evaluator and the export must see the same order, so both use [`Sorter::order_batch`] and [`Sorter::order_tick`].

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use gnomon_core::time::{Duration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::event::{EventView, PROGRESS_MARKER, STAMPED};
use crate::options::TimeSource;
use crate::record::{self, BatchHeader, Origin, Policy};
use crate::source_clocks::{ARRIVALS, ClockRange, SourceClocks};

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
    /// The key of its record in [`Sorter::records`].
    record: u64,
    slot: EventSlot,
}

/// A record that waiting events keep in memory.
#[derive(Clone, Copy, Debug)]
struct WaitingRecord {
    events: usize,
    bytes: usize,
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
    /// It is evaluated next. The watermark is this.
    Next(Timestamp),
    /// It may be overtaken. The watermark is this.
    Waits(Timestamp),
    /// It is too late, by this much.
    Late(Duration),
}

/// Orders events by time.
///
/// COST: holds the events of the last `lateness` before the watermark, within a limit in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Sorter {
    lateness: Duration,
    /// True if the watermark follows the slowest source.
    follows_sources: bool,
    /// True once an event had a date-time of its own.
    has_timestamps: bool,
    sources: SourceClocks,
    waiting: BinaryHeap<Reverse<WaitingEvent>>,
    records: BTreeMap<u64, WaitingRecord>,
    /// Size of all `records`.
    waiting_bytes: usize,
    number: u64,
    /// No event before this time will be evaluated.
    frontier: Timestamp,
    latest: Timestamp,
}

impl Default for Sorter {
    fn default() -> Self {
        Sorter {
            lateness: Duration::ZERO,
            follows_sources: false,
            has_timestamps: false,
            sources: SourceClocks::default(),
            waiting: BinaryHeap::new(),
            records: BTreeMap::new(),
            waiting_bytes: 0,
            number: 0,
            frontier: Timestamp::MIN,
            latest: Timestamp::MIN,
        }
    }
}

/// Serialised form of a sorter.
#[derive(Serialize, Deserialize)]
pub(crate) struct SorterSnapshot {
    lateness: Duration,
    follows_sources: bool,
    has_timestamps: bool,
    sources: SourceClocks,
    frontier: Timestamp,
    latest: Timestamp,
    /// Times and bytes of events.
    waiting: Vec<(Timestamp, Vec<u8>)>,
}

impl Sorter {
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn frontier(&self) -> Timestamp {
        self.frontier
    }

    /// Returns the time up to which all events have arrived at the wall-clock time `now`, when event time is `stream_now`.
    pub(crate) fn watermark_at(&self, now: i128, stream_now: i128) -> i128 {
        let slowest = self.sources.slowest(now).filter(|_| self.follows_sources);
        slowest.unwrap_or(stream_now).saturating_sub(self.lateness.ticks())
    }

    /// Places an arriving event; `reached` is the time of the slowest source. If the event is next the caller evaluates it immediately;
    /// [`Sorter::release`] returns others that may follow.
    fn place(
        &mut self,
        time: Timestamp,
        reached: impl FnOnce(Timestamp) -> Timestamp,
        record: u64,
        slot: impl FnOnce() -> EventSlot,
    ) -> Placement {
        if time < self.frontier {
            return Placement::Late(self.latest.max(self.frontier) - time);
        }
        self.latest = self.latest.max(time);
        let watermark = reached(self.latest).saturating_sub(self.lateness);
        if self.waiting.is_empty() && time <= watermark {
            self.frontier = time;
            return Placement::Next(watermark);
        }
        self.push(time, record, slot());
        Placement::Waits(watermark)
    }

    /// Adds an event that waits.
    fn push(&mut self, time: Timestamp, record: u64, slot: EventSlot) {
        self.number += 1;
        let bytes = slot.record.len();
        self.records.entry(record).and_modify(|record| record.events += 1).or_insert_with(|| {
            self.waiting_bytes += bytes;
            WaitingRecord { events: 1, bytes }
        });
        self.waiting.push(Reverse(WaitingEvent { time, number: self.number, record, slot }));
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
        let Reverse(WaitingEvent { time, record: key, slot, .. }) = self.waiting.pop()?;
        if let Some(record) = self.records.get_mut(&key) {
            record.events -= 1;
            if record.events == 0 {
                self.waiting_bytes -= record.bytes;
                self.records.remove(&key);
            }
        }
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
        let is_dated = source == TimeSource::Event && header.date_times == Some(true);
        // Of a whole batch: otherwise events without a time, which are the first of it, make those with one late.
        if is_dated && !self.has_timestamps {
            self.has_timestamps = record::has_timestamps(&record[start..], latest_allowed);
        }
        self.lateness = policy.lateness(source, self.has_timestamps);
        self.follows_sources = is_dated && self.lateness > Duration::ZERO;
        let sender = header.numbering.as_ref().map_or(header.origin.word(), |numbering| &numbering.producer);
        let others = if is_dated { self.sources.range(header.arrival, Some(sender)) } else { None };
        // The clock of the sender: the latest timestamp, once the batch has one.
        let (mut own, mut has_own) = (self.sources.at(sender, header.arrival), false);
        let mut arrivals = None;
        let is_immediate = header.origin == Origin::Proxy && policy.lateness.is_none();
        let (mut offset, mut stamp) = (start, header.arrival);
        // Any number that no waiting record has.
        let record_key = self.number + 1;
        while let Some((view, length)) = EventView::read(&record[offset..]) {
            let is_stamped = source == TimeSource::Arrival || view.time == STAMPED;
            let time = if is_stamped { Timestamp::from_ticks(stamp) } else { view.timestamp(stamp) };
            let at = offset;
            let slot = || EventSlot { record: record.clone(), offset: at };
            offset += length;
            stamp += 1;
            if !is_stamped && latest_allowed.is_some_and(|latest| time > latest) {
                visit(OrderedStep::Ahead(view, time, time - Timestamp::from_ticks(header.arrival)))?;
                continue;
            }
            visit(OrderedStep::Arrived(time, header.arrival))?;
            if view.name == PROGRESS_MARKER {
                self.order_tick(time, false, visit)?;
                continue;
            }
            if is_stamped {
                arrivals = Some(time.ticks());
            } else {
                let before = if has_own { own } else { self.sources.latest(sender) };
                (own, has_own) = (before.max(Some(time.ticks())), true);
            }
            if is_immediate && time >= self.frontier {
                while let Some((time, slot)) = self.pop_up_to(time) {
                    visit_slot(time, slot, visit)?;
                }
                (self.latest, self.frontier) = (self.latest.max(time), time);
                visit(OrderedStep::Event(view, time, slot()))?;
                self.leave(time);
                visit(OrderedStep::PositionComplete)?;
                continue;
            }
            let follows = self.follows_sources;
            let reached = |latest: Timestamp| {
                let clocks =
                    [own, arrivals].into_iter().flatten().fold(others, |all, one| Some(ClockRange::with(all, one)));
                clocks.filter(|_| follows).map_or(latest, |clocks| Timestamp::from_ticks(clocks.slowest))
            };
            let watermark = match self.place(time, reached, record_key, slot) {
                Placement::Next(watermark) => {
                    visit(OrderedStep::Event(view, time, slot()))?;
                    watermark
                }
                Placement::Waits(watermark) => watermark,
                Placement::Late(by) => {
                    visit(OrderedStep::Late(view, time, by))?;
                    continue;
                }
            };
            while let Some((time, slot)) = self.pop_up_to(watermark) {
                visit_slot(time, slot, visit)?;
            }
            while policy.waiting_bytes.is_some_and(|limit| self.waiting_bytes > limit)
                && let Some((time, slot)) = self.pop_up_to(Timestamp::MAX)
            {
                visit_slot(time, slot, visit)?;
            }
            // Arrival timestamps are unique, so no other event belongs to this position.
            if is_stamped && self.lateness == Duration::ZERO {
                self.leave(time);
                visit(OrderedStep::PositionComplete)?;
            }
        }
        if is_dated {
            for (name, time) in [(sender, own.filter(|_| has_own)), (ARRIVALS, arrivals)] {
                if let Some(time) = time {
                    self.sources.set(name, time, header.arrival);
                }
            }
        }
        Ok(())
    }

    /// Calls `visit` with the events that a tick releases, then with the tick.
    ///
    /// Records that were accepted before the tick may have got further than it. Nothing earlier than the last event follows, so a tick
    /// that `settles` a deadline goes as far as that event; another one is ignored.
    pub(crate) fn order_tick<E>(
        &mut self,
        to: Timestamp,
        settles: bool,
        visit: &mut impl FnMut(OrderedStep<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if to < self.frontier && !settles {
            return Ok(());
        }
        let to = to.max(self.frontier);
        while let Some((time, slot)) = self.release_to(to) {
            visit_slot(time, slot, visit)?;
        }
        visit(OrderedStep::Tick(to))
    }

    pub(crate) fn save(&self) -> SorterSnapshot {
        let mut waiting: Vec<&WaitingEvent> = self.waiting.iter().map(|Reverse(one)| one).collect();
        waiting.sort();
        SorterSnapshot {
            lateness: self.lateness,
            follows_sources: self.follows_sources,
            has_timestamps: self.has_timestamps,
            sources: self.sources.clone(),
            frontier: self.frontier,
            latest: self.latest,
            waiting: waiting.into_iter().map(|one| (one.time, one.slot.bytes())).collect(),
        }
    }

    pub(crate) fn restore(saved: SorterSnapshot) -> Self {
        let mut sorter = Sorter::default();
        for (key, (time, bytes)) in (0..).zip(saved.waiting) {
            sorter.push(time, key, EventSlot { record: Arc::new(bytes), offset: 0 });
        }
        Sorter {
            lateness: saved.lateness,
            follows_sources: saved.follows_sources,
            has_timestamps: saved.has_timestamps,
            sources: saved.sources,
            frontier: saved.frontier,
            latest: saved.latest,
            ..sorter
        }
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
        let mut sorter = Sorter { lateness: Duration::from_ticks(lateness), ..Sorter::default() };
        let (mut evaluated, mut late) = (vec![], vec![]);
        for (number, time) in times.iter().enumerate() {
            let watermark = match sorter.place(at(*time), |latest| latest, 0, || slot(number)) {
                Placement::Next(watermark) => {
                    evaluated.push((*time, number));
                    watermark
                }
                Placement::Waits(watermark) => watermark,
                Placement::Late(_) => {
                    late.push(number);
                    continue;
                }
            };
            while let Some((time, slot)) = sorter.pop_up_to(watermark) {
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

    /// Returns the ticks that are visited.
    fn visited(sorter: &mut Sorter, settles: bool, ticks: &[i128]) -> Vec<i128> {
        let mut visited = vec![];
        for to in ticks {
            let ordered: Result<(), std::convert::Infallible> = sorter.order_tick(at(*to), settles, &mut |step| {
                if let OrderedStep::Tick(to) = step {
                    visited.push(to.ticks());
                }
                Ok(())
            });
            assert!(ordered.is_ok());
        }
        visited
    }

    #[test]
    fn a_tick_that_events_have_overtaken_settles_what_is_due_before_them() {
        // Under load, records are appended between the decision for a tick and the tick.
        for (settles, expected) in [(true, vec![10, 10, 12, 12]), (false, vec![10, 12])] {
            let mut sorter = Sorter::default();
            assert!(matches!(sorter.place(at(10), |latest| latest, 0, || slot(0)), Placement::Next(_)));
            assert_eq!(visited(&mut sorter, settles, &[5, 10, 12, 11]), expected);
        }
    }

    #[test]
    fn a_record_counts_while_one_of_its_events_waits() {
        let mut sorter = Sorter { lateness: Duration::from_ticks(100), ..Sorter::default() };
        let record = Arc::new(vec![0; 1000]);
        for (time, key) in [(1, 1), (2, 1), (3, 2)] {
            sorter.push(at(time), key, EventSlot { record: record.clone(), offset: 0 });
        }
        assert_eq!(sorter.waiting_bytes, 2000);
        let mut left = vec![];
        while sorter.pop_up_to(at(3)).is_some() {
            left.push(sorter.waiting_bytes);
        }
        assert_eq!(left, [2000, 1000, 0]);
    }
}
