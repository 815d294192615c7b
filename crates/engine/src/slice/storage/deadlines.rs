// SPDX-License-Identifier: MIT OR Apache-2.0
//! Deadlines of instances: the times at which they must be visited although no event matches.
//!
//! A property's bounds are constants and time goes on, so deadlines mostly come in the order in which they pass: a [`DeadlineQueue`]
//! appends those to a queue, 16 bytes each. The others, and times beyond 64 bits, are in a heap.
//!
//! Example: with the bound 10, events at 1, 4 and 7 append 11, 14 and 17. A property with a second bound of 3 adds 10 at time 7:
//! it is earlier than the last of the queue and goes to the heap.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use gnomon_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::index::Slot;

/// Deadlines of instances, earliest first. Entries are never removed before their time: the caller that takes one checks that it is still valid.
///
/// INVARIANT: the queue is sorted.
///
/// COST: constant for a deadline that is not earlier than the last one; O(log deadlines) otherwise.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DeadlineQueue {
    queue: VecDeque<QueuedDeadline>,
    heap: BinaryHeap<Reverse<(Timestamp, Slot)>>,
    /// The earliest deadline; [`Timestamp::MAX`] if there is none. Asked for at every position.
    #[serde(skip, default = "never")]
    next: Timestamp,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct QueuedDeadline {
    ticks: i64,
    slot: Slot,
}

impl QueuedDeadline {
    #[inline]
    fn time(self) -> Timestamp {
        Timestamp::from_ticks(i128::from(self.ticks))
    }
}

fn never() -> Timestamp {
    Timestamp::MAX
}

impl Default for DeadlineQueue {
    fn default() -> Self {
        DeadlineQueue { queue: VecDeque::new(), heap: BinaryHeap::new(), next: never() }
    }
}

impl DeadlineQueue {
    /// Adds a deadline.
    #[inline]
    pub(crate) fn push(&mut self, at: Timestamp, slot: Slot) {
        self.next = self.next.min(at);
        match i64::try_from(at.ticks()) {
            Ok(ticks) if self.queue.back().is_none_or(|last| last.ticks <= ticks) => {
                self.queue.push_back(QueuedDeadline { ticks, slot });
            }
            _ => self.heap.push(Reverse((at, slot))),
        }
    }

    /// Returns the earliest deadline; [`Timestamp::MAX`] if there is none.
    #[inline]
    pub(crate) fn next(&self) -> Timestamp {
        self.next
    }

    /// Removes the earliest deadline, if it is before a time.
    #[inline]
    pub(crate) fn take(&mut self, before: Timestamp) -> Option<(Timestamp, Slot)> {
        if self.next < before { self.pop() } else { None }
    }

    fn pop(&mut self) -> Option<(Timestamp, Slot)> {
        let queued = self.queue.front().filter(|first| first.time() == self.next).copied();
        let popped = match queued {
            Some(first) => {
                self.queue.pop_front();
                Some((first.time(), first.slot))
            }
            None => self.heap.pop().map(|Reverse(deadline)| deadline),
        };
        self.next = self.earliest();
        popped
    }

    fn earliest(&self) -> Timestamp {
        let queued = self.queue.front().map_or(Timestamp::MAX, |first| first.time());
        self.heap.peek().map_or(queued, |Reverse((at, _))| queued.min(*at))
    }

    pub(crate) fn clear(&mut self) {
        self.queue.clear();
        self.heap.clear();
        self.next = never();
    }

    /// Completes a restored queue. Returns false if it is not sorted or an instance is not below `slots`.
    pub(crate) fn rebuild(&mut self, slots: usize) -> bool {
        self.next = self.earliest();
        let known = |slot: Slot| (slot as usize) < slots;
        self.queue.iter().is_sorted_by_key(|deadline| deadline.ticks)
            && self.queue.iter().all(|deadline| known(deadline.slot))
            && self.heap.iter().all(|Reverse((_, slot))| known(*slot))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.queue.capacity() * size_of::<QueuedDeadline>() + self.heap.capacity() * size_of::<(Timestamp, Slot)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_are_taken_in_order_whatever_their_size() {
        let at = Timestamp::from_ticks;
        let wide = i128::from(i64::MAX) + 5;
        let mut deadlines = DeadlineQueue::default();
        for (slot, ticks) in (0..).zip([5, 9, 3, wide, 9, i128::from(i64::MIN) - 1, 12]) {
            deadlines.push(at(ticks), slot);
        }
        let bytes = postcard::to_stdvec(&deadlines).unwrap();
        let mut back: DeadlineQueue = postcard::from_bytes(&bytes).unwrap();
        assert!(!back.rebuild(6) && back.rebuild(7));
        for deadlines in [&mut deadlines, &mut back] {
            let mut taken = Vec::new();
            while let Some((time, slot)) = deadlines.take(at(wide + 1)) {
                taken.push((time.ticks(), slot));
            }
            let slots: Vec<Slot> = taken.iter().map(|(_, slot)| *slot).collect();
            assert!(taken.is_sorted_by_key(|(ticks, _)| *ticks), "{taken:?}");
            assert_eq!((slots.len(), slots[0], slots[6]), (7, 5, 3));
            assert_eq!(deadlines.next(), Timestamp::MAX);
        }
    }

    #[test]
    fn a_deadline_stays_until_its_time_has_passed() {
        let mut deadlines = DeadlineQueue::default();
        deadlines.push(Timestamp::from_ticks(5), 1);
        assert_eq!(deadlines.take(Timestamp::from_ticks(5)), None);
        assert_eq!(deadlines.take(Timestamp::from_ticks(6)), Some((Timestamp::from_ticks(5), 1)));
    }
}
