// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command `gnomon`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gnomon_cli::main(std::env::args_os()).into()
}
