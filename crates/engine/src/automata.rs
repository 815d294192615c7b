// SPDX-License-Identifier: MIT OR Apache-2.0
//! Machines that move from state to state: untimed formulae as tables, timed responses, event automata.

mod desk;
mod events;
mod guard;
mod modal;
mod obligations;
mod responses;
mod rules;
mod runs;
mod scoped;
mod subsets;
mod table;

pub(crate) use events::Events;
pub(crate) use modal::{Modal, is_of};
pub(crate) use obligations::Obligations;
pub(crate) use responses::Responses;
pub(crate) use scoped::Scoped;
