// SPDX-License-Identifier: MIT OR Apache-2.0
//! The manual pages and the completion scripts, generated from the arguments.

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::Arguments;
use crate::console::Console;
use crate::failure::Failure;
use crate::outcome::{CommandResult, ExitStatus};
use crate::output::cannot_write;

/// Prints the manual page of the command, or writes the pages of all commands into a folder.
pub(crate) fn run(folder: Option<&str>, console: &Console) -> CommandResult {
    let command = Arguments::command();
    if let Some(folder) = folder {
        clap_mangen::generate_to(command, folder).map_err(|error| cannot_write(folder, &error))?;
    } else {
        let mut page = Vec::new();
        let unwritable = |error| Failure::new("G0708", format!("the manual page cannot be written: {error}"));
        Man::new(command).render(&mut page).map_err(unwritable)?;
        console.print(&String::from_utf8_lossy(&page))?;
    }
    Ok(ExitStatus::Success)
}

/// Prints the completion script of a shell.
pub(crate) fn completions(shell: Shell, console: &Console) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "gnomon", &mut script);
    console.print(&String::from_utf8_lossy(&script))?;
    Ok(ExitStatus::Success)
}
