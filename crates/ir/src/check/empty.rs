// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a formula says of a complete trace without positions.
// RULE V12

use crate::formula::{Aggregate, Binary, Connective, Fold, Formula, Kind, Unary};
use crate::spec::QuantifierKind;

pub(super) fn holds(formula: &Formula) -> bool {
    match &formula.kind {
        Kind::Constant(value) => *value,
        Kind::Not(of) => !holds(of),
        Kind::Connective(connective, left, right) => {
            let (left, right) = (holds(left), holds(right));
            match connective {
                Connective::And => left && right,
                Connective::Or => left || right,
                Connective::Implies => !left || right,
                Connective::Iff => left == right,
            }
        }
        Kind::Unary { operator, times, of, .. } => match operator {
            _ if *times == 0 => holds(of),
            Unary::Always | Unary::Historically => true,
            Unary::Eventually | Unary::Once | Unary::Next | Unary::Previous => false,
        },
        Kind::Binary { operator, .. } => matches!(operator, Binary::WeakUntil | Binary::Release),
        Kind::Each { kind, .. } => *kind == QuantifierKind::Forall,
        Kind::Atom(_)
        | Kind::OnEvent(_)
        | Kind::Compare(..)
        | Kind::InFuture { .. }
        | Kind::Aggregate { full_window: true, .. } => false,
        Kind::Aggregate { aggregate, comparison, bound, .. } => match aggregate.as_ref() {
            Aggregate::Gap { .. } | Aggregate::Fold { fold: Fold::Mean | Fold::Least | Fold::Greatest, .. } => false,
            Aggregate::Count { .. }
            | Aggregate::Average { .. }
            | Aggregate::Maximum { .. }
            | Aggregate::Fold { fold: Fold::Sum, .. } => comparison.accepts(0.cmp(&bound.billionths)),
        },
    }
}
