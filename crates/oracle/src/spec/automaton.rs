// SPDX-License-Identifier: MIT OR Apache-2.0
//! Automata as written: every way through the events that concern a binding is walked on its own.
// RULE A1, A2, A3, A4, A5, A6, A9

use gnomon_core::value::Value;
use gnomon_ir::automaton::{Arithmetic, Automaton, Branch, Expression, Guard, Otherwise, State};
use gnomon_ir::spec::Spec;

use super::declared::{Bound, matches, sightings};
use crate::trace::{OracleEvent, Trace};
use crate::truth::Truth;

pub(super) struct Reader<'a> {
    spec: &'a Spec,
    automaton: &'a Automaton,
    /// The values of the quantified variables.
    bound: &'a Bound,
    slice: Vec<&'a OracleEvent>,
}

/// Where a way has come to.
#[derive(PartialEq)]
struct Place {
    state: usize,
    memory: Bound,
    events_left: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(spec: &'a Spec, automaton: &'a Automaton, trace: &'a Trace, bound: &'a Bound) -> Self {
        let symbols = || automaton.states.iter().flat_map(|state| &state.transitions);
        let concerns = |event: &OracleEvent| symbols().any(|symbol| matches(spec, &symbol.event, event, bound));
        let slice = trace.events().iter().filter(|event| concerns(event)).collect();
        Reader { spec, automaton, bound, slice }
    }

    /// Whether the binding is one that is judged.
    // RULE A7
    pub(super) fn is_judged(&self) -> bool {
        self.automaton.condition.as_ref().is_none_or(|condition| holds(condition, self.bound))
    }

    /// Whether some way ends in an accepting state.
    pub(super) fn accepts(&self) -> bool {
        self.ends().into_iter().any(|state| self.automaton.states[state].accepting)
    }

    /// What is known if more events may come.
    pub(super) fn truth(&self) -> Truth {
        let (hopeful, safe) = (self.hopeful(), self.safe());
        let ends = self.ends();
        if ends.iter().any(|state| safe[*state]) {
            Truth::True
        } else if ends.iter().any(|state| hopeful[*state]) {
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

    fn walk(&self, state: usize, memory: &Bound, events: &[&OracleEvent], walked: &mut Vec<Place>) {
        let place = Place { state, memory: memory.clone(), events_left: events.len() };
        // Ways that meet go on as one.
        if walked.contains(&place) {
            return;
        }
        walked.push(place);
        let Some((event, later)) = events.split_first() else { return };
        let mut is_taken = false;
        for transition in &self.automaton.states[state].transitions {
            let ways = sightings(self.spec, &transition.event, event).into_iter();
            for way in ways.filter(|way| way.agrees(self.bound)) {
                let mut memory = memory.clone();
                memory.extend(way.values.into_iter().filter(|(name, _)| !self.bound.contains_key(name)));
                let is_open = |branch: &&Branch| branch.guard.as_ref().is_none_or(|guard| holds(guard, &memory));
                let Some(branch) = transition.branches.iter().find(is_open) else { continue };
                is_taken = true;
                let after = branch.assignments.iter().fold(memory.clone(), |mut memory, assignment| {
                    if let Some(value) = value(&assignment.value, &memory) {
                        memory.insert(assignment.variable.name.clone(), value);
                    }
                    memory
                });
                self.walk(branch.target, &after, later, walked);
            }
        }
        if !is_taken && self.automaton.states[state].otherwise == Otherwise::Stay {
            self.walk(state, memory, later, walked);
        }
    }

    /// The states from which arrows lead to an accepting one: those that accept, then whatever leads to these.
    fn hopeful(&self) -> Vec<bool> {
        let mut hopeful: Vec<bool> = self.automaton.states.iter().map(|state| state.accepting).collect();
        for _ in &self.automaton.states {
            for (index, state) in self.automaton.states.iter().enumerate() {
                hopeful[index] |= targets(state).any(|target| hopeful[target]);
            }
        }
        hopeful
    }

    /// The states that accept for ever: those that accept and let nothing die, less whatever leads out of these.
    fn safe(&self) -> Vec<bool> {
        let states = self.automaton.states.iter();
        let mut safe: Vec<bool> = states.map(|state| state.accepting && state.otherwise == Otherwise::Stay).collect();
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

fn holds(guard: &Guard, memory: &Bound) -> bool {
    match guard {
        Guard::Compare(left, comparison, right) => {
            let sides = value(left, memory).zip(value(right, memory));
            sides.is_some_and(|(left, right)| comparison.holds(&left, &right))
        }
        Guard::Not(of) => !holds(of, memory),
        Guard::And(left, right) => holds(left, memory) && holds(right, memory),
        Guard::Or(left, right) => holds(left, memory) || holds(right, memory),
    }
}

/// What an expression is, if it is anything.
pub(super) fn value(expression: &Expression, memory: &Bound) -> Option<Value<'static>> {
    match expression {
        Expression::Literal(value) => Some(value.clone()),
        Expression::Variable(variable) => memory.get(&variable.name).cloned(),
        Expression::Arithmetic(arithmetic, left, right) => match (value(left, memory)?, value(right, memory)?) {
            (Value::Number(left), Value::Number(right)) => Some(Value::Number(match arithmetic {
                Arithmetic::Add => left.plus(right),
                Arithmetic::Subtract => left.minus(right),
                Arithmetic::Multiply => left.times(right),
            })),
            _ => None,
        },
    }
}
