// SPDX-License-Identifier: MIT OR Apache-2.0
//! From [`Syntax`] to the shared [`Automaton`]: names of states become places in the list of states.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_core::diagnostic::Diagnostic;
use gnomon_ir::automaton::{self, Automaton, Expression, Guard, Otherwise};
use gnomon_ir::pattern::Argument;
use gnomon_ir::spec::Variable;

use super::syntax::{Branch, State, Syntax, Transition};
use crate::specfile::cursor::Cursor;
use crate::specfile::literal::variable;

/// The automaton that a syntax tree stands for; `None` if a part of it is missing, which has been reported.
pub(super) fn lower(cursor: &mut Cursor<'_>, syntax: &Syntax) -> Option<Automaton> {
    let mut lowering = Lowering { cursor, places: BTreeMap::new(), states: Vec::new() };
    let distinct = lowering.declare(&syntax.states);
    let transitions: Vec<Option<Vec<automaton::Transition>>> =
        syntax.states.iter().map(|state| lowering.transitions(&state.transitions)).collect();
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
    states: Vec<automaton::State>,
}

impl Lowering<'_, '_> {
    /// Every declared state gets its place, in the order of the file. Whether each is declared once.
    fn declare(&mut self, states: &[State]) -> bool {
        let mut distinct = true;
        for state in states {
            let Variable { name, span } = &state.name;
            if let Some(before) = self.places.get(name) {
                distinct = false;
                let before = self.states[*before].name.span;
                self.cursor.report(
                    Diagnostic::error("G0201", *span, format!("there are two states of the name `{name}`"))
                        .label("declared again here")
                        .also(before, "declared here first")
                        .help("write all transitions of a state between one pair of braces"),
                );
            }
            self.places.entry(name.clone()).or_insert(self.states.len());
            self.states.push(automaton::State {
                name: state.name.clone(),
                accepting: state.accepting,
                otherwise: state.otherwise,
                transitions: vec![],
            });
        }
        distinct
    }

    fn transitions(&mut self, transitions: &[Transition]) -> Option<Vec<automaton::Transition>> {
        // All of them, before any is given up: each may have something to report.
        let lowered: Vec<_> = transitions.iter().map(|transition| self.transition(transition)).collect();
        lowered.into_iter().collect()
    }

    fn transition(&mut self, transition: &Transition) -> Option<automaton::Transition> {
        let event = transition.event.lower(|span| variable(self.cursor, span).map(Argument::Variable));
        let branches = transition.branches.iter().map(|branch| self.branch(branch)).collect();
        Some(automaton::Transition { event: event?, branches, span: transition.span })
    }

    fn branch(&mut self, branch: &Branch) -> automaton::Branch {
        automaton::Branch {
            guard: branch.guard.clone(),
            target: self.place(&branch.target),
            assignments: branch.assignments.clone(),
        }
    }

    /// A state that is named but not declared rejects and stays.
    fn place(&mut self, target: &Variable) -> usize {
        if let Some(place) = self.places.get(&target.name) {
            return *place;
        }
        let place = self.states.len();
        self.places.insert(target.name.clone(), place);
        self.states.push(automaton::State {
            name: target.clone(),
            accepting: false,
            otherwise: Otherwise::Stay,
            transitions: vec![],
        });
        place
    }
}

/// Warns of states that no run ever enters.
fn unreachable(cursor: &mut Cursor<'_>, automaton: &Automaton) {
    let mut reached = vec![false; automaton.states.len()];
    let mut pending = vec![0];
    while let Some(place) = pending.pop() {
        if std::mem::replace(&mut reached[place], true) {
            continue;
        }
        let branches = automaton.states[place].transitions.iter().flat_map(|transition| &transition.branches);
        pending.extend(branches.map(|branch| branch.target));
    }
    let first = automaton.states[0].name.name.as_str();
    for (state, _) in automaton.states.iter().zip(reached).filter(|(_, reached)| !reached) {
        let Variable { name, span } = &state.name;
        cursor.report(
            Diagnostic::warning("G0316", *span, format!("the state `{name}` is never entered"))
                .label(format!("no transition leads here from `{first}`, where runs begin"))
                .help("leave it out, or write a transition that leads to it"),
        );
    }
}

/// Warns of variables that are read but get no value, from an event or otherwise.
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
            branch.guard.iter().for_each(|guard| variables_of(guard, &mut read));
            for assignment in &branch.assignments {
                known.insert(&assignment.variable.name);
                variables_in(&assignment.value, &mut read);
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

fn variables_of<'a>(guard: &'a Guard, into: &mut Vec<&'a Variable>) {
    match guard {
        Guard::Compare(left, _, right) => {
            variables_in(left, into);
            variables_in(right, into);
        }
        Guard::Not(of) => variables_of(of, into),
        Guard::And(left, right) | Guard::Or(left, right) => {
            variables_of(left, into);
            variables_of(right, into);
        }
    }
}

fn variables_in<'a>(expression: &'a Expression, into: &mut Vec<&'a Variable>) {
    match expression {
        Expression::Literal(_) => {}
        Expression::Variable(variable) => into.push(variable),
        Expression::Arithmetic(_, left, right) => {
            variables_in(left, into);
            variables_in(right, into);
        }
    }
}
