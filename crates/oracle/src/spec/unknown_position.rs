// SPDX-License-Identifier: MIT OR Apache-2.0
//! Truth values at a position about which nothing is known: consequences of the formula's constants.
// RULE V2

use gnomon_core::{Clock, Duration, Interval};
use gnomon_ir::formula::{Binary, Connective, Formula, FormulaKind, Unary};

use super::window::interval_of;
use crate::truth::Truth;

pub(super) struct UnknownPosition {
    pub(super) clock: Clock,
}

impl UnknownPosition {
    pub(super) fn truth(&self, formula: &Formula) -> Truth {
        match &formula.kind {
            FormulaKind::Constant(value) => Truth::from(*value),
            FormulaKind::Not(of) => !self.truth(of),
            FormulaKind::Connective(connective, left, right) => {
                connect(*connective, self.truth(left), self.truth(right))
            }
            FormulaKind::Unary { operator, strict, times, interval, of } => {
                let interval = interval_of(self.clock, interval);
                (0..*times).fold(self.truth(of), |inner, _| unary(*operator, *strict, interval, inner))
            }
            FormulaKind::Binary { operator, strict, interval, left, right } => {
                let (left, right) = (self.truth(left), self.truth(right));
                let present = is_present(*strict, interval_of(self.clock, interval));
                match operator {
                    Binary::Until | Binary::Since => leads_to(*strict, present, left, right),
                    Binary::Release => !leads_to(*strict, present, !left, !right),
                    Binary::WeakUntil => !leads_to(*strict, present, !right, (!left).min(!right)),
                }
            }
            FormulaKind::Atom(_)
            | FormulaKind::Aggregate { .. }
            | FormulaKind::OnEvent(_)
            | FormulaKind::Compare(..)
            | FormulaKind::InFuture { .. }
            | FormulaKind::Each { .. } => Truth::Unknown,
        }
    }
}

/// A temporal operator at a position that nothing is known of, given what it is about.
pub(super) fn unary(operator: Unary, strict: bool, interval: Interval, inner: Truth) -> Truth {
    match operator {
        Unary::Next | Unary::Previous => inner.min(Truth::Unknown),
        _ if is_present(strict, interval) => inner,
        Unary::Eventually | Unary::Once => inner.min(Truth::Unknown),
        Unary::Always | Unary::Historically => inner.max(Truth::Unknown),
    }
}

/// Returns true if an operator includes the position where it is evaluated.
fn is_present(strict: bool, interval: Interval) -> bool {
    !strict && interval.contains(Duration::ZERO)
}

/// `right` here, or `left` here and `right` at another position, which there may be or not.
fn leads_to(strict: bool, present: bool, left: Truth, right: Truth) -> Truth {
    let elsewhere = right.min(Truth::Unknown);
    let elsewhere = if strict { elsewhere } else { elsewhere.min(left) };
    if present { elsewhere.max(right) } else { elsewhere }
}

pub(super) fn connect(connective: Connective, left: Truth, right: Truth) -> Truth {
    match connective {
        Connective::And => left.min(right),
        Connective::Or => left.max(right),
        Connective::Implies => (!left).max(right),
        Connective::Iff if left.is_definite() && right.is_definite() => Truth::from(left == right),
        Connective::Iff => Truth::Unknown,
    }
}
