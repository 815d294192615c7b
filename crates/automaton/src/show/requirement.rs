// SPDX-License-Identifier: MIT OR Apache-2.0
//! The automaton of a pattern, as a graph.

use gnomon_ir::pattern::Atom;
use gnomon_ir::requirement::Requirement;
use gnomon_ir::spec::Spec;

use crate::deterministic;
use crate::graph::Graph;
use crate::requirement::Watch;

/// Draws the automaton that watches a pattern for one binding; `text` tells how an atom is written.
pub fn requirement(spec: &Spec, requirement: &Requirement, title: &str, text: &dyn Fn(&Atom) -> String) -> Graph {
    let apart = |left: &Atom, right: &Atom| spec.apart(left, right);
    let mut graph = deterministic::graph(&Watch::new(requirement), title, &apart, text);
    graph.notes.push("double border: good to end in; red: a trace that ends here violates the pattern".to_owned());
    if has_time(requirement) {
        graph.notes.push("times are told beside the edges; where several wait at once, the oldest counts".to_owned());
    }
    graph
}

fn has_time(requirement: &Requirement) -> bool {
    use gnomon_ir::requirement::Behaviour;
    match &requirement.behaviour {
        Behaviour::Rate { .. } | Behaviour::Recurrence { .. } => true,
        Behaviour::Existence { within, .. }
        | Behaviour::Precedence { within, .. }
        | Behaviour::Response { within, .. } => within.is_some(),
        _ => false,
    }
}
