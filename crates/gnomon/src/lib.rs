// SPDX-License-Identifier: MIT OR Apache-2.0
#![doc = include_str!("../README.md")]

mod checker;
mod diagnostics;
mod error;
mod fields;
mod monitor;
mod outcome;
mod spec;
mod violation;

pub use checker::{Checker, check};
pub use diagnostics::Diagnostics;
pub use error::Error;
pub use fields::IntoFields;
pub use gnomon_core::value::Value;
pub use gnomon_core::verdict::Verdict;
pub use gnomon_run::push::Time;
pub use monitor::Monitor;
pub use outcome::{Outcome, Report};
pub use spec::Spec;
pub use violation::{Cause, Violation};

/// Modules of the internal crates, for the command, the server and the Python package. They change without notice, and are
/// hidden from the documentation; see ARCHITECTURE.md.
#[cfg(feature = "internals")]
mod internals {
    pub use gnomon_artefact as artefact;
    pub use gnomon_assist as assist;
    pub use gnomon_automaton as automaton;
    pub use gnomon_catalogue as catalogue;
    pub use gnomon_core::{
        diagnostic, escape, event, interval, number, random, rounding, symbols, time, value, verdict,
    };
    pub use gnomon_engine as engine;
    pub use gnomon_ir as ir;
    pub use gnomon_otlp as otlp;
    pub use gnomon_report as report;
    pub use gnomon_run as run;
    pub use gnomon_run::{compile, declare, examples, externs, notation, offline, online, push};
    pub use gnomon_trace as trace;
}
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use internals::*;
