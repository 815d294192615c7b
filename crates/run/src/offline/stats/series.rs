// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known at the end of each interval.

use std::collections::BTreeMap;

use gnomon_core::time::Timestamp;

use super::grid::Grid;
use super::tally::{Tally, Totals};

/// One interval.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// When it begins.
    pub from: Timestamp,
    /// When it is over; what happens at this time belongs to the next.
    pub to: Timestamp,
    /// How many events it has.
    pub events: u64,
    /// For each property of the plan, what became of it from the beginning of the trace to the end of this interval.
    pub tallies: Vec<Tally>,
}

/// The intervals so far. Those that are complete are added up; cases go on beside each other or one after the other, and
/// then none is complete before the end.
#[derive(Debug)]
pub(super) struct Series {
    totals: Moment,
    /// From the interval with the first number on, without gaps: events and tallies from the beginning to its end.
    settled: Vec<(u64, Vec<Tally>)>,
    first: Option<i64>,
    open: BTreeMap<i64, Moment>,
}

/// What changes in one interval, or in all up to one.
#[derive(Debug)]
struct Moment {
    events: u64,
    /// For each property.
    changes: Vec<Totals>,
}

impl Moment {
    fn new(properties: usize) -> Self {
        Moment { events: 0, changes: (0..properties).map(|_| Totals::default()).collect() }
    }

    fn add(&mut self, other: Moment) {
        self.events += other.events;
        for (own, other) in self.changes.iter_mut().zip(other.changes) {
            own.add(other);
        }
    }
}

impl Series {
    pub(super) fn new(properties: usize) -> Self {
        Series { totals: Moment::new(properties), settled: Vec::new(), first: None, open: BTreeMap::new() }
    }

    fn moment(&mut self, number: i64) -> &mut Moment {
        let properties = self.totals.changes.len();
        self.open.entry(number).or_insert_with(|| Moment::new(properties))
    }

    /// An interval has an event.
    #[inline]
    pub(super) fn event(&mut self, number: i64) {
        self.moment(number).events += 1;
    }

    /// In an interval, a case's tally of a property changes.
    pub(super) fn change(&mut self, number: i64, property: usize, old: &Tally, new: &Tally) {
        self.moment(number).changes[property].replace(old, new);
    }

    /// Nothing changes any more up to this interval.
    pub(super) fn settle(&mut self, last: i64) {
        let mut number = self.first.map_or_else(
            || self.open.first_key_value().map_or(last, |(number, _)| *number),
            |first| first + self.settled.len() as i64,
        );
        self.first.get_or_insert(number);
        while number <= last {
            if let Some(moment) = self.open.remove(&number) {
                self.totals.add(moment);
            }
            self.settled.push((self.totals.events, self.totals.changes.iter().map(Totals::tally).collect()));
            number += 1;
        }
    }

    /// The intervals became longer, so many times.
    pub(super) fn grow(&mut self, factor: i64) {
        // Cumulative as they are, those that end where a longer one does are right.
        let mut number = self.first.unwrap_or(0);
        self.settled.retain(|_| {
            number += 1;
            number % factor == 0
        });
        // INVARIANT: where intervals are settled on the way they are numbered from 0, so that the first stays the first.
        for (number, moment) in std::mem::take(&mut self.open) {
            self.moment(number.div_euclid(factor)).add(moment);
        }
    }

    /// All that is left is complete.
    pub(super) fn finish(mut self, grid: &Grid) -> Vec<Row> {
        if let Some((last, _)) = self.open.last_key_value() {
            self.settle(*last);
        }
        let mut before = 0;
        let numbered = (self.first.unwrap_or(0)..).zip(self.settled);
        let row = |(number, (events, tallies)): (i64, (u64, Vec<Tally>))| Row {
            from: grid.begin(number),
            to: grid.end(number),
            events: events - std::mem::replace(&mut before, events),
            tallies,
        };
        numbered.map(row).collect()
    }
}
