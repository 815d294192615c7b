// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a command's exit status says.

/// The exit status: the worst of what happened.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Status {
    /// 0: nothing was violated.
    Fine,
    /// 1: something was violated.
    Violated,
    /// 2: could not judge.
    CouldNotJudge,
}

impl From<Status> for std::process::ExitCode {
    fn from(status: Status) -> Self {
        std::process::ExitCode::from(match status {
            Status::Fine => 0,
            Status::Violated => 1,
            Status::CouldNotJudge => 2,
        })
    }
}
