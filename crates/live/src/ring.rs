// SPDX-License-Identifier: MIT OR Apache-2.0
//! The last events that were judged, where they lie.

use std::collections::VecDeque;
use std::sync::Arc;

use gnomon_core::time::Timestamp;

use crate::event::Seen;
use crate::sorter::Slot;

/// How many events are remembered.
const CAPACITY: usize = 20_000;
/// How many bytes of records they may hold on to, roughly.
const MOST_BYTES: usize = 64 << 20;

#[derive(Debug, Default)]
pub(crate) struct Ring {
    entries: VecDeque<Entry>,
    bytes: usize,
}

/// An event that was judged.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) index: u64,
    pub(crate) time: Timestamp,
    pub(crate) case: Option<Arc<str>>,
    pub(crate) noted_at: i64,
    /// The properties that it showed to be violated, by their places in the spec.
    pub(crate) violated: Vec<u32>,
    slot: Slot,
}

impl Entry {
    pub(crate) fn seen(&self) -> Option<Seen<'_>> {
        Seen::read(&self.slot.record[self.slot.offset..]).map(|(seen, _)| seen)
    }
}

impl Ring {
    pub(crate) fn push(&mut self, index: u64, time: Timestamp, case: Option<Arc<str>>, noted_at: i64, slot: Slot) {
        self.bytes += slot.size();
        self.entries.push_back(Entry { index, time, case, noted_at, violated: Vec::new(), slot });
        while self.entries.len() > CAPACITY || (self.bytes > MOST_BYTES && self.entries.len() > 1) {
            if let Some(first) = self.entries.pop_front() {
                self.bytes -= first.slot.size();
            }
        }
    }

    /// The event at this index, if it is still remembered.
    pub(crate) fn get(&self, index: u64) -> Option<&Entry> {
        let first = self.entries.front()?.index;
        self.entries.get(usize::try_from(index.checked_sub(first)?).ok()?)
    }

    /// An event showed a property to be violated.
    pub(crate) fn blame(&mut self, index: u64, property: usize) {
        let Some(first) = self.entries.front().map(|entry| entry.index) else { return };
        let place = index.checked_sub(first).and_then(|place| usize::try_from(place).ok());
        if let Some(entry) = place.and_then(|place| self.entries.get_mut(place))
            && !entry.violated.contains(&(property as u32))
        {
            entry.violated.push(property as u32);
        }
    }

    /// From the newest to the oldest.
    pub(crate) fn newest(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().rev()
    }

    /// From the oldest to the newest.
    pub(crate) fn oldest(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }
}
