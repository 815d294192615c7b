// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judges while things happen.
//!
//! [`Live`] is a running watch: [`Live::submit`] takes events in and resolves when they are on disk for good, [`Live::tap`] judges
//! a message before it passes. What is found is told ([`Live::subscribe`]) and kept ([`Live::history`]); what it is doing
//! can be asked at any time ([`Live::status`], [`Live::properties`], [`Live::report`]). It knows no HTTP: `gnomon-server` does.
//!
//! State follows from the journal: batches of events in the order in which they were accepted, ticks of the clock that let
//! something pass, new specs, releases of sessions. One thread judges them in that order, one makes them durable, one tells what
//! was found as soon as its record is. After a crash the same records give the same.

mod dry_run;
mod event;
mod export;
mod externs;
mod intake;
mod judge;
mod live;
mod open;
mod options;
mod record;
mod refusal;
mod render;
mod ring;
mod rows;
mod shared;
mod sorter;
mod teller;
pub mod wire;
mod work;

pub use event::{NewEvent, TICK};
pub use export::Export;
pub use gnomon_store::journal::Keep;
pub use intake::BodyFormat;
pub use live::{Batch, DryRun, EventQuery, KnownEvent, Live, Receipt};
pub use open::{OpenError, Restored};
pub use options::{BlockBy, Limits, Options, TimeSource};
pub use record::{Numbering, Origin};
pub use refusal::{BadBatch, Refusal};
pub use shared::{BOUNDS, Latency};
