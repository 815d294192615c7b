// SPDX-License-Identifier: MIT OR Apache-2.0
//! The earliest moment at which something is certain.
//!
//! Knowledge grows by positions, by the passing of time between them, and at last by the trace's end. What is certain
//! stays so as it grows: the moment is found by asking again with less knowledge.
// RULE V4

use std::cell::RefCell;
use std::collections::BTreeMap;

use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::End;
use gnomon_ir::core::{Edge, FormulaCore, Node};

use crate::table::{Facts, Table};
use crate::truth::Truth;

/// When something became certain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Moment {
    /// With this position.
    Position(usize),
    /// When this time had passed.
    Deadline(Timestamp),
    /// With the end of the trace.
    End,
}

/// How many moments are remembered: asking again costs time, remembering all of a long trace's would cost too much room.
const MOST_TABLES: usize = 256;

/// A trace with at least one position, seen at all its moments.
pub(crate) struct History<'a> {
    core: &'a FormulaCore,
    pub(crate) facts: &'a Facts,
    end: End,
    /// The time up to which nothing more came after the last position.
    now: Timestamp,
    tables: RefCell<BTreeMap<(usize, Option<Timestamp>), Table>>,
}

impl<'a> History<'a> {
    pub(crate) fn new(core: &'a FormulaCore, facts: &'a Facts, end: End, now: Option<Timestamp>) -> Self {
        let earliest = facts.earliest_after(facts.times.len());
        let now = now.map_or(earliest, |now| now.max(earliest));
        History { core, facts, end, now, tables: RefCell::default() }
    }

    /// What is known in the end.
    pub(crate) fn truth(&self, edge: Edge, position: usize) -> Truth {
        let next = (self.end == End::Prefix).then_some(self.now);
        self.with_table(self.length(), next, |table| table.truth(edge, position))
    }

    /// What would be known if the trace were complete.
    pub(crate) fn truth_if_complete(&self, edge: Edge, position: usize) -> Truth {
        self.with_table(self.length(), None, |table| table.truth(edge, position))
    }

    /// When something became certain: with the least knowledge over which `certain` is so, which takes in this position
    /// at least.
    pub(crate) fn settled(&self, position: usize, certain: impl Fn(&Table) -> bool) -> Moment {
        let length = self.length();
        let with = |known: usize, next: Timestamp| self.with_table(known, Some(next), &certain);
        let first = least(position + 1, length + 1, |known| with(known, self.facts.earliest_after(known)));
        // Just before position `first` came, or at the end: its time had passed, but nothing was there yet.
        let known = first - 1;
        if known > position {
            let passed = self.facts.times.get(known).copied().unwrap_or(self.now);
            if with(known, passed) {
                return Moment::Deadline(self.deadline(known, passed, |next| with(known, next)));
            }
        }
        if known == length { Moment::End } else { Moment::Position(known) }
    }

    fn length(&self) -> usize {
        self.facts.times.len()
    }

    /// The smallest deadline whose passing settles it, given that time up to `passed` does.
    fn deadline(&self, known: usize, passed: Timestamp, settles: impl Fn(Timestamp) -> bool) -> Timestamp {
        let mut deadlines: Vec<(Timestamp, Timestamp)> = Vec::new();
        for node in &self.core.nodes {
            let Node::Until { interval, .. } = node else { continue };
            let (Some(last), Some(written)) = (interval.hi, interval.written_hi()) else { continue };
            for time in &self.facts.times[..known] {
                let after = time.saturating_add(last).saturating_add(Duration::from_ticks(1));
                deadlines.push((after, time.saturating_add(written)));
            }
        }
        deadlines.sort_unstable();
        let earliest = self.facts.earliest_after(known);
        deadlines.retain(|(after, _)| *after > earliest && *after <= passed);
        let found = least(0, deadlines.len(), |index| settles(deadlines[index].0));
        deadlines.get(found).map_or(passed, |(_, written)| *written)
    }

    fn with_table<T>(&self, known: usize, next: Option<Timestamp>, ask: impl FnOnce(&Table) -> T) -> T {
        let mut tables = self.tables.borrow_mut();
        if tables.len() >= MOST_TABLES {
            tables.clear();
        }
        ask(tables.entry((known, next)).or_insert_with(|| Table::new(self.core, self.facts, known, next)))
    }
}

/// The least number from `from` on that has the property, given that every number after it has it too; `end` if none
/// below `end` has it.
fn least(from: usize, end: usize, has: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (from, end);
    while low < high {
        let middle = low.midpoint(high);
        if has(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
