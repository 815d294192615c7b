// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes conditions over variables as code, with words for the connectives.

use gnomon_ir::{Expression, Guard};

/// Writes a condition: "`price > best` and `n = 3`".
pub(super) fn condition(guard: &Guard) -> String {
    match guard {
        Guard::Constant(value) => format!("`{value}`"),
        Guard::Compare(left, comparison, right) => {
            format!("`{} {} {}`", expression(left), comparison.symbol(), expression(right))
        }
        Guard::Not(of) => format!("not {}", operand(of)),
        Guard::And(left, right) => format!("{} and {}", operand(left), operand(right)),
        Guard::Or(left, right) => format!("{} or {}", operand(left), operand(right)),
    }
}

fn operand(guard: &Guard) -> String {
    match guard {
        Guard::And(..) | Guard::Or(..) => format!("({})", condition(guard)),
        _ => condition(guard),
    }
}

/// Writes a computed value as code, without backquotes.
pub(super) fn expression(of: &Expression) -> String {
    let side = |of: &Expression| match of {
        Expression::Arithmetic(..) => format!("({})", expression(of)),
        _ => expression(of),
    };
    match of {
        Expression::Literal(value) => value.to_string(),
        Expression::Variable(variable) => variable.name.clone(),
        Expression::Arithmetic(arithmetic, left, right) => {
            format!("{} {} {}", side(left), arithmetic.symbol(), side(right))
        }
    }
}
