// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who must be looked at when a time has passed.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use gnomon_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::index::Slot;

/// Alarms are mostly set in the order in which they ring, because a property's bounds are constants and time goes on:
/// those are queued. The others are in a heap.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Alarms {
    queue: VecDeque<(Timestamp, Slot)>,
    heap: BinaryHeap<Reverse<(Timestamp, Slot)>>,
}

impl Alarms {
    pub(crate) fn set(&mut self, at: Timestamp, slot: Slot) {
        match self.queue.back() {
            Some((last, _)) if at < *last => self.heap.push(Reverse((at, slot))),
            _ => self.queue.push_back((at, slot)),
        }
    }

    /// The earliest alarm; [`Timestamp::MAX`] if none is set.
    #[inline]
    pub(crate) fn next(&self) -> Timestamp {
        let queued = self.queue.front().map_or(Timestamp::MAX, |(at, _)| *at);
        self.heap.peek().map_or(queued, |Reverse((at, _))| queued.min(*at))
    }

    /// Takes the earliest alarm before a time.
    #[inline]
    pub(crate) fn take(&mut self, before: Timestamp) -> Option<(Timestamp, Slot)> {
        let next = self.next();
        if next >= before {
            return None;
        }
        match self.queue.front() {
            Some((at, _)) if *at == next => self.queue.pop_front(),
            _ => self.heap.pop().map(|Reverse(alarm)| alarm),
        }
    }

    pub(crate) fn fits(&self, slots: usize) -> bool {
        let known = |slot: Slot| (slot as usize) < slots;
        self.queue.iter().all(|(_, slot)| known(*slot)) && self.heap.iter().all(|Reverse((_, slot))| known(*slot))
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.queue.capacity() + self.heap.capacity()) * size_of::<(Timestamp, Slot)>()
    }
}
