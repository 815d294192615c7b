// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command `gnomon`, as the script of the package runs it.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs a command line, of which the first argument is the name of the program. Returns the exit status.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| gnomon_cli::main(arguments))
}
