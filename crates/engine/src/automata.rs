// SPDX-License-Identifier: MIT OR Apache-2.0
//! Machines that move from state to state: untimed formulae as tables, event automata.

mod events;
mod guard;
mod obligations;
mod runs;
mod subsets;
mod table;

pub(crate) use events::Events;
pub(crate) use obligations::Obligations;
