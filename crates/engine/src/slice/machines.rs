// SPDX-License-Identifier: MIT OR Apache-2.0
//! Machines: properties compiled for one binding, of which each instance runs one.
//!
//! Each implements [`Machine`](super::machine::Machine) for one form of property, in as few bytes per state as that form allows:
//! [`Obligations`] (untimed formulae as tables), [`Responses`] (timed responses), [`EventAutomaton`] (event automata), [`ScopedPattern`] (property
//! patterns), [`ModalFormula`] (the mu-calculus), and the operator network for any other formula (`machines/network.rs`).

mod clause_table;
mod event_automaton;
mod guard;
mod letter_effects;
mod modal;
mod network;
mod obligations;
mod recorder;
mod responses;
mod scoped;
mod subsets;

pub(crate) use event_automaton::EventAutomaton;
pub(crate) use modal::{ModalFormula, has_sort};
pub(crate) use obligations::Obligations;
pub(crate) use responses::Responses;
pub(crate) use scoped::ScopedPattern;
