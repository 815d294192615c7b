// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes automata state by state.

use gnomon_ir::DefaultMove;
use gnomon_ir::automaton::{Automaton, Branch, State, Transition};

use super::guard::{condition, expression};
use super::words::{event, list};

pub(super) fn sentences(automaton: &Automaton) -> String {
    let mut out = Vec::new();
    let mut events: Vec<String> = Vec::new();
    for transition in automaton.states.iter().flat_map(|state| &state.transitions) {
        let name = event(&transition.event);
        if !events.contains(&name) {
            events.push(name);
        }
    }
    if let Some(guard) = &automaton.condition {
        out.push(format!("Only values with {} are considered.", condition(guard)));
    }
    let first = automaton.states.first().map(name).unwrap_or_default();
    out.push(format!("The events {} change the state, which is {first} at first.", list(&events, "and")));
    for state in &automaton.states {
        out.push(described(automaton, state));
    }
    let accepting: Vec<String> = automaton.states.iter().filter(|state| state.accepting).map(name).collect();
    out.push(if accepting.is_empty() {
        "No state is accepting, so every trace violates the property.".to_owned()
    } else {
        format!("At the end of the trace the state must be {}.", list(&accepting, "or"))
    });
    out.join(" ")
}

fn name(state: &State) -> String {
    format!("`{}`", state.name.name)
}

fn described(automaton: &Automaton, state: &State) -> String {
    let name = name(state);
    let rest = match state.otherwise {
        DefaultMove::Stay => "is ignored",
        DefaultMove::Die => "violates the property",
    };
    if state.transitions.is_empty() {
        return match state.otherwise {
            DefaultMove::Stay => format!("State {name} is never left."),
            DefaultMove::Die => format!("In {name}, any further event {rest}."),
        };
    }
    let moves: Vec<String> = state.transitions.iter().map(|transition| moved(automaton, transition)).collect();
    format!("In {name}, {}; any other of these events {rest}.", moves.join("; "))
}

fn moved(automaton: &Automaton, transition: &Transition) -> String {
    let mut text = format!("{} leads", event(&transition.event));
    for (at, branch) in transition.branches.iter().enumerate() {
        let target = automaton.states.get(branch.target).map(name).unwrap_or_default();
        let guard = branch.guard.as_ref().map(|guard| format!(" if {}", condition(guard))).unwrap_or_default();
        let before = if at == 0 { "" } else { ", otherwise" };
        text.extend([before, " to ", &target, &guard, &assigned(branch)]);
    }
    text
}

fn assigned(branch: &Branch) -> String {
    let of = |assignment: &gnomon_ir::automaton::Assignment| {
        format!("`{} = {}`", assignment.variable.name, expression(&assignment.value))
    };
    let assignments: Vec<String> = branch.assignments.iter().map(of).collect();
    if assignments.is_empty() { String::new() } else { format!(" (and sets {})", list(&assignments, "and")) }
}
