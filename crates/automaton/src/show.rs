// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is drawn of a property: its alternating automaton, or what the engine runs.

mod alternating;
mod events;
mod network;
mod rule;

pub use alternating::{View, alternating};
pub use events::events;
pub use network::network;
pub use rule::rule;
