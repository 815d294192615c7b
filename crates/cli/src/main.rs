// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command `gnomon`. It reads arguments and files, asks the library, and draws what comes back; it decides no
//! verdict itself.

mod args;
mod ask;
mod automaton;
mod catalogue;
mod check;
mod console;
mod convert;
mod events;
mod explain;
mod files;
mod generate;
mod internal;
mod live;
mod memory;
mod output;
mod plan;
mod progress;
mod record;
mod reference;
mod render;
mod spec;
mod stats;
mod status;
mod test;
mod translate;
mod trouble;
mod watch;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Arguments, Command};
use console::Console;
use failure::Failure;
pub(crate) use gnomon::report::text::{failure, paint, similar};
use status::Status;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(message) => {
            // Help is asked for and goes to standard output; a complaint goes to standard error. If neither can be
            // written there is nobody to tell.
            let _ = message.print();
            return if message.use_stderr() { Status::CouldNotJudge.into() } else { Status::Fine.into() };
        }
    };
    let console = Console::new();
    let status = match internal::guard(|| run(&arguments.command, &console)) {
        Ok(Ok(status)) => status,
        Ok(Err(failure)) => {
            console.fail(&failure);
            Status::CouldNotJudge
        }
        Err(fault) => {
            console.complain(&fault.render(console.err_paint));
            Status::CouldNotJudge
        }
    };
    status.into()
}

fn run(command: &Command, console: &Console) -> Result<Status, Failure> {
    match command {
        Command::Check(check) => check::run(check, console),
        Command::Convert(convert) => convert::run(convert, console),
        Command::Events(events) => events::run(events, console),
        Command::Test { spec, known } => test::run(spec, known, console),
        Command::Generate(arguments) => generate::run(arguments, console),
        Command::Ask(arguments) => ask::run(arguments, console),
        Command::Automaton(arguments) => automaton::run(arguments, console),
        Command::Translate(arguments) => translate::run(arguments, console),
        Command::Plan(arguments) => plan::run(arguments, console),
        Command::Stats(stats) => stats::run(stats, console),
        Command::Watch(arguments) => watch::run(arguments, console),
        Command::Explain { code } => explain::run(code.as_deref(), console),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "gnomon", &mut script);
            console.report(&String::from_utf8_lossy(&script))?;
            Ok(Status::Fine)
        }
    }
}
