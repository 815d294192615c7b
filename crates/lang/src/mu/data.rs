// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conditions on data, `val(t + 1 < n && !(b || c == Open))`, and the values in them.

use gnomon_core::{Comparison, Diagnostic, Value};
use gnomon_ir::{Arithmetic, DataCondition, Expression};

use super::refusal::unsupported_data;
use super::scope::{NameScope, close};
use crate::syntax::literal::literal;
use crate::syntax::logic::{self, condition, is_minus, minus, not, parenthesised};
use crate::syntax::quantifier::kind_at;
use crate::syntax::{Cursor, Infix, Literal, Logic, Operand, Precedence, Subtree, Token, is_comparison};

/// Reads `val(condition)`. Returns `None` after reporting an error.
pub(super) fn val(cursor: &mut Cursor<'_>, scope: &NameScope) -> Option<Subtree<DataCondition>> {
    let start = cursor.bump().span;
    let opening = cursor.bump().span;
    let mut data = condition(cursor, &DataLogic(scope), Precedence::Implies);
    if data.is_some() && !cursor.is(")") && !cursor.at_end() {
        data = cursor.expected_help("`)`", "join conditions with `&&` or `||`").none();
    }
    let end = close(cursor, opening, data.is_some())?;
    data.map(|data| Subtree { span: start.to(end), ..data })
}

/// Returns true if a comparison stands here without `val`.
pub(super) fn begins_comparison(cursor: &Cursor<'_>) -> bool {
    let next = cursor.nth(1).kind;
    let compared = next != Token::Symbol("=>") && is_comparison(next);
    (compared || matches!(next, Token::Symbol("+" | "-")))
        && matches!(cursor.peek().kind, Token::Word | Token::Number | Token::Text)
}

/// Reads a comparison that is not inside `val`, which is reported.
pub(super) fn bare(cursor: &mut Cursor<'_>, scope: &NameScope) -> Option<Subtree<DataCondition>> {
    let Some(data) = condition(cursor, &DataLogic(scope), Precedence::Compare) else {
        cursor.suppress();
        return None;
    };
    let written = cursor.slice(data.span);
    cursor.report(
        Diagnostic::error("G0159", data.span, format!("`{written}` is not inside `val`"))
            .label("a condition on data")
            .edit("write it in `val(...)`", data.span, format!("val({written})")),
    );
    Some(data)
}

/// Reads a value.
pub(super) fn value(cursor: &mut Cursor<'_>, scope: &NameScope) -> Option<Subtree<Expression>> {
    logic::value(cursor, &DataLogic(scope), Precedence::Sum)
}

/// Conditions in which words have the meaning that the scope gives them.
struct DataLogic<'c>(&'c NameScope);

impl Logic for DataLogic<'_> {
    const NEGATED: Precedence = Precedence::Operand;
    const STOPS_AT_LEFT: bool = true;
    const EQUAL: &'static str = "==";
    const VALUES: &'static str = "compare values one pair at a time, and join the comparisons with `&&`";

    fn infix(&self, cursor: &Cursor<'_>) -> Option<Infix> {
        Some(match cursor.symbol_or_word()? {
            "=>" => (Precedence::Implies, None),
            "||" | "or" => (Precedence::Or, None),
            "|" => (Precedence::Or, Some("||")),
            "&&" | "and" => (Precedence::And, None),
            "&" => (Precedence::And, Some("&&")),
            "+" | "-" => (Precedence::Sum, None),
            "*" | "/" | "." | "div" | "mod" | "in" => (Precedence::Product, None),
            _ if is_comparison(cursor.peek().kind) => (Precedence::Compare, None),
            _ => return None,
        })
    }

    fn operand(&self, cursor: &mut Cursor<'_>) -> Option<Subtree<Operand>> {
        let token = cursor.peek();
        let diagnostic = match token.kind {
            Token::Symbol("(") => return parenthesised(cursor, self),
            Token::Symbol("!") => return not(cursor, self, None),
            Token::Symbol(constant @ ("true" | "false")) => {
                cursor.bump();
                return Some(Subtree::leaf(
                    Operand::Condition(DataCondition::Constant(constant == "true")),
                    token.span,
                ));
            }
            _ if is_minus(cursor) => return minus(cursor, self),
            Token::Symbol("[" | "{") => unsupported_data("a list or set", token.span),
            _ if kind_at(cursor, 0).is_some() => unsupported_data("a quantifier", token.span),
            Token::Word if cursor.text(token) == "not" => return not(cursor, self, None),
            Token::Word if cursor.nth_is(1, "(") => {
                unsupported_data(&format!("the function `{}`", cursor.text(token)), token.span)
            }
            _ => return self.leaf(cursor),
        };
        cursor.report_once(diagnostic).none()
    }

    fn multiplication(&self, cursor: &mut Cursor<'_>) -> Option<Arithmetic> {
        let token = cursor.peek();
        cursor.report_once(unsupported_data(&format!("`{}`", cursor.text(token)), token.span)).none()
    }

    /// A variable alone is a condition: it must be true.
    fn of_value(value: &Expression) -> Option<DataCondition> {
        match value {
            Expression::Literal(Value::Bool(value)) => Some(DataCondition::Constant(*value)),
            Expression::Variable(_) => {
                Some(DataCondition::Compare(value.clone(), Comparison::Equal, Expression::Literal(Value::Bool(true))))
            }
            _ => None,
        }
    }
}

impl DataLogic<'_> {
    fn leaf(&self, cursor: &mut Cursor<'_>) -> Option<Subtree<Operand>> {
        let (value, span) = match literal(cursor) {
            Some((Literal::Value(value), span)) => (Expression::Literal(value), span),
            Some((Literal::Word(span), _)) => (self.0.meaning(cursor.slice(span), span), span),
            None => return cursor.expected("a value").none(),
        };
        Some(Subtree::leaf(Operand::Value(value), span))
    }
}
