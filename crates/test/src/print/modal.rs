// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae of the mu-calculus as text.

use gnomon_ir::modal::{ActionFormula, DataCondition, ModalFormula, RegularFormula, SortedVariable};
use gnomon_ir::spec::QuantifierKind;

use super::{atom_text, automaton};

/// `forall x:Int. ([(true*) . (push(x))] (false))`
pub(super) fn text(modal: &ModalFormula) -> String {
    match modal {
        ModalFormula::Data(data, _) => condition(data),
        ModalFormula::Forall(sorted, of) => format!("forall {}. ({})", declaration(sorted), text(of)),
        ModalFormula::Box { regular, then, .. } => format!("[{}] ({})", words(regular), text(then)),
        ModalFormula::And(left, right) => format!("({}) && ({})", text(left), text(right)),
        ModalFormula::Implies(data, of) => format!("({}) => ({})", condition(data), text(of)),
    }
}

fn declaration(sorted: &SortedVariable) -> String {
    format!("{}:{}", sorted.variable.name, sorted.sort_name)
}

fn words(regular: &RegularFormula) -> String {
    match regular {
        RegularFormula::Action(of) => action(of),
        RegularFormula::Nil => "nil".to_owned(),
        RegularFormula::Then(left, right) => format!("({}) . ({})", words(left), words(right)),
        RegularFormula::Or(left, right) => format!("({}) + ({})", words(left), words(right)),
        RegularFormula::Star(of) => format!("({})*", words(of)),
        RegularFormula::Plus(of) => format!("({})+", words(of)),
    }
}

fn action(of: &ActionFormula) -> String {
    match of {
        ActionFormula::Event(atom) => atom_text(atom),
        ActionFormula::Data(data) => condition(data),
        ActionFormula::Not(of) => format!("!({})", action(of)),
        ActionFormula::And(left, right) => format!("({}) && ({})", action(left), action(right)),
        ActionFormula::Or(left, right) => format!("({}) || ({})", action(left), action(right)),
        ActionFormula::Quantified(kind, sorted, of) => {
            let word = match kind {
                QuantifierKind::Forall => "forall",
                QuantifierKind::Exists => "exists",
            };
            format!("{word} {}. ({})", declaration(sorted), action(of))
        }
    }
}

fn condition(data: &DataCondition) -> String {
    match data {
        DataCondition::Constant(value) => value.to_string(),
        _ => format!("val({})", automaton::condition(data, ["!", " && ", " || "])),
    }
}
