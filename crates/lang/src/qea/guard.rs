// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conditions over variables, `[ s1 != s2 and n < 9 ]`, and assignments, `[ n = n + 1; m = s2 ]`.

use gnomon_core::number::NumberError;
use gnomon_core::{Number, Span};
use gnomon_ir::automaton::{Arithmetic, Assignment, Expression, Guard};

use crate::syntax::condition::skip_bracket;
use crate::syntax::literal::{self, literal, variable};
use crate::syntax::logic::{self, condition, is_minus, minus, not, parenthesised};
use crate::syntax::{Cursor, Infix, Literal, Logic, Operand, Precedence, Subtree, Token, is_comparison, respelt};

/// Reads `[ condition ]`. Returns `None` after reporting an error; reading continues behind the bracket.
pub(super) fn bracketed(cursor: &mut Cursor<'_>) -> Option<Guard> {
    let opening = open(cursor, "a condition in brackets, as in `[ n < 9 ]`")?;
    let guard = condition(cursor, &GuardLogic, Precedence::Or).map(|part| part.node);
    close(cursor, opening, guard)
}

/// Reads `[ variable = value; ... ]`. Returns `None` after reporting an error; reading continues behind the bracket.
pub(super) fn assignments(cursor: &mut Cursor<'_>) -> Option<Vec<Assignment>> {
    let opening = open(cursor, "assignments in brackets, as in `[ n = n + 1 ]`")?;
    let mut assignments = Vec::new();
    let mut understood = true;
    while understood && !cursor.is("]") && !cursor.at_end() {
        let read = assignment(cursor);
        understood = read.is_some();
        assignments.extend(read);
        if cursor.eat(";").is_none() && cursor.eat(",").is_none() {
            break;
        }
    }
    close(cursor, opening, understood.then_some(assignments))
}

/// Takes the opening bracket; a parenthesis in its place is reported and taken.
fn open(cursor: &mut Cursor<'_>, what: &str) -> Option<Span> {
    if let Some(opening) = cursor.eat("[") {
        return Some(opening);
    }
    if !cursor.is("(") {
        return cursor.expected(what).none();
    }
    let diagnostic = cursor.mismatch("`[`", "brackets must surround this");
    cursor.report(diagnostic.help("write `[` and `]` instead of `(` and `)`"));
    Some(cursor.bump().span)
}

/// Takes the closing bracket, or skips to it.
fn close<T>(cursor: &mut Cursor<'_>, opening: Span, read: Option<T>) -> Option<T> {
    let closing = if cursor.slice(opening) == "(" { ")" } else { "]" };
    if read.is_some() && cursor.eat(closing).is_some() {
        return read;
    }
    if read.is_some() {
        cursor.unclosed(opening, closing);
    }
    skip_bracket(cursor);
    None
}

/// Reads `variable = value`.
fn assignment(cursor: &mut Cursor<'_>) -> Option<Assignment> {
    let Some(word) = cursor.word() else {
        return cursor.expected("a variable that gets a value").none();
    };
    // The lexer reads `n-1` as one word, which cannot be a variable.
    let span = cursor.bump().span;
    let variable = variable(cursor, span)?;
    let (first, second) = (cursor.peek(), cursor.nth(1));
    let both = first.span.to(second.span);
    match (first.kind, second.kind) {
        (Token::Symbol("="), _) => {}
        (Token::Symbol("=="), _) => cursor.report(respelt("==", first.span, "=")),
        (Token::Symbol(sign @ (":" | "+" | "-" | "*")), Token::Symbol("=")) => {
            let (written, meant) = match sign {
                ":" => (":=", "=".to_owned()),
                _ => (cursor.slice(both), format!("= {word} {sign}")),
            };
            cursor.report(respelt(written, both, &meant));
            cursor.bump();
        }
        _ => {
            let help = format!("give the variable a value: `{word} = {word} + 1`");
            return cursor.expected_help("`=` and a value", help).none();
        }
    }
    cursor.bump();
    let value = logic::value(cursor, &GuardLogic, Precedence::Sum)?.node;
    Some(Assignment { variable, value })
}

/// Conditions over variables.
struct GuardLogic;

impl Logic for GuardLogic {
    // `not` binds less tightly than comparisons.
    const NEGATED: Precedence = Precedence::Compare;
    const STOPS_AT_LEFT: bool = false;
    const EQUAL: &'static str = "=";
    const VALUES: &'static str = "only variables, literals and `+ - *` have values";

    fn infix(&self, cursor: &Cursor<'_>) -> Option<Infix> {
        Some(match cursor.symbol_or_word()? {
            "or" => (Precedence::Or, None),
            "||" | "|" | "OR" => (Precedence::Or, Some("or")),
            "and" => (Precedence::And, None),
            "&&" | "&" | "AND" => (Precedence::And, Some("and")),
            "+" | "-" => (Precedence::Sum, None),
            "*" | "/" | "%" => (Precedence::Product, None),
            // The rest of `n-1`.
            rest if rest.starts_with('-') && cursor.word().is_some() => (Precedence::Sum, None),
            _ if is_comparison(cursor.peek().kind) => (Precedence::Compare, None),
            _ => return None,
        })
    }

    fn operand(&self, cursor: &mut Cursor<'_>) -> Option<Subtree<Operand>> {
        let token = cursor.peek();
        match (token.kind, cursor.text(token)) {
            (Token::Symbol("("), _) => parenthesised(cursor, self),
            (Token::Symbol("!"), _) => {
                cursor.report(respelt("!", token.span, "not").edit("write `not`", token.span, "not "));
                not(cursor, self, None)
            }
            (Token::Word, "not") => not(cursor, self, None),
            (Token::Word, "NOT") => not(cursor, self, Some("not")),
            _ if is_minus(cursor) => minus(cursor, self),
            (Token::Word, _) => word(cursor),
            _ => value(cursor),
        }
    }

    fn multiplication(&self, cursor: &mut Cursor<'_>) -> Option<Arithmetic> {
        if cursor.is("*") {
            return Some(Arithmetic::Multiply);
        }
        cursor.expected_help("one of `+ - *`", "values are added, subtracted and multiplied only").none()
    }

    fn ends_comparison(&self, cursor: &mut Cursor<'_>) -> bool {
        let chained = matches!(self.infix(cursor), Some((Precedence::Compare, _)));
        if chained {
            cursor.expected_help("`and`, `or` or `]`", "compare two values at a time: `1 < n and n < 9`");
        }
        !chained
    }
}

fn value(cursor: &mut Cursor<'_>) -> Option<Subtree<Operand>> {
    if let Some((Literal::Value(value), span)) = literal(cursor) {
        Some(Subtree::leaf(Operand::Value(Expression::Literal(value)), span))
    } else {
        cursor.expected("a variable or a literal").none()
    }
}

/// Reads a literal or a variable. The lexer reads `n-1` as one word; here `n` is taken, and the rest is left.
fn word(cursor: &mut Cursor<'_>) -> Option<Subtree<Operand>> {
    let text = cursor.word()?;
    if let "true" | "false" | "null" = text {
        return value(cursor);
    }
    let length = text.find('-').unwrap_or(text.len());
    if let "and" | "or" | "if" | "do" | "else" = &text[..length] {
        return cursor.expected("a variable or a literal").none();
    }
    let span = cursor.take_front(length);
    let begins_number = text.starts_with(|first: char| first.is_ascii_digit());
    let expression = if begins_number && Number::parse(&text[..length]) != Err(NumberError::Malformed) {
        Expression::Literal(literal::number(cursor, span))
    } else {
        Expression::Variable(variable(cursor, span)?)
    };
    Some(Subtree::leaf(Operand::Value(expression), span))
}
