// SPDX-License-Identifier: MIT OR Apache-2.0
//! The earliest moment at which a truth value is certain.
//!
//! Knowledge of a trace grows with positions, with the passing of time between them, and at its end. A value that is
//! certain stays certain as knowledge grows. The decision time is therefore found by evaluating again with less
//! knowledge.
// RULE V4

use std::cell::RefCell;
use std::collections::BTreeMap;

use gnomon_core::{Duration, End, Timestamp};
use gnomon_ir::core::{Edge, FormulaCore, FormulaNode};

use crate::truth::Truth;
use crate::truth_table::{Facts, TruthTable};

/// Point at which a truth value became certain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DecisionTime {
    /// A position.
    Position(usize),
    /// The moment after a time passed.
    Deadline(Timestamp),
    /// The end of the trace.
    End,
}

/// Limit on cached tables. Recomputing costs time; keeping all tables of a long trace costs too much memory.
const MAX_TABLES: usize = 256;

/// A trace with at least one position, seen at all its moments.
pub(crate) struct TruthHistory<'a> {
    core: &'a FormulaCore,
    pub(crate) facts: &'a Facts,
    end: End,
    /// The time up to which nothing more came after the last position.
    now: Timestamp,
    tables: RefCell<BTreeMap<(usize, Option<Timestamp>), TruthTable>>,
}

impl<'a> TruthHistory<'a> {
    pub(crate) fn new(core: &'a FormulaCore, facts: &'a Facts, end: End, now: Option<Timestamp>) -> Self {
        let earliest = facts.earliest_after(facts.times.len());
        let now = now.map_or(earliest, |now| now.max(earliest));
        TruthHistory { core, facts, end, now, tables: RefCell::default() }
    }

    /// Returns the truth value at the end.
    pub(crate) fn truth(&self, edge: Edge, position: usize) -> Truth {
        let next = (self.end == End::Prefix).then_some(self.now);
        self.with_table(self.length(), next, |table| table.truth(edge, position))
    }

    /// Returns the truth value if the trace were complete.
    pub(crate) fn truth_if_complete(&self, edge: Edge, position: usize) -> Truth {
        self.with_table(self.length(), None, |table| table.truth(edge, position))
    }

    /// Returns the decision time of `certain`: the least knowledge for which it is true and that includes this
    /// position.
    pub(crate) fn settled(&self, position: usize, certain: impl Fn(&TruthTable) -> bool) -> DecisionTime {
        let length = self.length();
        let with = |known: usize, next: Timestamp| self.with_table(known, Some(next), &certain);
        let first = least(position + 1, length + 1, |known| with(known, self.facts.earliest_after(known)));
        // Just before position `first` came, or at the end: its time had passed, but nothing was there yet.
        let known = first - 1;
        if known > position {
            let passed = self.facts.times.get(known).copied().unwrap_or(self.now);
            if with(known, passed) {
                return DecisionTime::Deadline(self.deadline(known, passed, |next| with(known, next)));
            }
        }
        if known == length { DecisionTime::End } else { DecisionTime::Position(known) }
    }

    fn length(&self) -> usize {
        self.facts.times.len()
    }

    /// The smallest deadline whose passing settles it, given that time up to `passed` does.
    fn deadline(&self, known: usize, passed: Timestamp, settles: impl Fn(Timestamp) -> bool) -> Timestamp {
        let mut deadlines: Vec<(Timestamp, Timestamp)> = Vec::new();
        for node in &self.core.nodes {
            let FormulaNode::Until { interval, .. } = node else { continue };
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

    fn with_table<T>(&self, known: usize, next: Option<Timestamp>, ask: impl FnOnce(&TruthTable) -> T) -> T {
        let mut tables = self.tables.borrow_mut();
        if tables.len() >= MAX_TABLES {
            tables.clear();
        }
        ask(tables.entry((known, next)).or_insert_with(|| TruthTable::new(self.core, self.facts, known, next)))
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
