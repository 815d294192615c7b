// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers [`Syntax`] to the shared [`Automaton`]: names of states become indices into the list of states.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_core::Diagnostic;
use gnomon_core::list::reachable;
use gnomon_ir::{Argument, Automaton, Branch, DefaultMove, State, Transition, Variable};

use super::syntax::{StateSyntax, Syntax, TransitionSyntax};
use crate::syntax::literal::variable;
use crate::syntax::{Cursor, collect_all, duplicate};

/// Lowers a syntax tree; `None` if a part of it is missing, which has been reported.
pub(super) fn lower(cursor: &mut Cursor<'_>, syntax: &Syntax) -> Option<Automaton> {
    let mut lowering = Lowering { cursor, places: BTreeMap::new(), states: Vec::new() };
    let distinct = lowering.declare(&syntax.states);
    let mut transitions: Vec<Option<Vec<Transition>>> = Vec::new();
    for state in &syntax.states {
        transitions.push(collect_all(state.transitions.iter().map(|transition| lowering.transition(transition))));
    }
    let mut automaton = Automaton { condition: syntax.condition.clone(), states: lowering.states };
    for (state, transitions) in automaton.states.iter_mut().zip(transitions) {
        state.transitions = transitions?;
    }
    if !syntax.whole || !distinct || automaton.states.is_empty() {
        return None;
    }
    unreachable(cursor, &automaton);
    valueless(cursor, syntax, &automaton);
    Some(automaton)
}

struct Lowering<'c, 's> {
    cursor: &'c mut Cursor<'s>,
    places: BTreeMap<String, usize>,
    states: Vec<State>,
}

impl Lowering<'_, '_> {
    /// Gives every declared state its index, in the order of the file. Returns true if each is declared once.
    fn declare(&mut self, states: &[StateSyntax]) -> bool {
        let mut distinct = true;
        for state in states {
            let Variable { name, span } = &state.name;
            if let Some(before) = self.places.get(name) {
                distinct = false;
                let before = self.states[*before].name.span;
                let message = format!("there are two states of the name `{name}`");
                let diagnostic = duplicate("G0201", *span, before, message, "declared");
                self.cursor.report(diagnostic.help("write all transitions of a state between one pair of braces"));
            }
            self.places.entry(name.clone()).or_insert(self.states.len());
            self.states.push(State {
                name: state.name.clone(),
                accepting: state.accepting,
                otherwise: state.otherwise,
                transitions: vec![],
            });
        }
        distinct
    }

    fn transition(&mut self, transition: &TransitionSyntax) -> Option<Transition> {
        let event = transition.event.lower(|span| variable(self.cursor, span).map(Argument::Variable));
        let branches = transition.branches.iter().map(|branch| self.branch(branch)).collect();
        Some(Transition { event: event?, branches, span: transition.span })
    }

    fn branch(&mut self, branch: &Branch<Variable>) -> Branch {
        Branch {
            guard: branch.guard.clone(),
            target: self.place(&branch.target),
            assignments: branch.assignments.clone(),
        }
    }

    /// Returns the index of a target. A state that is named but not declared rejects and stays.
    fn place(&mut self, target: &Variable) -> usize {
        if let Some(place) = self.places.get(&target.name) {
            return *place;
        }
        let place = self.states.len();
        self.places.insert(target.name.clone(), place);
        self.states.push(State {
            name: target.clone(),
            accepting: false,
            otherwise: DefaultMove::Stay,
            transitions: vec![],
        });
        place
    }
}

/// Warns about states that no run ever enters.
fn unreachable(cursor: &mut Cursor<'_>, automaton: &Automaton) {
    let reached = reachable([0], |place| {
        let branches = automaton.states[place].transitions.iter().flat_map(|transition| &transition.branches);
        branches.map(|branch| branch.target)
    });
    let first = automaton.states[0].name.name.as_str();
    for (_, state) in automaton.states.iter().enumerate().filter(|(place, _)| !reached.contains(place)) {
        let Variable { name, span } = &state.name;
        cursor.report(
            Diagnostic::warning("G0316", *span, format!("the state `{name}` is never entered"))
                .label(format!("no transition leads here from `{first}`, where runs begin"))
                .help("leave it out, or write a transition that leads to it"),
        );
    }
}

/// Warns about variables that are read but never get a value, from an event or an assignment.
fn valueless(cursor: &mut Cursor<'_>, syntax: &Syntax, automaton: &Automaton) {
    let quantified = syntax.prefix.iter().flatten().flat_map(|quantifier| &quantifier.variables);
    let mut known: BTreeSet<&str> = quantified.map(|variable| variable.name.as_str()).collect();
    let mut read: Vec<&Variable> = Vec::new();
    for transition in automaton.states.iter().flat_map(|state| &state.transitions) {
        for argument in transition.event.arguments.iter().flatten() {
            if let Argument::Variable(variable) = argument {
                known.insert(&variable.name);
            }
        }
        for branch in &transition.branches {
            branch.guard.iter().for_each(|guard| guard.variables(&mut read));
            for assignment in &branch.assignments {
                known.insert(&assignment.variable.name);
                assignment.value.variables(&mut read);
            }
        }
    }
    for variable in read {
        if known.insert(&variable.name) {
            let name = &variable.name;
            cursor.report(
                Diagnostic::warning("G0317", variable.span, format!("`{name}` never gets a value"))
                    .label("no event carries it, and nothing is assigned to it")
                    .help("a comparison with it is always false: take it from an event, or assign to it first"),
            );
        }
    }
}
