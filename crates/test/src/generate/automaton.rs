// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random automata: few states, guards and assignments over few variables, more than one way out now and then.

use gnomon_core::diagnostic::Span;
use gnomon_core::number::Number;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::automaton::{
    Arithmetic, Assignment, Automaton, Branch, Expression, Guard, Otherwise, State, Transition,
};
use gnomon_ir::pattern::{Argument, Atom, Condition};
use gnomon_ir::spec::{Body, Quantifier};

use super::prefix::{self, COMPARISONS, parameter, quantifiers};
use crate::build::{argument, event, path, variable, variables};
use crate::random::Random;

/// Variables that are never quantified.
const FREE: [&str; 2] = ["n", "acc"];

/// A prefix and an automaton in which each of its variables stands.
pub(super) fn property(random: &mut Random) -> (Vec<Quantifier>, Body) {
    let names = prefix::names(random);
    let mut writer = Writer { random, names: &names };
    let mut automaton = writer.automaton();
    let stand = variables(&Body::Automaton(automaton.clone()));
    let used: Vec<&str> = names.iter().copied().filter(|name| stand.iter().any(|used| used == name)).collect();
    if !used.is_empty() && random.one_in(5) {
        let left = Expression::Variable(variable(used[0]));
        let right = match used.get(1) {
            Some(other) => Expression::Variable(variable(other)),
            None => Expression::Literal(number(random.between(1, 3))),
        };
        let comparison = *random.pick(&[Comparison::NotEqual, Comparison::Less, Comparison::Equal]);
        automaton.condition = Some(Guard::Compare(left, comparison, right));
    }
    (quantifiers(random, &used, false), Body::Automaton(automaton))
}

struct Writer<'a> {
    random: &'a mut Random,
    names: &'a [&'a str],
}

impl Writer<'_> {
    fn automaton(&mut self) -> Automaton {
        let declared = self.random.between(1, 3) as usize;
        // One more that is only named.
        let states = declared + 1;
        let mut automaton: Vec<State> = (0..declared).map(|index| self.state(index, states)).collect();
        automaton.push(State {
            name: variable("last"),
            accepting: false,
            otherwise: Otherwise::Stay,
            transitions: vec![],
        });
        Automaton { condition: None, states: automaton }
    }

    fn state(&mut self, index: usize, states: usize) -> State {
        let transitions = self.random.between(1, 3);
        State {
            name: variable(&format!("s{index}")),
            accepting: self.random.below(3) < 2,
            otherwise: if self.random.one_in(3) { Otherwise::Die } else { Otherwise::Stay },
            transitions: (0..transitions).map(|_| self.transition(states)).collect(),
        }
    }

    fn transition(&mut self, states: usize) -> Transition {
        let event = self.event();
        let guarded = self.random.one_in(2);
        let mut branches = vec![self.branch(states, guarded)];
        if branches[0].guard.is_some() {
            if self.random.one_in(4) {
                branches.push(self.branch(states, true));
            }
            if self.random.one_in(3) {
                branches.push(self.branch(states, false));
            }
        }
        Transition { event, branches, span: Span::default() }
    }

    fn branch(&mut self, states: usize, guarded: bool) -> Branch {
        let guard = guarded.then(|| self.guard(1));
        let assignments = if self.random.one_in(3) {
            (0..self.random.between(1, 2)).map(|_| self.assignment()).collect()
        } else {
            vec![]
        };
        Branch { guard, target: self.random.below(states), assignments }
    }

    fn assignment(&mut self) -> Assignment {
        let value = match self.random.below(3) {
            0 => Expression::Literal(number(self.random.between(0, 2))),
            _ => self.expression(1),
        };
        Assignment { variable: variable(self.random.pick::<&str>(&FREE)), value }
    }

    fn guard(&mut self, depth: usize) -> Guard {
        let nested = depth > 0 && self.random.one_in(4);
        match self.random.below(if nested { 3 } else { 1 }) {
            1 => Guard::Not(Box::new(self.guard(depth - 1))),
            2 if self.random.one_in(2) => Guard::And(Box::new(self.guard(0)), Box::new(self.guard(0))),
            2 => Guard::Or(Box::new(self.guard(0)), Box::new(self.guard(0))),
            _ => {
                let comparison = *self.random.pick(&[
                    Comparison::Equal,
                    Comparison::NotEqual,
                    Comparison::Less,
                    Comparison::AtMost,
                    Comparison::Greater,
                    Comparison::AtLeast,
                ]);
                Guard::Compare(self.expression(1), comparison, self.expression(1))
            }
        }
    }

    fn expression(&mut self, depth: usize) -> Expression {
        match self.random.below(6) {
            0 if depth > 0 => {
                let arithmetic = *self.random.pick(&[Arithmetic::Add, Arithmetic::Subtract, Arithmetic::Multiply]);
                Expression::Arithmetic(arithmetic, Box::new(self.expression(0)), Box::new(self.expression(0)))
            }
            0 | 1 => Expression::Literal(number(self.random.between(0, 3))),
            2 if !self.names.is_empty() && self.random.one_in(2) => {
                // A name that stands in no event is free and has no value: that is fine here.
                Expression::Variable(variable(self.random.pick::<&str>(self.names)))
            }
            3 => Expression::Variable(variable("acc")),
            _ => Expression::Variable(variable("n")),
        }
    }

    /// `p(x) g(y) r(x, y) h(n) k(x, n) m d(x)`, mostly.
    fn event(&mut self) -> Atom {
        let random = &mut *self.random;
        let wanted = if self.names.contains(&"z") && random.one_in(2) { "z" } else { "x" };
        let free = |random: &mut Random| match random.below(8) {
            0 => Argument::Any,
            1 => Argument::Literal(number(random.between(1, 3))),
            2 => argument("acc"),
            _ => argument("n"),
        };
        let mut atom = match random.below(14) {
            0..=2 => event("p", vec![parameter(random, wanted, self.names)]),
            3 | 4 => event("g", vec![parameter(random, "y", self.names)]),
            5..=7 => event("r", vec![parameter(random, wanted, self.names), parameter(random, "y", self.names)]),
            8 | 9 => event("h", vec![free(random)]),
            10 | 11 => event("k", vec![parameter(random, wanted, self.names), free(random)]),
            12 => event("d", vec![if random.one_in(2) { free(random) } else { parameter(random, "x", self.names) }]),
            _ => event("m", vec![]),
        };
        if random.one_in(14) {
            let literal = number(random.between(1, 3));
            let field = if atom.name == "d" { "x" } else { "a" };
            atom.condition = Some(Condition::Compare(path(field), *random.pick(&COMPARISONS), literal));
        }
        atom
    }
}

fn number(number: i64) -> Value<'static> {
    Value::Number(Number::Int(number))
}
