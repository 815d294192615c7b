// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes automata state by state.

use gnomon_ir::DefaultMove;
use gnomon_ir::automaton::{Automaton, Branch, State, Transition};

use super::guard::{condition, expression};
use super::words::{enumeration, event};

pub(super) fn sentences(automaton: &Automaton) -> String {
    let mut out = Vec::new();
    let mut events: Vec<String> = Vec::new();
    for transition in automaton.states.iter().flat_map(|state| &state.transitions) {
        let name = event(&transition.event);
        if !events.contains(&name) {
            events.push(name);
        }
    }
    let first = automaton.states.first().map(name).unwrap_or_default();
    out.push(match events.as_slice() {
        [only] => format!("The event {only} changes the state, which is initially {first}."),
        _ => format!("The events {} change the state, which is initially {first}.", enumeration(&events, "and")),
    });
    // The default moves of states in which some event has no move of its own.
    let mut defaults: Vec<DefaultMove> = automaton
        .states
        .iter()
        .filter(|state| !state.transitions.is_empty() && !is_complete(state, &events))
        .map(|state| state.otherwise)
        .collect();
    defaults.dedup();
    for state in &automaton.states {
        out.push(described(automaton, state, defaults.len() > 1 && !is_complete(state, &events)));
    }
    if let [only] = defaults.as_slice() {
        out.push(format!("In every other case the event {}.", rest(*only)));
    }
    let accepting: Vec<String> = automaton.states.iter().filter(|state| state.accepting).map(name).collect();
    out.push(if accepting.is_empty() {
        "No state is accepting, so every trace violates the property.".to_owned()
    } else {
        format!("At the end of the trace the state must be {}.", enumeration(&accepting, "or"))
    });
    out.join(" ")
}

fn name(state: &State) -> String {
    format!("`{}`", state.name.name)
}

/// Returns true if every event always has a transition of the state.
fn is_complete(state: &State, events: &[String]) -> bool {
    let is_total = |transition: &Transition| transition.branches.iter().any(|branch| branch.guard.is_none());
    events.iter().all(|known| state.transitions.iter().any(|of| event(&of.event) == *known && is_total(of)))
}

/// Describes the event for which a state has no transition.
fn rest(otherwise: DefaultMove) -> &'static str {
    match otherwise {
        DefaultMove::Stay => "is ignored",
        DefaultMove::Die => "violates the property",
    }
}

/// Describes the transitions of a state, with its default move on request.
fn described(automaton: &Automaton, state: &State, with_rest: bool) -> String {
    let name = name(state);
    if state.transitions.is_empty() {
        return match state.otherwise {
            DefaultMove::Stay => format!("State {name} is never left."),
            DefaultMove::Die => format!("In {name}, each of these events violates the property."),
        };
    }
    let mut moves: Vec<String> = state.transitions.iter().map(|transition| moved(automaton, transition)).collect();
    if with_rest {
        moves.push(format!("any other of these events {}", rest(state.otherwise)));
    }
    format!("In {name}, {}.", moves.join("; "))
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
    if assignments.is_empty() { String::new() } else { format!(" (and sets {})", enumeration(&assignments, "and")) }
}
