// SPDX-License-Identifier: MIT OR Apache-2.0
//! Intermediate representation of properties.
//!
//! [`spec::Spec`] is a spec file as written, with sugar, names and source locations; tools that print, edit or
//! translate properties use it. [`core::Core`] is one property in kernel form, with few operators and numbered atoms;
//! the oracle and the engine evaluate it. [`check::check`] lowers the first to the second and reports diagnostics.
//!
//! The types of both forms are re-exported at the root.
//!
//! This crate does no IO, reads no clock and evaluates nothing: the oracle and the engine define the meaning of the
//! kernel form, independently of each other.

pub mod atom;
pub mod automaton;
pub mod check;
pub mod clocks;
pub mod core;
pub mod describe;
pub mod formula;
pub mod literal;
pub mod ltl;
pub mod modal;
pub mod partition;
pub mod pattern;
pub mod plugin;
pub mod rule;
pub mod spec;
pub mod term;
#[cfg(test)]
mod testing;
pub mod walk;

pub use self::core::*;
pub use atom::*;
pub use automaton::*;
pub use clocks::*;
pub use formula::*;
pub use modal::*;
pub use pattern::*;
pub use plugin::*;
pub use rule::*;
pub use spec::*;
pub use term::*;
