// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command `gnomon`. It reads arguments and files, calls the library, and prints the results; it computes no verdict
//! itself.

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

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Arguments, Command};
use console::Console;
pub(crate) use gnomon::report::text::{failure, paint, similar};
use outcome::{CommandError, CommandResult, ExitStatus};

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(message) => {
            // Help goes to standard output, an error to standard error. If that fails there is no place to report it.
            let _ = message.print();
            return if message.use_stderr() { ExitStatus::CouldNotCheck } else { ExitStatus::Success }.into();
        }
    };
    let console = Console::new();
    match panic_guard::guard(|| run(&arguments.command, &console)) {
        Ok(Ok(status)) => return status.into(),
        Ok(Err(CommandError::Failed(failure))) => console.print_failure(&failure),
        Ok(Err(CommandError::Reported)) => {}
        Err(panic) => console.eprint(&panic.render(console.err_paint)),
    }
    ExitStatus::CouldNotCheck.into()
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
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "gnomon", &mut script);
            console.print(&String::from_utf8_lossy(&script))?;
            Ok(ExitStatus::Success)
        }
    }
}
