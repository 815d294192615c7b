// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon stats`: activations and violations of each property, in total and over time.

mod json;
mod page;
mod table;

use gnomon::offline::stats::{IntervalError, PropertyCounts, Statistics};
use gnomon::offline::{Options, stats, with_literal_starts};
use gnomon::time::{Clock, Quantity, TICKS_PER_BARE_UNIT, print_billionths};

use crate::args::{ListFormat, StatsArguments};
use crate::console::Console;
use crate::error_reporter::{ErrorReporter, no_cases};
use crate::failure::Failure;
use crate::files;
use crate::outcome::{CommandError, CommandResult, ExitStatus};
use crate::output::{STDOUT, write_text};
use crate::progress_bar::RunProgress;
use crate::render::SpecContext;
use crate::render::human::TextOptions;
use crate::spec::SpecFile;

pub(crate) fn run(arguments: &StatsArguments, console: &Console) -> CommandResult {
    let known = &arguments.common.known;
    files::at_most_one_stdin([&arguments.spec, &arguments.trace].into_iter().chain(&known.catalogues))?;
    let file = SpecFile::read(&arguments.spec)?.with(known)?;
    let compiled = file.compile(&arguments.common.properties, console)?;
    let about = SpecContext { spec_name: &file.name, compiled: &compiled };
    let reporter = ErrorReporter { about: &about, file: &file, console, reorder: arguments.reorder };
    let statistics = collect(arguments, &reporter)?;
    if let Some(path) = &arguments.html {
        write_text(path, &page::render(&about, &statistics))?;
    }
    if arguments.html.as_deref() != Some(STDOUT) {
        console.print(&match arguments.report {
            ListFormat::Human => {
                let look = TextOptions { paint: console.out_paint, drawn: 0, width: console.width };
                table::render(&about, &statistics, arguments.every.is_some(), look)
            }
            ListFormat::Json => json::render(&about, &statistics),
        })?;
    }
    Ok(ExitStatus::Success)
}

/// Checks the trace and collects the statistics.
fn collect(arguments: &StatsArguments, reporter: &ErrorReporter<'_>) -> Result<Statistics, CommandError> {
    let (input, position) = files::input(&arguments.trace)?;
    let mut progress = RunProgress::new(std::slice::from_ref(&arguments.trace), reporter.console);
    progress.begin(files::display_name(&arguments.trace), position);
    let options = Options {
        reorder: arguments.reorder,
        ..arguments.common.options(&arguments.limits, &arguments.externs, &reporter.file.folder)
    };
    let literal = with_literal_starts(reporter.about.compiled, &input, &options);
    let compiled = literal.as_ref().unwrap_or(reporter.about.compiled);
    let mut listener = |bytes, events| progress.update(bytes, events);
    let statistics = stats::judge(compiled, input, &options, arguments.every, &mut listener).map_err(|error| {
        if let (gnomon::run::Error::Interval(bad), Some(every)) = (&error, arguments.every) {
            return bad_interval(*bad, every, reporter.about.clock()).into();
        }
        reporter.report(&error);
        CommandError::Reported
    });
    progress.end();
    let statistics = statistics?;
    match no_cases(&arguments.trace, statistics.report.cases.as_ref()) {
        Some(failure) => Err(failure.into()),
        None => Ok(statistics),
    }
}

fn bad_interval(bad: IntervalError, every: Quantity, clock: Clock) -> Failure {
    let message = format!("`--every {every}`: {bad}");
    match bad {
        IntervalError::TooMany { instead, .. } => {
            // The suggestion has the unit that the user wrote.
            let unit = every.unit.or(clock.unit);
            let instead = Clock::new(unit).print_duration(instead);
            let unit = unit.map_or("", |unit| unit.symbol());
            let help = format!("write a longer one, such as `--every {instead}{unit}`, or leave it to be found");
            Failure::new("G0905", message).help(help)
        }
        IntervalError::NoUnit => Failure::new("G0906", message)
            .help("write the interval without a unit, or declare what one unit of the trace's time is: `time in s`"),
        IntervalError::Inexact => Failure::new("G0906", message).help("write one such as `10s`, `500ms` or `2.5`"),
    }
}

/// Returns the percentage of activations that were violated, exact to nine places; `None` without activations.
fn failure_percent(counts: &PropertyCounts) -> Option<String> {
    let (asked, violated) = (i128::from(counts.checked()), i128::from(counts.violated));
    (asked > 0).then(|| print_billionths(100 * violated * TICKS_PER_BARE_UNIT / asked))
}

/// Returns the increase of the counts within an interval, by name. It may be negative, because an automaton may revise the state
/// of a binding.
fn increases(before: &PropertyCounts, own: &PropertyCounts) -> [(&'static str, i128); 3] {
    let increase = |before: u64, own: u64| i128::from(own) - i128::from(before);
    [
        ("activated", increase(before.activated, own.activated)),
        ("satisfied", increase(before.satisfied, own.satisfied)),
        ("violated", increase(before.violated, own.violated)),
    ]
}
