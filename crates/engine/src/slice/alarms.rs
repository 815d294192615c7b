// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who must be looked at when a time has passed.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use gnomon_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::index::Slot;

/// Alarms are mostly set in the order in which they ring, because a property's bounds are constants and time goes on:
/// those are queued. The others are in a heap.
///
/// When each instance is to be looked at next is kept apart from its state: most alarms ring for nothing, and then the state
/// need not be touched.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Alarms {
    /// For each instance, the alarm that counts.
    armed: Vec<Timestamp>,
    queue: VecDeque<(Timestamp, Slot)>,
    heap: BinaryHeap<Reverse<(Timestamp, Slot)>>,
    /// The earliest alarm; [`Timestamp::MAX`] if none is set. Asked for at every position.
    #[serde(skip, default = "never")]
    next: Timestamp,
}

fn never() -> Timestamp {
    Timestamp::MAX
}

impl Default for Alarms {
    fn default() -> Self {
        Alarms { armed: Vec::new(), queue: VecDeque::new(), heap: BinaryHeap::new(), next: never() }
    }
}

impl Alarms {
    /// Sets an alarm for an instance, unless an earlier one is set.
    #[inline]
    pub(crate) fn arm(&mut self, at: Timestamp, slot: Slot) {
        if at == Timestamp::MAX {
            return;
        }
        let place = slot as usize;
        match self.armed.get_mut(place) {
            Some(armed) if at >= *armed => return,
            Some(armed) => *armed = at,
            None => {
                self.armed.resize(place, Timestamp::MAX);
                self.armed.push(at);
            }
        }
        self.set(at, slot);
    }

    /// Takes every alarm back.
    pub(crate) fn clear(&mut self) {
        self.armed.clear();
        self.queue.clear();
        self.heap.clear();
        self.next = never();
    }

    /// Whatever is set for an instance does not count any more.
    #[inline]
    pub(crate) fn disarm(&mut self, slot: Slot) {
        if let Some(armed) = self.armed.get_mut(slot as usize) {
            *armed = Timestamp::MAX;
        }
    }

    fn set(&mut self, at: Timestamp, slot: Slot) {
        self.next = self.next.min(at);
        match self.queue.back() {
            Some((last, _)) if at < *last => self.heap.push(Reverse((at, slot))),
            _ => self.queue.push_back((at, slot)),
        }
    }

    /// The earliest alarm; [`Timestamp::MAX`] if none is set.
    #[inline]
    pub(crate) fn next(&self) -> Timestamp {
        self.next
    }

    fn earliest(&self) -> Timestamp {
        let queued = self.queue.front().map_or(Timestamp::MAX, |(at, _)| *at);
        self.heap.peek().map_or(queued, |Reverse((at, _))| queued.min(*at))
    }

    /// Takes the earliest alarm before a time that counts, and tells for whom it was set.
    #[inline]
    pub(crate) fn take(&mut self, before: Timestamp) -> Option<Slot> {
        if self.next < before { self.take_due(before) } else { None }
    }

    fn take_due(&mut self, before: Timestamp) -> Option<Slot> {
        while self.next < before {
            let (at, slot) = self.pop()?;
            if self.armed.get(slot as usize) == Some(&at) {
                self.disarm(slot);
                return Some(slot);
            }
        }
        None
    }

    fn pop(&mut self) -> Option<(Timestamp, Slot)> {
        let popped = match self.queue.front() {
            Some((at, _)) if *at == self.next => self.queue.pop_front(),
            _ => self.heap.pop().map(|Reverse(alarm)| alarm),
        };
        self.next = self.earliest();
        popped
    }

    /// Makes a restored one whole; `false` if it is not for so many instances.
    pub(crate) fn rebuild(&mut self, slots: usize) -> bool {
        self.next = self.earliest();
        let known = |slot: Slot| (slot as usize) < slots;
        self.armed.len() <= slots
            && self.queue.iter().all(|(_, slot)| known(*slot))
            && self.heap.iter().all(|Reverse((_, slot))| known(*slot))
    }

    pub(crate) fn bytes(&self) -> usize {
        let set = (self.queue.capacity() + self.heap.capacity()) * size_of::<(Timestamp, Slot)>();
        set + self.armed.capacity() * size_of::<Timestamp>()
    }
}
