// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon check`: judges traces and reports.

use gnomon::compile::Compiled;
use gnomon::diagnostic::{Diagnostic, Span};
use gnomon::offline::{self, Input, Options, Report};
use gnomon::time::Quantity;
use gnomon::trace::{Format, TraceError};
use gnomon::verdict::{End, Verdict};

use crate::args::{Check, FormatName, ReportKind};
use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::progress::Progress;
use crate::reference;
use crate::render::human::{self, Look};
use crate::render::{About, json, overall};
use crate::spec::SpecFile;
use crate::status::Status;

/// How many violations of a property are listed unless the user says otherwise.
const LISTED: usize = 1_000;
/// How many of them are drawn for people, who read the first few.
const DRAWN: usize = 10;

pub(crate) fn run(check: &Check, console: &Console) -> Result<Status, Failure> {
    files::at_most_one_stdin(std::iter::once(&check.spec).chain(&check.traces))?;
    let file = SpecFile::read(&check.spec)?;
    let Some(compiled) = file.compile(&check.properties, console)? else {
        return Ok(Status::CouldNotJudge);
    };
    let about = About { spec_name: &file.name, compiled: &compiled };
    let mut status = Status::Fine;
    let mut reports = Vec::new();
    for path in &check.traces {
        let Some(report) = judge(&file, &compiled, path, check, console) else {
            status = Status::CouldNotJudge;
            continue;
        };
        if overall(&report.outcomes) == Verdict::Violated {
            status = status.max(Status::Violated);
        }
        if check.report == ReportKind::Human {
            let gap = if reports.is_empty() { "" } else { "\n" };
            let look = Look { paint: console.out_paint, drawn: check.max_violations.unwrap_or(DRAWN) };
            console.report(&format!("{gap}{}", human::trace(&about, &report, look)))?;
        }
        reports.push(report);
    }
    if !reports.is_empty() {
        let end = match check.report {
            ReportKind::Human => human::summary(&about, &reports, console.out_paint),
            ReportKind::Json => json::render(&about, &reports),
        };
        console.report(&end)?;
    }
    Ok(status)
}

/// Judges one trace; if that cannot be done, says why on standard error.
fn judge(file: &SpecFile, compiled: &Compiled, path: &str, check: &Check, console: &Console) -> Option<Report> {
    let (bytes, size) = match files::open(path) {
        Ok(opened) => opened,
        Err(failure) => {
            console.fail(&failure);
            return None;
        }
    };
    let input = Input { name: path.to_owned(), bytes };
    let options = Options {
        format: check.format.map(|format| match format {
            FormatName::Csv => Format::Csv,
            FormatName::Ndjson => Format::Ndjson,
        }),
        end: if check.prefix { End::Prefix } else { End::Complete },
        reorder: check.reorder,
        max_violations: check.max_violations.unwrap_or(LISTED),
    };
    let mut progress = Progress::new(files::display_name(path), size);
    let mut tell = |bytes, events| progress.update(bytes, events);
    let result = if check.reference {
        reference::judge(compiled, input, &options, &mut tell)
    } else {
        offline::judge(compiled, input, &options, &mut tell)
    };
    drop(progress);
    result
        .map_err(|error| match (error.diagnostic(), error.trace()) {
            (Some(diagnostic), _) => match check.reorder.filter(|_| diagnostic.primary.span == Span::default()) {
                Some(delay) => console.fail(&bad_delay(delay, diagnostic)),
                None => file.complain(std::slice::from_ref(diagnostic), console),
            },
            (None, Some(error)) => console.fail(&bad_trace(error)),
            (None, None) => console.complain(&format!("{error}\n")),
        })
        .ok()
}

/// A delay on the command line has no place in the spec to point at.
fn bad_delay(delay: Quantity, diagnostic: &Diagnostic) -> Failure {
    let failure = Failure::new(diagnostic.code, format!("`--reorder {delay}`: {}", diagnostic.message));
    match &diagnostic.help {
        Some(help) => failure.help(&help.text),
        None => failure.help("write a whole number of nanoseconds or more"),
    }
}

fn bad_trace(error: &TraceError) -> Failure {
    let name = files::display_name(error.source_name());
    let failure = Failure::new(error.code(), error.message()).at(format!("{name}:{}:{}", error.line(), error.column()));
    match error.help() {
        Some(help) => failure.help(help),
        None => failure,
    }
}
