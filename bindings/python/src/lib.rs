// SPDX-License-Identifier: MIT OR Apache-2.0
//! The compiled half of the Python package: Python objects for specs, monitors, parts and reports, and traces from the
//! events, streams and tables of Python.
//!
//! Nothing is decided here: the library checks and renders, and the package `gnomon` around this module gives the results
//! Python types. The interpreter lock is released while a trace is checked.

mod check;
mod command;
mod errors;
mod events;
mod interrupt;
mod monitor;
mod options;
mod part;
mod raw;
mod spec;
mod stream;
mod table;
mod texts;
mod values;

/// The compiled half of the package.
#[pyo3::pymodule]
mod _gnomon {
    #[pymodule_export]
    use super::check::{check_arrow, check_bytes, check_events, check_file, check_path};
    #[pymodule_export]
    use super::command::run_command;
    #[pymodule_export]
    use super::monitor::RawMonitor;
    #[pymodule_export]
    use super::part::{RawPart, join_parts, judge_part};
    #[pymodule_export]
    use super::raw::RawReport;
    #[pymodule_export]
    use super::spec::{Property, Spec};
    #[pymodule_export]
    use super::texts::text_numbers;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
