// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon check`: judges traces and reports.

use gnomon::diagnostic::{Diagnostic, Span};
use gnomon::offline::{self, By, Cases, Input, Limit, Limits, Mode, Options, Overload, Report};
use gnomon::time::Quantity;
use gnomon::verdict::{End, Verdict};

use crate::args::{Check, ModeName, ReportKind};
use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::live::Live;
use crate::memory;
use crate::paint::Paint;
use crate::progress::Progress;
use crate::reference;
use crate::render::human::{self, Look};
use crate::render::junit::{self, Suite};
use crate::render::{About, json, ndjson, overall};
use crate::spec::SpecFile;
use crate::status::Status;

/// How many violations of a property are listed unless the user says otherwise.
const LISTED: usize = 1_000;
/// How many of them are drawn for people, who read the first few.
const DRAWN: usize = 10;
/// The word for `--by` that means the whole trace.
const BY_NONE: &str = "none";

pub(crate) fn run(check: &Check, console: &Console) -> Result<Status, Failure> {
    files::at_most_one_stdin(std::iter::once(&check.spec).chain(&check.traces))?;
    let file = SpecFile::read(&check.spec)?;
    let Some(compiled) = file.compile(&check.properties, console)? else {
        return Ok(Status::CouldNotJudge);
    };
    let about = About { spec_name: &file.name, compiled: &compiled };
    let work = Work { check, file: &file, about: &about, console, options: options(check) };
    let mut status = Status::Fine;
    let (mut reports, mut events, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    for path in &check.traces {
        if check.events && check.report == ReportKind::Human && !(reports.is_empty() && failed.is_empty()) {
            console.report("\n")?;
        }
        let (report, table) = match work.judge(path) {
            Ok(judged) => judged,
            Err(Obstacle::Trace(reason)) => {
                failed.push((path, reason));
                status = Status::CouldNotJudge;
                continue;
            }
            Err(Obstacle::World(failure)) => return Err(failure),
        };
        if overall(&report.outcomes) == Verdict::Violated {
            status = status.max(Status::Violated);
        }
        match check.report {
            ReportKind::Human => {
                let gap = if reports.is_empty() && !check.events { "" } else { "\n" };
                console.report(&format!("{gap}{}", human::trace(&about, &report, look(check, console.out_paint))))?;
            }
            ReportKind::Ndjson => console.report(&ndjson::summaries(&about, &report))?,
            ReportKind::Json | ReportKind::Junit => {}
        }
        reports.push(report);
        events.push(check.events.then_some(table));
    }
    let end = match check.report {
        ReportKind::Junit => {
            let judged = reports.iter().zip(&events);
            let judged = judged.map(|(report, events)| Suite::Judged { report, events: events.as_deref() });
            let failed = failed.iter().map(|(source, reason)| Suite::Failed { source, reason });
            junit::render(&about, &judged.chain(failed).collect::<Vec<_>>(), look(check, Paint::PLAIN))
        }
        _ if reports.is_empty() => String::new(),
        ReportKind::Human => human::summary(&about, &reports, console.out_paint),
        ReportKind::Json => json::render(&about, &reports, &events),
        ReportKind::Ndjson => String::new(),
    };
    console.report(&end)?;
    Ok(status)
}

fn look(check: &Check, paint: Paint) -> Look {
    Look { paint, drawn: check.max_violations.unwrap_or(DRAWN) }
}

fn options(check: &Check) -> Options {
    Options {
        format: check.format,
        end: if check.prefix { End::Prefix } else { End::Complete },
        reorder: check.reorder,
        max_violations: check.max_violations.unwrap_or(LISTED),
        by: match check.by.as_deref() {
            None => By::Format,
            Some(BY_NONE) => By::Whole,
            Some(field) => By::Field(field.to_owned()),
        },
        mode: check.mode.map(|mode| match mode {
            ModeName::Standard => Mode::Standard,
            ModeName::Critical => Mode::Critical,
        }),
        tell_violations: check.report == ReportKind::Ndjson,
        tell_events: check.events,
        limits: Limits { bindings: check.max_bindings, memory: check.max_memory.or_else(memory::default_limit) },
        jobs: check.jobs.into(),
    }
}

/// What every trace is judged with.
struct Work<'a> {
    check: &'a Check,
    file: &'a SpecFile,
    about: &'a About<'a>,
    console: &'a Console,
    options: Options,
}

/// Why a trace has no report.
enum Obstacle {
    /// It cannot be judged; that has been said, and this is it in a line.
    Trace(String),
    /// What was found cannot be written.
    World(Failure),
}

impl Work<'_> {
    /// Judges one trace; if that cannot be done, says why on standard error. With the report come its events, for
    /// those reports that are written at the end.
    fn judge(&self, path: &str) -> Result<(Report, String), Obstacle> {
        let (bytes, size) = files::open(path).map_err(|failure| self.give_up(&failure))?;
        let input = Input { name: path.to_owned(), bytes };
        let progress = Progress::new(files::display_name(path), size);
        let mut live = Live::new(self.about, self.console, self.check.report, path, progress);
        let compiled = self.about.compiled;
        let result = if self.check.reference {
            reference::judge(compiled, input, &self.options, &mut live)
        } else {
            offline::judge(compiled, input, &self.options, &mut live)
        };
        let events = live.finish().map_err(Obstacle::World)?;
        let report = result.map_err(|error| self.cannot_judge(&error))?;
        match &report.cases {
            Some(cases) if cases.total == 0 && cases.without > 0 => Err(self.give_up(&no_cases(path, cases))),
            _ => Ok((report, events)),
        }
    }

    /// What took too much, and what can be done about it.
    fn too_much(&self, overload: &Overload) -> Failure {
        let Overload { limit, total, property, most } = overload;
        let (what, option) = match limit {
            Limit::Bindings(limit) => {
                (format!("{} bindings must be remembered, and {limit} are allowed", total.bindings), "--max-bindings")
            }
            Limit::Memory(limit) => {
                let limit = memory::print_size(*limit);
                (format!("the bindings take more memory than the {limit} that are allowed"), "--max-memory")
            }
        };
        let size = memory::print_size(most.bytes as u64);
        let name = self.about.property_name(*property);
        let message = format!("{what}; `{name}` has the most: {} bindings in {size}", most.bindings);
        Failure::new("G0712", message).at(&self.file.name).help(format!(
            "allow more with `{option}`, judge fewer properties at a time with `--property`, bound the formula so that \
             bindings can be forgotten, or judge each session on its own with `--by`"
        ))
    }

    fn give_up(&self, failure: &Failure) -> Obstacle {
        self.console.fail(failure);
        Obstacle::Trace(failure.in_a_line())
    }

    fn cannot_judge(&self, error: &gnomon::Error) -> Obstacle {
        if let Some(overload) = error.as_overload() {
            return self.give_up(&self.too_much(overload));
        }
        match (error.diagnostic(), error.trace()) {
            (Some(diagnostic), _) => match self.check.reorder.filter(|_| diagnostic.primary.span == Span::default()) {
                Some(delay) => return self.give_up(&bad_delay(delay, diagnostic)),
                None => self.file.complain(std::slice::from_ref(diagnostic), self.console),
            },
            (None, Some(error)) => return self.give_up(&Failure::of_trace(error)),
            (None, None) => self.console.complain(&format!("{error}\n")),
        }
        Obstacle::Trace(error.to_string())
    }
}

/// A field that no event has is more likely a slip than a trace without cases.
fn no_cases(path: &str, cases: &Cases) -> Failure {
    let field = cases.field.as_deref().unwrap_or("case");
    Failure::new("G0710", format!("no event has the field `{field}`, so there is no case to judge"))
        .at(files::display_name(path))
        .help("check the name that `--by` is given; names are told apart by case")
}

/// A delay on the command line has no place in the spec to point at.
fn bad_delay(delay: Quantity, diagnostic: &Diagnostic) -> Failure {
    let failure = Failure::new(diagnostic.code, format!("`--reorder {delay}`: {}", diagnostic.message));
    match &diagnostic.help {
        Some(help) => failure.help(&help.text),
        None => failure.help("write a whole number of nanoseconds or more"),
    }
}
