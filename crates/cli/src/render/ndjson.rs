// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report for programs that listen: a line of JSON for each violation as it is found, one for each property at the
//! end of a trace. The word in `type` tells the lines apart.

use gnomon::offline::{Ended, Found, Judged, Report};

use super::About;
use super::json;
use super::json::write::{Fields, object};
use crate::files::file_name;

/// A violation that became certain.
pub(crate) fn violation(about: &About<'_>, source: &str, found: &Found<'_>) -> String {
    line("violation", |fields| {
        fields.text("property", about.property_name(found.property));
        fields.text("trace", &file_name(source));
        json::violation(fields, found.violation, found.case, about, found.legend);
    })
}

/// An event and what it decided.
pub(crate) fn event(about: &About<'_>, source: &str, judged: &Judged<'_>) -> String {
    line("event", |fields| {
        fields.text("trace", &file_name(source));
        json::event(fields, judged, about);
    })
}

/// What the end decided.
pub(crate) fn end(about: &About<'_>, source: &str, ended: &Ended<'_>) -> String {
    line("end", |fields| {
        fields.text("trace", &file_name(source));
        json::end(fields, ended, about);
    })
}

/// What became of each property of a trace.
pub(crate) fn summaries(about: &About<'_>, report: &Report) -> String {
    let summary = |index: usize| {
        line("summary", |fields| {
            fields.text("property", about.property_name(index));
            fields.text("trace", &file_name(&report.source));
            json::summary(fields, about, index, report);
        })
    };
    (0..report.outcomes.len()).map(summary).collect()
}

fn line(kind: &str, fill: impl FnOnce(&mut Fields<'_>)) -> String {
    let mut out = String::new();
    object(&mut out, |fields| {
        fields.text("type", kind);
        fill(fields);
    });
    out.push('\n');
    out
}
