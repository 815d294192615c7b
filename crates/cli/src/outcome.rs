// SPDX-License-Identifier: MIT OR Apache-2.0
//! The result of a command: its exit status, or the reason why it has none.

use crate::failure::Failure;

/// The exit status. A command returns the worst that occurred.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ExitStatus {
    /// Nothing was violated.
    Success = 0,
    /// Something was violated.
    Violated = 1,
    /// The check was not possible.
    CouldNotCheck = 2,
}

/// Reason why a command ended early.
pub(crate) enum CommandError {
    /// A failure that is still to be printed.
    Failed(Failure),
    /// The reason has been printed already, for example as diagnostics of a spec.
    Reported,
}

impl From<Failure> for CommandError {
    fn from(failure: Failure) -> CommandError {
        CommandError::Failed(failure)
    }
}

/// The result of a command.
pub(crate) type CommandResult = Result<ExitStatus, CommandError>;
