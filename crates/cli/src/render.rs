// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drawing: diagnostics, violations and reports as text, reports as JSON. Nothing here judges or reads anything.

pub(crate) mod diagnostic;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod line;
pub(crate) mod numbers;
pub(crate) mod snippet;
pub(crate) mod violation;

use gnomon::compile::Compiled;
use gnomon::verdict::{Outcome, Verdict};

/// What the reports are about.
pub(crate) struct About<'a> {
    /// What the user calls the spec.
    pub(crate) spec_name: &'a str,
    /// The spec, and which of its properties were judged.
    pub(crate) compiled: &'a Compiled,
}

/// The verdict of several together: one violated spoils all, one undecided leaves all undecided.
pub(crate) fn overall(outcomes: &[Outcome]) -> Verdict {
    let any = |verdict| outcomes.iter().any(|outcome| outcome.verdict == verdict);
    if any(Verdict::Violated) {
        Verdict::Violated
    } else if any(Verdict::Inconclusive) {
        Verdict::Inconclusive
    } else {
        Verdict::Holds
    }
}
