// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon check`: checks traces and reports.

use std::num::NonZero;
use std::thread;

use gnomon::offline::{self, Options, Report, ThreadWork};
use gnomon::verdict::Verdict;

use crate::args::{CheckArguments, FailureReason, ReportFormat};
use crate::console::Console;
use crate::error_reporter::{ErrorReporter, no_cases};
use crate::failure::Failure;
use crate::files::{self, FilePosition};
use crate::outcome::{CommandResult, ExitStatus};
use crate::progress_bar::RunProgress;
use crate::recording_file::{RecordingFile, only_one_trace};
use crate::reference;
use crate::render::human::{self, TextOptions};
use crate::render::json::RenderedVerdicts;
use crate::render::junit::{self, Suite};
use crate::render::numbers::counted;
use crate::render::{SpecContext, json, ndjson, overall};
use crate::report_listener::ReportListener;
use crate::spec::SpecFile;

/// Default number of listed violations of a property.
const LISTED: usize = 1_000;
/// Default number of violations that a report for people shows.
const DRAWN: usize = 10;

pub(crate) fn run(check: &CheckArguments, console: &Console) -> CommandResult {
    let known = &check.common.known;
    let traces = files::expand_patterns(&check.traces);
    files::at_most_one_stdin(std::iter::once(&check.spec).chain(&traces).chain(&known.catalogues))?;
    if check.record.is_some() {
        only_one_trace(&traces)?;
    }
    let file = SpecFile::read(&check.spec)?.with(known)?;
    let compiled = file.compile(&check.common.properties, console)?;
    let about = SpecContext { spec_name: &file.name, compiled: &compiled };
    let run = CheckRun { check, file: &file, about: &about, console, options: options(check, &file) };
    let mut status = ExitStatus::Success;
    let mut progress = RunProgress::new(&traces, console);
    let (mut reports, mut events, mut refused, mut failed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for path in &traces {
        if check.events && check.report == ReportFormat::Human && !(reports.is_empty() && failed.is_empty()) {
            console.print("\n")?;
        }
        let (report, table) = match run.check_trace(path, &mut progress) {
            Ok(checked) => checked,
            Err(CheckFailure::Trace(failure)) => {
                if check.report == ReportFormat::Ndjson {
                    console.print(&ndjson::error(path, &failure))?;
                }
                failed.push((path, failure));
                status = ExitStatus::CouldNotCheck;
                continue;
            }
            Err(CheckFailure::Output(failure)) => return Err(failure.into()),
        };
        if overall(&report.outcomes) == Verdict::Violated {
            status = status.max(ExitStatus::Violated);
        }
        if report.outcomes.iter().any(|outcome| outcome.fault.is_some()) {
            status = ExitStatus::CouldNotCheck;
        }
        match check.report {
            ReportFormat::Human => {
                let gap = if reports.is_empty() && !check.events { "" } else { "\n" };
                console.print(&format!("{gap}{}", human::trace(&about, &report, look(check, console))))?;
            }
            ReportFormat::Ndjson => console.print(&ndjson::summaries(&about, &report))?,
            ReportFormat::Json | ReportFormat::Junit => {}
        }
        let refusals = refusals(&about, &report, &check.fail_on);
        for failure in &refusals {
            console.print_failure(failure);
            if check.report == ReportFormat::Ndjson {
                console.print(&ndjson::error(path, failure))?;
            }
            status = ExitStatus::CouldNotCheck;
        }
        refused.push((path, refusals));
        reports.push(report);
        events.push(check.events.then_some(table));
    }
    let end = match check.report {
        ReportFormat::Junit => {
            let checked = reports.iter().zip(&events).zip(&refused).map(|((report, events), (_, refusals))| {
                Suite::Checked { report, events: events.as_ref().map(|events| &*events.at_events), refusals }
            });
            let failed = failed.iter().map(|(source, failure)| Suite::Failed { source, failure });
            let drawn = check.max_violations.unwrap_or(DRAWN);
            junit::render(&about, &checked.chain(failed).collect::<Vec<_>>(), TextOptions::plain(drawn))
        }
        ReportFormat::Json => {
            let refused =
                refused.iter().flat_map(|(path, refusals)| refusals.iter().map(|failure| (path.as_str(), failure)));
            let failed = failed.iter().map(|(path, failure)| (path.as_str(), failure));
            json::render(&about, &reports, &events, &failed.chain(refused).collect::<Vec<_>>())
        }
        ReportFormat::Human if !reports.is_empty() => {
            human::summary(&about, &reports, failed.len(), look(check, console))
        }
        ReportFormat::Human | ReportFormat::Ndjson => String::new(),
    };
    console.print(&end)?;
    Ok(status)
}

/// Returns a failure for each reason of `--fail-on` that applies to a trace.
fn refusals(about: &SpecContext<'_>, report: &Report, reasons: &[FailureReason]) -> Vec<Failure> {
    let place = files::display_name(&report.source);
    let lines = |count: u64| if count == 1 { "1 line does".to_owned() } else { format!("{count} lines do") };
    let describe = |reason: &FailureReason| match reason {
        FailureReason::NotExercised => {
            let idle = report.outcomes.iter().enumerate().filter(|(_, outcome)| !human::is_exercised(outcome));
            let names: Vec<String> = idle.map(|(index, _)| format!("`{}`", about.property_name(index))).collect();
            let were = match names.len() {
                0 => return None,
                1 => "1 property was".to_owned(),
                number => format!("{number} properties were"),
            };
            Some(format!("{were} not exercised: {}", names.join(", ")))
        }
        FailureReason::Unmatched => {
            let skipped = report.skipped.unnamed + report.skipped.untimed;
            match (report.unmatched.count, skipped) {
                (0, 0) => None,
                (0, 1) => Some("1 event has no name or no time".to_owned()),
                (0, skipped) => Some(format!("{skipped} events have no name or no time")),
                (unmatched, _) => Some(format!("{} not match the format of the log", lines(unmatched))),
            }
        }
        FailureReason::Empty => (report.events == 0).then(|| "the trace has no events".to_owned()),
        FailureReason::Late => {
            (report.late.count > 0).then(|| format!("{} came too late", counted(report.late.count, "event")))
        }
    };
    let help = "`--fail-on` sets the exit status to 2 in this case";
    reasons.iter().filter_map(describe).map(|message| Failure::new("G0742", message).at(place).help(help)).collect()
}

fn look(check: &CheckArguments, console: &Console) -> TextOptions {
    let drawn = check.max_violations.unwrap_or(DRAWN);
    TextOptions { paint: console.out_paint, drawn, width: console.width }
}

fn options(check: &CheckArguments, file: &SpecFile) -> Options {
    Options {
        reorder: check.reorder,
        max_violations: check.max_violations.unwrap_or(LISTED),
        mode: check.mode,
        report_violations: check.report == ReportFormat::Ndjson,
        report_events: check.events,
        located_violations: match check.report {
            ReportFormat::Human | ReportFormat::Junit => check.max_violations.unwrap_or(DRAWN),
            ReportFormat::Json => usize::MAX,
            ReportFormat::Ndjson => 0,
        },
        keep_raw: check.raw,
        explain_parts: check.explain,
        ..check.common.options(&check.limits, &check.externs, &file.folder)
    }
}

/// A trace with more bytes is checked by as many threads as there are cores.
const LARGE: u64 = 64_000_000;

/// Returns the number of threads for a trace of this size. The size of a pipe is not known.
fn default_jobs(size: Option<u64>) -> usize {
    const MAX_THREADS: usize = 256;
    match size {
        Some(size) if size > LARGE => thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS),
        _ => 1,
    }
}

/// Describes the part of the work that only one thread can do at a time, which limits what more threads can gain.
fn describe_work(trace: &str, work: ThreadWork) -> String {
    let percent = 100.0 * work.serial_fraction();
    format!("{trace}: {} threads; {percent:.0} % of the work was serial", work.threads)
}

/// Everything that the check of each trace needs.
struct CheckRun<'a> {
    check: &'a CheckArguments,
    file: &'a SpecFile,
    about: &'a SpecContext<'a>,
    console: &'a Console,
    options: Options,
}

/// Reason why a trace has no report.
enum CheckFailure {
    /// The trace cannot be checked. The reason has been printed.
    Trace(Failure),
    /// The report or the recording cannot be written.
    Output(Failure),
}

impl CheckRun<'_> {
    /// Checks one trace. Returns its report, and its events for the report formats that are written at the end.
    fn check_trace(&self, path: &str, progress: &mut RunProgress) -> Result<(Report, RenderedVerdicts), CheckFailure> {
        let CheckRun { check, file, about, console, .. } = *self;
        let reporter = ErrorReporter { about, file, console, reorder: check.reorder };
        let failed = |failure: Failure| {
            console.print_failure(&failure);
            CheckFailure::Trace(failure)
        };
        let (input, position) = files::input(path).map_err(failed)?;
        let size = position.as_ref().and_then(FilePosition::size);
        progress.begin(files::display_name(path), position);
        let mut listener = ReportListener::new(about, console, check.report, path, progress);
        let recorder = check.record.as_deref().map(RecordingFile::create).transpose().map_err(CheckFailure::Output)?;
        let jobs = check.jobs.map_or_else(|| default_jobs(size), usize::from);
        let recording = recorder.as_ref().map(RecordingFile::recording);
        let options = Options { jobs, recording, ..self.options.clone() };
        let judge = if check.reference { reference::judge } else { offline::judge };
        let result = offline::judge_reopenable_by(about.compiled, input, &options, |compiled, input| {
            judge(compiled, input, &options, &mut listener)
        });
        let events = listener.finish().map_err(CheckFailure::Output)?;
        let report = result.map_err(|error| CheckFailure::Trace(reporter.report(&error)))?;
        if let Some(recorder) = recorder {
            recorder.finish(&report, console).map_err(failed)?;
        }
        if let Some(work) = report.work.filter(|_| console.shows_progress()) {
            console.note(&describe_work(files::display_name(path), work));
        }
        match no_cases(path, report.cases.as_ref()) {
            Some(failure) => Err(failed(failure)),
            None => Ok((report, events)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn large_files_use_all_cores() {
        let cores = thread::available_parallelism().map_or(1, NonZero::get).min(256);
        assert_eq!([None, Some(LARGE), Some(LARGE + 1)].map(default_jobs), [1, 1, cores]);
    }

    #[test]
    fn the_serial_fraction_is_described() {
        let work = ThreadWork { threads: 4, serial: Duration::from_secs(1), parallel: Duration::from_secs(3) };
        assert_eq!(describe_work("a.csv", work), "a.csv: 4 threads; 25 % of the work was serial");
    }
}
