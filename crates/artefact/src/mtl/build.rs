// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds formulae and simplifies constants.

use gnomon_core::{Comparison, Quantity, Span};
use gnomon_ir::{Aggregate, Atom, Binary, Bounds, Connective, Formula, FormulaKind, Unary};

fn formula(kind: FormulaKind) -> Formula {
    Formula { kind, span: Span::default() }
}

pub(super) fn yes() -> Formula {
    formula(FormulaKind::Constant(true))
}

pub(super) fn no() -> Formula {
    formula(FormulaKind::Constant(false))
}

pub(super) fn atom(atom: &Atom) -> Formula {
    formula(FormulaKind::Atom(atom.clone()))
}

pub(super) fn not(of: Formula) -> Formula {
    match of.kind {
        FormulaKind::Not(of) => *of,
        FormulaKind::Constant(value) => formula(FormulaKind::Constant(!value)),
        _ => raw_not(of),
    }
}

/// Returns the negation without simplification.
pub(super) fn raw_not(of: Formula) -> Formula {
    formula(FormulaKind::Not(Box::new(of)))
}

fn connective(connective: Connective, left: Formula, right: Formula) -> Formula {
    formula(FormulaKind::Connective(connective, Box::new(left), Box::new(right)))
}

pub(super) fn and(left: Formula, right: Formula) -> Formula {
    match (&left.kind, &right.kind) {
        (FormulaKind::Constant(true), _) | (_, FormulaKind::Constant(false)) => right,
        (_, FormulaKind::Constant(true)) | (FormulaKind::Constant(false), _) => left,
        _ => connective(Connective::And, left, right),
    }
}

pub(super) fn or(left: Formula, right: Formula) -> Formula {
    match (&left.kind, &right.kind) {
        (FormulaKind::Constant(false), _) | (_, FormulaKind::Constant(true)) => right,
        (_, FormulaKind::Constant(false)) | (FormulaKind::Constant(true), _) => left,
        _ => connective(Connective::Or, left, right),
    }
}

pub(super) fn implies(left: Formula, right: Formula) -> Formula {
    match (&left.kind, &right.kind) {
        (FormulaKind::Constant(true), _) | (_, FormulaKind::Constant(true)) => right,
        _ => connective(Connective::Implies, left, right),
    }
}

pub(super) fn iff(left: Formula, right: Formula) -> Formula {
    match (&left.kind, &right.kind) {
        (FormulaKind::Constant(value), _) => {
            if *value {
                right
            } else {
                not(right)
            }
        }
        (_, FormulaKind::Constant(value)) => {
            if *value {
                left
            } else {
                not(left)
            }
        }
        _ => connective(Connective::Iff, left, right),
    }
}

fn unary(operator: Unary, interval: Bounds, of: Formula) -> Formula {
    formula(FormulaKind::Unary { operator, strict: false, times: 1, interval, of: Box::new(of) })
}

pub(super) fn always(of: Formula) -> Formula {
    unary(Unary::Always, Bounds::ANY, of)
}

pub(super) fn eventually(of: Formula) -> Formula {
    unary(Unary::Eventually, Bounds::ANY, of)
}

pub(super) fn next(of: Formula) -> Formula {
    next_in(Bounds::ANY, of)
}

pub(super) fn next_in(interval: Bounds, of: Formula) -> Formula {
    unary(Unary::Next, interval, of)
}

/// Returns a formula that is true at the last position, and where `of` is true at the next one.
pub(super) fn weak_next(of: Formula) -> Formula {
    if of.kind == FormulaKind::Constant(true) { of } else { not(next(not(of))) }
}

pub(super) fn previous(of: Formula) -> Formula {
    previous_in(Bounds::ANY, of)
}

pub(super) fn previous_in(interval: Bounds, of: Formula) -> Formula {
    unary(Unary::Previous, interval, of)
}

pub(super) fn once(of: Formula) -> Formula {
    once_in(Bounds::ANY, of)
}

pub(super) fn once_in(interval: Bounds, of: Formula) -> Formula {
    unary(Unary::Once, interval, of)
}

fn binary(operator: Binary, interval: Bounds, left: Formula, right: Formula) -> Formula {
    formula(FormulaKind::Binary { operator, strict: false, interval, left: Box::new(left), right: Box::new(right) })
}

pub(super) fn until(left: Formula, right: Formula) -> Formula {
    until_in(Bounds::ANY, left, right)
}

pub(super) fn until_in(interval: Bounds, left: Formula, right: Formula) -> Formula {
    if left.kind == FormulaKind::Constant(true) {
        return unary(Unary::Eventually, interval, right);
    }
    binary(Binary::Until, interval, left, right)
}

pub(super) fn since(left: Formula, right: Formula) -> Formula {
    since_in(Bounds::ANY, left, right)
}

pub(super) fn since_in(interval: Bounds, left: Formula, right: Formula) -> Formula {
    if left.kind == FormulaKind::Constant(true) {
        return once_in(interval, right);
    }
    binary(Binary::Since, interval, left, right)
}

pub(super) fn weak_until(left: Formula, right: Formula) -> Formula {
    binary(Binary::WeakUntil, Bounds::ANY, left, right)
}

pub(super) fn release(left: Formula, right: Formula) -> Formula {
    binary(Binary::Release, Bounds::ANY, left, right)
}

/// Compares the number of positions of the last `window` at which `of` was true with a bound.
pub(super) fn count(window: Quantity, of: Formula, comparison: Comparison, bound: u64) -> Formula {
    let bound = Quantity::whole(i64::try_from(bound).unwrap_or(i64::MAX));
    let aggregate = Box::new(Aggregate::Count { window, closed: true, of });
    formula(FormulaKind::Aggregate { aggregate, comparison, bound, full_window: false })
}
