// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics of each property over time: counts of activations, satisfactions and violations by the end of each interval.
//!
//! At the end of an interval the monitor is copied, and the copy is finished as if the trace were a prefix that ends there;
//! the original continues. This works for every language, and the last interval has the counts that `judge` reports.
//!
//! COST: each interval costs as much as the state of the monitors at its end, in time and briefly in memory.

mod counts;
mod grid;
mod sampler;
mod series;

use std::fmt;

use gnomon_core::time::{Duration, Quantity};

use super::listener::Listener;
use super::{Division, EventSource, NamedInput, Options, Report, open_stream};
use crate::compile::CompiledSpec;
use crate::driver::{CheckJob, Driver};
use crate::error::Error;
pub use counts::PropertyCounts;
use sampler::IntervalSampler;
pub use series::IntervalRow;

/// Statistics of a trace.
#[derive(Debug)]
pub struct Statistics {
    /// The report of the whole trace. It lists no violations.
    pub report: Report,
    /// Length of an interval.
    pub every: Duration,
    /// The intervals, in order, without gaps. The first begins with the first event.
    pub rows: Vec<IntervalRow>,
}

/// A reason why an interval cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntervalError {
    /// The trace has too many intervals of this length.
    TooMany {
        /// Number of intervals needed.
        needed: u64,
        /// Number of intervals allowed.
        most: u64,
        /// A length that would fit.
        instead: Duration,
    },
    /// It has a unit, and the unit of the trace is unknown.
    NoUnit,
    /// It is zero, or not a whole number of ticks.
    Inexact,
}

impl fmt::Display for IntervalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IntervalError::TooMany { needed, most, .. } => {
                write!(f, "the trace spans {needed} such intervals; the limit is {most}")
            }
            IntervalError::NoUnit => f.write_str("an interval with a unit, but the trace's unit is unknown"),
            IntervalError::Inexact => f.write_str("an interval must be a whole number of nanoseconds, and not 0"),
        }
    }
}

/// Checks a trace and keeps statistics at the end of each interval of length `every`; `None` picks a length that gives about
/// fifty intervals.
pub fn judge(
    compiled: &CompiledSpec,
    input: NamedInput,
    options: &Options,
    every: Option<Quantity>,
    listener: &mut dyn Listener,
) -> Result<Statistics, Error> {
    // Violations are counted, not listed.
    let options = &Options { max_violations: 0, report_violations: false, report_events: false, ..options.clone() };
    let name = input.name.clone();
    let job = CheckJob { compiled, name: &name, options };
    let (mut stream, has_cases) = open_stream(compiled, input, options)?;
    let division = Division::new(compiled, stream.context().symbols, has_cases, options);
    let mut sampler = IntervalSampler::new(job, every, division, listener);
    let mut driver = Driver::of(job);
    let _ = driver.run(&mut stream, &mut sampler)?;
    let (outcomes, cases, every, rows) = sampler.finish();
    let report = Report { cases, ..driver.report(&stream, outcomes) };
    Ok(Statistics { report, every, rows })
}
