// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae over states.

use gnomon_ir::formula::{Binary, Formula, Kind, Unary};
use gnomon_ir::spec::QuantifierKind;
use gnomon_ir::term::{Occurrence, Reference, Term, TermKind};

use super::{atom_text, symbol};
use crate::build::state::what_becomes;

/// A formula's text, in ALBERT.
pub fn albert(formula: &Formula) -> String {
    if let Some(of) = what_becomes(formula) {
        return format!("Becomes({})", albert(of));
    }
    match &formula.kind {
        Kind::Not(of) => format!("!({})", albert(of)),
        Kind::Connective(connective, left, right) => {
            format!("({}) {} ({})", albert(left), symbol(*connective), albert(right))
        }
        Kind::Unary { operator: Unary::Always, of, .. } => format!("Always({})", albert(of)),
        Kind::Unary { operator: Unary::Eventually, interval, of, .. } => match interval.hi {
            None => format!("Eventually({})", albert(of)),
            Some(reach) => format!("Within({}, {reach})", albert(of)),
        },
        Kind::Binary { operator: Binary::Until, left, right, .. } => {
            format!("Until({}, {})", albert(left), albert(right))
        }
        Kind::InFuture { reach, of } => format!("InFuture({}, {reach})", albert(of)),
        Kind::OnEvent(occurrence) => on_event(occurrence),
        Kind::Compare(left, comparison, right) => format!("{} {comparison} {}", term(left), term(right)),
        Kind::Each { kind, variable, list, of } => {
            let word = match kind {
                QuantifierKind::Forall => "forall",
                QuantifierKind::Exists => "exists",
            };
            format!("({word} {} in {}; {})", variable.name, reference(list), albert(of))
        }
        Kind::Constant(_) | Kind::Atom(_) | Kind::Unary { .. } | Kind::Binary { .. } | Kind::Aggregate { .. } => {
            super::soloist(formula)
        }
    }
}

fn on_event(occurrence: &Occurrence) -> String {
    format!("onEvent({})", atom_text(&occurrence.event))
}

fn reference(reference: &Reference) -> String {
    let Reference { name, steps, .. } = reference;
    format!("${}", [std::slice::from_ref(name), steps.as_slice()].concat().join("/"))
}

fn term(of: &Term) -> String {
    match &of.kind {
        TermKind::Literal(value) => value.to_string(),
        TermKind::Time(quantity) => quantity.to_string(),
        TermKind::Variable(variable) => reference(variable),
        TermKind::Operation(operation, left, right) => {
            format!("({} {} {})", term(left), operation.symbol(), term(right))
        }
        TermKind::Past { of, event, back } => format!("past({}, {}, {back})", term(of), on_event(event)),
        TermKind::Count { of, window } => format!("count({}, {window})", albert(of)),
        TermKind::Fold { fold, of, window } => format!("{}({}, {window})", fold.word(), term(of)),
        TermKind::Elapsed(event) => format!("elapsed({})", on_event(event)),
    }
}
