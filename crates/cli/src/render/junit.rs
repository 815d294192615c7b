// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report for build servers, in the XML format of `JUnit`: a trace is a test suite, a property a test case.

use std::fmt::Write as _;
use std::path::Path;

use gnomon::escape;
use gnomon::offline::Report;
use gnomon::verdict::{Outcome, Verdict};

use super::SpecContext;
use super::human::{self, TextOptions};
use super::violation::in_a_line;
use crate::failure::Failure;
use crate::files::{display_name, file_name};

/// The result of a trace.
pub(crate) enum Suite<'a> {
    /// The trace was checked. The events are a text table, if requested; the refusals are those of `--fail-on`.
    Checked { report: &'a Report, events: Option<&'a str>, refusals: &'a [Failure] },
    /// The trace could not be checked.
    Failed { source: &'a str, failure: &'a Failure },
}

/// Prints the document.
pub(crate) fn render(about: &SpecContext<'_>, suites: &[Suite<'_>], look: TextOptions) -> String {
    let mut total = SuiteCounts::default();
    let mut body = String::new();
    for suite in suites {
        let count = match suite {
            Suite::Checked { report, events, refusals } => checked(&mut body, about, report, *events, refusals, look),
            Suite::Failed { source, failure } => failed(&mut body, about, source, failure),
        };
        total.add(count);
    }
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gnomon\" {total}>\n{body}</testsuites>\n")
}

#[derive(Clone, Copy, Default)]
struct SuiteCounts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl SuiteCounts {
    fn add(&mut self, other: SuiteCounts) {
        self.tests += other.tests;
        self.failures += other.failures;
        self.errors += other.errors;
        self.skipped += other.skipped;
    }
}

impl std::fmt::Display for SuiteCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let SuiteCounts { tests, failures, errors, skipped } = self;
        write!(f, "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"")
    }
}

fn checked(
    out: &mut String,
    about: &SpecContext<'_>,
    report: &Report,
    events: Option<&str>,
    refusals: &[Failure],
    look: TextOptions,
) -> SuiteCounts {
    let number = |verdict| report.outcomes.iter().filter(|outcome| outcome.verdict == verdict).count();
    let count = SuiteCounts {
        tests: report.outcomes.len() + refusals.len(),
        failures: number(Verdict::Violated),
        errors: refusals.len(),
        skipped: report.outcomes.iter().filter(|outcome| skip_reason(outcome).is_some()).count(),
    };
    let name = escape::xml(display_name(&report.source));
    let _ = writeln!(out, "  <testsuite name=\"{name}\" {count}>");
    for (index, outcome) in report.outcomes.iter().enumerate() {
        case(out, about, report, index, outcome, look);
    }
    for refusal in refusals {
        error(out, about, "--fail-on", refusal);
    }
    let remarks: Vec<String> =
        [events.map(str::to_owned), human::stopped(about, report)].into_iter().flatten().collect();
    if !remarks.is_empty() {
        let _ = writeln!(out, "    <system-out>{}</system-out>", escape::xml(&remarks.join("\n")));
    }
    out.push_str("  </testsuite>\n");
    count
}

fn case(
    out: &mut String,
    about: &SpecContext<'_>,
    report: &Report,
    index: usize,
    outcome: &Outcome,
    look: TextOptions,
) {
    let property = about.property(index);
    let title = property.title.as_ref().map_or(String::new(), |title| format!(": {title}"));
    let (name, class) = (escape::xml(&format!("{}{title}", property.name)), escape::xml(&class_name(about)));
    let _ = writeln!(out, "    <testcase name=\"{name}\" classname=\"{class}\">");
    match outcome.verdict {
        Verdict::Violated => {
            let first = outcome.violations.first().map_or(String::new(), in_a_line);
            let message = match (outcome.violated, first.as_str()) {
                (_, "") => "violated".to_owned(),
                (1, first) => first.to_owned(),
                (more, first) => format!("{first} (and {} more)", more - 1),
            };
            let explanation = human::violations(about, report, index, look);
            let _ = writeln!(
                out,
                "      <failure message=\"{}\" type=\"violation\">{}</failure>",
                escape::xml(&message),
                escape::xml(explanation.trim_matches('\n'))
            );
        }
        Verdict::Inconclusive | Verdict::Holds => {
            if let Some(reason) = skip_reason(outcome) {
                let _ = writeln!(out, "      <skipped message=\"{reason}\"/>");
            }
        }
    }
    let open = (outcome.open_at_end > 0).then(|| human::describe_open(report, outcome));
    let counts: Vec<String> = [human::describe_counts(report, outcome)].into_iter().chain(open).collect();
    let _ = writeln!(out, "      <system-out>{}</system-out>", escape::xml(&counts.join("\n")));
    out.push_str("    </testcase>\n");
}

/// Returns the reason why a test case counts as skipped: the property is undecided, or nothing activated it.
fn skip_reason(outcome: &Outcome) -> Option<&'static str> {
    match (outcome.verdict, outcome.presumably) {
        (Verdict::Inconclusive, Some(true)) => Some("inconclusive, presumably true"),
        (Verdict::Inconclusive, _) => Some("inconclusive, presumably false"),
        (Verdict::Holds, _) => (!human::is_exercised(outcome)).then_some(human::NOT_EXERCISED),
        (Verdict::Violated, _) => None,
    }
}

fn failed(out: &mut String, about: &SpecContext<'_>, source: &str, failure: &Failure) -> SuiteCounts {
    let count = SuiteCounts { tests: 1, errors: 1, ..SuiteCounts::default() };
    let _ = writeln!(out, "  <testsuite name=\"{}\" {count}>", escape::xml(display_name(source)));
    error(out, about, "can be checked", failure);
    out.push_str("  </testsuite>\n");
    count
}

/// Writes a test case that is an error.
fn error(out: &mut String, about: &SpecContext<'_>, name: &str, failure: &Failure) {
    let (class, reason) = (escape::xml(&class_name(about)), escape::xml(&failure.in_a_line()));
    let _ = writeln!(out, "    <testcase name=\"{name}\" classname=\"{class}\">");
    let _ = writeln!(out, "      <error message=\"{reason}\" type=\"trace\"/>");
    out.push_str("    </testcase>\n");
}

/// Returns the spec's name without its extension, because a dot would separate packages.
fn class_name(about: &SpecContext<'_>) -> String {
    let name = file_name(about.spec_name);
    Path::new(&name).file_stem().map_or(name.clone(), |stem| stem.to_string_lossy().into_owned())
}
