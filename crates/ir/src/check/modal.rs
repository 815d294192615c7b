// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae of the mu-calculus: quantifiers go to the front, each variable gets a name of its own.

use super::Checker;
use super::prefix::Variables;
use crate::automaton::Expression;
use crate::core::{ActionFormula, DataCore, ModalCore, ModalNode, Quantifier, RegularCore};
use crate::modal::{Action, Data, Modal, Regular, Sorted};
use crate::pattern::{Argument, Atom, VariableId};
use crate::spec::{Property, QuantifierKind, Variable};

impl Checker<'_> {
    pub(super) fn modal(&mut self, property: &Property, modal: &Modal) -> ModalCore {
        let mut names = Names::default();
        let modal = names.modal(modal);
        let variables: Vec<Variable> = names.whole.iter().map(|sorted| sorted.variable.clone()).collect();
        let spans: Vec<_> = variables.iter().map(|variable| variable.span).collect();
        self.too_many_variables(&spans);
        self.variables = Variables::inside(names_of(&names.whole), names_of(&names.parts));
        let body = self.modal_node(&modal);
        self.unused(variables.iter());
        let quantifier =
            |variable: Variable| Quantifier { variable: variable.name, kind: QuantifierKind::Forall, threshold: None };
        ModalCore {
            name: property.name.clone(),
            atoms: std::mem::take(&mut self.atoms).finish(),
            prefix: variables.into_iter().map(quantifier).collect(),
            sorts: names.whole.iter().map(|sorted| sorted.sort).collect(),
            locals: names.parts.iter().map(|sorted| (sorted.variable.name.clone(), sorted.sort)).collect(),
            body,
            span: property.body_span,
        }
    }

    fn modal_node(&mut self, modal: &Modal) -> ModalNode {
        match modal {
            Modal::Data(data, span) => ModalNode::Data(self.data(data), *span),
            Modal::Forall(sorted, of) => {
                let id = self.named(&sorted.variable).unwrap_or(VariableId(0));
                ModalNode::Forall(id, Box::new(self.modal_node(of)))
            }
            Modal::Box { regular, then, .. } => ModalNode::Box(self.regular(regular), Box::new(self.modal_node(then))),
            Modal::And(left, right) => ModalNode::And(vec![self.modal_node(left), self.modal_node(right)]),
            Modal::Implies(data, of) => ModalNode::Implies(self.data(data), Box::new(self.modal_node(of))),
        }
    }

    fn regular(&mut self, regular: &Regular) -> RegularCore {
        match regular {
            Regular::Action(action) => RegularCore::Action(self.action_formula(action)),
            Regular::Nil => RegularCore::Nil,
            Regular::Then(left, right) => {
                RegularCore::Then(Box::new(self.regular(left)), Box::new(self.regular(right)))
            }
            Regular::Or(left, right) => RegularCore::Or(Box::new(self.regular(left)), Box::new(self.regular(right))),
            Regular::Star(of) => RegularCore::Star(Box::new(self.regular(of))),
            Regular::Plus(of) => {
                let once = self.regular(of);
                RegularCore::Then(Box::new(once.clone()), Box::new(RegularCore::Star(Box::new(once))))
            }
        }
    }

    fn action_formula(&mut self, action: &Action) -> ActionFormula {
        match action {
            Action::Event(atom) => ActionFormula::Event(self.atom(atom)),
            Action::Data(data) => ActionFormula::Data(self.data(data)),
            Action::Not(of) => ActionFormula::Not(Box::new(self.action_formula(of))),
            Action::And(left, right) => {
                ActionFormula::And(Box::new(self.action_formula(left)), Box::new(self.action_formula(right)))
            }
            Action::Or(left, right) => {
                ActionFormula::Or(Box::new(self.action_formula(left)), Box::new(self.action_formula(right)))
            }
            Action::Quantified(kind, sorted, of) => {
                let id = self.named(&sorted.variable).unwrap_or(VariableId(0));
                ActionFormula::Quantified(*kind, id, Box::new(self.action_formula(of)))
            }
        }
    }

    fn data(&mut self, data: &Data) -> DataCore {
        match data {
            Data::Constant(value) => DataCore::Constant(*value),
            Data::Compare(left, comparison, right) => {
                DataCore::Compare(self.expression(left), *comparison, self.expression(right))
            }
            Data::Not(of) => DataCore::Not(Box::new(self.data(of))),
            Data::And(left, right) => DataCore::And(Box::new(self.data(left)), Box::new(self.data(right))),
            Data::Or(left, right) => DataCore::Or(Box::new(self.data(left)), Box::new(self.data(right))),
        }
    }
}

fn names_of(variables: &[Sorted]) -> Vec<String> {
    variables.iter().map(|sorted| sorted.variable.name.clone()).collect()
}

/// Gives every quantified variable a name of its own, so that all of them may stand side by side.
#[derive(Default)]
struct Names {
    /// Those that are quantified over the whole formula.
    whole: Vec<Sorted>,
    /// Those of action formulae.
    parts: Vec<Sorted>,
    /// What a name means here, innermost last.
    meanings: Vec<(String, String)>,
}

impl Names {
    fn fresh(&self, name: &str) -> String {
        let mut fresh = name.to_owned();
        while self.whole.iter().chain(&self.parts).any(|known| known.variable.name == fresh) {
            fresh.push('\'');
        }
        fresh
    }

    fn renamed(&self, variable: &Variable) -> Variable {
        let meaning = self.meanings.iter().rev().find(|(name, _)| *name == variable.name);
        let name = meaning.map_or(&variable.name, |(_, fresh)| fresh);
        Variable { name: name.clone(), span: variable.span }
    }

    fn bind(&mut self, sorted: &Sorted) -> Sorted {
        let name = self.fresh(&sorted.variable.name);
        self.meanings.push((sorted.variable.name.clone(), name.clone()));
        Sorted { variable: Variable { name, ..sorted.variable.clone() }, ..sorted.clone() }
    }

    fn modal(&mut self, modal: &Modal) -> Modal {
        match modal {
            Modal::Data(data, span) => Modal::Data(self.data(data), *span),
            Modal::Forall(sorted, of) => {
                let sorted = self.bind(sorted);
                self.whole.push(sorted.clone());
                let of = Box::new(self.modal(of));
                self.meanings.pop();
                Modal::Forall(sorted, of)
            }
            Modal::Box { regular, then, span } => {
                let regular = self.regular(regular);
                Modal::Box { regular, then: Box::new(self.modal(then)), span: *span }
            }
            Modal::And(left, right) => Modal::And(Box::new(self.modal(left)), Box::new(self.modal(right))),
            Modal::Implies(data, of) => Modal::Implies(self.data(data), Box::new(self.modal(of))),
        }
    }

    fn regular(&mut self, regular: &Regular) -> Regular {
        match regular {
            Regular::Action(action) => Regular::Action(self.action(action)),
            Regular::Nil => Regular::Nil,
            Regular::Then(left, right) => Regular::Then(Box::new(self.regular(left)), Box::new(self.regular(right))),
            Regular::Or(left, right) => Regular::Or(Box::new(self.regular(left)), Box::new(self.regular(right))),
            Regular::Star(of) => Regular::Star(Box::new(self.regular(of))),
            Regular::Plus(of) => Regular::Plus(Box::new(self.regular(of))),
        }
    }

    fn action(&mut self, action: &Action) -> Action {
        match action {
            Action::Event(atom) => Action::Event(self.atom(atom)),
            Action::Data(data) => Action::Data(self.data(data)),
            Action::Not(of) => Action::Not(Box::new(self.action(of))),
            Action::And(left, right) => Action::And(Box::new(self.action(left)), Box::new(self.action(right))),
            Action::Or(left, right) => Action::Or(Box::new(self.action(left)), Box::new(self.action(right))),
            Action::Quantified(kind, sorted, of) => {
                let sorted = self.bind(sorted);
                self.parts.push(sorted.clone());
                let of = Box::new(self.action(of));
                self.meanings.pop();
                Action::Quantified(*kind, sorted, of)
            }
        }
    }

    fn atom(&self, atom: &Atom) -> Atom {
        let rename = |argument: &Argument| match argument {
            Argument::Variable(variable) => Argument::Variable(self.renamed(variable)),
            Argument::Any | Argument::Literal(_) => argument.clone(),
        };
        let arguments = atom.arguments.as_ref().map(|arguments| arguments.iter().map(rename).collect());
        Atom { arguments, ..atom.clone() }
    }

    fn data(&self, data: &Data) -> Data {
        match data {
            Data::Constant(value) => Data::Constant(*value),
            Data::Compare(left, comparison, right) => {
                Data::Compare(self.expression(left), *comparison, self.expression(right))
            }
            Data::Not(of) => Data::Not(Box::new(self.data(of))),
            Data::And(left, right) => Data::And(Box::new(self.data(left)), Box::new(self.data(right))),
            Data::Or(left, right) => Data::Or(Box::new(self.data(left)), Box::new(self.data(right))),
        }
    }

    fn expression(&self, expression: &Expression) -> Expression {
        match expression {
            Expression::Literal(_) => expression.clone(),
            Expression::Variable(variable) => Expression::Variable(self.renamed(variable)),
            Expression::Arithmetic(arithmetic, left, right) => {
                Expression::Arithmetic(*arithmetic, Box::new(self.expression(left)), Box::new(self.expression(right)))
            }
        }
    }
}
