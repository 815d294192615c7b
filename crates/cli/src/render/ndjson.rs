// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report for streaming consumers: a line of JSON for each violation as it is found, and one for each property at the
//! end of a trace. The field `type` distinguishes the lines.

use gnomon::offline::{EndVerdict, EventVerdict, Report, ReportedViolation};

use super::json::write::ObjectWriter;
use super::{SpecContext, json, json_line};
use crate::failure::Failure;
use crate::files::file_name;

/// Prints a violation.
pub(crate) fn violation(about: &SpecContext<'_>, source: &str, found: &ReportedViolation<'_>) -> String {
    line("violation", Some(about.property_name(found.property)), source, |fields| {
        json::violation(fields, found.violation, found.case, about, found.context);
    })
}

/// Prints an event with the violations that it decided.
pub(crate) fn event(about: &SpecContext<'_>, source: &str, verdict: &EventVerdict<'_>) -> String {
    line("event", None, source, |fields| json::event(fields, verdict, about))
}

/// Prints the violations that the end of the trace decided.
pub(crate) fn end(about: &SpecContext<'_>, source: &str, verdict: &EndVerdict<'_>) -> String {
    line("end", None, source, |fields| json::end(fields, verdict, about))
}

/// Prints the outcome of each property of a trace.
pub(crate) fn summaries(about: &SpecContext<'_>, report: &Report) -> String {
    let summary = |index: usize| {
        line("summary", Some(about.property_name(index)), &report.source, |fields| {
            json::summary(fields, about, index, report);
        })
    };
    (0..report.outcomes.len()).map(summary).collect()
}

/// Prints the reason why a trace could not be checked, or was refused.
pub(crate) fn error(source: &str, failure: &Failure) -> String {
    line("error", None, source, |fields| failure.json(fields))
}

fn line(kind: &str, property: Option<&str>, source: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> String {
    json_line(|fields| {
        fields.field("type", kind);
        fields.optional("property", property);
        fields.field("trace", &file_name(source));
        fill(fields);
    })
}
