// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks an input that can be read more than once.
//!
//! Before the check: a name such as `start_Pay` means the start of an activity, unless the trace has events of that name.
//! Only the trace itself shows which of the two it is.
//!
//! After the check: violations are explained (`explanations`), and the events that they cite are found in the input (`locate`). A rule of
//! the past with paired matching may be violated only because each message serves one supposition. If the rule would hold under
//! `matching any`, the report says so.

use gnomon_core::event::Event;
use gnomon_core::time::Timestamp;
use gnomon_engine::{Monitor, plan};
use gnomon_ir::core::{ContextDirection, Core, RuleCore};
use gnomon_ir::rule::Matching;

use super::explanations::explain_violations;
use super::locate::locate;
use super::{Driver, EventSource, Listener, NamedInput, Options, Report, Visitor, judge, open_stream};
use crate::compile::CompiledSpec;
use crate::error::Error;

/// Checks an input, and reads it again where that gives a better answer: before, for [`literal_starts`]; afterwards, for
/// rules that would hold under `matching any`. An input that can be read only once is read once.
pub fn judge_reopenable(
    compiled: &CompiledSpec,
    input: NamedInput,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Report, Error> {
    judge_reopenable_by(compiled, input, options, |compiled, input| judge(compiled, input, options, listener))
}

/// Runs [`judge_reopenable`] with another function for the check itself.
pub fn judge_reopenable_by(
    compiled: &CompiledSpec,
    input: NamedInput,
    options: &Options,
    judge: impl FnOnce(&CompiledSpec, NamedInput) -> Result<Report, Error>,
) -> Result<Report, Error> {
    let literal = with_literal_starts(compiled, &input, options);
    let (again, again_to_explain, again_to_locate) = (input.again(), input.again(), input.again());
    let mut report = judge(literal.as_ref().unwrap_or(compiled), input)?;
    let rules = paired_violations(compiled, &report);
    if let Some(again) = again.filter(|_| !rules.is_empty()) {
        report.relaxed = holds_under_any(compiled, &rules, again, options).unwrap_or_default();
    }
    explain_violations(literal.as_ref().unwrap_or(compiled), again_to_explain, options, &mut report);
    locate(literal.as_ref().unwrap_or(compiled), again_to_locate, options, &mut report);
    Ok(report)
}

/// Returns the spec for a trace that has events whose names were parsed as starts of activities; `None` if it has none, or
/// can be read only once.
pub fn with_literal_starts(compiled: &CompiledSpec, input: &NamedInput, options: &Options) -> Option<CompiledSpec> {
    if compiled.starts().is_empty() {
        return None;
    }
    let names = literal_starts(compiled, input.again()?, options);
    (!names.is_empty()).then(|| compiled.with_literal(&names))
}

/// Lists the names that were parsed as starts of activities and that the trace has as events. Reads the trace once. Returns
/// an empty list if the trace cannot be read; checking it reports the error.
pub fn literal_starts(compiled: &CompiledSpec, input: NamedInput, options: &Options) -> Vec<String> {
    let Ok((mut stream, _)) = open_stream(compiled, input, &quiet(options)) else { return vec![] };
    while let Ok(Some(_)) = stream.next_origin() {}
    let mut names = compiled.starts();
    names.retain(|name| stream.context().symbols.find_name(name).is_some());
    names
}

/// Returns options for reading a trace again: without access to external variables, and without recording.
pub(super) fn quiet(options: &Options) -> Options {
    Options { sources: None, recording: None, ..options.clone() }
}

/// Lists the rules of the past with paired matching that are violated in an undivided trace.
fn paired_violations(compiled: &CompiledSpec, report: &Report) -> Vec<usize> {
    if report.cases.is_some() {
        return vec![];
    }
    let is_paired = |core: &Core| matches!(core, Core::Rule(rule) if rule.matching == Matching::Paired && rule.direction == ContextDirection::Past);
    let judged = compiled.plan.cores().iter().zip(&report.outcomes).enumerate();
    judged.filter(|(_, (core, outcome))| is_paired(core) && outcome.violated > 0).map(|(index, _)| index).collect()
}

/// Lists those of the rules that hold if a message may serve every supposition that it fits. Reads the trace until all of
/// them are violated.
fn holds_under_any(
    compiled: &CompiledSpec,
    rules: &[usize],
    input: NamedInput,
    options: &Options,
) -> Result<Vec<usize>, Error> {
    let relaxed = |rule: &usize| match compiled.plan.cores().get(*rule) {
        Some(Core::Rule(rule)) => Some(Core::Rule(RuleCore { matching: Matching::Any, ..rule.clone() })),
        _ => None,
    };
    let plan = plan(rules.iter().filter_map(relaxed).collect());
    let mut matching = RelaxedMatching { monitor: plan.start(0), open: (0..rules.len()).collect() };
    let compiled = CompiledSpec { plan, ..compiled.clone() };
    let (name, options) = (input.name.clone(), quiet(options));
    let (mut stream, _) = open_stream(&compiled, input, &options)?;
    if Driver::new(&compiled, &name, &options).run(&mut stream, &mut matching)?.is_break() {
        return Ok(vec![]);
    }
    let outcomes = matching.monitor.finish(options.end);
    Ok(rules.iter().zip(outcomes).filter(|(_, outcome)| outcome.violated == 0).map(|(rule, _)| *rule).collect())
}

/// Checks rules until all are violated.
struct RelaxedMatching {
    monitor: Monitor,
    /// The rules that were not violated at the last look.
    open: Vec<usize>,
}

/// Number of events between two looks at the rules.
const LOOK_EVERY: u64 = 1 << 10;

impl Visitor for RelaxedMatching {
    fn event<S: EventSource>(&mut self, event: &Event<'_>, _: &S) -> Result<bool, Error> {
        self.monitor.step(event);
        if event.index.is_multiple_of(LOOK_EVERY) {
            self.open.retain(|rule| self.monitor.violation_count(*rule) == 0);
        }
        Ok(true)
    }

    fn progress<S: EventSource>(&mut self, to: Timestamp, _: &S) -> Result<(), Error> {
        self.monitor.advance(to);
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.open.is_empty()
    }
}
