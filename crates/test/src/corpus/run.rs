// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a case with every evaluator: the two forms of the oracle, and the engine driven in several ways.

use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::{End, Verdict};
use gnomon_engine::Monitor;
use gnomon_ir::core::Core;
use gnomon_oracle::{Truth, judge_at, spec};

use super::CorpusCase;
use crate::drive::{ALL_VIOLATIONS, Drive};

/// A way to evaluate a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CaseEvaluator {
    /// The oracle on the kernel form.
    Oracle,
    /// The oracle on the formula with its sugar: verdicts only.
    OracleSpec,
    /// The engine.
    Engine,
    /// The engine, saved and restored before every event and at the end.
    EngineRestored,
    /// The engine, with time advanced between events.
    EngineAdvanced,
}

impl CaseEvaluator {
    /// All evaluators.
    pub const ALL: [CaseEvaluator; 5] = [
        CaseEvaluator::Oracle,
        CaseEvaluator::OracleSpec,
        CaseEvaluator::Engine,
        CaseEvaluator::EngineRestored,
        CaseEvaluator::EngineAdvanced,
    ];

    /// Its name in `skip:` lines.
    pub const fn word(self) -> &'static str {
        match self {
            CaseEvaluator::Oracle => "oracle",
            CaseEvaluator::OracleSpec => "oracle/spec",
            CaseEvaluator::Engine => "engine",
            CaseEvaluator::EngineRestored => "engine/restored",
            CaseEvaluator::EngineAdvanced => "engine/advanced",
        }
    }
}

/// Runs the case with one evaluator and describes the differences from the expectation.
pub fn run(case: &CorpusCase, row: CaseEvaluator) -> Result<(), String> {
    let core = case.case.core()?;
    let outcome = match row {
        CaseEvaluator::Oracle => judge_at(&core, &case.case.trace(), case.end, case.until, ALL_VIOLATIONS),
        CaseEvaluator::OracleSpec => return with_sugar(case),
        CaseEvaluator::Engine => drive(case, &core, |_, _, _| Ok(()))?,
        CaseEvaluator::EngineRestored => drive(case, &core, |drive, monitor, _| {
            *monitor = drive.plan.restore(&monitor.save()).map_err(|error| error.to_string())?;
            Ok(())
        })?,
        CaseEvaluator::EngineAdvanced => drive(case, &core, |_, monitor, (before, time)| {
            let halfway = Duration::from_ticks((time - before).ticks() / 2);
            monitor.advance(before + halfway);
            monitor.advance(time);
            Ok(())
        })?,
    };
    case.expectation.difference(&outcome).map_or(Ok(()), Err)
}

/// Evaluates the formula as written with the oracle. Time after the last event is not supported there, so such cases pass.
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
