// SPDX-License-Identifier: MIT OR Apache-2.0
//! The automaton of a pattern, as a graph.

use gnomon_ir::{Atom, Pattern, Spec};

use crate::deterministic;
use crate::graph::Graph;
use crate::pattern::PatternMachine;

/// Draws the automaton that watches a pattern for one binding; `text` tells how an atom is written.
pub fn pattern(spec: &Spec, pattern: &Pattern, title: &str, text: &dyn Fn(&Atom) -> String) -> Graph {
    let apart = |left: &Atom, right: &Atom| spec.are_disjoint(left, right);
    let mut graph = deterministic::graph(&PatternMachine::new(pattern), title, &apart, text);
    graph
        .notes
        .push("double border: a trace may end here; red: a trace that ends here violates the pattern".to_owned());
    if pattern.behaviour.has_time() {
        graph.notes.push("times are written beside the edges; of several waiting events the oldest counts".to_owned());
    }
    graph
}
