// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random formulae of the mu-calculus: words that go on, and end in front of something false.

use gnomon_core::diagnostic::Span;
use gnomon_core::value::Comparison;
use gnomon_ir::atom::{Argument, Atom, Condition};
use gnomon_ir::automaton::{Arithmetic, Expression};
use gnomon_ir::check::check;
use gnomon_ir::modal::{ActionFormula, DataCondition, ModalFormula, RegularFormula, Sort, SortedVariable};
use gnomon_ir::spec::{Body, Language, QuantifierKind};

use super::data::{self, number};
use super::prefix::COMPARISONS;
use crate::build::{argument, event, path, spec_of, variable, variables};
use crate::choices::Choices;

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

/// Names of variables of action formulae, from the outermost quantifier to the innermost.
const LOCALS: [&str; 3] = ["n", "k", "o"];

/// A formula in which every variable stands in an event.
pub(super) fn property(choices: &mut Choices) -> Body {
    loop {
        let mut writer = ModalGenerator { choices, names: vec![], locals: vec![] };
        let body = Body::Modal(writer.modal(2));
        let spec = spec_of(Language::Mu, vec![], body.clone());
        // A variable may stand only where another of the same name hides it.
        if check(&spec, &spec.properties[0]).0.is_some() {
            return body;
        }
    }
}

struct ModalGenerator<'a> {
    choices: &'a mut Choices,
    /// The variables that are quantified here.
    names: Vec<&'static str>,
    /// Those of the action formula.
    locals: Vec<&'static str>,
}

impl ModalGenerator<'_> {
    fn modal(&mut self, depth: usize) -> ModalFormula {
        if depth > 0 && self.names.len() < 3 && self.choices.one_in(if self.names.is_empty() { 2 } else { 5 }) {
            return self.forall(depth);
        }
        match self.choices.below(12) {
            0 | 1 if depth > 0 => ModalFormula::And(Box::new(self.modal(depth - 1)), Box::new(self.modal(depth - 1))),
            2 | 5 if depth > 0 && !self.names.is_empty() => {
                ModalFormula::Implies(self.data(1), Box::new(self.modal(depth - 1)))
            }
            3 | 4 if depth > 0 => {
                let regular = self.regular();
                ModalFormula::Box { regular, then: Box::new(self.modal(depth - 1)), span: Span::default() }
            }
            _ => {
                let regular = self.regular();
                let then = match self.choices.below(12) {
                    0 => self.data(1),
                    1 if depth < 2 => DataCondition::Constant(true),
                    _ => DataCondition::Constant(false),
                };
                let then = Box::new(ModalFormula::Data(then, Span::default()));
                ModalFormula::Box { regular, then, span: Span::default() }
            }
        }
    }

    /// With a quantifier in front, if its variable stands in an event.
    fn forall(&mut self, depth: usize) -> ModalFormula {
        let sorted = self.sorted(&["x", "y", "z"]);
        let name = match sorted.variable.name.as_str() {
            "x" => "x",
            "y" => "y",
            _ => "z",
        };
        self.names.push(name);
        let inside = if self.choices.one_in(2) { depth - 1 } else { depth };
        let of = self.modal(inside);
        self.names.pop();
        // One that stands in comparisons only has no values.
        let stands = variables(&Body::Modal(of.clone())).iter().any(|used| used == name);
        if stands { ModalFormula::Forall(sorted, Box::new(of)) } else { self.modal(0) }
    }

    fn sorted(&mut self, names: &[&'static str]) -> SortedVariable {
        let (sort, sort_name) = *self.choices.pick(&SORTS);
        SortedVariable { variable: variable(self.choices.pick::<&str>(names)), sort, sort_name: sort_name.to_owned() }
    }

    /// Often something that may come before, then a few events with others in between.
    fn regular(&mut self) -> RegularFormula {
        let steps = *self.choices.pick(&[1, 1, 2, 2, 2, 3]);
        let mut parts = Vec::new();
        if !self.choices.one_in(4) {
            let any =
                if self.choices.one_in(2) { ActionFormula::Data(DataCondition::Constant(true)) } else { self.other() };
            parts.push(RegularFormula::Star(Box::new(RegularFormula::Action(any))));
        }
        for step in 0..steps {
            if step > 0 && self.choices.one_in(2) {
                parts.push(RegularFormula::Star(Box::new(RegularFormula::Action(self.other()))));
            }
            parts.push(self.step(2));
        }
        let then = |left, right| RegularFormula::Then(Box::new(left), Box::new(right));
        parts.into_iter().reduce(then).unwrap_or(RegularFormula::Nil)
    }

    fn step(&mut self, depth: usize) -> RegularFormula {
        if depth == 0 {
            return RegularFormula::Action(self.action(1));
        }
        match self.choices.below(12) {
            0 => RegularFormula::Or(Box::new(self.step(depth - 1)), Box::new(self.step(depth - 1))),
            1 => RegularFormula::Then(Box::new(self.step(depth - 1)), Box::new(self.step(depth - 1))),
            2 => RegularFormula::Plus(Box::new(self.step(depth - 1))),
            3 if self.choices.one_in(2) => RegularFormula::Star(Box::new(self.step(depth - 1))),
            4 if self.choices.one_in(3) => RegularFormula::Nil,
            _ => RegularFormula::Action(self.action(1)),
        }
    }

    /// Any event but some.
    fn other(&mut self) -> ActionFormula {
        let one = ActionFormula::Event(self.atom());
        if self.choices.one_in(2) {
            let other = ActionFormula::Event(self.atom());
            return ActionFormula::Not(Box::new(ActionFormula::Or(Box::new(one), Box::new(other))));
        }
        ActionFormula::Not(Box::new(one))
    }

    fn action(&mut self, depth: usize) -> ActionFormula {
        match self.choices.below(16) {
            0 if depth > 0 => ActionFormula::And(Box::new(self.action(0)), Box::new(self.action(0))),
            1 if depth > 0 => ActionFormula::Or(Box::new(self.action(0)), Box::new(self.action(0))),
            2 if depth > 0 => ActionFormula::Not(Box::new(self.action(0))),
            3 | 4 if self.locals.is_empty() => self.quantified(depth),
            6 if self.locals.is_empty() && self.choices.one_in(2) => ActionFormula::Data(DataCondition::Constant(true)),
            7 if !self.names.is_empty() => {
                let atom = ActionFormula::Event(self.atom());
                ActionFormula::And(Box::new(atom), Box::new(ActionFormula::Data(self.data(1))))
            }
            _ => ActionFormula::Event(self.atom()),
        }
    }

    fn quantified(&mut self, depth: usize) -> ActionFormula {
        let kind = if self.choices.one_in(5) { QuantifierKind::Forall } else { QuantifierKind::Exists };
        // Now and then it hides a variable of the formula.
        let fresh = LOCALS[self.locals.len() % LOCALS.len()];
        let sorted = self.sorted(&[fresh, fresh, fresh, "x"]);
        let name = if sorted.variable.name == "x" { "x" } else { fresh };
        self.locals.push(name);
        let atom = ActionFormula::Event(self.atom());
        let data = ActionFormula::Data(self.data(1));
        let mut of = match self.choices.below(4) {
            0 => atom,
            1 => ActionFormula::Or(Box::new(atom), Box::new(data)),
            _ => ActionFormula::And(Box::new(atom), Box::new(data)),
        };
        if depth > 0 && self.choices.one_in(4) {
            of = ActionFormula::And(
                Box::new(of),
                Box::new(ActionFormula::Not(Box::new(ActionFormula::Event(self.atom())))),
            );
        }
        if self.locals.len() < LOCALS.len() && self.choices.one_in(3) {
            let inner = Box::new(if self.choices.one_in(3) { self.computed() } else { self.quantified(0) });
            of = if self.choices.one_in(3) {
                ActionFormula::Or(Box::new(of), inner)
            } else {
                ActionFormula::And(Box::new(of), inner)
            };
        }
        self.locals.pop();
        ActionFormula::Quantified(kind, sorted, Box::new(of))
    }

    /// An event with a computed argument: `exists c:Real. p(c) && val(c == n + 1)`.
    fn computed(&mut self) -> ActionFormula {
        let sorted = SortedVariable { variable: variable("c"), sort: Sort::Real, sort_name: "Real".to_owned() };
        let left = Expression::Variable(variable("c"));
        let data = DataCondition::Compare(left, Comparison::Equal, self.expression(2));
        let atom = ActionFormula::Event(event(self.choices.pick::<&str>(&["p", "g"]), vec![argument("c")]));
        let of = ActionFormula::And(Box::new(atom), Box::new(ActionFormula::Data(data)));
        ActionFormula::Quantified(QuantifierKind::Exists, sorted, Box::new(of))
    }

    fn atom(&mut self) -> Atom {
        let name = *self.choices.pick(&["p", "p", "p", "g", "g", "r", "m", "d"]);
        let places = match name {
            "m" => 0,
            "r" => 2,
            _ => 1,
        };
        let known = [self.names.as_slice(), self.locals.as_slice(), self.locals.as_slice()].concat();
        let mut atom = if places == 0 || (known.is_empty() && self.choices.one_in(2)) {
            data::plain(name)
        } else {
            event(name, (0..places).map(|_| self.parameter(&known)).collect())
        };
        if self.choices.one_in(20) {
            let field = if name == "d" { "x" } else { "a" };
            let literal = number(self.choices.between(1, 3));
            atom.condition = Some(Condition::Compare(path(field), *self.choices.pick(&COMPARISONS), literal));
        }
        atom
    }

    fn parameter(&mut self, known: &[&str]) -> Argument {
        match self.choices.below(8) {
            0 => Argument::Any,
            1 => Argument::Literal(data::value(self.choices)),
            _ if known.is_empty() => Argument::Any,
            _ => argument(self.choices.pick::<&str>(known)),
        }
    }

    fn data(&mut self, depth: usize) -> DataCondition {
        match self.choices.below(if depth > 0 { 8 } else { 5 }) {
            5 => DataCondition::Not(Box::new(self.data(0))),
            6 => DataCondition::And(Box::new(self.data(0)), Box::new(self.data(0))),
            7 => DataCondition::Or(Box::new(self.data(0)), Box::new(self.data(0))),
            0 if self.choices.one_in(4) => DataCondition::Constant(self.choices.one_in(2)),
            _ => {
                let comparison = *self.choices.pick(&Comparison::ALL);
                DataCondition::Compare(self.expression(1), comparison, self.expression(1))
            }
        }
    }

    fn expression(&mut self, depth: usize) -> Expression {
        let known = [self.names.as_slice(), self.locals.as_slice(), self.locals.as_slice()].concat();
        match self.choices.below(6) {
            0 if depth > 0 => {
                let arithmetic = *self.choices.pick(&[Arithmetic::Add, Arithmetic::Subtract]);
                Expression::Arithmetic(
                    arithmetic,
                    Box::new(self.expression(depth - 1)),
                    Box::new(self.expression(depth - 1)),
                )
            }
            1..=3 if !known.is_empty() => Expression::Variable(variable(self.choices.pick::<&str>(&known))),
            4 if self.choices.one_in(8) => Expression::Literal(data::value(self.choices)),
            _ => Expression::Literal(number(self.choices.between(0, 3))),
        }
    }
}
