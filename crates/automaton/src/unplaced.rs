// SPDX-License-Identifier: MIT OR Apache-2.0
//! Propositions without their places in the text: the same words at two places are the same proposition.

use gnomon_core::diagnostic::Span;
use gnomon_ir::formula::{Formula, Kind};
use gnomon_ir::pattern::{Argument, Atom};
use gnomon_ir::term::{Occurrence, Reference, Term, TermKind};

/// A proposition that stands nowhere. What may not stand in one is left as it is.
pub(crate) fn unplaced(formula: &Formula) -> Formula {
    let mut formula = formula.clone();
    in_formula(&mut formula);
    formula
}

fn in_formula(formula: &mut Formula) {
    formula.span = Span::default();
    match &mut formula.kind {
        Kind::Atom(atom) => in_atom(atom),
        Kind::OnEvent(occurrence) => in_occurrence(occurrence),
        Kind::Compare(left, _, right) => {
            in_term(left);
            in_term(right);
        }
        Kind::Each { variable, list, of, .. } => {
            variable.span = Span::default();
            in_reference(list);
            in_formula(of);
        }
        Kind::Not(of) | Kind::Unary { of, .. } | Kind::InFuture { of, .. } => in_formula(of),
        Kind::Connective(_, left, right) | Kind::Binary { left, right, .. } => {
            in_formula(left);
            in_formula(right);
        }
        Kind::Constant(_) | Kind::Aggregate { .. } => {}
    }
}

fn in_term(term: &mut Term) {
    term.span = Span::default();
    match &mut term.kind {
        TermKind::Literal(_) | TermKind::Time(_) => {}
        TermKind::Variable(reference) => in_reference(reference),
        TermKind::Operation(_, left, right) => {
            in_term(left);
            in_term(right);
        }
        TermKind::Past { of, event, .. } => {
            in_term(of);
            in_occurrence(event);
        }
        TermKind::Count { of, .. } => in_formula(of),
        TermKind::Fold { of, .. } => in_term(of),
        TermKind::Elapsed(event) => in_occurrence(event),
    }
}

fn in_reference(reference: &mut Reference) {
    reference.span = Span::default();
}

fn in_occurrence(occurrence: &mut Occurrence) {
    occurrence.span = Span::default();
    in_atom(&mut occurrence.event);
    if let Some((_, event)) = &mut occurrence.activity {
        in_atom(event);
    }
}

fn in_atom(atom: &mut Atom) {
    (atom.span, atom.name_span) = (Span::default(), Span::default());
    for argument in atom.arguments.iter_mut().flatten() {
        if let Argument::Variable(variable) = argument {
            variable.span = Span::default();
        }
    }
}
