// SPDX-License-Identifier: MIT OR Apache-2.0
//! The conformance corpus: Markdown whose blocks are cases and whose prose explains them.
//!
//! A heading of level two names what follows, with `rule: K5, S2` at its end; a block of a language, such as `soloist` or `pattern` (what
//! stands between a property's braces, options in parentheses after the word) or an `rv` block (a spec file with one property) gives the property; each `trace` block
//! with the `verdict` block after it is a case. `trace prefix` is the beginning of a longer trace, `trace prefix until 20`
//! one after which nothing came before 20. A line `skip: ROW — reason` leaves out a row of the runner.

mod expectation;
mod read;
mod run;

pub use expectation::Expectation;
pub use read::{Suite, load, read};
pub use run::{CaseEvaluator, run};

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::End;

use crate::case::Case;

/// One case of the corpus.
#[derive(Clone, Debug)]
pub struct CorpusCase {
    /// The heading's sentence.
    pub title: String,
    /// File and line.
    pub place: String,
    /// The semantic rules that it tests.
    pub rules: Vec<String>,
    /// The property and the trace.
    pub case: Case,
    /// The trace is complete or a prefix.
    pub end: End,
    /// The time before which nothing came after the last event.
    pub until: Option<Timestamp>,
    /// The expected outcome.
    pub expectation: Expectation,
    /// Evaluators that skip the case, with the reason.
    pub skips: Vec<(String, String)>,
}
