// SPDX-License-Identifier: MIT OR Apache-2.0
//! One case on every row: the oracle's readings, and the engine in each way of driving it.

use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::{End, Verdict};
use gnomon_engine::Monitor;
use gnomon_ir::core::Core;
use gnomon_oracle::{Truth, judge_at, spec};

use super::CorpusCase;
use crate::drive::{ALL_VIOLATIONS, Drive};

/// A way of judging.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Row {
    /// The oracle on the kernel form.
    Oracle,
    /// The oracle on the formula with its sugar: verdicts only.
    OracleSpec,
    /// The engine.
    Engine,
    /// The engine, saved and restored before every event and at the end.
    EngineRestored,
    /// The engine, told of time between events.
    EngineAdvanced,
}

impl Row {
    /// Every row.
    pub const ALL: [Row; 5] = [Row::Oracle, Row::OracleSpec, Row::Engine, Row::EngineRestored, Row::EngineAdvanced];

    /// Its name in `skip:` lines.
    pub const fn word(self) -> &'static str {
        match self {
            Row::Oracle => "oracle",
            Row::OracleSpec => "oracle/spec",
            Row::Engine => "engine",
            Row::EngineRestored => "engine/restored",
            Row::EngineAdvanced => "engine/advanced",
        }
    }
}

/// Judges the case on one row; what is not as expected, in words.
pub fn run(case: &CorpusCase, row: Row) -> Result<(), String> {
    let core = case.case.core()?;
    let outcome = match row {
        Row::Oracle => judge_at(&core, &case.case.trace(), case.end, case.until, ALL_VIOLATIONS),
        Row::OracleSpec => return with_sugar(case),
        Row::Engine => drive(case, &core, |_, _, _| Ok(()))?,
        Row::EngineRestored => drive(case, &core, |drive, monitor, _| {
            *monitor = drive.plan.restore(&monitor.save()).map_err(|error| error.to_string())?;
            Ok(())
        })?,
        Row::EngineAdvanced => drive(case, &core, |_, monitor, (before, time)| {
            let halfway = Duration::from_ticks((time - before).ticks() / 2);
            monitor.advance(before + halfway);
            monitor.advance(time);
            Ok(())
        })?,
    };
    case.expectation.difference(&outcome).map_or(Ok(()), Err)
}

/// This reading knows nothing of time that passes after the last event.
fn with_sugar(case: &CorpusCase) -> Result<(), String> {
    if case.until.is_some() {
        return Ok(());
    }
    let (trace, property) = (case.case.trace(), case.case.property());
    let found = match spec::truth(&case.case.spec, property, &trace, case.end) {
        Truth::True => Verdict::Holds,
        Truth::False => Verdict::Violated,
        Truth::Unknown => Verdict::Inconclusive,
    };
    if case.end == End::Complete && spec::holds(&case.case.spec, property, &trace) != (found == Verdict::Holds) {
        return Err("the two-valued and the three-valued reading differ".to_owned());
    }
    let expected = case.expectation.verdict;
    if found == expected { Ok(()) } else { Err(format!("verdict: {expected} wanted, {found} found")) }
}

/// Runs the engine; `before` each event something may be done with the monitor, given the times of the last event and
/// of the next.
fn drive(
    case: &CorpusCase,
    core: &Core,
    before: impl Fn(&Drive, &mut Monitor, (Timestamp, Timestamp)) -> Result<(), String>,
) -> Result<gnomon_core::verdict::Outcome, String> {
    let drive = Drive::new(core, &case.case.events);
    let mut monitor = drive.start();
    for index in 0..case.case.events.len() {
        let times = (drive.time(index.saturating_sub(1)), drive.time(index));
        before(&drive, &mut monitor, times)?;
        drive.step(&mut monitor, index);
    }
    if let Some(last) = case.case.events.last() {
        before(&drive, &mut monitor, (last.time, last.time))?;
    }
    if let Some(until) = case.until {
        monitor.advance(until);
    }
    Ok(Drive::finish(monitor, case.end))
}
