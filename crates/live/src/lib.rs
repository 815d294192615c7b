// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks a running system: the engine behind `gnomon watch`.
//!
//! [`Live`] is a running watch. [`Live::submit`] accepts events and resolves when they are durable; [`Live::tap`]
//! evaluates a message before a proxy forwards it. Violations are published to subscribers ([`Live::subscribe`]) and
//! stored ([`Live::history`]). The current figures are available at any time ([`Live::status`], [`Live::properties`],
//! [`Live::report`]). This crate does not speak HTTP: `gnomon-server` does.
//!
//! All state follows from the journal, a write-ahead log of records: batches of events in the order of their
//! acceptance, ticks of the clock, new specs, releases of sessions, values of external variables. Three threads share
//! the work:
//!
//! ```text
//!  submit ──▶ journal ──▶ evaluator thread ──▶ publisher thread ──▶ history, subscribers, hooks
//!                │                                  ▲
//!                └──▶ sync thread ── "durable" ─────┘
//! ```
//!
//! The evaluator runs ahead of the disk; the publisher waits until the record behind a violation is durable. So
//! nothing is published that a crash could undo, and replaying the journal after a crash yields the same verdicts,
//! the same violations and the same numbers.

mod backlog;
mod dry_run;
mod evaluator;
mod event;
mod export;
mod extern_poller;
mod hooks;
mod intake;
mod intake_state;
mod live;
mod open;
mod options;
mod publisher;
mod record;
mod recovery;
mod render;
mod replica;
mod ring;
mod rows;
mod shared;
mod sorter;
mod source_clocks;
mod submit_error;
pub mod wire;
mod worker;

pub use event::{NewEvent, PROGRESS_MARKER};
pub use export::JournalExport;
pub use gnomon_store::journal::JournalRetention;
pub use intake::{BodyFormat, EventBatch, Receipt};
pub use live::{DryRun, EventQuery, EventSummary, Live};
pub use open::Restoration;
pub use options::{BlockBy, Limits, Options, SpecFrom, TimeSource};
pub use record::{Numbering, Origin};
pub use recovery::{OpenError, RecoveryReport};
pub use rows::failure_percent;
pub use shared::{BOUNDS, Latency};
pub use submit_error::{InvalidEvent, SubmitError};
