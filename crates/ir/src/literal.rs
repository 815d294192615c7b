// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names like `start_X` that a trace has: then that event is meant, and no activity.

use crate::formula::{Aggregate, Formula, Kind};
use crate::term::{Occurrence, Term, TermKind};

/// RULE B4: reads every event with such a name as itself, wherever it stands in the formula.
pub fn take_literally(formula: &mut Formula, is_such: &dyn Fn(&str) -> bool) {
    match &mut formula.kind {
        Kind::Constant(_) | Kind::Atom(_) => {}
        Kind::OnEvent(occurrence) => in_occurrence(occurrence, is_such),
        Kind::Compare(left, _, right) => {
            in_term(left, is_such);
            in_term(right, is_such);
        }
        Kind::Not(of) | Kind::Unary { of, .. } | Kind::InFuture { of, .. } | Kind::Each { of, .. } => {
            take_literally(of, is_such);
        }
        Kind::Connective(_, left, right) | Kind::Binary { left, right, .. } => {
            take_literally(left, is_such);
            take_literally(right, is_such);
        }
        Kind::Aggregate { aggregate, .. } => match aggregate.as_mut() {
            Aggregate::Count { of, .. } | Aggregate::Average { of, .. } | Aggregate::Maximum { of, .. } => {
                take_literally(of, is_such);
            }
            Aggregate::Gap { from, to, .. } => {
                take_literally(from, is_such);
                take_literally(to, is_such);
            }
            Aggregate::Fold { .. } => {}
        },
    }
}

fn in_occurrence(occurrence: &mut Occurrence, is_such: &dyn Fn(&str) -> bool) {
    if is_such(&occurrence.event.name) {
        occurrence.activity = None;
    }
}

fn in_term(term: &mut Term, is_such: &dyn Fn(&str) -> bool) {
    match &mut term.kind {
        TermKind::Literal(_) | TermKind::Time(_) | TermKind::Variable(_) => {}
        TermKind::Operation(_, left, right) => {
            in_term(left, is_such);
            in_term(right, is_such);
        }
        TermKind::Past { of, event, .. } => {
            in_term(of, is_such);
            in_occurrence(event, is_such);
        }
        TermKind::Elapsed(event) => in_occurrence(event, is_such),
        TermKind::Count { of, .. } => take_literally(of, is_such),
        TermKind::Fold { of, .. } => in_term(of, is_such),
    }
}
