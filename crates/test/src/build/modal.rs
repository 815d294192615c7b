// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands in formulae of the mu-calculus.

use gnomon_ir::automaton::Expression;
use gnomon_ir::modal::{Action, Data, Modal, Regular, Sorted};
use gnomon_ir::pattern::Atom;

/// Something to do with each part of a formula, outermost first.
pub trait Visit {
    /// A state formula.
    fn modal(&mut self, _: &mut Modal) {}
    /// A regular formula.
    fn regular(&mut self, _: &mut Regular) {}
    /// An action formula.
    fn action(&mut self, _: &mut Action) {}
    /// A condition on data.
    fn data(&mut self, _: &mut Data) {}
    /// A quantified variable.
    fn sorted(&mut self, _: &mut Sorted) {}
    /// A side of a comparison.
    fn expression(&mut self, _: &mut Expression) {}
}

/// Visits every part of a state formula.
pub fn visit(modal: &mut Modal, visitor: &mut impl Visit) {
    visitor.modal(modal);
    match modal {
        Modal::Data(data, _) => in_data(data, visitor),
        Modal::Forall(sorted, of) => {
            visitor.sorted(sorted);
            visit(of, visitor);
        }
        Modal::Box { regular, then, .. } => {
            in_regular(regular, visitor);
            visit(then, visitor);
        }
        Modal::And(left, right) => {
            visit(left, visitor);
            visit(right, visitor);
        }
        Modal::Implies(data, of) => {
            in_data(data, visitor);
            visit(of, visitor);
        }
    }
}

fn in_regular(regular: &mut Regular, visitor: &mut impl Visit) {
    visitor.regular(regular);
    match regular {
        Regular::Action(action) => in_action(action, visitor),
        Regular::Nil => {}
        Regular::Then(left, right) | Regular::Or(left, right) => {
            in_regular(left, visitor);
            in_regular(right, visitor);
        }
        Regular::Star(of) | Regular::Plus(of) => in_regular(of, visitor),
    }
}

fn in_action(action: &mut Action, visitor: &mut impl Visit) {
    visitor.action(action);
    match action {
        Action::Event(_) => {}
        Action::Data(data) => in_data(data, visitor),
        Action::Not(of) => in_action(of, visitor),
        Action::And(left, right) | Action::Or(left, right) => {
            in_action(left, visitor);
            in_action(right, visitor);
        }
        Action::Quantified(_, sorted, of) => {
            visitor.sorted(sorted);
            in_action(of, visitor);
        }
    }
}

fn in_data(data: &mut Data, visitor: &mut impl Visit) {
    visitor.data(data);
    match data {
        Data::Constant(_) => {}
        Data::Compare(left, _, right) => {
            in_expression(left, visitor);
            in_expression(right, visitor);
        }
        Data::Not(of) => in_data(of, visitor),
        Data::And(left, right) | Data::Or(left, right) => {
            in_data(left, visitor);
            in_data(right, visitor);
        }
    }
}

fn in_expression(expression: &mut Expression, visitor: &mut impl Visit) {
    visitor.expression(expression);
    if let Expression::Arithmetic(_, left, right) = expression {
        in_expression(left, visitor);
        in_expression(right, visitor);
    }
}

/// Calls `change` on every atom.
pub fn each_atom(modal: &mut Modal, change: &mut dyn FnMut(&mut Atom)) {
    struct Atoms<'a>(&'a mut dyn FnMut(&mut Atom));
    impl Visit for Atoms<'_> {
        fn action(&mut self, action: &mut Action) {
            if let Action::Event(atom) = action {
                (self.0)(atom);
            }
        }
    }
    visit(modal, &mut Atoms(change));
}
