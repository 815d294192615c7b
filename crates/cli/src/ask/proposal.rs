// SPDX-License-Identifier: MIT OR Apache-2.0
//! A property that was asked for, in its place.

use gnomon::artefact;
use gnomon::assist::{Finished, shown_name};
use gnomon::examples::judge_events;
use gnomon::ir::spec::ExampleEvent;
use gnomon::notation;
use gnomon::verdict::Verdict;

use super::target::Target;
use super::terminal::wrap;
use super::trial::Trial;

/// How wide comments are.
const WIDTH: usize = 100;

/// A property that was asked for, in its place.
pub(super) struct Proposal {
    pub(super) finished: Finished,
    /// What it is called.
    pub(super) name: String,
    /// What messages call the spec.
    pub(super) spec_name: String,
    /// The text that stands before it.
    before: String,
    /// What it says in plain words.
    pub(super) words: Option<String>,
}

impl Proposal {
    pub(super) fn new(target: &Target, finished: Finished) -> Proposal {
        let words = artefact::english(&finished.spec, &finished.property).ok();
        let mut before = target.text().trim_end().to_owned();
        if !before.is_empty() {
            before.push_str("\n\n");
        }
        Proposal { name: finished.property.name.clone(), spec_name: target.name.clone(), before, words, finished }
    }

    /// The whole spec without examples of this property.
    pub(super) fn text(&self) -> String {
        format!("{}{}", self.before, self.own_text())
    }

    /// The property, what it needs, and what it says.
    fn own_text(&self) -> String {
        let Finished { declarations, block, .. } = &self.finished;
        let gap = if declarations.is_empty() { "" } else { "\n" };
        let words = self.words.as_deref().map_or(String::new(), comment);
        format!("{declarations}{gap}{words}{block}")
    }

    /// The whole spec with these examples.
    pub(super) fn text_with(&self, trials: &[Trial]) -> String {
        let name = self.shown_name();
        let lines: String = trials.iter().map(|trial| trial.line(&name)).collect();
        let gap = if lines.is_empty() { "" } else { "\n" };
        format!("{}{gap}{lines}", self.text())
    }

    /// The property's name as the spec writes it.
    pub(super) fn shown_name(&self) -> String {
        shown_name(&self.name)
    }

    /// One trace that satisfies the property and one that does not; otherwise why there are none.
    pub(super) fn trials(&self) -> Result<Vec<Trial>, String> {
        let Finished { spec, property, .. } = &self.finished;
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

/// Text as lines of a comment.
fn comment(text: &str) -> String {
    wrap(text, WIDTH).iter().flat_map(|line| ["# ", line.as_str(), "\n"]).collect()
}
