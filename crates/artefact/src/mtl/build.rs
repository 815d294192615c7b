// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae put together, without what is plainly superfluous.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_core::value::Comparison;
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Formula, Kind, Unary};
use gnomon_ir::pattern::Atom;

fn formula(kind: Kind) -> Formula {
    Formula { kind, span: Span::default() }
}

pub(super) fn yes() -> Formula {
    formula(Kind::Constant(true))
}

pub(super) fn no() -> Formula {
    formula(Kind::Constant(false))
}

pub(super) fn atom(atom: &Atom) -> Formula {
    formula(Kind::Atom(atom.clone()))
}

pub(super) fn not(of: Formula) -> Formula {
    match of.kind {
        Kind::Not(of) => *of,
        Kind::Constant(value) => formula(Kind::Constant(!value)),
        _ => raw_not(of),
    }
}

/// The negation as it is, for a place where it must stand.
pub(super) fn raw_not(of: Formula) -> Formula {
    formula(Kind::Not(Box::new(of)))
}

fn connective(connective: Connective, left: Formula, right: Formula) -> Formula {
    formula(Kind::Connective(connective, Box::new(left), Box::new(right)))
}

pub(super) fn and(left: Formula, right: Formula) -> Formula {
    match (&left.kind, &right.kind) {
        (Kind::Constant(true), _) | (_, Kind::Constant(false)) => right,
        (_, Kind::Constant(true)) | (Kind::Constant(false), _) => left,
        _ => connective(Connective::And, left, right),
    }
}

pub(super) fn or(left: Formula, right: Formula) -> Formula {
    match (&left.kind, &right.kind) {
        (Kind::Constant(false), _) | (_, Kind::Constant(true)) => right,
        (_, Kind::Constant(false)) | (Kind::Constant(true), _) => left,
        _ => connective(Connective::Or, left, right),
    }
}

pub(super) fn implies(left: Formula, right: Formula) -> Formula {
    match (&left.kind, &right.kind) {
        (Kind::Constant(true), _) | (_, Kind::Constant(true)) => right,
        _ => connective(Connective::Implies, left, right),
    }
}

fn unary(operator: Unary, interval: Bounds, of: Formula) -> Formula {
    formula(Kind::Unary { operator, strict: false, times: 1, interval, of: Box::new(of) })
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

/// True at the last position, and where it is true at the next one.
pub(super) fn weak_next(of: Formula) -> Formula {
    if of.kind == Kind::Constant(true) { of } else { not(next(not(of))) }
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
    formula(Kind::Binary { operator, strict: false, interval, left: Box::new(left), right: Box::new(right) })
}

pub(super) fn until(left: Formula, right: Formula) -> Formula {
    until_in(Bounds::ANY, left, right)
}

pub(super) fn until_in(interval: Bounds, left: Formula, right: Formula) -> Formula {
    if left.kind == Kind::Constant(true) {
        return unary(Unary::Eventually, interval, right);
    }
    binary(Binary::Until, interval, left, right)
}

pub(super) fn since(left: Formula, right: Formula) -> Formula {
    since_in(Bounds::ANY, left, right)
}

pub(super) fn since_in(interval: Bounds, left: Formula, right: Formula) -> Formula {
    if left.kind == Kind::Constant(true) {
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

/// At how many positions of the last `window` it was true.
pub(super) fn count(window: Quantity, of: Formula, comparison: Comparison, bound: u64) -> Formula {
    let bound = Quantity::whole(i64::try_from(bound).unwrap_or(i64::MAX));
    let aggregate = Box::new(Aggregate::Count { window, closed: true, of });
    formula(Kind::Aggregate { aggregate, comparison, bound, full_window: false })
}
