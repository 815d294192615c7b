// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties as data.
//!
//! [`spec::Spec`] is what a spec file says, with its sugar, names and spans: the form for working *on* a property.
//! [`core::Core`] is what one property means, with few operators and numbered atoms: the form for reasoning and running.
//! [`check::check`] goes from one to the other and says what is wrong on the way.
//!
//! No IO, no clock, no evaluation: the oracle and the engine give these forms their meaning, each on its own.

pub mod automaton;
pub mod check;
pub mod core;
pub mod formula;
pub mod literal;
pub mod ltl;
pub mod modal;
pub mod partition;
pub mod pattern;
pub mod requirement;
pub mod rule;
pub mod spec;
pub mod term;
