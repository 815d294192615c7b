// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random formulae of the mu-calculus: words that go on, and end in front of something false.

use gnomon_core::diagnostic::Span;
use gnomon_core::number::Number;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::automaton::{Arithmetic, Expression};
use gnomon_ir::check::check;
use gnomon_ir::modal::{Action, Data, Modal, Regular, Sort, Sorted};
use gnomon_ir::pattern::{Argument, Atom, Condition};
use gnomon_ir::spec::{Body, Language, QuantifierKind};

use super::data;
use super::prefix::COMPARISONS;
use crate::build::{argument, event, path, spec_of, variable, variables};
use crate::random::Random;

const SORTS: [(Sort, &str); 12] = [
    (Sort::Any, "D"),
    (Sort::Any, "D"),
    (Sort::Any, "Data"),
    (Sort::Any, "Data"),
    (Sort::Integer, "Int"),
    (Sort::Integer, "Int"),
    (Sort::Integer, "Int"),
    (Sort::Natural, "Nat"),
    (Sort::Natural, "Nat"),
    (Sort::Positive, "Pos"),
    (Sort::Real, "Real"),
    (Sort::Boolean, "Bool"),
];

/// A formula in which every variable stands in an event.
pub(super) fn property(random: &mut Random) -> Body {
    loop {
        let mut writer = Writer { random, names: vec![], locals: vec![] };
        let body = Body::Modal(writer.modal(2));
        let spec = spec_of(Language::Mu, vec![], body.clone());
        // A variable may stand only where another of the same name hides it.
        if check(&spec, &spec.properties[0]).0.is_some() {
            return body;
        }
    }
}

struct Writer<'a> {
    random: &'a mut Random,
    /// The variables that are quantified here.
    names: Vec<&'static str>,
    /// Those of the action formula.
    locals: Vec<&'static str>,
}

impl Writer<'_> {
    fn modal(&mut self, depth: usize) -> Modal {
        if depth > 0 && self.names.len() < 3 && self.random.one_in(if self.names.is_empty() { 2 } else { 5 }) {
            return self.forall(depth);
        }
        match self.random.below(12) {
            0 | 1 if depth > 0 => Modal::And(Box::new(self.modal(depth - 1)), Box::new(self.modal(depth - 1))),
            2 | 5 if depth > 0 && !self.names.is_empty() => {
                Modal::Implies(self.data(1), Box::new(self.modal(depth - 1)))
            }
            3 | 4 if depth > 0 => {
                let regular = self.regular();
                Modal::Box { regular, then: Box::new(self.modal(depth - 1)), span: Span::default() }
            }
            _ => {
                let regular = self.regular();
                let then = match self.random.below(12) {
                    0 => self.data(1),
                    1 if depth < 2 => Data::Constant(true),
                    _ => Data::Constant(false),
                };
                let then = Box::new(Modal::Data(then, Span::default()));
                Modal::Box { regular, then, span: Span::default() }
            }
        }
    }

    /// With a quantifier in front, if its variable stands in an event.
    fn forall(&mut self, depth: usize) -> Modal {
        let sorted = self.sorted(&["x", "y", "z"]);
        let name = match sorted.variable.name.as_str() {
            "x" => "x",
            "y" => "y",
            _ => "z",
        };
        self.names.push(name);
        let inside = if self.random.one_in(2) { depth - 1 } else { depth };
        let of = self.modal(inside);
        self.names.pop();
        // One that stands in comparisons only has no values.
        let stands = variables(&Body::Modal(of.clone())).iter().any(|used| used == name);
        if stands { Modal::Forall(sorted, Box::new(of)) } else { self.modal(0) }
    }

    fn sorted(&mut self, names: &[&'static str]) -> Sorted {
        let (sort, sort_name) = *self.random.pick(&SORTS);
        Sorted { variable: variable(self.random.pick::<&str>(names)), sort, sort_name: sort_name.to_owned() }
    }

    /// Often something that may come before, then a few events with others in between.
    fn regular(&mut self) -> Regular {
        let steps = *self.random.pick(&[1, 1, 2, 2, 2, 3]);
        let mut parts = Vec::new();
        if !self.random.one_in(4) {
            let any = if self.random.one_in(2) { Action::Data(Data::Constant(true)) } else { self.other() };
            parts.push(Regular::Star(Box::new(Regular::Action(any))));
        }
        for step in 0..steps {
            if step > 0 && self.random.one_in(2) {
                parts.push(Regular::Star(Box::new(Regular::Action(self.other()))));
            }
            parts.push(self.step(2));
        }
        let then = |left, right| Regular::Then(Box::new(left), Box::new(right));
        parts.into_iter().reduce(then).unwrap_or(Regular::Nil)
    }

    fn step(&mut self, depth: usize) -> Regular {
        if depth == 0 {
            return Regular::Action(self.action(1));
        }
        match self.random.below(12) {
            0 => Regular::Or(Box::new(self.step(depth - 1)), Box::new(self.step(depth - 1))),
            1 => Regular::Then(Box::new(self.step(depth - 1)), Box::new(self.step(depth - 1))),
            2 => Regular::Plus(Box::new(self.step(depth - 1))),
            3 if self.random.one_in(2) => Regular::Star(Box::new(self.step(depth - 1))),
            4 if self.random.one_in(3) => Regular::Nil,
            _ => Regular::Action(self.action(1)),
        }
    }

    /// Any event but some.
    fn other(&mut self) -> Action {
        let one = Action::Event(self.atom());
        if self.random.one_in(2) {
            let other = Action::Event(self.atom());
            return Action::Not(Box::new(Action::Or(Box::new(one), Box::new(other))));
        }
        Action::Not(Box::new(one))
    }

    fn action(&mut self, depth: usize) -> Action {
        match self.random.below(16) {
            0 if depth > 0 => Action::And(Box::new(self.action(0)), Box::new(self.action(0))),
            1 if depth > 0 => Action::Or(Box::new(self.action(0)), Box::new(self.action(0))),
            2 if depth > 0 => Action::Not(Box::new(self.action(0))),
            3 | 4 if self.locals.is_empty() => self.quantified(depth),
            6 if self.locals.is_empty() && self.random.one_in(2) => Action::Data(Data::Constant(true)),
            7 if !self.names.is_empty() => {
                let atom = Action::Event(self.atom());
                Action::And(Box::new(atom), Box::new(Action::Data(self.data(1))))
            }
            _ => Action::Event(self.atom()),
        }
    }

    fn quantified(&mut self, depth: usize) -> Action {
        let kind = if self.random.one_in(5) { QuantifierKind::Forall } else { QuantifierKind::Exists };
        // Now and then it hides a variable of the formula.
        let sorted = self.sorted(&["n", "n", "n", "x"]);
        let name = if sorted.variable.name == "x" { "x" } else { "n" };
        self.locals.push(name);
        let atom = Action::Event(self.atom());
        let data = Action::Data(self.data(1));
        let mut of = match self.random.below(4) {
            0 => atom,
            1 => Action::Or(Box::new(atom), Box::new(data)),
            _ => Action::And(Box::new(atom), Box::new(data)),
        };
        if depth > 0 && self.random.one_in(4) {
            of = Action::And(Box::new(of), Box::new(Action::Not(Box::new(Action::Event(self.atom())))));
        }
        self.locals.pop();
        Action::Quantified(kind, sorted, Box::new(of))
    }

    fn atom(&mut self) -> Atom {
        let name = *self.random.pick(&["p", "p", "p", "g", "g", "r", "m", "d"]);
        let places = match name {
            "m" => 0,
            "r" => 2,
            _ => 1,
        };
        let known = [self.names.as_slice(), self.locals.as_slice(), self.locals.as_slice()].concat();
        let mut atom = if places == 0 || (known.is_empty() && self.random.one_in(2)) {
            data::plain(name)
        } else {
            event(name, (0..places).map(|_| self.parameter(&known)).collect())
        };
        if self.random.one_in(20) {
            let field = if name == "d" { "x" } else { "a" };
            let literal = number(self.random.between(1, 3));
            atom.condition = Some(Condition::Compare(path(field), *self.random.pick(&COMPARISONS), literal));
        }
        atom
    }

    fn parameter(&mut self, known: &[&str]) -> Argument {
        match self.random.below(8) {
            0 => Argument::Any,
            1 => Argument::Literal(data::value(self.random)),
            _ if known.is_empty() => Argument::Any,
            _ => argument(self.random.pick::<&str>(known)),
        }
    }

    fn data(&mut self, depth: usize) -> Data {
        match self.random.below(if depth > 0 { 8 } else { 5 }) {
            5 => Data::Not(Box::new(self.data(0))),
            6 => Data::And(Box::new(self.data(0)), Box::new(self.data(0))),
            7 => Data::Or(Box::new(self.data(0)), Box::new(self.data(0))),
            0 if self.random.one_in(4) => Data::Constant(self.random.one_in(2)),
            _ => {
                let comparison = *self.random.pick(&[
                    Comparison::Equal,
                    Comparison::NotEqual,
                    Comparison::Less,
                    Comparison::AtMost,
                    Comparison::Greater,
                    Comparison::AtLeast,
                ]);
                Data::Compare(self.expression(1), comparison, self.expression(1))
            }
        }
    }

    fn expression(&mut self, depth: usize) -> Expression {
        let known = [self.names.as_slice(), self.locals.as_slice(), self.locals.as_slice()].concat();
        match self.random.below(6) {
            0 if depth > 0 => {
                let arithmetic = *self.random.pick(&[Arithmetic::Add, Arithmetic::Subtract]);
                Expression::Arithmetic(arithmetic, Box::new(self.expression(0)), Box::new(self.expression(0)))
            }
            1..=3 if !known.is_empty() => Expression::Variable(variable(self.random.pick::<&str>(&known))),
            4 if self.random.one_in(8) => Expression::Literal(data::value(self.random)),
            _ => Expression::Literal(number(self.random.between(0, 3))),
        }
    }
}

fn number(number: i64) -> Value<'static> {
    Value::Number(Number::Int(number))
}
