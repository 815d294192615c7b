// SPDX-License-Identifier: MIT OR Apache-2.0
//! The automaton of a body as data, for drawings.

use gnomon_ir::core::PluginCore;

use super::body::Body;
use super::table::NO_CATEGORY;

/// The automaton of a body over the letters of its property. State 0 is initial.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BodyGraph {
    /// For each state and letter, the next state.
    pub targets: Vec<Vec<usize>>,
    /// For each state, the place of the forbidden category of the words that lead there.
    pub categories: Vec<Option<usize>>,
}

/// Returns the automaton that runs a body, within a limit on its states; `None` if it exceeds that, or if the body is a grammar.
pub fn body_graph(core: &PluginCore, most_states: usize) -> Option<BodyGraph> {
    let body = Body::new(core).ok().filter(|body| !matches!(body, Body::Grammar { .. }))?;
    let mut states = body.start();
    let mut graph = BodyGraph { targets: vec![], categories: vec![] };
    let mut found: Vec<u32> = vec![0];
    while let Some(&state) = found.get(graph.targets.len()) {
        let mut targets = Vec::new();
        for letter in 0..core.letters.len() {
            let target = body.next(&mut states, state, letter);
            let place = found.iter().position(|known| *known == target).unwrap_or_else(|| {
                found.push(target);
                found.len() - 1
            });
            targets.push(place);
        }
        if found.len() > most_states {
            return None;
        }
        graph.targets.push(targets);
        let category = body.category(&states, state);
        graph.categories.push((category != NO_CATEGORY).then_some(usize::from(category)));
    }
    Some(graph)
}
