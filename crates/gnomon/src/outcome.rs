// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of checks.

use std::fmt;
use std::slice;
use std::sync::Arc;

use gnomon_core::symbols::Symbols;
use gnomon_core::verdict::Verdict;
use gnomon_report::text::human::{self, TextOptions, is_exercised};
use gnomon_report::{json, overall};

use crate::spec::Spec;
use crate::violation::Violation;

/// Violations of each property that the text of a report shows.
const DRAWN: usize = 10;

/// The result of a check: the outcome of each property.
///
/// Its text is the report that `gnomon check` prints.
pub struct Report {
    spec: Spec,
    run: gnomon_run::offline::Report,
    symbols: Arc<Symbols>,
}

impl Report {
    pub(crate) fn new(spec: Spec, run: gnomon_run::offline::Report) -> Report {
        let symbols = Arc::new(run.symbols.clone());
        Report { spec, run, symbols }
    }

    /// Returns true if no property is violated.
    pub fn is_ok(&self) -> bool {
        self.verdict() != Verdict::Violated
    }

    /// Returns the verdict over all properties: violated if one is, otherwise inconclusive if one is, otherwise holds.
    pub fn verdict(&self) -> Verdict {
        overall(&self.run.outcomes)
    }

    /// Lists the outcomes in the order of the spec.
    pub fn outcomes(&self) -> impl Iterator<Item = Outcome<'_>> {
        (0..self.run.outcomes.len()).map(|index| Outcome { report: self, index })
    }

    /// Returns the outcome of the property with this name.
    pub fn outcome(&self, property: &str) -> Option<Outcome<'_>> {
        self.outcomes().find(|outcome| outcome.property() == property)
    }

    /// Lists the violations, up to 1000 of each property.
    pub fn violations(&self) -> impl Iterator<Item = Violation> {
        self.outcomes().flat_map(|outcome| outcome.violations().collect::<Vec<_>>())
    }

    /// Returns the number of events.
    pub fn event_count(&self) -> u64 {
        self.run.events
    }

    /// Renders the report as JSON, as `gnomon check --report json` does.
    pub fn to_json(&self) -> String {
        json::render(&self.spec.context(), slice::from_ref(&self.run), &[None], &[])
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (spec, options) = (self.spec.context(), TextOptions::plain(DRAWN));
        f.write_str(&human::trace(&spec, &self.run, options))?;
        f.write_str(human::summary(&spec, slice::from_ref(&self.run), 0, options).trim_end())
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.outcomes()).finish()
    }
}

/// The result of a check for one property.
#[derive(Clone, Copy)]
pub struct Outcome<'a> {
    report: &'a Report,
    index: usize,
}

impl<'a> Outcome<'a> {
    fn inner(&self) -> &'a gnomon_core::verdict::Outcome {
        &self.report.run.outcomes[self.index]
    }

    /// Returns the name of the property.
    pub fn property(&self) -> &'a str {
        &self.report.spec.compiled.spec.properties[self.report.spec.compiled.properties[self.index]].name
    }

    /// Returns the verdict.
    pub fn verdict(&self) -> Verdict {
        self.inner().verdict
    }

    /// Returns true if something in the trace put the property to the test. A property that holds without it says little.
    pub fn is_exercised(&self) -> bool {
        is_exercised(self.inner())
    }

    /// Returns the number of obligations that the property raised, such as requests that need an answer.
    pub fn activated(&self) -> u64 {
        self.inner().activated
    }

    /// Returns the number of satisfied obligations.
    pub fn satisfied(&self) -> u64 {
        self.inner().satisfied
    }

    /// Returns the number of violated obligations.
    pub fn violated(&self) -> u64 {
        self.inner().violated
    }

    /// Returns the number of obligations that are still open.
    pub fn pending(&self) -> u64 {
        self.inner().pending
    }

    /// Lists the violations, up to 1000.
    pub fn violations(&self) -> impl Iterator<Item = Violation> + use<'a> {
        let Outcome { report, index } = *self;
        self.inner().violations.iter().enumerate().map(move |(number, violation)| {
            let case = report.run.cases.as_ref().and_then(|cases| cases.label(index, number));
            let (spec, symbols) = (report.spec.clone(), report.symbols.clone());
            let trace = report.run.source.as_str();
            Violation::recorded(spec, symbols, report.run.time_kind, trace, index, case, violation.clone())
        })
    }
}

impl fmt::Debug for Outcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Outcome");
        out.field("property", &self.property()).field("verdict", &self.verdict()).field("violated", &self.violated());
        out.finish_non_exhaustive()
    }
}
