// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be said of a formula at a position that nothing is known of: what follows from its constants alone.
// RULE V2

use gnomon_core::time::{Clock, Duration};
use gnomon_ir::formula::{Binary, Bounds, Connective, Formula, Kind, Unary};

use super::window::contains;
use crate::truth::Truth;

pub(super) struct Unseen {
    pub(super) clock: Clock,
}

impl Unseen {
    pub(super) fn truth(&self, formula: &Formula) -> Truth {
        match &formula.kind {
            Kind::Constant(value) => Truth::from(*value),
            Kind::Not(of) => !self.truth(of),
            Kind::Connective(connective, left, right) => connect(*connective, self.truth(left), self.truth(right)),
            Kind::Unary { operator, strict, times, interval, of } => {
                (0..*times).fold(self.truth(of), |inner, _| self.unary(*operator, *strict, interval, inner))
            }
            Kind::Binary { operator, strict, interval, left, right } => {
                let (left, right) = (self.truth(left), self.truth(right));
                let present = self.present(*strict, interval);
                match operator {
                    Binary::Until | Binary::Since => leads_to(*strict, present, left, right),
                    Binary::Release => !leads_to(*strict, present, !left, !right),
                    Binary::WeakUntil => !leads_to(*strict, present, !right, (!left).min(!right)),
                }
            }
            Kind::Atom(_)
            | Kind::Aggregate { .. }
            | Kind::OnEvent(_)
            | Kind::Compare(..)
            | Kind::InFuture { .. }
            | Kind::Each { .. } => Truth::Unknown,
        }
    }

    pub(super) fn unary(&self, operator: Unary, strict: bool, interval: &Bounds, inner: Truth) -> Truth {
        let present = self.present(strict, interval);
        match operator {
            Unary::Next | Unary::Previous => inner.min(Truth::Unknown),
            _ if present => inner,
            Unary::Eventually | Unary::Once => inner.min(Truth::Unknown),
            Unary::Always | Unary::Historically => inner.max(Truth::Unknown),
        }
    }

    /// Whether the operator looks at the position it stands at.
    fn present(&self, strict: bool, interval: &Bounds) -> bool {
        !strict && contains(self.clock, interval, Duration::ZERO)
    }
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
