// SPDX-License-Identifier: MIT OR Apache-2.0
//! States that the paper's LASA guards with a flag.

use crate::automaton::State;
use crate::run::ViolationMode;

/// Returns true if at most one copy is in a state at a time. After the optimised semantics 1 and 2 of section 4.1. An
/// `Until` under a negation has its flag too, since its copies are as equal as those of an `Until`.
pub fn has_flag(state: &State, mode: ViolationMode) -> bool {
    match state {
        State::Until { .. } | State::Release { .. } => true,
        State::Within { .. } => mode == ViolationMode::Critical,
        State::Throughout { .. } | State::InFuture { .. } | State::Next { .. } => false,
    }
}
