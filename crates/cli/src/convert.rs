// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon convert`: a trace in another format.

use std::io::{self, Read};
use std::path::Path;

use gnomon::trace::{
    AnyReader, Columns, ConvertError, Format, Losses, Packer, Setup, columns, convert, create, open, open_content,
};

use crate::args::{Convert, TraceFields};
use crate::console::Console;
use crate::failure::Failure;
use crate::files::{self, STDIN};
use crate::output::{Output, STDOUT, cannot_write};
use crate::paint::Ink;
use crate::render::diagnostic::header;
use crate::render::numbers::counted;
use crate::spec::SpecFile;
use crate::status::Status;

pub(crate) fn run(arguments: &Convert, console: &Console) -> Result<Status, Failure> {
    files::at_most_one_stdin(arguments.spec.iter().chain([&arguments.input]))?;
    let Some(setup) = setup(arguments.spec.as_deref(), &arguments.fields, console)? else {
        return Ok(Status::CouldNotJudge);
    };
    let format = target(arguments)?;
    let columns = match format {
        Format::Csv | Format::Parquet => table(arguments, format, &setup, console)?,
        _ => None,
    };
    let mut reader = start(&arguments.input, arguments.from, setup)?;
    let mut output = Output::create(&arguments.output)?;
    let failed = |error: &io::Error| cannot_write(&arguments.output, error);
    let mut packer = Packer::new(Path::new(&arguments.output), &mut output).map_err(|error| failed(&error))?;
    let summary = {
        let mut writer = create(format, &mut packer, columns).ok_or_else(|| unwritable(format))?;
        convert(&mut reader, &mut *writer)
    };
    match summary.and_then(|summary| packer.finish().map(|()| summary).map_err(ConvertError::Output)) {
        Ok(summary) => {
            output.finish()?;
            tell(&summary.losses, format, console);
            if arguments.output != STDOUT {
                let events = counted(summary.events, "event");
                console.complain(&format!("{}: {events} as {format}\n", arguments.output));
            }
            Ok(Status::Fine)
        }
        Err(ConvertError::Trace(error)) => Err(Failure::of_trace(&error)),
        // Whoever read our output has had enough.
        Err(ConvertError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Status::Fine),
        Err(ConvertError::Output(error)) => Err(failed(&error)),
    }
}

/// How a trace is to be read for someone who wants all of it; `None` if the spec that says so has errors.
pub(crate) fn setup(spec: Option<&str>, fields: &TraceFields, console: &Console) -> Result<Option<Setup>, Failure> {
    let setup = match spec {
        Some(spec) => SpecFile::read(spec)?.setup(console),
        None => Some(Setup::everything()),
    };
    Ok(setup.map(|setup| Setup {
        event_field: fields.event.clone(),
        time_field: fields.time.clone().or(setup.time_field),
        ..setup
    }))
}

/// Begins to read a trace.
pub(crate) fn start(
    path: &str,
    format: Option<Format>,
    setup: Setup,
) -> Result<AnyReader<Box<dyn Read + Send>>, Failure> {
    let (input, _) = files::input(path)?;
    open_content(input.content, path, format, setup).map_err(|error| Failure::of_trace(&error))
}

/// Begins to read a trace that is open.
pub(crate) fn start_with<R: Read>(
    bytes: R,
    path: &str,
    format: Option<Format>,
    setup: Setup,
) -> Result<AnyReader<R>, Failure> {
    open(bytes, path, format, setup).map_err(|error| Failure::of_trace(&error))
}

/// The columns of a table: only the whole trace tells them, so it is read twice, if it can be.
fn table(arguments: &Convert, format: Format, setup: &Setup, console: &Console) -> Result<Option<Columns>, Failure> {
    let is_file = std::fs::metadata(&arguments.input).is_ok_and(|found| found.is_file());
    if arguments.input == STDIN || !is_file {
        let note = match format {
            Format::Parquet => "an input that can be read only once: its first events tell the columns and their types",
            _ => {
                "an input that can be read only once has no known columns: written as `name=value` cells, without a header"
            }
        };
        console.complain(&header("note", None, note, Ink::Frame, console.err_paint));
        return Ok(None);
    }
    let mut reader = start(&arguments.input, arguments.from, setup.clone())?;
    columns(&mut reader).map(Some).map_err(|error| Failure::of_trace(&error))
}

/// The format to write.
fn target(arguments: &Convert) -> Result<Format, Failure> {
    let formats: Vec<&str> =
        Format::ALL.iter().filter(|format| format.is_writable()).map(|format| format.word()).collect();
    let formats = formats.join(", ");
    match arguments.to.or_else(|| Format::named(Path::new(&arguments.output))) {
        Some(format) if !format.is_writable() => Err(unwritable(format)),
        Some(format) => Ok(format),
        None => Err(Failure::new("G0711", format!("the name `{}` does not tell a format", arguments.output))
            .help(format!("say which with `--to`, one of {formats}"))),
    }
}

fn unwritable(format: Format) -> Failure {
    Failure::new("G0711", format!("the format {format} can only be read"))
        .help("a log's pattern does not say how lines are written, nor an event what a message or a span was: choose another format with `--to`")
}

/// What the target could not carry.
pub(crate) fn tell(losses: &Losses, format: Format, console: &Console) {
    for lost in losses.iter() {
        let place = match lost.field.as_str() {
            "" => format!("event {}", lost.event_index),
            field => format!("event {}, field `{field}`", lost.event_index),
        };
        let times = if lost.count == 1 { "once".to_owned() } else { format!("{} times", lost.count) };
        let text = format!("{format} cannot carry everything: {} ({times}, first at {place})", lost.loss);
        console.complain(&header("warning", None, &text, Ink::Doubtful, console.err_paint));
    }
}
