// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae over states.

use gnomon_ir::formula::{Binary, Formula, FormulaKind, Unary};
use gnomon_ir::spec::QuantifierKind;
use gnomon_ir::term::{Occurrence, Reference, Term, TermKind};

use super::{atom_text, symbol};
use crate::build::state::condition_of_becomes;

/// A formula's text, in ALBERT.
pub fn albert(formula: &Formula) -> String {
    if let Some(of) = condition_of_becomes(formula) {
        return format!("Becomes({})", albert(of));
    }
    match &formula.kind {
        FormulaKind::Not(of) => format!("!({})", albert(of)),
        FormulaKind::Connective(connective, left, right) => {
            format!("({}) {} ({})", albert(left), symbol(*connective), albert(right))
        }
        FormulaKind::Unary { operator: Unary::Always, of, .. } => format!("Always({})", albert(of)),
        FormulaKind::Unary { operator: Unary::Eventually, interval, of, .. } => match interval.hi {
            None => format!("Eventually({})", albert(of)),
            Some(reach) => format!("Within({}, {reach})", albert(of)),
        },
        FormulaKind::Binary { operator: Binary::Until, left, right, .. } => {
            format!("Until({}, {})", albert(left), albert(right))
        }
        FormulaKind::InFuture { reach, of } => format!("InFuture({}, {reach})", albert(of)),
        FormulaKind::OnEvent(occurrence) => on_event(occurrence),
        FormulaKind::Compare(left, comparison, right) => format!("{} {comparison} {}", term(left), term(right)),
        FormulaKind::Each { kind, variable, list, of } => {
            let word = match kind {
                QuantifierKind::Forall => "forall",
                QuantifierKind::Exists => "exists",
            };
            format!("({word} {} in {}; {})", variable.name, reference(list), albert(of))
        }
        FormulaKind::Constant(_)
        | FormulaKind::Atom(_)
        | FormulaKind::Unary { .. }
        | FormulaKind::Binary { .. }
        | FormulaKind::Aggregate { .. } => super::soloist(formula),
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
