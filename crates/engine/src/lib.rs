// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judges properties event by event.
//!
//! A [`Plan`] is compiled once from [`gnomon_ir::core::Core`]s, immutable and cheap to share; a [`Monitor`] is the
//! state of one run. Events are pushed ([`Monitor::step`]), progress of time is told ([`Monitor::advance`]), the end
//! is told ([`Monitor::finish`]). Nothing here reads a clock, a file or a socket, or knows where an event came from.
//!
//! Inside, each property is a network of operators. What can be known at a position when it comes (atoms,
//! the past, windows over them) is computed on demand; what must wait for the future yields *facts*, runs of positions
//! with one value, as soon as they are certain and in any order. A ledger reads the facts for the formula at the top
//! and keeps the obligations that are open.

mod automata;
mod deck;
mod delayed;
mod describe;
mod fact;
mod future;
mod instant;
mod lane;
mod ledger;
mod matcher;
mod monitor;
mod network;
mod noted;
mod past;
mod plan;
mod positions;
mod reasons;
mod rules;
mod runs;
mod sharing;
mod slice;
mod snapshot;
mod terms;

pub use monitor::{Load, Monitor};
pub use plan::{Plan, plan};
pub use sharing::{Audience, Lot, Sharing};
pub use snapshot::RestoreError;
