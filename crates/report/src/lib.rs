// SPDX-License-Identifier: MIT OR Apache-2.0
//! Renders results: as JSON for programs, as text and HTML for people. The command line, the live API and the language
//! bindings share these functions, so the same result reads the same everywhere.
//!
//! - [`SpecContext`]: the spec that a report is about.
//! - [`json`]: one function for each part of the JSON report.
//! - [`text`]: drawings of diagnostics, violations and reports.
//! - [`html`]: the report as a fragment of a page.
//! - [`numbers::TimeFormat`]: the notation of times in a trace.
//!
//! Nothing here checks a trace, or reads or writes a file.

pub mod externs;
pub mod html;
pub mod json;
pub mod numbers;
pub mod text;

use std::path::Path;

use gnomon_core::time::Clock;
use gnomon_core::verdict::{Outcome, Verdict};
use gnomon_ir::spec::Property;
use gnomon_run::compile::CompiledSpec;
use gnomon_run::offline::worst_verdict;

/// Note on a violated rule of the past that would hold if messages were not consumed.
pub const RELAXED_NOTE: &str = "it would hold with `(matching any)`: here each message of the context serves one supposition and counts \
    from the first, so no message is left for a second supposition";

/// Note on a property that costs more than others.
pub const VISITS_ALL_NOTE: &str = "its verdict for a binding depends on events of other bindings, so every binding is checked at every position: the cost \
     grows with their number";

/// The spec that a report is about.
#[derive(Clone, Copy, Debug)]
pub struct SpecContext<'a> {
    /// The name of the spec for the user.
    pub spec_name: &'a str,
    /// The spec, and which of its properties were checked.
    pub compiled: &'a CompiledSpec,
}

impl SpecContext<'_> {
    /// Returns a property by its index in the plan.
    pub fn property(&self, index: usize) -> &Property {
        &self.compiled.spec.properties[self.compiled.properties[index]]
    }

    /// Returns the name of a property.
    pub fn property_name(&self, index: usize) -> &str {
        &self.property(index).name
    }

    /// Returns the clock of the traces.
    pub fn clock(&self) -> Clock {
        Clock::new(self.compiled.spec.time.unit)
    }
}

/// Combines verdicts: violated wins over inconclusive, inconclusive over holds.
pub fn overall(outcomes: &[Outcome]) -> Verdict {
    worst_verdict(outcomes.iter().map(|outcome| outcome.verdict))
}

/// The path that means standard input.
pub const STDIN: &str = "-";

/// Returns the name of a path in messages.
pub fn display_name(path: &str) -> &str {
    if path == STDIN { "<stdin>" } else { path }
}

/// Returns the name of a file without its folder, for reports.
pub fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}
