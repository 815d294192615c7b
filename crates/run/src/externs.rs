// SPDX-License-Identifier: MIT OR Apache-2.0
//! External variables: values that a state has and no event carries.
//!
//! A variable is read from a file or a server when an event is about to be checked and the last read is older than its
//! period, in the time of the trace. [`EventStream`](crate::offline::EventStream) adds the values to the fields of each
//! event, under keys that no field of an event has; so a read is not an event for any property, adds no position and moves
//! no index.
//!
//! A read can be recorded as an event named [`READ`] in front of the event that caused it. When such a trace is checked
//! again, the recorded reads are used, and the source is not read again: the verdicts are the same.

mod answer;
mod client;
mod recorder;
mod variables;

use std::path::PathBuf;
use std::time::Duration;

use gnomon_core::time::Quantity;
use gnomon_core::value::Value;

pub use client::ExternClient;
pub use recorder::{FAILED, READ, REASON, SharedRecorder, TraceRecorder, VARIABLE};
pub(crate) use variables::FieldsWithExterns;
pub use variables::{ExternRead, ExternRestoreError, Externs};

/// Access to the sources of external variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternSources {
    /// The folder of files that are named by a relative path.
    pub folder: PathBuf,
    /// The time limit of a read.
    pub timeout: Duration,
}

impl ExternSources {
    /// Looks for files in this folder.
    pub fn beside(folder: impl Into<PathBuf>) -> Self {
        ExternSources { folder: folder.into(), timeout: Duration::from_secs(5) }
    }
}

/// Reads of an external variable.
#[derive(Clone, PartialEq, Debug)]
pub struct ExternReport {
    /// The name without the `$`.
    pub name: String,
    /// The file or address.
    pub source: String,
    /// The path of the value in the answer.
    pub path: Option<String>,
    /// The longest age of a value; `None`: it is read once.
    pub every: Option<Quantity>,
    /// Number of reads, successful or not.
    pub reads: u64,
    /// Number of these reads that the trace records.
    pub recorded: u64,
    /// Number of failed reads.
    pub failures: u64,
    /// The last value, if any.
    pub value: Option<Value<'static>>,
    /// The reason of the last failure.
    pub reason: Option<String>,
}
