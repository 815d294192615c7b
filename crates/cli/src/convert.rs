// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon convert`: writes a trace in another format.

use std::io;
use std::path::Path;

use gnomon::compile::CompiledSpec;
use gnomon::trace::{
    AnyReader, CompressingWriter, ConvertError, Format, Losses, ReaderSetup, TableColumns, convert, create,
    find_columns, open_input,
};

use crate::args::{ConvertArguments, FieldArguments};
use crate::console::Console;
use crate::failure::Failure;
use crate::files::{self, STDIN};
use crate::outcome::{CommandResult, ExitStatus};
use crate::output::{OutputFile, STDOUT, cannot_write};
use crate::paint::Ink;
use crate::render::diagnostic::header;
use crate::render::numbers::counted;
use crate::spec::{SpecFile, reader_setup};

pub(crate) fn run(arguments: &ConvertArguments, console: &Console) -> CommandResult {
    files::at_most_one_stdin(arguments.spec.iter().chain([&arguments.input]))?;
    let compiled = match &arguments.spec {
        Some(spec) => Some(SpecFile::read(spec)?.compile_any(console)?),
        None => None,
    };
    let setup = setup_of(compiled.as_ref(), &arguments.fields);
    let format = output_format(arguments)?;
    let columns = match format {
        Format::Csv | Format::Parquet => table_columns(arguments, format, &setup, console)?,
        _ => None,
    };
    let mut reader = open_trace(&arguments.input, arguments.from, setup)?;
    let mut output = OutputFile::create(&arguments.output)?;
    let failed = |error: &io::Error| cannot_write(&arguments.output, error);
    let mut packer =
        CompressingWriter::new(Path::new(&arguments.output), &mut output).map_err(|error| failed(&error))?;
    let summary = {
        let mut writer = create(format, &mut packer, columns).ok_or_else(|| unwritable(format))?;
        convert(&mut reader, &mut *writer)
    };
    match summary.and_then(|summary| packer.finish().map(|()| summary).map_err(ConvertError::Output)) {
        Ok(summary) => {
            output.finish()?;
            print_losses(&summary.losses, format, console);
            if arguments.output != STDOUT {
                let events = counted(summary.events, "event");
                console.inform(&format!("{}: {events} as {format}\n", arguments.output));
            }
            Ok(ExitStatus::Success)
        }
        Err(ConvertError::Trace(error)) => Err(Failure::of_trace(&error).into()),
        // The reader of standard output has disconnected.
        Err(ConvertError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitStatus::Success),
        Err(ConvertError::Output(error)) => Err(failed(&error).into()),
    }
}

/// Returns the setup of a reader that reads all events, as the spec and the arguments declare.
pub(crate) fn setup_of(spec: Option<&CompiledSpec>, fields: &FieldArguments) -> ReaderSetup {
    let setup = spec.map_or_else(ReaderSetup::everything, reader_setup);
    let (event_field, time_field) = (fields.event.clone(), fields.time.clone().or(setup.time_field));
    ReaderSetup { event_field, time_field, ..setup }
}

/// Opens a trace.
pub(crate) fn open_trace(
    path: &str,
    format: Option<Format>,
    setup: ReaderSetup,
) -> Result<AnyReader<'static>, Failure> {
    let (input, _) = files::input(path)?;
    open_input(input.content, path, format, setup).map_err(|error| Failure::of_trace(&error))
}

/// Finds the columns of a table. Only the whole trace determines them, so a file is read twice.
fn table_columns(
    arguments: &ConvertArguments,
    format: Format,
    setup: &ReaderSetup,
    console: &Console,
) -> Result<Option<TableColumns>, Failure> {
    let is_file = std::fs::metadata(&arguments.input).is_ok_and(|found| found.is_file());
    if arguments.input == STDIN || !is_file {
        let note = match format {
            Format::Parquet => {
                "an input that can be read only once: its first events determine the columns and their types"
            }
            _ => {
                "an input that can be read only once has no known columns: written as `name=value` cells, without a header"
            }
        };
        console.note(note);
        return Ok(None);
    }
    let mut reader = open_trace(&arguments.input, arguments.from, setup.clone())?;
    find_columns(&mut reader).map(Some).map_err(|error| Failure::of_trace(&error))
}

/// Returns the format to write.
fn output_format(arguments: &ConvertArguments) -> Result<Format, Failure> {
    let formats: Vec<&str> =
        Format::ALL.iter().filter(|format| format.is_writable()).map(|format| format.word()).collect();
    let formats = formats.join(", ");
    match arguments.to.or_else(|| Format::named(Path::new(&arguments.output))) {
        Some(format) if !format.is_writable() => Err(unwritable(format)),
        Some(format) => Ok(format),
        None => Err(Failure::new("G0711", format!("the name `{}` has no known extension", arguments.output))
            .help(format!("choose the format with `--to`, one of {formats}"))),
    }
}

fn unwritable(format: Format) -> Failure {
    Failure::new("G0711", format!("the format {format} can only be read"))
        .help("a log's pattern does not say how lines are written, nor an event what a message or a span was: choose another format with `--to`")
}

/// Prints a warning for each kind of data that the format could not carry.
pub(crate) fn print_losses(losses: &Losses, format: Format, console: &Console) {
    for lost in losses.iter() {
        let place = match lost.field.as_str() {
            "" => format!("event {}", lost.event_index),
            field => format!("event {}, field `{field}`", lost.event_index),
        };
        let times = if lost.count == 1 { "once".to_owned() } else { format!("{} times", lost.count) };
        let text = format!("{format} cannot carry everything: {} ({times}, first at {place})", lost.loss);
        console.inform(&header("warning", None, &text, Ink::Doubtful, console.err_paint));
    }
}
