// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report for build servers: the XML of `JUnit`. A trace is a test suite, a property a test case.

use std::fmt::Write as _;
use std::path::Path;

use gnomon::offline::Report;
use gnomon::verdict::{Outcome, Verdict};

use super::About;
use super::human::{self, Look};
use super::violation::in_a_line;
use crate::files::{display_name, file_name};

pub(crate) use gnomon::report::html::escaped;

/// What became of a trace.
pub(crate) enum Suite<'a> {
    /// It was judged; the events are a table, if they were asked for.
    Judged { report: &'a Report, events: Option<&'a str> },
    /// It could not be, for this reason.
    Failed { source: &'a str, reason: &'a str },
}

/// The whole document.
pub(crate) fn render(about: &About<'_>, suites: &[Suite<'_>], look: Look) -> String {
    let mut total = Count::default();
    let mut body = String::new();
    for suite in suites {
        let count = match suite {
            Suite::Judged { report, events } => judged(&mut body, about, report, *events, look),
            Suite::Failed { source, reason } => failed(&mut body, about, source, reason),
        };
        total.add(count);
    }
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gnomon\" {total}>\n{body}</testsuites>\n")
}

#[derive(Clone, Copy, Default)]
struct Count {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Count {
    fn add(&mut self, other: Count) {
        self.tests += other.tests;
        self.failures += other.failures;
        self.errors += other.errors;
        self.skipped += other.skipped;
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Count { tests, failures, errors, skipped } = self;
        write!(f, "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"")
    }
}

fn judged(out: &mut String, about: &About<'_>, report: &Report, events: Option<&str>, look: Look) -> Count {
    let number = |verdict| report.outcomes.iter().filter(|outcome| outcome.verdict == verdict).count();
    let count = Count {
        tests: report.outcomes.len(),
        failures: number(Verdict::Violated),
        errors: 0,
        skipped: number(Verdict::Inconclusive),
    };
    let name = escaped(display_name(&report.source));
    let _ = writeln!(out, "  <testsuite name=\"{name}\" {count}>");
    for (index, outcome) in report.outcomes.iter().enumerate() {
        case(out, about, report, index, outcome, look);
    }
    let remarks = [events.map(str::to_owned), human::stopped(about, report)];
    if remarks.iter().any(Option::is_some) {
        let remarks: Vec<String> = remarks.into_iter().flatten().collect();
        let _ = writeln!(out, "    <system-out>{}</system-out>", escaped(&remarks.join("\n")));
    }
    out.push_str("  </testsuite>\n");
    count
}

fn case(out: &mut String, about: &About<'_>, report: &Report, index: usize, outcome: &Outcome, look: Look) {
    let property = about.property(index);
    let title = property.title.as_ref().map_or(String::new(), |title| format!(": {title}"));
    let (name, class) = (escaped(&format!("{}{title}", property.name)), escaped(&class_name(about)));
    let _ = writeln!(out, "    <testcase name=\"{name}\" classname=\"{class}\">");
    match outcome.verdict {
        Verdict::Violated => {
            let first = outcome.violations.first().map_or(String::new(), in_a_line);
            let message = match (outcome.violated, first.as_str()) {
                (_, "") => "violated".to_owned(),
                (1, first) => first.to_owned(),
                (more, first) => format!("{first} (and {} more)", more - 1),
            };
            let story = human::violations(about, report, index, look);
            let _ = writeln!(
                out,
                "      <failure message=\"{}\" type=\"violation\">{}</failure>",
                escaped(&message),
                escaped(story.trim_matches('\n'))
            );
        }
        Verdict::Inconclusive => {
            let presumably = match outcome.presumably {
                Some(true) => "inconclusive, presumably true",
                _ => "inconclusive, presumably false",
            };
            let _ = writeln!(out, "      <skipped message=\"{presumably}\"/>");
        }
        Verdict::Holds => {}
    }
    let _ = writeln!(out, "      <system-out>{}</system-out>", escaped(&human::counts(report, outcome)));
    out.push_str("    </testcase>\n");
}

fn failed(out: &mut String, about: &About<'_>, source: &str, reason: &str) -> Count {
    let count = Count { tests: 1, errors: 1, ..Count::default() };
    let (name, class, reason) = (escaped(display_name(source)), escaped(&class_name(about)), escaped(reason));
    let _ = writeln!(out, "  <testsuite name=\"{name}\" {count}>");
    let _ = writeln!(out, "    <testcase name=\"can be judged\" classname=\"{class}\">");
    let _ = writeln!(out, "      <error message=\"{reason}\" type=\"trace\"/>");
    out.push_str("    </testcase>\n  </testsuite>\n");
    count
}

/// The spec's name without its extension: a dot would look like a package.
fn class_name(about: &About<'_>) -> String {
    let name = file_name(about.spec_name);
    Path::new(&name).file_stem().map_or(name.clone(), |stem| stem.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_carry_is_replaced() {
        assert_eq!(escaped("a<b & \"c\">\u{1}\u{ffff}é\n"), "a&lt;b &amp; &quot;c&quot;&gt;\u{fffd}\u{fffd}é\n");
    }
}
