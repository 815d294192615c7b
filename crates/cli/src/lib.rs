// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command `gnomon`. It reads arguments and files, calls the library, and prints the results; it computes no verdict
//! itself.
//!
//! It is a library so that the Python package brings the same command; [`main`] is all that others call.

mod args;
mod ask;
mod automaton;
mod catalogue;
mod check;
mod console;
mod convert;
mod error_reporter;
mod events;
mod explain;
mod files;
mod generate;
mod manual;
mod memory;
mod outcome;
mod output;
mod panic_guard;
mod plan;
mod progress_bar;
mod recording_file;
mod reference;
mod render;
mod report_listener;
mod spec;
mod stats;
mod test;
mod translate;
mod watch;

use std::ffi::OsString;
use std::io::Write as _;

use clap::{CommandFactory as _, FromArgMatches as _};

use args::{Arguments, Command};
use console::Console;
pub(crate) use gnomon::report::text::{failure, paint, similar};
use outcome::{CommandError, CommandResult, ExitStatus};
use paint::Paint;

/// Runs a command line, of which the first argument is the name of the program. Returns the exit status.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match parse_arguments(arguments.into_iter().collect()) {
        Ok(arguments) => arguments,
        Err(message) => {
            // Help goes to standard output, an error to standard error. If that fails there is no place to report it.
            let _ = message.print();
            return if message.use_stderr() { ExitStatus::CouldNotCheck } else { ExitStatus::Success } as u8;
        }
    };
    let Arguments { command, display } = arguments;
    let err_paint = Paint::for_stream(&std::io::stderr(), display.color);
    let result = match Console::new(display.color, display.quiet, command.output()) {
        Err(failure) => Err(failure),
        Ok(console) => match panic_guard::guard(|| run(&command, &console)) {
            Ok(Ok(status)) => console.finish().map(|()| status),
            Ok(Err(error)) => {
                if let CommandError::Failed(failure) = error {
                    console.print_failure(&failure);
                }
                Ok(ExitStatus::CouldNotCheck)
            }
            Err(panic) => {
                console.print_error(&panic.render(err_paint));
                Ok(ExitStatus::CouldNotCheck)
            }
        },
    };
    let status = result.unwrap_or_else(|failure| {
        // If standard error is closed there is no place to report the failure; the exit status remains.
        let _ = std::io::stderr().write_all(failure.render(err_paint).as_bytes());
        ExitStatus::CouldNotCheck
    });
    status as u8
}

/// Parses the command line. `--color` also applies to help texts and to errors in the arguments, so it is looked for first.
fn parse_arguments(words: Vec<OsString>) -> Result<Arguments, clap::Error> {
    let chosen = words.iter().enumerate().find_map(|(index, word)| match word.to_str()? {
        "--color" => words.get(index + 1)?.to_str(),
        word => word.strip_prefix("--color="),
    });
    let choice = match chosen {
        Some("always") => clap::ColorChoice::Always,
        Some("never") => clap::ColorChoice::Never,
        _ => clap::ColorChoice::Auto,
    };
    Arguments::from_arg_matches(&Arguments::command().color(choice).try_get_matches_from(words)?)
}

fn run(command: &Command, console: &Console) -> CommandResult {
    match command {
        Command::Check(arguments) => check::run(arguments, console),
        Command::Convert(arguments) => convert::run(arguments, console),
        Command::Events(arguments) => events::run(arguments, console),
        Command::Test(arguments) => test::run(arguments, console),
        Command::Generate(arguments) => generate::run(arguments, console),
        Command::Ask(arguments) => ask::run(arguments, console),
        Command::Automaton(arguments) => automaton::run(arguments, console),
        Command::Translate(arguments) => translate::run(arguments, console),
        Command::Plan(arguments) => plan::run(arguments, console),
        Command::Stats(arguments) => stats::run(arguments, console),
        Command::Watch(arguments) => watch::run(arguments, console),
        Command::Explain(arguments) => explain::run(arguments.code.as_deref(), console),
        Command::Completions { shell } => manual::completions(*shell, console),
        Command::Man { out } => manual::run(out.as_deref(), console),
    }
}
