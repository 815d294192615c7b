// SPDX-License-Identifier: MIT OR Apache-2.0
//! Samples the monitors of a trace or of its cases at the end of each interval.

use std::sync::Arc;

use gnomon_core::event::Event;
use gnomon_core::time::{Duration, Quantity, TimeKind, Timestamp};
use gnomon_core::verdict::{End, Outcome};
use gnomon_engine::Monitor;

use super::IntervalError;
use super::counts::PropertyCounts;
use super::grid::IntervalGrid;
use super::series::{IntervalRow, IntervalSeries};
use crate::driver::{CheckJob, EventSource, Visitor};
use crate::error::Error;
use crate::offline::memory::{CASE_BYTES, MemoryAccounting};
use crate::offline::outcome_sum::{CaseSummary, OutcomeSum};
use crate::offline::{CaseId, Division, Listener};

/// Visitor that samples the monitors of a trace or of its cases.
pub(super) struct IntervalSampler<'a> {
    job: CheckJob<'a>,
    /// The requested length of an interval.
    every: Option<Quantity>,
    division: Division,
    listener: &'a mut dyn Listener,
    /// `None` before the first event, which is the beginning of the first interval.
    grid: Option<IntervalGrid>,
    series: IntervalSeries,
    cases: Vec<SampledCase>,
    /// The case of the current event.
    current: usize,
    sum: OutcomeSum,
    memory: MemoryAccounting,
}

/// A whole trace, or one case of it. Its time stands still after its last event.
struct SampledCase {
    label: Arc<str>,
    monitor: Monitor,
    /// The last sample, for each property.
    counts: Vec<PropertyCounts>,
    /// Interval of its last event.
    number: i64,
    /// True if the sample at the end of that interval may differ: the case had events, or waits for something.
    is_awake: bool,
}

impl<'a> IntervalSampler<'a> {
    pub(super) fn new(
        job: CheckJob<'a>,
        every: Option<Quantity>,
        division: Division,
        listener: &'a mut dyn Listener,
    ) -> Self {
        let properties = job.compiled.properties.len();
        IntervalSampler {
            job,
            every,
            division,
            listener,
            grid: None,
            series: IntervalSeries::new(properties),
            cases: Vec::new(),
            current: 0,
            sum: OutcomeSum::new(properties, 0),
            memory: MemoryAccounting::new(job.options.limits, properties),
        }
    }

    /// Creates the grid at the first event, which also determines whether times have a unit.
    fn start_grid(&self, kind: TimeKind, first: Timestamp) -> Result<IntervalGrid, IntervalError> {
        let clock = self.job.compiled.clock();
        let Some(every) = self.every else { return Ok(IntervalGrid::growing(first, clock, kind)) };
        if every.unit.is_some() && clock.unit.is_none() && kind != TimeKind::DateTime {
            return Err(IntervalError::NoUnit);
        }
        let width = clock.duration(every).filter(|width| *width > Duration::ZERO);
        Ok(IntervalGrid::fixed(first, width.ok_or(IntervalError::Inexact)?))
    }

    /// Starts the case to which the next event belongs.
    fn begin(&mut self, label: Arc<str>, time: Timestamp) -> Result<(), Error> {
        if self.division.is_sequential() {
            self.end_cases();
        }
        let monitor = self.job.compiled.plan.start(0);
        let counts = vec![PropertyCounts::default(); self.job.compiled.properties.len()];
        let number = self.locate(time)?;
        self.cases.push(SampledCase { label, monitor, counts, number, is_awake: false });
        self.current = self.cases.len() - 1;
        Ok(())
    }

    /// Moves to a case and a time, and samples the case at the end of each interval in between.
    fn turn(&mut self, case: usize, time: Timestamp) -> Result<(), Error> {
        self.current = if self.division.is_sequential() { 0 } else { case };
        let number = self.locate(time)?;
        while self.cases[self.current].number < number {
            let case = &mut self.cases[self.current];
            if case.is_awake {
                case.monitor.advance(self.grid.as_ref().map_or(time, |grid| grid.end(case.number)));
                let outcomes = case.monitor.clone().finish(End::Prefix);
                self.note(self.current, &outcomes);
            } else if self.division.is_divided() {
                case.number = number;
                break;
            }
            let case = &mut self.cases[self.current];
            case.is_awake = case.counts.iter().any(|counts| counts.pending > 0);
            if !self.division.is_divided() {
                self.series.settle(case.number);
            }
            case.number += 1;
        }
        Ok(())
    }

    /// Returns the interval of a time. If the intervals grow, the samples are merged.
    fn locate(&mut self, time: Timestamp) -> Result<i64, Error> {
        let Some(grid) = &mut self.grid else { return Ok(0) };
        let (number, factor) = grid.locate(time).map_err(Error::Interval)?;
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

    /// Takes a sample of a case at the end of its interval.
    fn note(&mut self, number: usize, outcomes: &[Outcome]) {
        let case = &mut self.cases[number];
        for (property, (counts, outcome)) in case.counts.iter_mut().zip(outcomes).enumerate() {
            let new = PropertyCounts::of(outcome);
            let old = std::mem::replace(counts, new);
            if old != new {
                self.series.change(case.number, property, &old, &new);
            }
        }
    }

    /// Ends all cases. Returns the outcomes of an undivided trace.
    fn end_cases(&mut self) -> Option<Vec<Outcome>> {
        self.memory.clear();
        let mut whole = None;
        for number in 0..self.cases.len() {
            let idle = self.job.compiled.plan.start(0);
            let mut monitor = std::mem::replace(&mut self.cases[number].monitor, idle);
            let own = self.division.end(number).filter(|_| !self.division.is_sequential());
            if let Some(until) = own.and_then(|own| own.until) {
                monitor.advance(until);
            }
            let outcomes = monitor.finish(own.map_or(self.job.options.end, |own| own.end));
            self.note(number, &outcomes);
            if self.division.is_divided() {
                self.sum.add(&self.cases[number].label, outcomes);
            } else {
                whole = Some(outcomes);
            }
        }
        self.cases.clear();
        whole
    }

    /// Ends the trace. Returns outcomes, cases, length of an interval, and rows.
    pub(super) fn finish(mut self) -> (Vec<Outcome>, Option<CaseSummary>, Duration, Vec<IntervalRow>) {
        let whole = self.end_cases();
        let mut grid = self.grid.take().unwrap_or_else(IntervalGrid::nowhere);
        let factor = grid.settle();
        self.grow(factor);
        let rows = self.series.finish(&grid);
        if self.division.is_divided() {
            let (outcomes, cases) = self.sum.finish(self.division.field(), self.division.without());
            return (outcomes, Some(cases), grid.width(), rows);
        }
        let nothing = || self.job.compiled.plan.start(0).finish(self.job.options.end);
        (whole.unwrap_or_else(nothing), None, grid.width(), rows)
    }
}

impl Visitor for IntervalSampler<'_> {
    fn event<S: EventSource>(&mut self, event: &Event<'_>, source: &S) -> Result<bool, Error> {
        if self.grid.is_none() {
            let grid = self.start_grid(source.context().time_kind, event.time);
            self.grid = Some(grid.map_err(Error::Interval)?);
        }
        let (number, name) = source.case();
        match self.division.case(event, number, name).case {
            CaseId::None => return Ok(false),
            CaseId::New(label) => self.begin(label, event.time)?,
            CaseId::Known(number) => self.turn(number, event.time)?,
        }
        let case = &mut self.cases[self.current];
        case.is_awake = true;
        case.monitor.step(event);
        self.series.event(case.number);
        self.memory.touch(self.current);
        Ok(true)
    }

    fn progress<S: EventSource>(&mut self, to: Timestamp, _: &S) -> Result<(), Error> {
        for number in 0..self.cases.len() {
            self.turn(number, to)?;
            let case = &mut self.cases[number];
            case.is_awake = true;
            case.monitor.advance(to);
        }
        Ok(())
    }

    fn check_limits(&mut self) -> Result<(), Error> {
        let bytes = self.cases.len() * CASE_BYTES;
        self.memory.check(bytes, |number| self.cases.get(number).map(|case| &case.monitor))
    }

    fn report_progress(&mut self, bytes: u64, events: u64) {
        self.listener.progress(bytes, events);
    }
}
