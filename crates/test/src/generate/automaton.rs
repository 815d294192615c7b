// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random automata: few states, guards and assignments over few variables, more than one way out now and then.

use gnomon_core::diagnostic::Span;
use gnomon_core::value::Comparison;
use gnomon_ir::atom::{Argument, Atom, Condition};
use gnomon_ir::automaton::{
    Arithmetic, Assignment, Automaton, Branch, DefaultMove, Expression, Guard, State, Transition,
};
use gnomon_ir::spec::{Body, Quantifier};

use super::data::number;
use super::prefix::{self, COMPARISONS, parameter, quantifiers};
use crate::build::{argument, event, path, variable, variables};
use crate::choices::Choices;

/// Variables that are never quantified.
const FREE: [&str; 2] = ["n", "acc"];

/// A prefix and an automaton in which each of its variables stands.
pub(super) fn property(choices: &mut Choices) -> (Vec<Quantifier>, Body) {
    let names = prefix::names(choices);
    let mut writer = AutomatonGenerator { choices, names: &names };
    let mut automaton = writer.automaton();
    let stand = variables(&Body::Automaton(automaton.clone()));
    let used: Vec<&str> = names.iter().copied().filter(|name| stand.iter().any(|used| used == name)).collect();
    if !used.is_empty() && choices.one_in(5) {
        let left = Expression::Variable(variable(used[0]));
        let right = match used.get(1) {
            Some(other) => Expression::Variable(variable(other)),
            None => Expression::Literal(number(choices.between(1, 3))),
        };
        let comparison = *choices.pick(&[Comparison::NotEqual, Comparison::Less, Comparison::Equal]);
        automaton.condition = Some(Guard::Compare(left, comparison, right));
    }
    (quantifiers(choices, &used, false), Body::Automaton(automaton))
}

struct AutomatonGenerator<'a> {
    choices: &'a mut Choices,
    names: &'a [&'a str],
}

impl AutomatonGenerator<'_> {
    fn automaton(&mut self) -> Automaton {
        let declared = self.choices.between(1, 3) as usize;
        // One more that is only named.
        let states = declared + 1;
        let mut automaton: Vec<State> = (0..declared).map(|index| self.state(index, states)).collect();
        automaton.push(State {
            name: variable("last"),
            accepting: false,
            otherwise: DefaultMove::Stay,
            transitions: vec![],
        });
        Automaton { condition: None, states: automaton }
    }

    fn state(&mut self, index: usize, states: usize) -> State {
        let transitions = self.choices.between(1, 3);
        State {
            name: variable(&format!("s{index}")),
            accepting: self.choices.below(3) < 2,
            otherwise: if self.choices.one_in(3) { DefaultMove::Die } else { DefaultMove::Stay },
            transitions: (0..transitions).map(|_| self.transition(states)).collect(),
        }
    }

    fn transition(&mut self, states: usize) -> Transition {
        let event = self.event();
        let guarded = self.choices.one_in(2);
        let mut branches = vec![self.branch(states, guarded)];
        if branches[0].guard.is_some() {
            if self.choices.one_in(4) {
                branches.push(self.branch(states, true));
            }
            if self.choices.one_in(3) {
                branches.push(self.branch(states, false));
            }
        }
        Transition { event, branches, span: Span::default() }
    }

    fn branch(&mut self, states: usize, guarded: bool) -> Branch {
        let guard = guarded.then(|| self.guard(1));
        let assignments = if self.choices.one_in(3) {
            (0..self.choices.between(1, 2)).map(|_| self.assignment()).collect()
        } else {
            vec![]
        };
        Branch { guard, target: self.choices.index(states), assignments }
    }

    fn assignment(&mut self) -> Assignment {
        let value = match self.choices.below(3) {
            0 => Expression::Literal(number(self.choices.between(0, 2))),
            _ => self.expression(1),
        };
        Assignment { variable: variable(self.choices.pick::<&str>(&FREE)), value }
    }

    fn guard(&mut self, depth: usize) -> Guard {
        let nested = depth > 0 && self.choices.one_in(4);
        match self.choices.below(if nested { 3 } else { 1 }) {
            1 => Guard::Not(Box::new(self.guard(depth - 1))),
            2 if self.choices.one_in(2) => Guard::And(Box::new(self.guard(0)), Box::new(self.guard(0))),
            2 => Guard::Or(Box::new(self.guard(0)), Box::new(self.guard(0))),
            _ => {
                let comparison = *self.choices.pick(&Comparison::ALL);
                Guard::Compare(self.expression(1), comparison, self.expression(1))
            }
        }
    }

    fn expression(&mut self, depth: usize) -> Expression {
        match self.choices.below(6) {
            0 if depth > 0 => {
                let arithmetic = *self.choices.pick(&[Arithmetic::Add, Arithmetic::Subtract, Arithmetic::Multiply]);
                Expression::Arithmetic(arithmetic, Box::new(self.expression(0)), Box::new(self.expression(0)))
            }
            0 | 1 => Expression::Literal(number(self.choices.between(0, 3))),
            2 if !self.names.is_empty() && self.choices.one_in(2) => {
                // A name that is not used in any event is free and has no value: that is fine here.
                Expression::Variable(variable(self.choices.pick::<&str>(self.names)))
            }
            3 => Expression::Variable(variable("acc")),
            _ => Expression::Variable(variable("n")),
        }
    }

    /// `p(x) g(y) r(x, y) h(n) k(x, n) m d(x)`, mostly.
    fn event(&mut self) -> Atom {
        let choices = &mut *self.choices;
        let wanted = if self.names.contains(&"z") && choices.one_in(2) { "z" } else { "x" };
        let free = |choices: &mut Choices| match choices.below(8) {
            0 => Argument::Any,
            1 => Argument::Literal(number(choices.between(1, 3))),
            2 => argument("acc"),
            _ => argument("n"),
        };
        let mut atom = match choices.below(14) {
            0..=2 => event("p", vec![parameter(choices, wanted, self.names)]),
            3 | 4 => event("g", vec![parameter(choices, "y", self.names)]),
            5..=7 => event("r", vec![parameter(choices, wanted, self.names), parameter(choices, "y", self.names)]),
            8 | 9 => event("h", vec![free(choices)]),
            10 | 11 => event("k", vec![parameter(choices, wanted, self.names), free(choices)]),
            12 => event("d", vec![if choices.one_in(2) { free(choices) } else { parameter(choices, "x", self.names) }]),
            _ => event("m", vec![]),
        };
        if choices.one_in(14) {
            let literal = number(choices.between(1, 3));
            let field = if atom.name == "d" { "x" } else { "a" };
            atom.condition = Some(Condition::Compare(path(field), *choices.pick(&COMPARISONS), literal));
        }
        atom
    }
}
