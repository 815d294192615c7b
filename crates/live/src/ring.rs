// SPDX-License-Identifier: MIT OR Apache-2.0
//! A ring buffer of recently evaluated events. They stay in the records that brought them.

use std::collections::VecDeque;
use std::sync::Arc;

use gnomon_core::time::Timestamp;

use crate::event::EventView;
use crate::sorter::EventSlot;

/// Maximum number of events.
const CAPACITY: usize = 20_000;
/// Approximate maximum of the bytes of records that they keep in memory.
const MOST_BYTES: usize = 64 << 20;

#[derive(Debug, Default)]
pub(crate) struct EventRing {
    entries: VecDeque<JudgedEvent>,
    bytes: usize,
}

/// An evaluated event.
#[derive(Clone, Debug)]
pub(crate) struct JudgedEvent {
    pub(crate) index: u64,
    pub(crate) time: Timestamp,
    pub(crate) case: Option<Arc<str>>,
    pub(crate) noted_at: i64,
    /// Indices of the properties whose violation it revealed.
    pub(crate) violated: Vec<u32>,
    slot: EventSlot,
}

impl JudgedEvent {
    pub(crate) fn view(&self) -> Option<EventView<'_>> {
        EventView::read(&self.slot.record[self.slot.offset..]).map(|(view, _)| view)
    }
}

impl EventRing {
    pub(crate) fn push(&mut self, index: u64, time: Timestamp, case: Option<Arc<str>>, noted_at: i64, slot: EventSlot) {
        self.bytes += slot.size();
        self.entries.push_back(JudgedEvent { index, time, case, noted_at, violated: Vec::new(), slot });
        while self.entries.len() > CAPACITY || (self.bytes > MOST_BYTES && self.entries.len() > 1) {
            if let Some(first) = self.entries.pop_front() {
                self.bytes -= first.slot.size();
            }
        }
    }

    /// Returns the event with this index if it is still in the buffer.
    pub(crate) fn get(&self, index: u64) -> Option<&JudgedEvent> {
        self.entries.get(self.position(index)?)
    }

    /// Marks an event as revealing a violation of a property.
    pub(crate) fn blame(&mut self, index: u64, property: usize) {
        if let Some(entry) = self.position(index).and_then(|position| self.entries.get_mut(position))
            && !entry.violated.contains(&(property as u32))
        {
            entry.violated.push(property as u32);
        }
    }

    fn position(&self, index: u64) -> Option<usize> {
        usize::try_from(index.checked_sub(self.entries.front()?.index)?).ok()
    }

    /// Iterates from the newest to the oldest event.
    pub(crate) fn newest(&self) -> impl Iterator<Item = &JudgedEvent> {
        self.entries.iter().rev()
    }

    /// Iterates from the oldest to the newest event.
    pub(crate) fn oldest(&self) -> impl Iterator<Item = &JudgedEvent> {
        self.entries.iter()
    }
}
