// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places of events in the input, noted at intervals while it is read.
//!
//! A report cites a few events by their index. To find one of them in the file again, a reader continues at the last checkpoint
//! before it ([`crate::Reader::skip_to`]) instead of at the beginning. An input that cannot be read again has no other source of
//! lines: between two checkpoints that are as many lines apart as events, every event is a line ([`Checkpoints::line_of`]).

/// The place where an event begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    /// The number of rows before it: its index, where all rows are events.
    pub index: u64,
    /// Its line, from 1; its row in formats without lines.
    pub line: u64,
    /// The number of bytes before it in the decompressed input.
    pub offset: u64,
}

/// Checkpoints in the order of the input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checkpoints {
    list: Vec<Checkpoint>,
    /// The least distance of two checkpoints in bytes, and the offset from which on the next one is noted.
    spacing: u64,
    next: u64,
    /// The index and the line of the last event.
    end: Option<(u64, u64)>,
}

/// The distance of checkpoints in bytes: some thousand lines, which take less than a millisecond to read again.
const SPACING: u64 = 64 << 10;
/// Every second checkpoint is dropped when there are more.
const MOST: usize = 1 << 14;

impl Checkpoints {
    /// Notes the place of an event, if it is far enough from the last one.
    #[inline]
    pub(crate) fn note(&mut self, index: u64, line: u64, offset: u64) {
        if offset >= self.next {
            self.add(Checkpoint { index, line, offset });
        }
    }

    #[cold]
    fn add(&mut self, checkpoint: Checkpoint) {
        if self.list.len() >= MOST {
            let mut is_kept = false;
            self.list.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
            self.spacing *= 2;
        }
        self.spacing = self.spacing.max(SPACING);
        self.next = checkpoint.offset + self.spacing;
        self.list.push(checkpoint);
    }

    /// Adds the index and the line of the last event.
    #[must_use]
    pub fn ending_at(mut self, index: u64, line: u64) -> Self {
        self.end = Some((index, line));
        self
    }

    /// Returns the last checkpoint at or before the event with this index.
    pub fn before(&self, index: u64) -> Option<Checkpoint> {
        let after = self.list.partition_point(|checkpoint| checkpoint.index <= index);
        self.list.get(after.checked_sub(1)?).copied()
    }

    /// Returns the line of an event, if all events around it are on lines of their own.
    pub fn line_of(&self, index: u64) -> Option<u64> {
        let after = self.list.partition_point(|checkpoint| checkpoint.index <= index);
        let before = self.list.get(after.checked_sub(1)?)?;
        if before.index == index {
            return Some(before.line);
        }
        let next = self.list.get(after).map(|next| (next.index, next.line)).or(self.end);
        let (next_index, next_line) = next.filter(|(next, _)| index <= *next)?;
        let has_plain_lines = next_line.checked_sub(before.line) == Some(next_index - before.index);
        if index == next_index { Some(next_line) } else { has_plain_lines.then(|| before.line + index - before.index) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_known_where_every_event_is_a_line() {
        let mut checkpoints = Checkpoints::default();
        checkpoints.note(0, 2, 12);
        checkpoints.note(1, 3, 20);
        checkpoints.note(10, 12, SPACING + 12);
        let checkpoints = checkpoints.ending_at(20, 30);
        assert_eq!(checkpoints.list.len(), 2);
        let lines = [0, 1, 9, 10, 11, 20, 21].map(|index| checkpoints.line_of(index));
        assert_eq!(lines, [Some(2), Some(3), Some(11), Some(12), None, Some(30), None]);
        assert_eq!(checkpoints.before(9).map(|found| found.index), Some(0));
        assert_eq!(Checkpoints::default().before(3), None);
    }

    #[test]
    fn there_are_never_too_many() {
        let mut checkpoints = Checkpoints::default();
        for index in 0..5 * MOST as u64 {
            checkpoints.note(index, index + 1, index * SPACING);
        }
        assert!(checkpoints.list.len() <= MOST && checkpoints.list.len() > MOST / 4);
        let last = checkpoints.before(u64::MAX).unwrap().index;
        assert!(last > 4 * MOST as u64, "{last}");
    }
}
