// SPDX-License-Identifier: MIT OR Apache-2.0
//! The proposed property with the spec around it, and trials of it on typed traces and on a log.

use gnomon::artefact;
use gnomon::assist::{FinishedProperty, printed_name};
use gnomon::compile::compile;
use gnomon::diagnostic::Severity;
use gnomon::examples::judge_events;
use gnomon::ir::spec::{ExampleEvent, ExampleTrace};
use gnomon::notation;
use gnomon::offline::{Options, judge, judge_reopenable_by};
use gnomon::trace::Format;
use gnomon::verdict::Verdict;

use super::Destination;
use super::terminal::wrap;
use crate::failure::Failure;
use crate::files;
use crate::paint::Paint;
use crate::render::SpecContext;
use crate::render::human::{self, TextOptions};

/// Width of comments in columns.
const COMMENT_WIDTH: usize = 100;
/// Limit of violations shown of a log.
const DRAWN: usize = 3;

/// The proposed property with the spec around it.
pub(super) struct Proposal {
    pub(super) finished: FinishedProperty,
    pub(super) name: String,
    /// The spec's name in messages.
    pub(super) spec_name: String,
    /// The text before it.
    before: String,
    /// Its meaning in English sentences.
    pub(super) words: Option<String>,
}

impl Proposal {
    pub(super) fn new(destination: &Destination, finished: FinishedProperty) -> Proposal {
        let words = artefact::english(&finished.spec, &finished.property).ok();
        let mut before = destination.text().trim_end().to_owned();
        if !before.is_empty() {
            before.push_str("\n\n");
        }
        Proposal { name: finished.property.name.clone(), spec_name: destination.name.clone(), before, words, finished }
    }

    /// Returns the whole spec without examples of this property.
    pub(super) fn text(&self) -> String {
        format!("{}{}", self.before, self.own_text())
    }

    /// Returns the property with its declarations, and its meaning as a comment.
    fn own_text(&self) -> String {
        let FinishedProperty { declarations, block, .. } = &self.finished;
        let gap = if declarations.is_empty() { "" } else { "\n" };
        let words = self.words.as_deref().map_or(String::new(), comment);
        format!("{declarations}{gap}{words}{block}")
    }

    /// Returns the whole spec with these examples.
    pub(super) fn text_with(&self, trials: &[Trial]) -> String {
        let name = self.printed_name();
        let lines: String = trials.iter().map(|trial| trial.line(&name)).collect();
        let gap = if lines.is_empty() { "" } else { "\n" };
        format!("{}{gap}{lines}", self.text())
    }

    /// Returns the property's name as the spec writes it.
    pub(super) fn printed_name(&self) -> String {
        printed_name(&self.name)
    }

    /// Generates a trace that satisfies the property and one that violates it. The error is the reason why there are none.
    pub(super) fn trials(&self) -> Result<Vec<Trial>, String> {
        let FinishedProperty { spec, property, .. } = &self.finished;
        let mut verdict = |events: &[ExampleEvent]| {
            let report = judge_events(spec, &property.name, events).ok();
            let outcome = report.as_ref().and_then(|report| report.outcomes.first());
            outcome.map_or(Verdict::Inconclusive, |outcome| outcome.verdict)
        };
        let examples = artefact::examples(spec, property, &mut verdict).map_err(|refusal| refusal.reason)?;
        [examples.accepts, examples.rejects]
            .iter()
            .map(|events| Trial::of_events(self, &notation::example(events), events))
            .collect()
    }
}

/// Returns a text as lines of a comment.
fn comment(text: &str) -> String {
    wrap(text, COMMENT_WIDTH).iter().flat_map(|line| ["# ", line.as_str(), "\n"]).collect()
}

/// A short trace and the verdict on it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Trial {
    /// The trace as an example writes it.
    pub(super) text: String,
    pub(super) verdict: Verdict,
    /// True if the property was activated. A segment that never closed does not count.
    pub(super) exercised: bool,
    /// The reason of a violation.
    pub(super) reason: Option<String>,
}

impl Trial {
    /// Checks a typed trace. The error is a message for the user.
    pub(super) fn of_text(proposal: &Proposal, text: &str) -> Result<Trial, String> {
        let (spec, _) = compile(&example(proposal, text), std::slice::from_ref(&proposal.name));
        let Some(compiled) = spec else { return Err(first_error(proposal, text)) };
        let Some(ExampleTrace::Events(events)) = compiled.spec.examples.last().map(|example| &example.trace) else {
            return Err("this is not a trace".to_owned());
        };
        Trial::of_events(proposal, text.trim(), events)
    }

    /// Checks events.
    pub(super) fn of_events(proposal: &Proposal, text: &str, events: &[ExampleEvent]) -> Result<Trial, String> {
        let report = judge_events(&proposal.finished.spec, &proposal.name, events)?;
        let outcome = report.outcomes.first().ok_or_else(|| "nothing was checked".to_owned())?;
        let reason = outcome.violations.first().map(|violation| violation.summary.clone());
        Ok(Trial {
            text: text.to_owned(),
            verdict: outcome.verdict,
            exercised: outcome.satisfied + outcome.violated > 0,
            reason,
        })
    }

    /// Returns the trace as an example of the spec.
    pub(super) fn line(&self, name: &str) -> String {
        let word = if self.verdict == Verdict::Violated { "rejects" } else { "accepts" };
        format!("{word} {name} {{ {} }}\n", self.text)
    }

    /// Returns the verdict as one line.
    pub(super) fn remark(&self) -> String {
        match (&self.reason, self.exercised) {
            (Some(reason), _) => format!("{}: {reason}", self.verdict),
            (None, false) => format!("{}, but nothing in it was exercised", self.verdict),
            (None, true) => self.verdict.to_string(),
        }
    }
}

fn example(proposal: &Proposal, text: &str) -> String {
    format!("{}accepts {} {{ {text} }}\n", proposal.text(), proposal.printed_name())
}

fn first_error(proposal: &Proposal, text: &str) -> String {
    let (_, diagnostics) = compile(&example(proposal, text), &[]);
    let error = diagnostics.into_iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    error.map_or_else(
        || "this is not a trace".to_owned(),
        |error| match error.help {
            Some(help) => format!("{}; {}", error.message, help.text),
            None => error.message,
        },
    )
}

/// Checks a log and returns the report.
pub(super) fn check_log(
    proposal: &Proposal,
    path: &str,
    format: Option<Format>,
    paint: Paint,
) -> Result<String, Failure> {
    let text = proposal.text();
    let (compiled, _) = compile(&text, std::slice::from_ref(&proposal.name));
    let compiled =
        compiled.ok_or_else(|| Failure::new("G0936", "the spec does not compile with the property added"))?;
    let (input, _) = files::input(path)?;
    let options = Options { format, located_violations: DRAWN, ..Options::default() };
    let judged = judge_reopenable_by(&compiled, input, &options, |compiled, input| {
        judge(compiled, input, &options, &mut |_: u64, _: u64| {})
    });
    let report = judged.map_err(|error| check_failure(path, &error))?;
    let about = SpecContext { spec_name: &proposal.spec_name, compiled: &compiled };
    Ok(human::trace(&about, &report, TextOptions { paint, drawn: DRAWN, width: None }))
}

fn check_failure(path: &str, error: &gnomon::run::Error) -> Failure {
    if let Some(trace) = error.trace() {
        return Failure::of_trace(trace);
    }
    let help = error.diagnostic().and_then(|diagnostic| diagnostic.help.as_ref()).map(|help| &help.text);
    Failure::new("G0937", format!("the log cannot be checked: {error}")).at(path).maybe_help(help)
}
