// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks properties event by event.
//!
//! A [`Plan`] is compiled once from [`gnomon_ir::core::Core`]s; it is immutable and cheap to clone. A [`Monitor`] is the state of one
//! run. The caller pushes events ([`Monitor::step`]), advances time ([`Monitor::advance`]) and ends the trace ([`Monitor::finish`]).
//! The engine reads no clock, file or socket.
//!
//! An event takes this path: `matcher` finds the properties that mention its name, `engine` dispatches to the engine of each of
//! them, `scheduler` visits the properties that the position affects, and `accounting` counts obligations and lists violations.
//! There are four engines: `network` for formulae without variables, `slice` for properties over data (one state per binding),
//! `rules` for rules over messages, `plugin` for logic plug-ins with parameters, and `clocks` for clock constraints.
//!
//! A network computes the operators that are known when a position comes (`past`, `terms`) on demand. Operators that wait for the
//! future (`future`, `past_over_future`) emit *facts*: ranges of positions with one value, as soon as they are certain and in any
//! order (`three_valued`). An obligation tracker reads the facts of the formula and keeps the open obligations.

mod accounting;
mod block;
mod case_ends;
mod clocks;
mod engine;
mod future;
#[cfg(test)]
mod growth;
mod matcher;
mod monitor;
mod network;
mod partitioner;
mod past;
mod past_over_future;
mod plan;
mod plugin;
mod rules;
mod scheduler;
mod slice;
mod snapshot;
mod terms;
mod three_valued;
mod work;

pub use monitor::{MemoryUse, Monitor};
pub use partitioner::{Partitioner, Recipients, RouteBy};
pub use plan::{Plan, plan, plan_with_case_ends};
pub use plugin::{BodyGraph, ReportAutomaton, body_graph, refusal, report_automaton};
pub use snapshot::RestoreError;
