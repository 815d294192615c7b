// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judging with everything that is done around it, for whoever has a trace in hand: a program's events, or an input that can
//! perhaps be read again.

use std::io;

use gnomon_trace::{Given, GivenReader, Ordered};

use super::{
    Input, Listener, Options, Report, Work, holds_under_any, literal_starts, order, second_thoughts, setup, supply,
};
use crate::compile::Compiled;
use crate::error::Error;
use crate::externs::Supplied;

/// Judges events that a program makes; `name` stands for them in messages.
pub fn judge_given(
    compiled: &Compiled,
    name: &str,
    events: impl Iterator<Item = io::Result<Given>> + Send,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Report, Error> {
    let order = order(compiled, options)?;
    let work = Work { compiled, name, options };
    let mut setup = setup(compiled, options);
    if compiled.spec.externs.is_empty() && options.recording.is_none() {
        return work.run(Ordered::new(GivenReader::new(events, name, setup), order), false, listener);
    }
    let externs = supply(compiled, options, &mut setup);
    let ordered = Ordered::new(GivenReader::new(events, name, setup), order);
    work.run(Supplied::new(ordered, externs, options.recording.clone()), false, listener)
}

/// Judges an input. `again` opens it once more, if that can be done: then names such as `start_Pay` are events where the trace
/// has such events, and rules are told of that would hold under `matching any`.
pub fn judge_opened(
    compiled: &Compiled,
    input: Input,
    again: &mut dyn FnMut() -> Option<Input>,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Report, Error> {
    let literal = literal(compiled, again, options);
    let mut report = super::judge(literal.as_ref().unwrap_or(compiled), input, options, listener)?;
    report.freer = freer(compiled, &report, again, options);
    Ok(report)
}

/// What is judged instead where a trace has events whose names were read as the starts of activities.
pub fn literal(compiled: &Compiled, again: &mut dyn FnMut() -> Option<Input>, options: &Options) -> Option<Compiled> {
    if compiled.starts().is_empty() {
        return None;
    }
    let names = literal_starts(compiled, again()?, options);
    (!names.is_empty()).then(|| compiled.with_literal(&names))
}

/// Violated rules that would hold under `matching any`.
pub fn freer(
    compiled: &Compiled,
    report: &Report,
    again: &mut dyn FnMut() -> Option<Input>,
    options: &Options,
) -> Vec<usize> {
    let rules = second_thoughts(compiled, report);
    if rules.is_empty() {
        return rules;
    }
    again().map_or_else(Vec::new, |input| holds_under_any(compiled, &rules, input, options))
}
