// SPDX-License-Identifier: MIT OR Apache-2.0
//! The longest time for which a property waits for events.

use gnomon_core::{Duration, Interval};

use super::{BehaviourCore, Core, FormulaNode};

impl Core {
    /// Returns the greatest bound on the distance to a later event; zero if there is none.
    pub fn longest_wait(&self) -> Duration {
        let end = |interval: &Interval| interval.written_hi();
        let waits: Vec<Option<Duration>> = match self {
            Core::Formula(core) => core.nodes.iter().map(node_wait).collect(),
            Core::Rule(core) => vec![core.upper],
            Core::Pattern(core) => vec![match &core.behaviour {
                BehaviourCore::Existence { within, .. } | BehaviourCore::Response { within, .. } => end(within),
                BehaviourCore::Recurrence { every, .. } => Some(*every),
                _ => None,
            }],
            Core::Automaton(_) | Core::Modal(_) | Core::Plugin(_) | Core::Clocks(_) => vec![],
        };
        waits.into_iter().flatten().max().unwrap_or(Duration::ZERO)
    }
}

fn node_wait(node: &FormulaNode) -> Option<Duration> {
    match node {
        FormulaNode::Until { interval, .. } => interval.written_hi(),
        FormulaNode::InFuture { reach, .. } => Some(*reach),
        _ => None,
    }
}
