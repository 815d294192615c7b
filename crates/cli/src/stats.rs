// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon stats`: how often each property was put to the test, how that went, and how it went over time.

mod json;
mod page;
mod table;

use std::io::Write as _;

use gnomon::externs::Sources;
use gnomon::offline::stats::{BadInterval, Statistics, Tally};
use gnomon::offline::{Limits, Options, stats};
use gnomon::time::{Clock, Quantity, TICKS_PER_BARE_UNIT, print_billionths};
use gnomon::verdict::End;

use crate::args::{ListKind, Stats};
use crate::check::literal;
use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::memory;
use crate::output::{Output, STDOUT, cannot_write};
use crate::progress::Progress;
use crate::render::About;
use crate::spec::SpecFile;
use crate::status::Status;
use crate::trouble::{Trouble, by, no_cases};

pub(crate) fn run(arguments: &Stats, console: &Console) -> Result<Status, Failure> {
    let catalogues = &arguments.known.catalogues;
    files::at_most_one_stdin([&arguments.spec, &arguments.trace].into_iter().chain(catalogues))?;
    let file = SpecFile::read(&arguments.spec)?.with(&arguments.known)?;
    let Some(compiled) = file.compile(&arguments.properties, console)? else {
        return Ok(Status::CouldNotJudge);
    };
    let about = About { spec_name: &file.name, compiled: &compiled };
    let trouble = Trouble { about: &about, file: &file, console, reorder: arguments.reorder };
    let Some(statistics) = judge(arguments, &trouble)? else { return Ok(Status::CouldNotJudge) };
    if let Some(path) = &arguments.html {
        write(path, &page::render(&about, &statistics))?;
    }
    if arguments.html.as_deref() != Some(STDOUT) {
        console.report(&match arguments.report {
            ListKind::Human => table::render(&about, &statistics, arguments.every.is_some(), console.out_paint),
            ListKind::Json => json::render(&about, &statistics),
        })?;
    }
    Ok(Status::Fine)
}

/// Judges the trace; `None` if that cannot be done and it has been said why.
fn judge(arguments: &Stats, trouble: &Trouble<'_>) -> Result<Option<Statistics>, Failure> {
    let (input, size) = files::input(&arguments.trace)?;
    let mut progress = Progress::new(files::display_name(&arguments.trace), size);
    let limits =
        Limits { bindings: arguments.max_bindings, memory: arguments.max_memory.or_else(memory::default_limit) };
    let options = Options {
        format: arguments.format,
        event_field: arguments.fields.event.clone(),
        time_field: arguments.fields.time.clone(),
        end: if arguments.prefix { End::Prefix } else { End::Complete },
        reorder: arguments.reorder,
        by: by(arguments.by.as_deref()),
        limits,
        sources: (!arguments.asking.no_extern).then(|| Sources::beside(&trouble.file.folder)),
        ..Options::default()
    };
    let literal = literal(trouble.about.compiled, &arguments.trace, &options);
    let compiled = literal.as_ref().unwrap_or(trouble.about.compiled);
    let mut listener = |bytes, events| progress.update(bytes, events);
    let statistics = match stats::judge(compiled, input, &options, arguments.every, &mut listener) {
        Ok(statistics) => statistics,
        Err(error) => {
            if let (Some(bad), Some(every)) = (error.as_interval(), arguments.every) {
                return Err(bad_interval(*bad, every, trouble.about.clock()));
            }
            trouble.tell(&error);
            return Ok(None);
        }
    };
    match no_cases(&arguments.trace, statistics.report.cases.as_ref()) {
        Some(failure) => Err(failure),
        None => Ok(Some(statistics)),
    }
}

fn bad_interval(bad: BadInterval, every: Quantity, clock: Clock) -> Failure {
    let message = format!("`--every {every}`: {bad}");
    match bad {
        BadInterval::TooMany { instead, .. } => {
            // An amount in the unit that the user wrote.
            let unit = every.unit.or(clock.unit);
            let instead = Clock::new(unit).print_duration(instead);
            let unit = unit.map_or("", |unit| unit.symbol());
            let help = format!("write a longer one, such as `--every {instead}{unit}`, or leave it to be found");
            Failure::new("G0905", message).help(help)
        }
        BadInterval::NoUnit => Failure::new("G0906", message)
            .help("write the interval without a unit, or declare what one unit of the trace's time is: `time in s`"),
        BadInterval::Inexact => Failure::new("G0906", message).help("write one such as `10s`, `500ms` or `2.5`"),
    }
}

/// Writes the page, whole or not at all.
fn write(path: &str, page: &str) -> Result<(), Failure> {
    let mut output = Output::create(path)?;
    output.write_all(page.as_bytes()).map_err(|error| cannot_write(path, &error))?;
    output.finish()
}

/// How many of a hundred activations were violated, with every digit up to nine places; `None` if there was none.
fn failure_percent(tally: &Tally) -> Option<String> {
    let (asked, violated) = (i128::from(tally.asked()), i128::from(tally.violated));
    (asked > 0).then(|| print_billionths(100 * violated * TICKS_PER_BARE_UNIT / asked))
}
