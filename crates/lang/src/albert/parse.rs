// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses tokens to [`Syntax`]: the operands and operators that only this language has.

use gnomon_core::{Comparison, Diagnostic, Number, Span, Value};
use gnomon_ir::term::Operation;

use super::lower::is_formula;
use super::syntax::{AlbertForm, Syntax, is_value};
use super::{call, foreign, list_quantifier, value};
use crate::syntax::connective::connective;
use crate::syntax::formula::{self, constant, missing, not, parenthesised};
use crate::syntax::logic::take_operator;
use crate::syntax::quantifier::kind_at;
use crate::syntax::{Cursor, Grammar, Infix, Precedence, SyntaxKind, Token, comparison, is_comparison, respelt};

/// Reads the whole text as one formula.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Syntax {
    formula::whole(cursor, &Albert)
}

/// Reads operands and the operators between them that bind at least as tightly as `loosest`.
pub(super) fn climb(cursor: &mut Cursor<'_>, loosest: Precedence) -> Syntax {
    formula::climb(cursor, &Albert, loosest)
}

/// Reads on to where a part should have ended, and reports the tokens in between.
pub(super) fn leftovers(cursor: &mut Cursor<'_>, ends: &[&str]) {
    formula::leftovers(cursor, &Albert, ends);
}

/// Creates a node of this language.
pub(super) fn node(cursor: &mut Cursor<'_>, form: AlbertForm, span: Span) -> Syntax {
    formula::node(cursor, SyntaxKind::Own(form), span)
}

/// Formulae and values.
pub(super) struct Albert;

impl Grammar for Albert {
    type Form = AlbertForm;

    const OPERAND: &'static str = "a formula or a value";
    // Values cannot be negated, so `!$x > 3` is `!($x > 3)`.
    const NEGATED: Precedence = Precedence::Compare;
    const ENDS: &'static [&'static str] = &[")"];

    fn operand(&self, cursor: &mut Cursor<'_>) -> Syntax {
        match cursor.peek().kind {
            Token::Symbol("(") if kind_at(cursor, 1).is_some() => list_quantifier::each(cursor),
            Token::Symbol("(") => parenthesised(cursor, self),
            Token::Symbol("!" | "~") => not(cursor, self),
            Token::Symbol(value @ ("true" | "false")) => constant(cursor, value == "true"),
            Token::Symbol("-") => minus(cursor),
            Token::Symbol("$") => value::variable(cursor),
            Token::Number => value::number(cursor, None),
            Token::Text | Token::OpenText => value::text(cursor),
            Token::Word => word(cursor),
            Token::Unknown if kind_at(cursor, 0).is_some() => list_quantifier::bare(cursor),
            _ => missing(cursor, self),
        }
    }

    fn starts_operand(&self, cursor: &Cursor<'_>) -> bool {
        starts_operand(cursor)
    }

    fn infix(&self, cursor: &Cursor<'_>, left: Option<&Syntax>) -> Option<Infix> {
        infix(cursor, left.is_some_and(is_value))
    }

    fn apply(&self, cursor: &mut Cursor<'_>, level: Precedence, left: Syntax) -> Syntax {
        match level {
            Precedence::Temporal => foreign::infix(cursor, &left),
            Precedence::Compare => compare(cursor, left),
            _ => arithmetic(cursor, left),
        }
    }

    fn advice(&self, token: Token, text: &str) -> Option<String> {
        match token {
            Token::Symbol("=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "*" | "/") => {
                Some(format!("write a value on both sides of `{text}`"))
            }
            Token::Symbol("{") => Some("group with `(` and `)`".to_owned()),
            _ => None,
        }
    }

    fn joins(&self, token: Token) -> String {
        let advice = match token {
            Token::Symbol("[") => "conditions on an event's fields belong inside `onEvent`: `onEvent(Pay[amount > 5])`",
            _ => "join formulae with `&& || -> <->`, values with `+ - * /`",
        };
        advice.to_owned()
    }
}

/// Returns true if the current token begins a formula or a value.
pub(super) fn starts_operand(cursor: &Cursor<'_>) -> bool {
    match cursor.peek().kind {
        Token::Text | Token::OpenText | Token::Number | Token::Symbol("(" | "!" | "~" | "$" | "true" | "false") => true,
        Token::Word => infix(cursor, false).is_none(),
        Token::Unknown => kind_at(cursor, 0).is_some(),
        _ => false,
    }
}

/// Returns the operator at the current token, and its right spelling if it is spelt differently there. After a value,
/// `=>` can only be meant to compare.
pub(super) fn infix(cursor: &Cursor<'_>, after_value: bool) -> Option<Infix> {
    let token = cursor.peek();
    if after_value && token.kind == Token::Symbol("=>") {
        return Some((Precedence::Compare, None));
    }
    if let Some((connective, meant)) = connective(cursor) {
        return Some((connective.into(), meant));
    }
    let level = match token.kind {
        kind if is_comparison(kind) => Precedence::Compare,
        Token::Symbol("+" | "-") => Precedence::Sum,
        Token::Symbol("*" | "/" | "%") => Precedence::Product,
        // The rest of `$n-1`.
        Token::Word if cursor.text(token).starts_with('-') => Precedence::Sum,
        Token::Word if foreign::is_infix(cursor.text(token)) => Precedence::Temporal,
        _ => return None,
    };
    Some((level, None))
}

/// Returns true if the current token compares the value before it.
fn compares(cursor: &Cursor<'_>) -> bool {
    matches!(infix(cursor, true), Some((Precedence::Compare, _)))
}

fn compare(cursor: &mut Cursor<'_>, left: Syntax) -> Syntax {
    let token = cursor.peek();
    let Some(comparison) = comparison(cursor) else { return left };
    let before = cursor.count();
    let right = climb(cursor, Precedence::Sum);
    if compares(cursor) {
        return chained(cursor, &left, &right);
    }
    let span = left.outer.to(right.outer);
    if comparison == Comparison::Equal && is_formula(&left) && is_formula(&right) {
        let sides = (cursor.count() == before).then_some((left.outer, right.outer));
        equivalent(cursor, token.span, sides);
        return Syntax::missing(span);
    }
    node(cursor, AlbertForm::Compare(left, comparison, right), span)
}

/// Reports `f = g` of two formulae.
#[inline(never)]
fn equivalent(cursor: &mut Cursor<'_>, sign: Span, sides: Option<(Span, Span)>) {
    let diagnostic = respelt(cursor.slice(sign), sign, "<->");
    cursor.report(match sides {
        Some((left, right)) => {
            let written = format!("({} <-> {})", cursor.slice(left), cursor.slice(right));
            diagnostic.edit(format!("write `{written}`"), left.to(right), written)
        }
        None => diagnostic,
    });
}

/// Reports and skips the rest of `1 < $x < 5`.
#[inline(never)]
fn chained(cursor: &mut Cursor<'_>, left: &Syntax, right: &Syntax) -> Syntax {
    let token = cursor.peek();
    let middle = cursor.slice(right.outer);
    cursor.report_once(
        Diagnostic::error("G0137", token.span, "two values are compared at a time")
            .label(format!("`{middle}` is already compared"))
            .also(left.outer.to(right.outer), "here")
            .edit("write two comparisons", token.span, format!("&& {middle} {}", cursor.text(token))),
    );
    while compares(cursor) {
        cursor.bump();
        climb(cursor, Precedence::Sum);
    }
    Syntax::missing(left.outer)
}

fn arithmetic(cursor: &mut Cursor<'_>, left: Syntax) -> Syntax {
    let token = cursor.peek();
    let (operation, tighter) = match token.kind {
        Token::Symbol("+") => (Operation::Add, Precedence::Product),
        Token::Symbol("*") => (Operation::Multiply, Precedence::Operand),
        Token::Symbol("/") => {
            if !value::divides(cursor, &left) {
                return Syntax::missing(left.outer);
            }
            (Operation::Divide, Precedence::Operand)
        }
        Token::Symbol("%") => {
            cursor.expected_help("one of `+ - * /`", "values are added, subtracted, multiplied and divided only");
            (Operation::Divide, Precedence::Operand)
        }
        _ => (Operation::Subtract, Precedence::Product),
    };
    take_operator(cursor);
    let right = climb(cursor, tighter);
    let span = left.outer.to(right.outer);
    node(cursor, AlbertForm::Operation(operation, left, right), span)
}

/// Reads a negative number, or `-x` as `0 - x`.
fn minus(cursor: &mut Cursor<'_>) -> Syntax {
    let minus = cursor.bump().span;
    let of = if cursor.peek().kind == Token::Number {
        value::number(cursor, Some(minus))
    } else {
        climb(cursor, Precedence::Operand)
    };
    if of.outer.start == minus.start {
        return of;
    }
    let span = minus.to(of.outer);
    let zero = Syntax::new(SyntaxKind::Own(AlbertForm::Literal(Value::Number(Number::Int(0)))), minus);
    node(cursor, AlbertForm::Operation(Operation::Subtract, zero, of), span)
}

fn word(cursor: &mut Cursor<'_>) -> Syntax {
    let token = cursor.peek();
    let text = cursor.text(token);
    match text {
        "true" | "false" => constant(cursor, text == "true"),
        "null" => {
            cursor.bump();
            node(cursor, AlbertForm::Literal(Value::Null), token.span)
        }
        "not" | "NOT" => not(cursor, &Albert),
        "forall" | "exists" if list_quantifier::follows(cursor) => list_quantifier::bare(cursor),
        _ if text.starts_with(|first: char| first.is_ascii_digit()) => value::number(cursor, None),
        _ if foreign::is_prefix(cursor) => foreign::prefix(cursor),
        _ => call::call(cursor),
    }
}
