// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics of each property, and how they grew: what was activated, satisfied and violated by the end of each interval
//! of the trace's time.
//!
//! At the end of an interval the monitor is copied, and the copy is told that the trace ends there and goes on elsewhere.
//! So one way serves every language, and the last interval says what `judge` says.
//!
//! COST: an interval costs as much as the state that the monitors have at its end, in time and for a moment in memory.

mod course;
mod grid;
mod series;
mod tally;

use std::fmt;

use gnomon_core::event::{Event, TICK};
use gnomon_core::time::{Duration, Quantity, TimeKind, Timestamp};
use gnomon_trace::Reader;

use super::listen::{Legend, Listener};
use super::{Division, Extent, Input, Lot, Options, PROGRESS_EVERY, Report, Work, reader, units_are_known};
use crate::compile::Compiled;
use crate::error::Error;
use course::Course;
use grid::Grid;
pub use series::Row;
pub use tally::Tally;

/// The statistics of a trace.
#[derive(Debug)]
pub struct Statistics {
    /// What became of each property in the end. It lists no violations.
    pub report: Report,
    /// How long an interval is.
    pub every: Duration,
    /// The intervals, in order, without gaps. The first begins with the first event.
    pub rows: Vec<Row>,
}

/// Why an interval cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadInterval {
    /// The trace is too long for it.
    TooMany {
        /// How many there would be.
        needed: u64,
        /// How many there may be.
        most: u64,
        /// One that would do.
        instead: Duration,
    },
    /// It has a unit, and what one unit of the trace is is unknown.
    NoUnit,
    /// It is no time at all, or no whole number of ticks.
    Inexact,
}

impl fmt::Display for BadInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadInterval::TooMany { needed, most, .. } => {
                write!(f, "the trace spans {needed} such intervals, and {most} can be told")
            }
            BadInterval::NoUnit => f.write_str("an interval with a unit, but the trace's unit is unknown"),
            BadInterval::Inexact => f.write_str("an interval must be a whole number of nanoseconds, and not 0"),
        }
    }
}

/// Judges one trace and keeps its statistics at the end of each interval; `every` is how long one is, `None`: so that
/// there are about fifty.
pub fn judge(
    compiled: &Compiled,
    input: Input,
    options: &Options,
    every: Option<Quantity>,
    listener: &mut dyn Listener,
) -> Result<Statistics, Error> {
    // Nothing of a violation is told but that there is one.
    let options = &Options { max_violations: 0, tell_violations: false, tell_events: false, ..options.clone() };
    let name = input.name.clone();
    let work = Work { compiled, name: &name, options };
    let (mut reader, has_cases) = reader(compiled, input, options)?;
    let mut division = Division::new(reader.symbols(), has_cases, options);
    let mut extent = Extent::new(compiled);
    let mut course: Option<Course<'_>> = None;
    let tick = reader.symbols().find_name(TICK);
    while let Some(origin) = reader.advance()? {
        if Some(origin.event) == tick {
            continue;
        }
        let legend = Legend { symbols: reader.symbols(), time_kind: reader.time_kind() };
        let course = match &mut course {
            Some(course) => course,
            None => course.insert(begin(work, &division, legend, every, origin.time)?),
        };
        let event = Event { name: origin.event, index: origin.event_index, time: origin.time, fields: reader.fields() };
        match division.lot(event.fields, reader.case_number(), reader.case()) {
            Lot::None => continue,
            Lot::New(label) => course.begin(label, event.time)?,
            Lot::Known(number) => course.turn(number, event.time)?,
        }
        course.step(&event)?;
        let events = extent.add(event.name, event.time);
        if events % PROGRESS_EVERY == 1 {
            listener.progress(reader.bytes_read(), events);
        }
    }
    let course = match course {
        Some(course) => course,
        None => Course::new(work, &division, Grid::nowhere()),
    };
    let (outcomes, cases, every, rows) = course.finish(&division);
    let report = Report { cases, ..extent.report(work, &reader, outcomes) };
    Ok(Statistics { report, every, rows })
}

/// The first event tells when the intervals begin and what their unit may be.
fn begin<'a>(
    work: Work<'a>,
    division: &Division,
    legend: Legend<'_>,
    every: Option<Quantity>,
    first: Timestamp,
) -> Result<Course<'a>, Error> {
    let (compiled, kind) = (work.compiled, legend.time_kind);
    units_are_known(compiled, kind, work.options.reorder)?;
    let clock = gnomon_core::time::Clock::new(compiled.spec.time.unit);
    let grid = match every {
        None => Grid::growing(first, clock, kind),
        Some(every) if every.unit.is_some() && clock.unit.is_none() && kind != TimeKind::DateTime => {
            return Err(Error::interval(BadInterval::NoUnit));
        }
        Some(every) => {
            let width = clock.duration(every).filter(|width| *width > Duration::ZERO);
            Grid::fixed(first, width.ok_or_else(|| Error::interval(BadInterval::Inexact))?)
        }
    };
    Ok(Course::new(work, division, grid))
}
