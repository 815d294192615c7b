// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gnomon for Python: the library's nouns as Python objects, and Python's events, streams and tables as traces.
//!
//! Nothing is decided here. What a spec, a trace or a report says is said by the library; the package `gnomon` around this module
//! makes values of it that Python is used to. The interpreter is let go while something is judged.

mod check;
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
    use super::monitor::Monitor;
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
