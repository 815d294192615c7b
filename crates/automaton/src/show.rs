// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drawings of a property: its alternating automaton, its operators, or the machine that the engine runs.

mod alternating;
mod clocks;
mod events;
mod formula;
mod modal;
mod pattern;
mod plugin;
mod rule;

pub use alternating::{CopyView, alternating};
pub use clocks::clocks;
pub use events::events;
pub use formula::formula;
pub use modal::modal;
pub use pattern::pattern;
pub use plugin::{BodyAutomaton, automaton, grammar, machine};
pub use rule::rule;
