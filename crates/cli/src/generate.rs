// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon generate`: generates a trace from a model of a process. `docs/models.md` describes models.

mod event_writer;
mod lexer;
mod model;
mod parse;
mod simulator;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use gnomon::diagnostic::Diagnostic;
use gnomon::trace::{Format, Loss, Losses};

use self::event_writer::GeneratedWriter;
use self::model::Model;
use self::parse::{Overrides, parse, parse_amount};
use self::simulator::{Simulator, StopReason};
use crate::args::GenerateArguments;
use crate::console::Console;
use crate::failure::Failure;
use crate::outcome::{CommandError, CommandResult, ExitStatus};
use crate::render::numbers::counted;
use crate::similar::closest;
use crate::spec::SpecFile;

/// Default limit of events, so that a mistake in a model does not fill the disk.
const DEFAULT_MAX_EVENTS: u64 = 10_000_000;

pub(crate) fn run(generate: &GenerateArguments, console: &Console) -> CommandResult {
    let overrides = overrides(&generate.set)?;
    let file = SpecFile::read(&generate.model)?;
    let (model, settings, mut diagnostics) = parse(&file.text, &overrides);
    if let Some(span) = model.as_ref().and_then(|model| model.endless).filter(|_| generate.events.is_none()) {
        let error = Diagnostic::error("G0807", span, "nothing ends this loop")
            .label("it never ends")
            .help("give it an end, such as `repeat 1..20` or `repeat while 90%`, or cut the trace with `--events N`");
        diagnostics.push(error);
    }
    file.print_diagnostics(&diagnostics, console);
    let Some(model) = model.filter(|_| diagnostics.is_empty()) else { return Err(CommandError::Reported) };
    if let Some(unknown) = overrides.keys().find(|name| !settings.contains(name)) {
        return Err(unknown_setting(unknown, &settings, &file.name).into());
    }
    let trace = generate_trace(generate, &model)?;
    console.inform(&trace.notes(generate, &file.name));
    if let Some(out) = &generate.out {
        console.print(&format!("{out}: {}\n", trace.summary(&model)))?;
    }
    Ok(ExitStatus::Success)
}

fn overrides(set: &[String]) -> Result<Overrides, Failure> {
    let mut overrides = Overrides::new();
    for text in set {
        let bad = |help: String| Failure::new("G0810", format!("`--set {text}` sets nothing")).help(help);
        let (name, value) = text.split_once('=').ok_or_else(|| bad("write `--set name=value`".to_owned()))?;
        let amount = parse_amount(value).map_err(bad)?;
        if overrides.insert(name.trim().to_owned(), amount).is_some() {
            return Err(bad(format!("`{}` is set twice; keep one of them", name.trim())));
        }
    }
    Ok(overrides)
}

fn unknown_setting(name: &str, settings: &[String], file: &str) -> Failure {
    let help = match closest(name, settings.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `--set {near}=...`?"),
        None if settings.is_empty() => format!("the model has none; declare it there: `set {name} = 10`"),
        None => format!("the settings are {}", settings.join(", ")),
    };
    Failure::new("G0810", format!("the model has no setting `{name}`")).at(file).help(help)
}

/// Summary of a generated trace.
#[derive(Default)]
struct GeneratedTrace {
    events: u64,
    times: Option<(i64, i64)>,
    stopped: Option<StopReason>,
    /// True if the limit of events ended the trace.
    cut: bool,
    losses: Losses,
}

fn generate_trace(generate: &GenerateArguments, model: &Model) -> Result<GeneratedTrace, Failure> {
    let format = format_of(generate)?;
    let cases = match (generate.cases, generate.events) {
        (None, Some(_)) => None,
        (cases, _) => Some(cases.unwrap_or(1)),
    };
    let mut simulator = Simulator::new(model, generate.seed.unwrap_or(model.seed), cases);
    let limit = generate.events.unwrap_or(DEFAULT_MAX_EVENTS);
    let result = match &generate.out {
        Some(path) => File::create(path).and_then(|file| write_events(file, format, model, &mut simulator, limit)),
        None => write_events(io::stdout(), format, model, &mut simulator, limit),
    };
    match result {
        // The reader of standard output has disconnected.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe && generate.out.is_none() => {
            Ok(GeneratedTrace::default())
        }
        Err(error) => {
            let place = generate.out.as_deref().unwrap_or("standard output");
            Err(Failure::new("G0811", format!("the trace cannot be written to `{place}`: {error}"))
                .help("check that the folder exists, is writable and has space"))
        }
        Ok(trace) => Ok(trace),
    }
}

/// Returns the requested format, or that of the file's extension.
fn format_of(generate: &GenerateArguments) -> Result<Format, Failure> {
    let path = generate.out.as_deref().map(Path::new);
    let extension = path.and_then(Path::extension).and_then(|extension| extension.to_str()).unwrap_or_default();
    if ["gz", "zst", "zstd"].contains(&extension) {
        return Err(Failure::new("G0811", format!("`.{extension}`: generated traces are not compressed"))
            .help("leave `--output` out and pipe standard output to a compressor such as `gzip`"));
    }
    match generate.format.unwrap_or_else(|| Format::detect(path, b"")) {
        format if !format.is_writable() => {
            Err(Failure::new("G0811", format!("the format {format} can be read, not written"))
                .help("choose another format, such as `--format ndjson`"))
        }
        format => Ok(format),
    }
}

fn write_events(
    out: impl Write + Send,
    format: Format,
    model: &Model,
    simulator: &mut Simulator<'_>,
    limit: u64,
) -> io::Result<GeneratedTrace> {
    let mut output = GeneratedWriter::begin(out, format, model)
        .ok_or_else(|| io::Error::other(format!("the format `{format}` is only for reading")))?;
    let mut trace = GeneratedTrace::default();
    while trace.events < limit {
        let Some(event) = simulator.next() else { break };
        trace.events += 1;
        trace.times = Some((trace.times.map_or(event.time, |(first, _)| first), event.time));
        output.event(&event)?;
    }
    trace.cut = trace.events == limit && simulator.next().is_some();
    trace.stopped = simulator.stopped.filter(|_| !trace.cut);
    trace.losses = output.end()?;
    Ok(trace)
}

impl GeneratedTrace {
    fn summary(&self, model: &Model) -> String {
        let unit = model.unit.map_or_else(String::new, |unit| format!(" {unit}"));
        let times = self.times.map_or_else(String::new, |(first, last)| format!(", from {first} to {last}{unit}"));
        format!("{}{times}", counted(self.events, "event"))
    }

    /// Returns notes about an early end and about data that the format could not carry.
    fn notes(&self, generate: &GenerateArguments, name: &str) -> String {
        let end = match self.stopped {
            Some(StopReason::Idle) => Some("the model continues without events, so the trace ends here"),
            Some(StopReason::Time) => Some("the time would not fit a 64-bit number, so the trace ends here"),
            None if self.cut && generate.events.is_none() => {
                Some("the trace was cut because it would be very long; `--events N` sets another length")
            }
            None if self.cut => Some("the trace was cut before the model ended"),
            None => None,
        };
        let end = end.map(|end| format!("after {}: {end}", counted(self.events, "event")));
        // A generated event has no positions of fields that could be lost.
        let lost = self.losses.iter().filter(|lost| lost.loss != Loss::Positions);
        let lost = lost.map(|lost| format!("not carried by the format: {}", lost.loss));
        end.into_iter().chain(lost).fold(String::new(), |notes, note| notes + "note: " + name + ": " + &note + "\n")
    }
}
