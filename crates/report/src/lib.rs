// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was found, as JSON for other programs and as text for people: the same words in the report of a log, in the answers of a live
//! watch and in other languages' bindings.
//!
//! The nouns that matter: [`About`] (the spec that a report is about), [`json`] (its parts, each one function), [`text`] (its
//! pictures), [`numbers::Dial`] (how a trace tells the time). Nothing here judges, or reads or writes a file.

pub mod externs;
pub mod html;
pub mod json;
pub mod numbers;
pub mod text;

use std::path::Path;

use gnomon_core::time::Clock;
use gnomon_core::verdict::{Outcome, Verdict};
use gnomon_ir::spec::Property;
use gnomon_run::compile::Compiled;

/// A rule looks back, is violated, and would not be if its messages were not used up.
pub const FREER: &str = "it would hold with `(matching any)`: here each message of the context serves one supposition and counts \
    from the first, so a second supposition finds nothing left";

/// Why a property costs more than others.
pub const VISITS_ALL: &str = "what it says of a binding depends on events that do not concern it, so every binding is judged at \
     every position: the cost grows with their number";

/// What the reports are about.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// What the user calls the spec.
    pub spec_name: &'a str,
    /// The spec, and which of its properties were judged.
    pub compiled: &'a Compiled,
}

impl About<'_> {
    /// A property by its place in the plan.
    pub fn property(&self, index: usize) -> &Property {
        &self.compiled.spec.properties[self.compiled.properties[index]]
    }

    /// Its name.
    pub fn property_name(&self, index: usize) -> &str {
        &self.property(index).name
    }

    /// The unit of the traces' times.
    pub fn clock(&self) -> Clock {
        Clock::new(self.compiled.spec.time.unit)
    }
}

/// The verdict of several together: one violated spoils all, one undecided leaves all undecided.
pub fn overall(outcomes: &[Outcome]) -> Verdict {
    let any = |verdict| outcomes.iter().any(|outcome| outcome.verdict == verdict);
    if any(Verdict::Violated) {
        Verdict::Violated
    } else if any(Verdict::Inconclusive) {
        Verdict::Inconclusive
    } else {
        Verdict::Holds
    }
}

/// The path that means standard input.
pub const STDIN: &str = "-";

/// What a path is called in messages.
pub fn display_name(path: &str) -> &str {
    if path == STDIN { "<stdin>" } else { path }
}

/// A file's name without its folder, as reports have it.
pub fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}
