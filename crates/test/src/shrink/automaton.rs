// SPDX-License-Identifier: MIT OR Apache-2.0
//! Automata with one thing less.

use gnomon_ir::automaton::{Automaton, Guard, Otherwise};

/// Every automaton that lacks one transition, branch, guard, assignment, condition or state.
pub(super) fn smaller(automaton: &Automaton) -> Vec<Automaton> {
    let mut found = Vec::new();
    let mut with = |change: &dyn Fn(&mut Automaton)| {
        let mut changed = automaton.clone();
        change(&mut changed);
        if changed != *automaton {
            found.push(changed);
        }
    };
    with(&|automaton| automaton.condition = None);
    for state in 1..automaton.states.len() {
        with(&|automaton| remove_state(automaton, state));
    }
    for (state, whole) in automaton.states.iter().enumerate() {
        with(&|automaton| automaton.states[state].otherwise = Otherwise::Stay);
        for (place, transition) in whole.transitions.iter().enumerate() {
            with(&|automaton| {
                automaton.states[state].transitions.remove(place);
            });
            with(&|automaton| automaton.states[state].transitions[place].event.condition = None);
            for (number, branch) in transition.branches.iter().enumerate() {
                if transition.branches.len() > 1 {
                    with(&|automaton| {
                        automaton.states[state].transitions[place].branches.remove(number);
                    });
                }
                with(&|automaton| automaton.states[state].transitions[place].branches[number].assignments.clear());
                for guard in branch.guard.as_ref().map(smaller_guards).unwrap_or_default() {
                    with(&|automaton| {
                        automaton.states[state].transitions[place].branches[number].guard.clone_from(&guard);
                    });
                }
            }
        }
    }
    found
}

fn smaller_guards(guard: &Guard) -> Vec<Option<Guard>> {
    let parts = match guard {
        Guard::Compare(..) => vec![],
        Guard::Not(of) => vec![of],
        Guard::And(left, right) | Guard::Or(left, right) => vec![left, right],
    };
    std::iter::once(None).chain(parts.into_iter().map(|part| Some(part.as_ref().clone()))).collect()
}

/// What led there leads to the first state; those after it move up.
fn remove_state(automaton: &mut Automaton, state: usize) {
    automaton.states.remove(state);
    let transitions = automaton.states.iter_mut().flat_map(|state| &mut state.transitions);
    for branch in transitions.flat_map(|transition| &mut transition.branches) {
        branch.target = match branch.target {
            target if target == state => 0,
            target if target > state => target - 1,
            target => target,
        };
    }
}
