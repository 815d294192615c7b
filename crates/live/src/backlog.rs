// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts events on their way from acceptance to the journal and to the evaluator.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Events that are accepted, but not yet journaled or not yet evaluated.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    /// Records with events that are not both journaled and applied, oldest first.
    records: VecDeque<PendingRecord>,
    accepted: u64,
    journaled: u64,
    applied: u64,
    /// Sequence number of the last record that is durable, and of the last one that is applied.
    durable: u64,
    evaluated: u64,
}

#[derive(Debug)]
struct PendingRecord {
    sequence: u64,
    events: u64,
    accepted_at: Instant,
    is_durable: bool,
    is_applied: bool,
}

/// Figures of the backlog.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct BacklogCounts {
    pub(crate) accepted: u64,
    pub(crate) journaled: u64,
    /// Events that the evaluator has not seen yet.
    pub(crate) events: u64,
    /// Time since the oldest of them was accepted.
    pub(crate) age: Duration,
}

impl Backlog {
    /// Counts the events that the evaluator has after a restart: `accepted` up to record `sequence`. Some of them may have been accepted while
    /// the state was restored, and are counted already; those of earlier processes are durable.
    pub(crate) fn restore(&mut self, accepted: u64, sequence: u64) {
        self.apply(sequence);
        let earlier = accepted.saturating_sub(self.applied);
        self.accepted += earlier;
        self.journaled += earlier;
        self.applied += earlier;
    }

    /// Adds a record. The sequence numbers ascend.
    pub(crate) fn accept(&mut self, sequence: u64, events: u64, accepted_at: Instant) {
        self.accepted += events;
        let (is_durable, is_applied) = (sequence <= self.durable, sequence <= self.evaluated);
        self.journaled += if is_durable { events } else { 0 };
        self.applied += if is_applied { events } else { 0 };
        self.records.push_back(PendingRecord { sequence, events, accepted_at, is_durable, is_applied });
        self.forget();
    }

    /// Marks all records up to this one as durable.
    pub(crate) fn journal(&mut self, through: u64) {
        self.durable = self.durable.max(through);
        for record in self.records.iter_mut().take_while(|record| record.sequence <= through) {
            if !std::mem::replace(&mut record.is_durable, true) {
                self.journaled += record.events;
            }
        }
        self.forget();
    }

    /// Marks all records up to this one as applied by the evaluator.
    pub(crate) fn apply(&mut self, through: u64) {
        self.evaluated = self.evaluated.max(through);
        for record in self.records.iter_mut().take_while(|record| record.sequence <= through) {
            if !std::mem::replace(&mut record.is_applied, true) {
                self.applied += record.events;
            }
        }
        self.forget();
    }

    fn forget(&mut self) {
        while self.records.front().is_some_and(|record| record.is_durable && record.is_applied) {
            self.records.pop_front();
        }
    }

    pub(crate) fn counts(&self) -> BacklogCounts {
        let oldest = self.records.iter().find(|record| !record.is_applied);
        BacklogCounts {
            accepted: self.accepted,
            journaled: self.journaled,
            events: self.accepted.saturating_sub(self.applied),
            age: oldest.map_or(Duration::ZERO, |record| record.accepted_at.elapsed()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_counted_at_each_stage() {
        let mut backlog = Backlog::default();
        backlog.restore(100, 7);
        let early = Instant::now().checked_sub(Duration::from_secs(5)).unwrap();
        backlog.accept(8, 10, early);
        backlog.accept(10, 5, Instant::now());
        let counts = |backlog: &Backlog| {
            let BacklogCounts { accepted, journaled, events, age } = backlog.counts();
            (accepted, journaled, events, age.as_secs())
        };
        assert_eq!(counts(&backlog), (115, 100, 15, 5));
        backlog.apply(8);
        assert_eq!(counts(&backlog), (115, 100, 5, 0));
        backlog.journal(10);
        assert_eq!(counts(&backlog), (115, 115, 5, 0));
        backlog.apply(11);
        assert_eq!(counts(&backlog), (115, 115, 0, 0));
        assert!(backlog.records.is_empty());
        // The evaluator may be faster than the sender's thread.
        backlog.apply(12);
        backlog.accept(12, 1, Instant::now());
        assert_eq!(counts(&backlog), (116, 115, 0, 0));
        backlog.journal(12);
        assert_eq!(counts(&backlog), (116, 116, 0, 0));
        assert!(backlog.records.is_empty());
    }

    #[test]
    fn events_accepted_during_a_restart_are_counted_once() {
        let mut backlog = Backlog::default();
        backlog.journal(7);
        backlog.accept(8, 10, Instant::now());
        backlog.accept(9, 5, Instant::now());
        // Records 1 to 7 have 100 events; the evaluator has read 8 from the journal, too.
        backlog.restore(110, 8);
        let counts = backlog.counts();
        assert_eq!((counts.accepted, counts.journaled, counts.events), (115, 100, 5));
    }
}
