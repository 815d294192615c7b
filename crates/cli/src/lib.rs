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

use clap::Parser;

use args::{Arguments, Command};
use console::Console;
pub(crate) use gnomon::report::text::{failure, paint, similar};
use outcome::{CommandError, CommandResult, ExitStatus};

/// Runs a command line, of which the first argument is the name of the program. Returns the exit status.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(message) => {
            // Help goes to standard output, an error to standard error. If that fails there is no place to report it.
            let _ = message.print();
            return if message.use_stderr() { ExitStatus::CouldNotCheck } else { ExitStatus::Success } as u8;
        }
    };
    let console = Console::new();
    match panic_guard::guard(|| run(&arguments.command, &console)) {
        Ok(Ok(status)) => return status as u8,
        Ok(Err(CommandError::Failed(failure))) => console.print_failure(&failure),
        Ok(Err(CommandError::Reported)) => {}
        Err(panic) => console.eprint(&panic.render(console.err_paint)),
    }
    ExitStatus::CouldNotCheck as u8
}

fn run(command: &Command, console: &Console) -> CommandResult {
    match command {
        Command::Check(arguments) => check::run(arguments, console),
        Command::Convert(arguments) => convert::run(arguments, console),
        Command::Events(arguments) => events::run(arguments, console),
        Command::Test { spec, known } => test::run(spec, known, console),
        Command::Generate(arguments) => generate::run(arguments, console),
        Command::Ask(arguments) => ask::run(arguments, console),
        Command::Automaton(arguments) => automaton::run(arguments, console),
        Command::Translate(arguments) => translate::run(arguments, console),
        Command::Plan(arguments) => plan::run(arguments, console),
        Command::Stats(arguments) => stats::run(arguments, console),
        Command::Watch(arguments) => watch::run(arguments, console),
        Command::Explain { code } => explain::run(code.as_deref(), console),
        Command::Completions { shell } => manual::completions(*shell, console),
        Command::Man { out } => manual::run(out.as_deref(), console),
    }
}
