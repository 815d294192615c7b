// SPDX-License-Identifier: MIT OR Apache-2.0
//! How to watch.

use std::path::PathBuf;

use gnomon_core::time::Quantity;
use gnomon_run::externs::Sources;
use gnomon_store::journal::Keep;
use serde::{Deserialize, Serialize};

/// How to watch.
#[derive(Clone, Debug)]
pub struct Options {
    /// What the spec is called; its extension may tell its notation.
    pub spec_name: String,
    /// Its text.
    pub spec_text: String,
    /// Where the state is kept; `None`: in memory.
    pub store: Option<PathBuf>,
    /// Each value of this field is a trace of its own.
    pub by: Option<String>,
    /// Where times come from.
    pub time: TimeSource,
    /// How late an event may come.
    pub lateness: Option<Quantity>,
    /// What a critical violation stops.
    pub block_by: BlockBy,
    /// What may be taken.
    pub limits: Limits,
    /// How much of the journal is kept behind the newest snapshot.
    pub keep: Keep,
    /// After so many events a snapshot is made.
    pub snapshot_every: u64,
    /// How external variables are asked for; `None`: they are not.
    pub sources: Option<Sources>,
}

impl Options {
    /// The usual way for this spec.
    pub fn new(spec_name: impl Into<String>, spec_text: impl Into<String>) -> Self {
        Options {
            spec_name: spec_name.into(),
            spec_text: spec_text.into(),
            store: None,
            by: None,
            time: TimeSource::Event,
            lateness: None,
            block_by: BlockBy::Case,
            limits: Limits::default(),
            keep: Keep::default(),
            snapshot_every: 500_000,
            sources: None,
        }
    }
}

/// Where times come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum TimeSource {
    /// Events tell their time, and the clock goes on from the latest; an event without one has that of its arrival.
    #[default]
    Event,
    /// The time of an event is that of its arrival.
    Arrival,
    /// Events tell their time, and no other time passes.
    Replay,
}

impl TimeSource {
    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            TimeSource::Event => "event",
            TimeSource::Arrival => "arrival",
            TimeSource::Replay => "replay",
        }
    }
}

/// What a critical violation stops.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum BlockBy {
    /// Its case, where there are cases, else everything.
    #[default]
    Case,
    /// What has the same value of this field.
    Field(String),
    /// Everything.
    All,
}

/// What may be taken before events are refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bindings with a state of their own.
    pub bindings: u64,
    /// Bytes that these take, roughly.
    pub bytes: u64,
    /// Cases.
    pub cases: usize,
    /// Names of events.
    pub names: usize,
    /// Senders that number their events.
    pub producers: usize,
    /// Bytes of events that were accepted and not judged yet.
    pub queue_bytes: usize,
    /// Events that wait for others that may come before them.
    pub waiting: usize,
    /// Bytes of one batch.
    pub batch_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            bindings: 20_000_000,
            bytes: 8 << 30,
            cases: 1_000_000,
            names: 100_000,
            producers: 100_000,
            queue_bytes: 64 << 20,
            waiting: 4_000_000,
            batch_bytes: 64 << 20,
        }
    }
}
