// SPDX-License-Identifier: MIT OR Apache-2.0
//! External variables: values that a state has and no event brings. They are asked for when a state is about to be judged
//! and the last read is older than its period, in the trace's own time.
//!
//! [`Supplied`] stands between a trace and whoever judges it. It gives each event the values that are known at its time,
//! under names that no field of an event has; so a read is no event to a property, makes no position and moves no index.
//! Each read can be recorded as an event named [`READ`] in front of the event that made it necessary. Where a trace has such
//! events they are taken for the reads they were, and their variables are not asked for again.

mod answer;
mod ask;
mod record;
mod supplied;
mod variables;

use std::path::PathBuf;
use std::time::Duration;

use gnomon_core::time::Quantity;
use gnomon_core::value::Value;

pub use ask::Asker;
pub use record::{FAILED, REASON, VARIABLE};
pub use record::{READ, Recorder, Recording};
pub(crate) use supplied::Feed;
pub use supplied::Supplied;
pub use variables::{Externs, Read, RestoreError};

/// How external variables are asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
    /// Where files are that are named without a folder.
    pub folder: PathBuf,
    /// How long an answer may take.
    pub timeout: Duration,
}

impl Sources {
    /// Files are looked for in this folder.
    pub fn beside(folder: impl Into<PathBuf>) -> Self {
        Sources { folder: folder.into(), timeout: Duration::from_secs(5) }
    }
}

/// What became of an external variable.
#[derive(Clone, PartialEq, Debug)]
pub struct ExternReport {
    /// Its name, without the `$`.
    pub name: String,
    /// What is asked.
    pub source: String,
    /// Where in the answer its value is.
    pub path: Option<String>,
    /// How old a value may become; `None`: it is asked for once.
    pub every: Option<Quantity>,
    /// How often it was read, with or without success.
    pub reads: u64,
    /// How many of these reads the trace had on record: nobody was asked.
    pub recorded: u64,
    /// How many reads failed.
    pub failures: u64,
    /// Its last value, if it ever had one.
    pub value: Option<Value<'static>>,
    /// Why the last read that failed did.
    pub reason: Option<String>,
}
