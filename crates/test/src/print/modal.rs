// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae of the mu-calculus as text.

use gnomon_ir::automaton::{Arithmetic, Expression};
use gnomon_ir::modal::{Action, Data, Modal, Regular, Sorted};
use gnomon_ir::spec::QuantifierKind;

use super::atom_text;

/// `forall x:Int. ([(true*) . (push(x))] (false))`
pub(super) fn text(modal: &Modal) -> String {
    match modal {
        Modal::Data(data, _) => condition(data),
        Modal::Forall(sorted, of) => format!("forall {}. ({})", declaration(sorted), text(of)),
        Modal::Box { regular, then, .. } => format!("[{}] ({})", words(regular), text(then)),
        Modal::And(left, right) => format!("({}) && ({})", text(left), text(right)),
        Modal::Implies(data, of) => format!("({}) => ({})", condition(data), text(of)),
    }
}

fn declaration(sorted: &Sorted) -> String {
    format!("{}:{}", sorted.variable.name, sorted.sort_name)
}

fn words(regular: &Regular) -> String {
    match regular {
        Regular::Action(of) => action(of),
        Regular::Nil => "nil".to_owned(),
        Regular::Then(left, right) => format!("({}) . ({})", words(left), words(right)),
        Regular::Or(left, right) => format!("({}) + ({})", words(left), words(right)),
        Regular::Star(of) => format!("({})*", words(of)),
        Regular::Plus(of) => format!("({})+", words(of)),
    }
}

fn action(of: &Action) -> String {
    match of {
        Action::Event(atom) => atom_text(atom),
        Action::Data(data) => condition(data),
        Action::Not(of) => format!("!({})", action(of)),
        Action::And(left, right) => format!("({}) && ({})", action(left), action(right)),
        Action::Or(left, right) => format!("({}) || ({})", action(left), action(right)),
        Action::Quantified(kind, sorted, of) => {
            let word = match kind {
                QuantifierKind::Forall => "forall",
                QuantifierKind::Exists => "exists",
            };
            format!("{word} {}. ({})", declaration(sorted), action(of))
        }
    }
}

fn condition(data: &Data) -> String {
    match data {
        Data::Constant(value) => value.to_string(),
        _ => format!("val({})", inner(data)),
    }
}

fn inner(data: &Data) -> String {
    match data {
        Data::Constant(value) => value.to_string(),
        Data::Compare(left, comparison, right) => {
            format!("{} {comparison} {}", expression(left), expression(right))
        }
        Data::Not(of) => format!("!({})", inner(of)),
        Data::And(left, right) => format!("({}) && ({})", inner(left), inner(right)),
        Data::Or(left, right) => format!("({}) || ({})", inner(left), inner(right)),
    }
}

fn expression(of: &Expression) -> String {
    match of {
        Expression::Literal(value) => value.to_string(),
        Expression::Variable(variable) => variable.name.clone(),
        Expression::Arithmetic(arithmetic, left, right) => {
            let sign = match arithmetic {
                Arithmetic::Add => "+",
                Arithmetic::Subtract => "-",
                Arithmetic::Multiply => "*",
            };
            format!("({}) {sign} ({})", expression(left), expression(right))
        }
    }
}
