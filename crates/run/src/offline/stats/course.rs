// SPDX-License-Identifier: MIT OR Apache-2.0
//! The monitors of a trace or of its cases, looked at where an interval ends.

use std::sync::Arc;

use gnomon_core::event::Event;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::{End, Outcome};
use gnomon_engine::Monitor;

use super::grid::Grid;
use super::series::{Row, Series};
use super::tally::Tally;
use crate::error::Error;
use crate::offline::burden::{Burden, CASE_BYTES};
use crate::offline::limit::is_due;
use crate::offline::sum::{Cases, Sum};
use crate::offline::{Division, Work};

/// A trace on its way.
pub(super) struct Course<'a> {
    work: Work<'a>,
    grid: Grid,
    series: Series,
    cases: Vec<Case>,
    /// The case of the event at hand.
    present: usize,
    /// Whether one case is over when the next begins.
    is_sequential: bool,
    is_divided: bool,
    sum: Sum,
    burden: Burden,
    events: u64,
}

/// A whole trace, or one case of it: a trace of its own, whose time stands still after its last event.
struct Case {
    label: Arc<str>,
    monitor: Monitor,
    /// What was told of it last, for each property.
    tallies: Vec<Tally>,
    /// The interval of its last event.
    number: i64,
    /// Whether it may look different at the end of that interval: it had events, or waits for something.
    is_awake: bool,
}

impl<'a> Course<'a> {
    pub(super) fn new(work: Work<'a>, division: &Division, grid: Grid) -> Self {
        let properties = work.compiled.properties.len();
        Course {
            work,
            grid,
            series: Series::new(properties),
            cases: Vec::new(),
            present: 0,
            is_sequential: division.is_sequential(),
            is_divided: division.is_divided(),
            sum: Sum::new(properties, 0),
            burden: Burden::new(work.options.limits, properties),
            events: 0,
        }
    }

    /// The next event is the first of a case.
    pub(super) fn begin(&mut self, label: Arc<str>, time: Timestamp) -> Result<(), Error> {
        if self.is_sequential {
            self.end_cases();
        }
        let monitor = self.work.compiled.plan.start(0);
        let tallies = vec![Tally::default(); self.work.compiled.properties.len()];
        let number = self.locate(time)?;
        self.cases.push(Case { label, monitor, tallies, number, is_awake: false });
        self.present = self.cases.len() - 1;
        Ok(())
    }

    /// The next event is of a case that has begun, and at this time.
    pub(super) fn turn(&mut self, case: usize, time: Timestamp) -> Result<(), Error> {
        self.present = if self.is_sequential { 0 } else { case };
        let number = self.locate(time)?;
        while self.cases[self.present].number < number {
            let case = &mut self.cases[self.present];
            if case.is_awake {
                case.monitor.advance(self.grid.end(case.number));
                let outcomes = case.monitor.clone().finish(End::Prefix);
                self.note(self.present, &outcomes);
            } else if self.is_divided {
                case.number = number;
                break;
            }
            let case = &mut self.cases[self.present];
            case.is_awake = case.tallies.iter().any(|tally| tally.pending > 0);
            if !self.is_divided {
                self.series.settle(case.number);
            }
            case.number += 1;
        }
        Ok(())
    }

    /// The event that was turned to.
    pub(super) fn step(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let case = &mut self.cases[self.present];
        case.is_awake = true;
        case.monitor.step(event);
        self.series.event(case.number);
        self.burden.touch(self.present);
        self.events += 1;
        if is_due(self.events) {
            let bytes = self.cases.len() * CASE_BYTES;
            self.burden.check(bytes, |number| self.cases.get(number).map(|case| &case.monitor))?;
        }
        Ok(())
    }

    /// The interval of a time. If all of them had to grow, what is known is brought in line.
    fn locate(&mut self, time: Timestamp) -> Result<i64, Error> {
        let (number, factor) = self.grid.locate(time).map_err(Error::interval)?;
        self.grow(factor);
        Ok(number)
    }

    fn grow(&mut self, factor: i64) {
        if factor > 1 {
            self.series.grow(factor);
            for case in &mut self.cases {
                case.number = case.number.div_euclid(factor);
            }
        }
    }

    /// What became of a case by the end of its interval.
    fn note(&mut self, number: usize, outcomes: &[Outcome]) {
        let case = &mut self.cases[number];
        for (property, (tally, outcome)) in case.tallies.iter_mut().zip(outcomes).enumerate() {
            let new = Tally::of(outcome);
            let old = std::mem::replace(tally, new);
            if old != new {
                self.series.change(case.number, property, &old, &new);
            }
        }
    }

    /// Nothing more comes. What is left is the outcomes of a trace that is not divided.
    fn end_cases(&mut self) -> Option<Vec<Outcome>> {
        self.burden.clear();
        let mut whole = None;
        for number in 0..self.cases.len() {
            let idle = self.work.compiled.plan.start(0);
            let monitor = std::mem::replace(&mut self.cases[number].monitor, idle);
            let outcomes = monitor.finish(self.work.options.end);
            self.note(number, &outcomes);
            if self.is_divided {
                self.sum.add(&self.cases[number].label, outcomes);
            } else {
                whole = Some(outcomes);
            }
        }
        self.cases.clear();
        whole
    }

    /// The trace is over.
    pub(super) fn finish(mut self, division: &Division) -> (Vec<Outcome>, Option<Cases>, Duration, Vec<Row>) {
        let whole = self.end_cases();
        let factor = self.grid.settle();
        self.grow(factor);
        let rows = self.series.finish(&self.grid);
        let width = self.grid.width();
        if self.is_divided {
            let (outcomes, cases) = self.sum.finish(division.field(), division.without());
            return (outcomes, Some(cases), width, rows);
        }
        let nothing = || self.work.compiled.plan.start(0).finish(self.work.options.end);
        (whole.unwrap_or_else(nothing), None, width, rows)
    }
}
