// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options and limits of a watch.

use std::path::PathBuf;
use std::time::Duration;

use gnomon_core::time::{Quantity, Unit};
use gnomon_run::externs::ExternSources;
use gnomon_store::journal::JournalRetention;
use serde::{Deserialize, Serialize};

/// Options of a watch.
#[derive(Clone, Debug)]
pub struct Options {
    /// File name of the spec; the extension may determine the notation.
    pub spec_name: String,
    /// Text of the spec.
    pub spec_text: String,
    /// Folder of the store; `None`: nothing is stored.
    pub store: Option<PathBuf>,
    /// Field whose values partition the events into cases.
    pub by: Option<String>,
    /// Source of timestamps.
    pub time: TimeSource,
    /// Maximum delay of an event; `None`: 250 ms for date-times, otherwise none.
    pub lateness: Option<Quantity>,
    /// Maximum time by which a date-time may be ahead of its arrival.
    pub max_ahead: Quantity,
    /// Scope of a block by a critical violation.
    pub block_by: BlockBy,
    /// Limits of the watch.
    pub limits: Limits,
    /// Journal to keep behind the newest snapshot.
    pub keep: JournalRetention,
    /// Sequence number of the last record of a journal that lost later ones: the operator continues without them.
    pub accept_loss_after: Option<u64>,
    /// The spec to continue with, if the store has another one; `None`: that is an error.
    pub spec_from: Option<SpecFrom>,
    /// Number of events between snapshots.
    pub snapshot_every: u64,
    /// Sources of external variables; `None`: they are not read.
    pub sources: Option<ExternSources>,
    /// Time for which violations are grouped before a hook is notified.
    pub hook_window: Duration,
}

impl Options {
    /// Default options for a spec.
    pub fn new(spec_name: impl Into<String>, spec_text: impl Into<String>) -> Self {
        Options {
            spec_name: spec_name.into(),
            spec_text: spec_text.into(),
            store: None,
            by: None,
            time: TimeSource::Event,
            lateness: None,
            max_ahead: Quantity { billionths: 1_000_000_000, unit: Some(Unit::Minute) },
            block_by: BlockBy::Case,
            limits: Limits::default(),
            keep: JournalRetention::default(),
            accept_loss_after: None,
            spec_from: None,
            snapshot_every: 500_000,
            sources: None,
            hook_window: Duration::from_secs(5),
        }
    }
}

gnomon_core::words! {
    /// Source of timestamps.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
    pub enum TimeSource as word {
        /// Events carry timestamps; while none arrive, event time advances with the clock. An event without a timestamp
        /// gets its arrival.
        #[default]
        Event = "event",
        /// Every event gets its arrival as timestamp.
        Arrival = "arrival",
        /// Events carry timestamps; event time does not advance otherwise.
        Replay = "replay",
    }
}

gnomon_core::words! {
    /// The origin of the spec of a start.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum SpecFrom as word {
        /// The file: a new revision of the store.
        File = "file",
        /// The last revision in the store.
        Store = "store",
    }
}

/// Scope of a block by a critical violation.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum BlockBy {
    /// The case; everything if there are no cases.
    #[default]
    Case,
    /// All events with the same value of this field.
    Field(String),
    /// Everything.
    All,
}

/// Limits beyond which events are refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Number of bindings with a state.
    pub bindings: u64,
    /// Approximate memory of these, in bytes.
    pub bytes: u64,
    /// Number of cases.
    pub cases: usize,
    /// Number of event names.
    pub names: usize,
    /// Number of senders that number their events.
    pub producers: usize,
    /// Bytes of events accepted but not evaluated yet.
    pub queue_bytes: usize,
    /// Number of events that wait for earlier ones.
    pub waiting: usize,
    /// Bytes of records whose events wait for earlier ones; beyond, the earliest are evaluated.
    pub waiting_bytes: usize,
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
            waiting_bytes: 256 << 20,
            batch_bytes: 64 << 20,
        }
    }
}
