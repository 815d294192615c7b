// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is drawn of a property: its alternating automaton, or what the engine runs.

mod alternating;
mod events;
mod modal;
mod network;
mod requirement;
mod rule;

pub use alternating::{View, alternating};
pub use events::events;
pub use modal::modal;
pub use network::network;
pub use requirement::requirement;
pub use rule::rule;
