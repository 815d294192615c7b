// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conditions on data, `val(t + 1 < n && !(b || c == Open))`, and the values in them.
//!
//! Parentheses may hold a value or a condition, so both are read by one function and told apart afterwards.

use gnomon_core::diagnostic::Diagnostic;
use gnomon_core::number::Number;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::automaton::{Arithmetic, Expression};
use gnomon_ir::modal::Data;

use super::quantifier;
use super::refusal::beyond;
use super::syntax::{Context, Part, both, chain, over, skip_to};
use crate::specfile::condition::{comparison, respelt};
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;
use crate::specfile::literal::{Literal, literal};

/// Reads `val(condition)`; `None` if it could not be understood, which has been reported.
pub(super) fn val(cursor: &mut Cursor<'_>, context: &Context) -> Option<Part<Data>> {
    let start = cursor.bump().span;
    let opening = cursor.bump().span;
    let part = climb(cursor, context, Level::Implies);
    let mut data = part.and_then(|part| truth(cursor, part));
    if data.is_some() && !cursor.is(")") && !cursor.at_end() {
        let diagnostic = cursor.unexpected("`)`");
        cursor.blame(diagnostic.help("join conditions with `&&` or `||`"));
        data = None;
    }
    if data.is_none() {
        skip_to(cursor, ")");
        cursor.eat(")");
        return None;
    }
    let end = cursor.close(opening, ")")?;
    data.map(|data| Part { span: start.to(end), ..data })
}

/// Whether values that are compared stand here without `val`.
pub(super) fn begins_comparison(cursor: &Cursor<'_>) -> bool {
    let compared =
        matches!(cursor.nth(1).kind, Kind::Symbol("=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "=<" | "+" | "-"));
    compared && matches!(cursor.peek().kind, Kind::Word | Kind::Number | Kind::Text)
}

/// Reads a comparison that stands without `val`: reported, and read all the same.
pub(super) fn bare(cursor: &mut Cursor<'_>, context: &Context) -> Option<Part<Data>> {
    let part = climb(cursor, context, Level::Compare);
    let Some(data) = part.and_then(|part| truth(cursor, part)) else {
        cursor.hush();
        return None;
    };
    let written = cursor.slice(data.span);
    cursor.report(
        Diagnostic::error("G0159", data.span, format!("`{written}` stands without `val`"))
            .label("a condition on data")
            .edit("write it in `val(...)`", data.span, format!("val({written})")),
    );
    Some(data)
}

/// Reads a value.
pub(super) fn value(cursor: &mut Cursor<'_>, context: &Context) -> Option<Part<Expression>> {
    let part = climb(cursor, context, Level::Sum)?;
    plain(cursor, part)
}

/// How tightly operators bind, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implies,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Operand,
}

/// A value or a condition.
enum Mixed {
    Value(Expression),
    Truth(Data),
}

/// The value that a part is; a condition is reported.
fn plain(cursor: &mut Cursor<'_>, part: Part<Mixed>) -> Option<Part<Expression>> {
    let Part { node, span, depth } = part;
    match node {
        Mixed::Value(node) => Some(Part { node, span, depth }),
        Mixed::Truth(_) => {
            let diagnostic = Diagnostic::error("G0101", span, "expected a value, found a condition")
                .label("true or false, and no value")
                .help("compare values one pair at a time, and join the comparisons with `&&`");
            cursor.report(diagnostic);
            None
        }
    }
}

/// The condition that a part is: a variable is one that must be true; any other value is reported.
fn truth(cursor: &mut Cursor<'_>, part: Part<Mixed>) -> Option<Part<Data>> {
    let Part { node, span, depth } = part;
    let node = match node {
        Mixed::Truth(data) => data,
        Mixed::Value(Expression::Literal(Value::Bool(value))) => Data::Constant(value),
        Mixed::Value(variable @ Expression::Variable(_)) => {
            Data::Compare(variable, Comparison::Equal, Expression::Literal(Value::Bool(true)))
        }
        Mixed::Value(_) => {
            let written = cursor.slice(span);
            cursor.report(
                Diagnostic::error("G0101", span, "expected a condition, found a value")
                    .label("compared with nothing")
                    .help(format!("compare it: `{written} == true`, or with one of `== != < <= > >=`")),
            );
            return None;
        }
    };
    Some(Part { node, span, depth })
}

/// How tightly the operator at the current token binds, and how it should be spelt if that is otherwise.
fn infix(cursor: &Cursor<'_>) -> Option<(Level, Option<&'static str>)> {
    Some(match cursor.peek().kind {
        Kind::Symbol("=>") => (Level::Implies, None),
        Kind::Symbol("||") => (Level::Or, None),
        Kind::Symbol("|") => (Level::Or, Some("||")),
        Kind::Symbol("&&") => (Level::And, None),
        Kind::Symbol("&") => (Level::And, Some("&&")),
        Kind::Symbol("=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "=<") => (Level::Compare, None),
        Kind::Symbol("+" | "-") => (Level::Sum, None),
        Kind::Symbol("*" | "/" | ".") => (Level::Product, None),
        Kind::Word => match cursor.word()? {
            "or" => (Level::Or, None),
            "and" => (Level::And, None),
            "div" | "mod" | "in" => (Level::Product, None),
            _ => return None,
        },
        _ => return None,
    })
}

/// Reads operands and the operators between them that bind at least as tightly as `loosest`.
fn climb(cursor: &mut Cursor<'_>, context: &Context, loosest: Level) -> Option<Part<Mixed>> {
    cursor.grow();
    let mut left = if cursor.enter() { operand(cursor, context) } else { None };
    while let Some((level, meant)) = infix(cursor).filter(|(level, _)| *level >= loosest) {
        let Some(first) = left else { break };
        left = match level {
            Level::Implies => implies(cursor, context, first),
            Level::Or | Level::And => {
                let make = if level == Level::Or { Data::Or } else { Data::And };
                conditions(cursor, context, first, (level, meant), make)
            }
            Level::Compare => compare(cursor, context, first),
            Level::Sum => sum(cursor, context, first),
            Level::Product | Level::Operand => {
                let token = cursor.peek();
                let written = cursor.text(token);
                cursor.blame(beyond(&format!("`{written}`"), token.span));
                None
            }
        };
    }
    cursor.leave();
    left
}

/// `b => c` is `!b || c`.
fn implies(cursor: &mut Cursor<'_>, context: &Context, first: Part<Mixed>) -> Option<Part<Mixed>> {
    cursor.bump();
    let left = truth(cursor, first)?;
    let right = climb(cursor, context, Level::Implies)?;
    let right = truth(cursor, right)?;
    let span = left.span;
    let left = over(cursor, left, span, |left| Data::Not(Box::new(left)))?;
    both(cursor, left, right, |left, right| Mixed::Truth(Data::Or(Box::new(left), Box::new(right))))
}

fn conditions(
    cursor: &mut Cursor<'_>,
    context: &Context,
    first: Part<Mixed>,
    operator: (Level, Option<&'static str>),
    make: fn(Box<Data>, Box<Data>) -> Data,
) -> Option<Part<Mixed>> {
    let (level, _) = operator;
    let tighter = if level == Level::Or { Level::And } else { Level::Compare };
    let mut parts = vec![truth(cursor, first)?];
    while let Some((_, meant)) = infix(cursor).filter(|(found, _)| *found == level) {
        let token = cursor.bump();
        if let Some(meant) = meant {
            cursor.report(respelt(cursor.text(token), token.span, meant));
        }
        let part = climb(cursor, context, tighter)?;
        parts.push(truth(cursor, part)?);
    }
    chain(cursor, parts, make).map(|part| part.map(Mixed::Truth))
}

fn compare(cursor: &mut Cursor<'_>, context: &Context, first: Part<Mixed>) -> Option<Part<Mixed>> {
    let comparison = comparison(cursor)?;
    let left = plain(cursor, first)?;
    let right = value(cursor, context)?;
    both(cursor, left, right, |left, right| Mixed::Truth(Data::Compare(left, comparison, right)))
}

fn sum(cursor: &mut Cursor<'_>, context: &Context, first: Part<Mixed>) -> Option<Part<Mixed>> {
    let token = cursor.bump();
    let operator = if token.kind == Kind::Symbol("+") { Arithmetic::Add } else { Arithmetic::Subtract };
    let left = plain(cursor, first)?;
    let right = climb(cursor, context, Level::Product)?;
    let right = plain(cursor, right)?;
    both(cursor, left, right, |left, right| {
        Mixed::Value(Expression::Arithmetic(operator, Box::new(left), Box::new(right)))
    })
}

fn operand(cursor: &mut Cursor<'_>, context: &Context) -> Option<Part<Mixed>> {
    let token = cursor.peek();
    match token.kind {
        Kind::Symbol("(") => {
            cursor.bump();
            let inner = climb(cursor, context, Level::Implies)?;
            let end = cursor.close(token.span, ")")?;
            Some(Part { span: token.span.to(end), ..inner })
        }
        Kind::Symbol("!") => not(cursor, context),
        Kind::Symbol(constant @ ("true" | "false")) => {
            cursor.bump();
            Some(Part::leaf(Mixed::Truth(Data::Constant(constant == "true")), token.span))
        }
        Kind::Symbol("-") if cursor.nth(1).kind != Kind::Number => minus(cursor, context),
        Kind::Symbol("[" | "{") => {
            cursor.blame(beyond("a list or set", token.span));
            None
        }
        _ if quantifier::kind_at(cursor).is_some() => {
            cursor.blame(beyond("a quantifier", token.span));
            None
        }
        Kind::Word if cursor.text(token) == "not" => not(cursor, context),
        Kind::Word if cursor.nth_is(1, "(") => {
            let name = cursor.text(token);
            cursor.blame(beyond(&format!("the function `{name}`"), token.span));
            None
        }
        _ => leaf(cursor, context),
    }
}

fn not(cursor: &mut Cursor<'_>, context: &Context) -> Option<Part<Mixed>> {
    let start = cursor.bump().span;
    let of = climb(cursor, context, Level::Operand)?;
    let of = truth(cursor, of)?;
    let span = start.to(of.span);
    over(cursor, of, span, |of| Mixed::Truth(Data::Not(Box::new(of))))
}

/// `-x` is `0 - x`.
fn minus(cursor: &mut Cursor<'_>, context: &Context) -> Option<Part<Mixed>> {
    let start = cursor.bump().span;
    let of = climb(cursor, context, Level::Operand)?;
    let of = plain(cursor, of)?;
    let span = start.to(of.span);
    let zero = Expression::Literal(Value::Number(Number::Int(0)));
    over(cursor, of, span, |of| {
        Mixed::Value(Expression::Arithmetic(Arithmetic::Subtract, Box::new(zero), Box::new(of)))
    })
}

fn leaf(cursor: &mut Cursor<'_>, context: &Context) -> Option<Part<Mixed>> {
    let value = match literal(cursor) {
        Some((Literal::Value(value), span)) => (Expression::Literal(value), span),
        Some((Literal::Word(span), _)) => (context.meaning(cursor.slice(span), span), span),
        None => {
            cursor.expected("a value");
            return None;
        }
    };
    Some(Part::leaf(Mixed::Value(value.0), value.1))
}
