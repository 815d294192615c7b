// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon check`: judges traces and reports.

use gnomon::compile::Compiled;
use gnomon::externs::Sources;
use gnomon::offline::{self, Input, Limits, Mode, Options, Report};
use gnomon::verdict::{End, Verdict};

use crate::args::{Check, ModeName, ReportKind};
use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::live::Live;
use crate::memory;
use crate::paint::Paint;
use crate::progress::Progress;
use crate::record::{Tape, only_one_trace};
use crate::reference;
use crate::render::human::{self, Look};
use crate::render::json::Events;
use crate::render::junit::{self, Suite};
use crate::render::{About, json, ndjson, overall};
use crate::spec::SpecFile;
use crate::status::Status;
use crate::trouble::{Trouble, by, no_cases};

/// How many violations of a property are listed unless the user says otherwise.
const LISTED: usize = 1_000;
/// How many of them are drawn for people, who read the first few.
const DRAWN: usize = 10;

pub(crate) fn run(check: &Check, console: &Console) -> Result<Status, Failure> {
    let catalogues = &check.known.catalogues;
    files::at_most_one_stdin(std::iter::once(&check.spec).chain(&check.traces).chain(catalogues))?;
    if check.record.is_some() {
        only_one_trace(&check.traces)?;
    }
    let file = SpecFile::read(&check.spec)?.with(&check.known)?;
    let Some(compiled) = file.compile(&check.properties, console)? else {
        return Ok(Status::CouldNotJudge);
    };
    let about = About { spec_name: &file.name, compiled: &compiled };
    let work = Work { check, file: &file, about: &about, console, options: options(check, &file) };
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
            let judged = judged.map(|(report, events)| Suite::Judged {
                report,
                events: events.as_ref().map(|events| &*events.at_events),
            });
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

fn options(check: &Check, file: &SpecFile) -> Options {
    Options {
        format: check.format,
        event_field: check.fields.event.clone(),
        time_field: check.fields.time.clone(),
        end: if check.prefix { End::Prefix } else { End::Complete },
        reorder: check.reorder,
        max_violations: check.max_violations.unwrap_or(LISTED),
        by: by(check.by.as_deref()),
        frame: None,
        mode: check.mode.map(|mode| match mode {
            ModeName::Standard => Mode::Standard,
            ModeName::Critical => Mode::Critical,
        }),
        tell_violations: check.report == ReportKind::Ndjson,
        tell_events: check.events,
        limits: Limits { bindings: check.max_bindings, memory: check.max_memory.or_else(memory::default_limit) },
        jobs: check.jobs.into(),
        sources: (!check.asking.no_extern).then(|| Sources::beside(&file.folder)),
        recording: None,
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

/// What is judged instead where a trace has events whose names were read as the starts of activities. A pipe cannot be looked
/// through first.
pub(crate) fn literal(compiled: &Compiled, path: &str, options: &Options) -> Option<Compiled> {
    offline::literal(compiled, &mut || again(path), options)
}

/// The trace once more. What comes from a pipe cannot be read again.
fn again(path: &str) -> Option<Input> {
    files::input(path).ok().and_then(|(input, size)| size.map(|_| input))
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
    fn judge(&self, path: &str) -> Result<(Report, Events), Obstacle> {
        let trouble =
            Trouble { about: self.about, file: self.file, console: self.console, reorder: self.check.reorder };
        let give_up = |failure: &Failure| Obstacle::Trace(trouble.give_up(failure));
        let (input, size) = files::input(path).map_err(|failure| give_up(&failure))?;
        let progress = Progress::new(files::display_name(path), size);
        let mut live = Live::new(self.about, self.console, self.check.report, path, progress);
        let literal = literal(self.about.compiled, path, &self.options);
        let compiled = literal.as_ref().unwrap_or(self.about.compiled);
        let tape = self.check.record.as_deref().map(Tape::create).transpose().map_err(Obstacle::World)?;
        let options = Options { recording: tape.as_ref().map(Tape::recording), ..self.options.clone() };
        let result = if self.check.reference {
            reference::judge(compiled, input, &options, &mut live)
        } else {
            offline::judge(compiled, input, &options, &mut live)
        };
        let events = live.finish().map_err(Obstacle::World)?;
        let mut report = result.map_err(|error| Obstacle::Trace(trouble.tell(&error)))?;
        report.freer = offline::freer(self.about.compiled, &report, &mut || again(path), &self.options);
        if let Some(tape) = tape {
            tape.finish(&report, self.console).map_err(|failure| give_up(&failure))?;
        }
        match no_cases(path, report.cases.as_ref()) {
            Some(failure) => Err(give_up(&failure)),
            None => Ok((report, events)),
        }
    }
}
