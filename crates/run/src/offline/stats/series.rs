// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cumulative statistics at the end of each interval.

use std::collections::BTreeMap;

use gnomon_core::time::Timestamp;

use super::counts::{CountsSum, PropertyCounts};
use super::grid::IntervalGrid;

/// Statistics of one interval.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IntervalRow {
    /// Beginning of the interval.
    pub from: Timestamp,
    /// End of the interval, exclusive.
    pub to: Timestamp,
    /// Number of events in the interval.
    pub events: u64,
    /// For each property of the plan, its counts from the beginning of the trace to the end of this interval.
    pub counts: Vec<PropertyCounts>,
}

/// The intervals so far.
///
/// A change is stored in the interval in which it happens. An interval is *settled* once no more changes can happen up to
/// it; then the changes are added to the totals, and the totals are its row. In an undivided trace intervals settle as time
/// passes; with cases none settles before the end, because another case may still begin early.
#[derive(Debug)]
pub(super) struct IntervalSeries {
    totals: IntervalChanges,
    /// From interval `first` on, without gaps: cumulative events and counts.
    settled: Vec<(u64, Vec<PropertyCounts>)>,
    first: Option<i64>,
    open: BTreeMap<i64, IntervalChanges>,
}

/// The changes in one interval, or in all intervals up to one.
#[derive(Debug)]
struct IntervalChanges {
    events: u64,
    /// For each property.
    changes: Vec<CountsSum>,
}

impl IntervalChanges {
    fn new(properties: usize) -> Self {
        IntervalChanges { events: 0, changes: (0..properties).map(|_| CountsSum::default()).collect() }
    }

    fn add(&mut self, other: IntervalChanges) {
        self.events += other.events;
        for (own, other) in self.changes.iter_mut().zip(other.changes) {
            own.add(other);
        }
    }
}

impl IntervalSeries {
    pub(super) fn new(properties: usize) -> Self {
        IntervalSeries {
            totals: IntervalChanges::new(properties),
            settled: Vec::new(),
            first: None,
            open: BTreeMap::new(),
        }
    }

    fn interval(&mut self, number: i64) -> &mut IntervalChanges {
        let properties = self.totals.changes.len();
        self.open.entry(number).or_insert_with(|| IntervalChanges::new(properties))
    }

    /// Adds an event to an interval.
    #[inline]
    pub(super) fn event(&mut self, number: i64) {
        self.interval(number).events += 1;
    }

    /// Replaces the counts of a property of a case in an interval.
    pub(super) fn change(&mut self, number: i64, property: usize, old: &PropertyCounts, new: &PropertyCounts) {
        self.interval(number).changes[property].replace(old, new);
    }

    /// Settles all intervals up to `last`.
    pub(super) fn settle(&mut self, last: i64) {
        let mut number = self.first.map_or_else(
            || self.open.first_key_value().map_or(last, |(number, _)| *number),
            |first| first + self.settled.len() as i64,
        );
        self.first.get_or_insert(number);
        while number <= last {
            if let Some(changes) = self.open.remove(&number) {
                self.totals.add(changes);
            }
            self.settled.push((self.totals.events, self.totals.changes.iter().map(CountsSum::total).collect()));
            number += 1;
        }
    }

    /// Merges intervals after their length grew by this factor.
    pub(super) fn grow(&mut self, factor: i64) {
        // Rows are cumulative: those that end where a longer interval ends are its rows.
        let mut number = self.first.unwrap_or(0);
        self.settled.retain(|_| {
            number += 1;
            number % factor == 0
        });
        // INVARIANT: intervals that settle before the end are numbered from 0, so the first one stays the first.
        for (number, changes) in std::mem::take(&mut self.open) {
            self.interval(number.div_euclid(factor)).add(changes);
        }
    }

    /// Settles all intervals and returns their rows.
    pub(super) fn finish(mut self, grid: &IntervalGrid) -> Vec<IntervalRow> {
        if let Some((last, _)) = self.open.last_key_value() {
            self.settle(*last);
        }
        let mut before = 0;
        let numbered = (self.first.unwrap_or(0)..).zip(self.settled);
        let row = |(number, (events, counts)): (i64, (u64, Vec<PropertyCounts>))| IntervalRow {
            from: grid.begin(number),
            to: grid.end(number),
            events: events - std::mem::replace(&mut before, events),
            counts,
        };
        numbered.map(row).collect()
    }
}
