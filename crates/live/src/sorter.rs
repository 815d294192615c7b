// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order of events: those that may still be overtaken wait.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use gnomon_core::time::{Duration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::event::Seen;

/// Where an event lies.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) record: Arc<Vec<u8>>,
    pub(crate) offset: usize,
}

impl Slot {
    /// How many bytes the event takes.
    pub(crate) fn size(&self) -> usize {
        Seen::length(&self.record[self.offset..]).unwrap_or_default()
    }

    /// Those bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.record[self.offset..self.offset + self.size()].to_vec()
    }
}

#[derive(Clone, Debug)]
struct Waiting {
    time: Timestamp,
    /// Equal times stay in the order in which they came.
    number: u64,
    slot: Slot,
}

impl Waiting {
    fn key(&self) -> (Timestamp, u64) {
        (self.time, self.number)
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Waiting {}
impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// What becomes of an event that comes.
#[derive(Debug)]
pub(crate) enum Place {
    /// It is next.
    Next,
    /// It waits.
    Waits,
    /// It is late, by so much.
    Late(Duration),
}

/// COST: holds the events of the last `lateness` before the latest.
#[derive(Clone, Debug)]
pub(crate) struct Sorter {
    lateness: Duration,
    waiting: BinaryHeap<Reverse<Waiting>>,
    number: u64,
    /// Nothing earlier is judged any more.
    frontier: Timestamp,
    latest: Timestamp,
}

/// A sorter as data.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedSorter {
    frontier: Timestamp,
    latest: Timestamp,
    /// Time, and the event's bytes.
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

    /// The time up to which everything has come, if nothing is later than it may be.
    fn mark(&self) -> Timestamp {
        if self.latest == Timestamp::MIN { Timestamp::MIN } else { self.latest.saturating_sub(self.lateness) }
    }

    /// An event comes. If it is next the caller judges it at once; [`Sorter::release`] tells whether others may follow.
    pub(crate) fn place(&mut self, time: Timestamp, slot: impl FnOnce() -> Slot) -> Place {
        if time < self.frontier {
            return Place::Late(self.latest.max(self.frontier) - time);
        }
        self.latest = self.latest.max(time);
        if self.waiting.is_empty() && time <= self.mark() {
            self.frontier = time;
            return Place::Next;
        }
        self.number += 1;
        self.waiting.push(Reverse(Waiting { time, number: self.number, slot: slot() }));
        Place::Waits
    }

    /// The next event that nothing can overtake any more.
    pub(crate) fn release(&mut self) -> Option<(Timestamp, Slot)> {
        let mark = self.mark();
        self.pop_up_to(mark)
    }

    /// Nothing earlier than `to` will come: the next event up to there. Once there is none the frontier is there.
    pub(crate) fn release_to(&mut self, to: Timestamp) -> Option<(Timestamp, Slot)> {
        let next = self.pop_up_to(to);
        if next.is_none() {
            self.frontier = self.frontier.max(to);
        }
        next
    }

    fn pop_up_to(&mut self, to: Timestamp) -> Option<(Timestamp, Slot)> {
        if self.waiting.peek()?.0.time > to {
            return None;
        }
        let Reverse(Waiting { time, slot, .. }) = self.waiting.pop()?;
        self.frontier = self.frontier.max(time);
        Some((time, slot))
    }

    /// No further event will have the time of the last one.
    pub(crate) fn leave(&mut self, time: Timestamp) {
        self.frontier = self.frontier.max(Timestamp::from_ticks(time.ticks().saturating_add(1)));
    }

    /// The time of the first event that waits.
    pub(crate) fn first_waiting(&self) -> Option<Timestamp> {
        self.waiting.peek().map(|Reverse(first)| first.time)
    }

    pub(crate) fn save(&self) -> SavedSorter {
        let mut waiting: Vec<&Waiting> = self.waiting.iter().map(|Reverse(one)| one).collect();
        waiting.sort();
        SavedSorter {
            frontier: self.frontier,
            latest: self.latest,
            waiting: waiting.into_iter().map(|one| (one.time, one.slot.bytes())).collect(),
        }
    }

    pub(crate) fn restore(saved: SavedSorter, lateness: Duration) -> Self {
        let mut sorter = Sorter::new(lateness);
        for (time, bytes) in saved.waiting {
            sorter.number += 1;
            let slot = Slot { record: Arc::new(bytes), offset: 0 };
            sorter.waiting.push(Reverse(Waiting { time, number: sorter.number, slot }));
        }
        Sorter { frontier: saved.frontier, latest: saved.latest, ..sorter }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: i128) -> Timestamp {
        Timestamp::from_ticks(time)
    }

    fn slot(number: usize) -> Slot {
        Slot { record: Arc::new(vec![]), offset: number }
    }

    fn feed(lateness: i128, times: &[i128]) -> (Vec<(i128, usize)>, Vec<usize>) {
        let mut sorter = Sorter::new(Duration::from_ticks(lateness));
        let (mut judged, mut late) = (vec![], vec![]);
        for (number, time) in times.iter().enumerate() {
            match sorter.place(at(*time), || slot(number)) {
                Place::Next => judged.push((*time, number)),
                Place::Waits => {}
                Place::Late(_) => late.push(number),
            }
            while let Some((time, slot)) = sorter.release() {
                judged.push((time.ticks(), slot.offset));
            }
        }
        while let Some((time, slot)) = sorter.release_to(at(i128::MAX)) {
            judged.push((time.ticks(), slot.offset));
        }
        (judged, late)
    }

    #[test]
    fn without_lateness_order_is_that_of_arrival() {
        assert_eq!(feed(0, &[1, 1, 2, 1, 3]), (vec![(1, 0), (1, 1), (2, 2), (3, 4)], vec![3]));
    }

    #[test]
    fn within_lateness_times_decide_and_ties_keep_their_order() {
        let (judged, late) = feed(2, &[5, 4, 5, 3, 7, 4, 9, 6]);
        assert_eq!(judged, [(3, 3), (4, 1), (5, 0), (5, 2), (7, 4), (9, 6)]);
        assert_eq!(late, [5, 7]);
    }
}
