// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trying a property before it is kept: on a short trace as it is typed, and on a log.

use gnomon::compile::compile;
use gnomon::diagnostic::Severity;
use gnomon::examples::judge_events;
use gnomon::ir::spec::{ExampleEvent, ExampleTrace};
use gnomon::offline::{Options, judge};
use gnomon::verdict::Verdict;

use super::proposal::Proposal;
use crate::failure::Failure;
use crate::files;
use crate::paint::Paint;
use crate::render::About;
use crate::render::human::{self, Look};

/// How many violations of a log are drawn.
const DRAWN: usize = 3;

/// A short trace, and what the property says of it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Trial {
    /// As it is written in an example.
    pub(super) text: String,
    pub(super) verdict: Verdict,
    /// Whether the property was put to the test: a segment that never became one does not count.
    pub(super) exercised: bool,
    /// What is wrong, if it is violated.
    pub(super) reason: Option<String>,
}

impl Trial {
    /// Judges a trace as it is typed; otherwise says what is wrong with it.
    pub(super) fn of_text(proposal: &Proposal, text: &str) -> Result<Trial, String> {
        let (spec, _) = compile(&example(proposal, text), std::slice::from_ref(&proposal.name));
        let Some(compiled) = spec else { return Err(first_error(proposal, text)) };
        let Some(ExampleTrace::Events(events)) = compiled.spec.examples.last().map(|example| &example.trace) else {
            return Err("this is no trace".to_owned());
        };
        Trial::of_events(proposal, text.trim(), events)
    }

    /// Judges events.
    pub(super) fn of_events(proposal: &Proposal, text: &str, events: &[ExampleEvent]) -> Result<Trial, String> {
        let report = judge_events(&proposal.finished.spec, &proposal.name, events)?;
        let outcome = report.outcomes.first().ok_or_else(|| "nothing was judged".to_owned())?;
        let reason = outcome.violations.first().map(|violation| violation.summary.clone());
        Ok(Trial {
            text: text.to_owned(),
            verdict: outcome.verdict,
            exercised: outcome.satisfied + outcome.violated > 0,
            reason,
        })
    }

    /// The trace as an example of the spec.
    pub(super) fn line(&self, name: &str) -> String {
        let word = if self.verdict == Verdict::Violated { "rejects" } else { "accepts" };
        format!("{word} {name} {{ {} }}\n", self.text)
    }

    /// What came out, in a line.
    pub(super) fn remark(&self) -> String {
        match (&self.reason, self.exercised) {
            (Some(reason), _) => format!("{}: {reason}", self.verdict),
            (None, false) => format!("{}, but nothing in it was put to the test", self.verdict),
            (None, true) => self.verdict.to_string(),
        }
    }
}

fn example(proposal: &Proposal, text: &str) -> String {
    format!("{}accepts {} {{ {text} }}\n", proposal.text(), proposal.shown_name())
}

fn first_error(proposal: &Proposal, text: &str) -> String {
    let (_, diagnostics) = compile(&example(proposal, text), &[]);
    let error = diagnostics.into_iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    error.map_or_else(
        || "this is no trace".to_owned(),
        |error| match error.help {
            Some(help) => format!("{}; {}", error.message, help.text),
            None => error.message,
        },
    )
}

/// Judges a log, and says what came out.
pub(super) fn log(
    proposal: &Proposal,
    path: &str,
    format: Option<gnomon::trace::Format>,
    paint: Paint,
) -> Result<String, Failure> {
    let text = proposal.text();
    let (compiled, _) = compile(&text, std::slice::from_ref(&proposal.name));
    let compiled =
        compiled.ok_or_else(|| Failure::new("G0936", "the spec does not compile with the property added"))?;
    let (input, _) = files::input(path)?;
    let options = Options { format, ..Options::default() };
    let judged = judge(&compiled, input, &options, &mut |_: u64, _: u64| {});
    let report = judged.map_err(|error| unjudged(path, &error))?;
    let about = About { spec_name: &proposal.spec_name, compiled: &compiled };
    Ok(human::trace(&about, &report, Look { paint, drawn: DRAWN }))
}

fn unjudged(path: &str, error: &gnomon::Error) -> Failure {
    if let Some(trace) = error.trace() {
        return Failure::of_trace(trace);
    }
    let failure = Failure::new("G0937", format!("the log cannot be judged: {error}")).at(path);
    match error.diagnostic().and_then(|diagnostic| diagnostic.help.as_ref()) {
        Some(help) => failure.help(&help.text),
        None => failure,
    }
}
