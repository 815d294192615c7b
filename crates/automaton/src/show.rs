// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drawings of a property: its alternating automaton, or the machine that the engine runs.

mod alternating;
mod events;
mod modal;
mod network;
mod pattern;
mod rule;

pub use alternating::{CopyView, alternating};
pub use events::events;
pub use modal::modal;
pub use network::network;
pub use pattern::pattern;
pub use rule::rule;
