// SPDX-License-Identifier: MIT OR Apache-2.0
//! Automata as written: explores every run over the events that concern a binding separately.
// RULE A1, A2, A3, A4, A5, A6, A9

use gnomon_ir::{Automaton, Branch, DefaultMove, Guard, Spec, State};

use super::atom::{VariableValues, atom_matches, matches};
use crate::automaton::guard::{satisfies, value};
use crate::trace::{OracleEvent, Trace};
use crate::truth::Truth;

pub(super) struct Evaluator<'a> {
    spec: &'a Spec,
    automaton: &'a Automaton,
    /// The values of the quantified variables.
    bound: &'a VariableValues,
    slice: Vec<&'a OracleEvent>,
}

/// Position of a run.
#[derive(PartialEq)]
struct RunPosition {
    state: usize,
    memory: VariableValues,
    events_left: usize,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(spec: &'a Spec, automaton: &'a Automaton, trace: &'a Trace, bound: &'a VariableValues) -> Self {
        let symbols = || automaton.states.iter().flat_map(|state| &state.transitions);
        let is_in_slice = |event: &OracleEvent| symbols().any(|symbol| matches(spec, &symbol.event, event, bound));
        let slice = trace.events().iter().filter(|event| is_in_slice(event)).collect();
        Evaluator { spec, automaton, bound, slice }
    }

    /// Returns true if the condition admits the binding.
    // RULE A7
    pub(super) fn is_judged(&self) -> bool {
        self.automaton.condition.as_ref().is_none_or(|condition| holds(condition, self.bound))
    }

    /// Returns true if some run ends in an accepting state.
    pub(super) fn accepts(&self) -> bool {
        self.ends().into_iter().any(|state| self.automaton.states[state].accepting)
    }

    /// Returns the truth value if more events may come.
    pub(super) fn truth(&self) -> Truth {
        let (may_accept, safe) = (self.may_accept(), self.safe());
        let ends = self.ends();
        if ends.iter().any(|state| safe[*state]) {
            Truth::True
        } else if ends.iter().any(|state| may_accept[*state]) {
            Truth::Unknown
        } else {
            Truth::False
        }
    }

    /// The states in which ways end that do not die.
    fn ends(&self) -> Vec<usize> {
        let mut walked = Vec::new();
        self.walk(0, self.bound, &self.slice, &mut walked);
        walked.into_iter().filter(|place| place.events_left == 0).map(|place| place.state).collect()
    }

    fn walk(&self, state: usize, memory: &VariableValues, events: &[&OracleEvent], walked: &mut Vec<RunPosition>) {
        let place = RunPosition { state, memory: memory.clone(), events_left: events.len() };
        // Equal configurations continue as one.
        if walked.contains(&place) {
            return;
        }
        walked.push(place);
        let Some((event, later)) = events.split_first() else { return };
        let mut is_taken = false;
        for transition in &self.automaton.states[state].transitions {
            let ways = atom_matches(self.spec, &transition.event, event).into_iter();
            for way in ways.filter(|way| way.agrees(self.bound)) {
                let mut memory = memory.clone();
                memory.extend(way.values.into_iter().filter(|(name, _)| !self.bound.contains_key(name)));
                let is_open = |branch: &&Branch| branch.guard.as_ref().is_none_or(|guard| holds(guard, &memory));
                let Some(branch) = transition.branches.iter().find(is_open) else { continue };
                is_taken = true;
                let after = branch.assignments.iter().fold(memory.clone(), |mut memory, assignment| {
                    if let Some(value) = value(&assignment.value, &|variable| memory.get(&variable.name).cloned()) {
                        memory.insert(assignment.variable.name.clone(), value);
                    }
                    memory
                });
                self.walk(branch.target, &after, later, walked);
            }
        }
        if !is_taken && self.automaton.states[state].otherwise == DefaultMove::Stay {
            self.walk(state, memory, later, walked);
        }
    }

    /// The states from which arrows lead to an accepting one: those that accept, then whatever leads to these.
    fn may_accept(&self) -> Vec<bool> {
        let mut may_accept: Vec<bool> = self.automaton.states.iter().map(|state| state.accepting).collect();
        for _ in &self.automaton.states {
            for (index, state) in self.automaton.states.iter().enumerate() {
                may_accept[index] |= targets(state).any(|target| may_accept[target]);
            }
        }
        may_accept
    }

    /// The states that accept for ever: those that accept and let nothing die, less whatever leads out of these.
    fn safe(&self) -> Vec<bool> {
        let states = self.automaton.states.iter();
        let mut safe: Vec<bool> = states.map(|state| state.accepting && state.otherwise == DefaultMove::Stay).collect();
        for _ in &self.automaton.states {
            for (index, state) in self.automaton.states.iter().enumerate() {
                safe[index] &= targets(state).all(|target| safe[target]);
            }
        }
        safe
    }
}

fn targets(state: &State) -> impl Iterator<Item = usize> {
    state.transitions.iter().flat_map(|transition| &transition.branches).map(|branch| branch.target)
}

pub(super) fn holds(guard: &Guard, memory: &VariableValues) -> bool {
    satisfies(guard, &|variable| memory.get(&variable.name).cloned())
}
