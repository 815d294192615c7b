// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers, texts and variables, and the rule that distinguishes a path from a quotient.
//!
//! In `$order/items` the slash leads into the variable, in `$a / $b` it divides. A slash without blanks on either side,
//! before a name or an index, belongs to the path; a slash with blanks on both sides divides. Anything else is
//! ambiguous and reported.

use std::borrow::Cow;

use gnomon_core::{Diagnostic, Quantity, Span, Unit, Value};
use gnomon_ir::term::Reference;

use super::operator::Operator;
use super::parse::node;
use super::syntax::{AlbertForm, Syntax};
use crate::syntax::literal::{self, billionths};
use crate::syntax::{Cursor, Token, is_number, trailing_unit};

/// Reads a number, with a unit if it is an amount of time. The current token is a number, or the rest of `$n-1s`. A sign in front
/// becomes part of a number without a unit.
pub(super) fn number(cursor: &mut Cursor<'_>, sign: Option<Span>) -> Syntax {
    let token = cursor.peek();
    let text = cursor.text(token);
    let digits = (1..=text.len()).rev().find(|&end| text.is_char_boundary(end) && is_number(&text[..end]));
    let span = cursor.take_front(digits.unwrap_or(text.len()));
    let Some((unit, end)) = unit(cursor, span) else {
        let span = sign.map_or(span, |sign| sign.to(span));
        let value = literal::number(cursor, span);
        return node(cursor, AlbertForm::Literal(value), span);
    };
    let whole = span.to(end);
    match billionths(cursor, span) {
        Some(billionths) => node(cursor, AlbertForm::Time(Quantity { billionths, unit: Some(unit) }), whole),
        None => Syntax::missing(whole),
    }
}

/// Takes the unit after a number, if there is one.
fn unit(cursor: &mut Cursor<'_>, number: Span) -> Option<(Unit, Span)> {
    let word = cursor.word()?;
    let adjacent = cursor.peek().span.start == number.end;
    // `10s-5s` contains the word `s-5s`, and the rest of `$n-1-1` begins with a minus.
    let front = &word[..word.find('-').unwrap_or(word.len())];
    if front.is_empty() { None } else { trailing_unit(cursor, front.len(), adjacent) }
}

pub(super) fn text(cursor: &mut Cursor<'_>) -> Syntax {
    let span = cursor.peek().span;
    let text = literal::text(cursor);
    node(cursor, AlbertForm::Literal(Value::Text(Cow::Owned(text))), span)
}

/// Reads `$order/items/0`; the `$` is the current token.
pub(super) fn variable(cursor: &mut Cursor<'_>) -> Syntax {
    let start = cursor.peek().span;
    match reference(cursor) {
        Some(reference) => {
            let span = reference.span;
            node(cursor, AlbertForm::Variable(reference), span)
        }
        None => Syntax::missing(start),
    }
}

/// Reads the reference `$order/items/0`; the `$` is the current token.
pub(super) fn reference(cursor: &mut Cursor<'_>) -> Option<Reference> {
    let start = cursor.bump().span;
    let Some((name, mut end)) = field(cursor) else {
        let help = "write the variable's name after `$`, in quotes if it is not a word: `$\"odd name\"`";
        return cursor.expected_help("the name of a variable", help).none();
    };
    let mut steps = Vec::new();
    while begins_step(cursor) {
        cursor.bump();
        let token = cursor.peek();
        let (step, span) = match token.kind {
            Token::Number => (cursor.text(token).to_owned(), cursor.bump().span),
            _ => field(cursor)?,
        };
        steps.push(step);
        end = span;
    }
    Some(Reference { name, steps, span: start.to(end) })
}

/// Reads a name, or `@` and a name. Of `n-1` the `n` is taken.
fn field(cursor: &mut Cursor<'_>) -> Option<(String, Span)> {
    let attribute = if matches!(cursor.nth(1).kind, Token::Word | Token::Text) { cursor.eat("@") } else { None };
    let token = cursor.peek();
    let (name, span) = match token.kind {
        Token::Word => {
            let called = cursor.nth_is(1, "(");
            let length = name_length(cursor.text(token), called);
            let span = cursor.take_front(length);
            (cursor.slice(span).to_owned(), span)
        }
        Token::Text | Token::OpenText => (literal::text(cursor), token.span),
        _ => return None,
    };
    Some(match attribute {
        Some(at) => (format!("@{name}"), at.to(span)),
        None => (name, span),
    })
}

/// Returns the length of a variable's name in a word, without a number or a function that is subtracted from it.
fn name_length(word: &str, called: bool) -> usize {
    let mut marks = word.match_indices('-').map(|(at, _)| at);
    let subtracts = |at: &usize| {
        let rest = &word[at + 1..];
        let segment = &rest[..rest.find('-').unwrap_or(rest.len())];
        let digits = segment.starts_with(|first: char| first.is_ascii_digit());
        digits || (called && Operator::of(rest).is_some())
    };
    marks.find(subtracts).unwrap_or(word.len())
}

/// Returns true if a name would not be read as one word: `covid-19` is `covid` less 19.
pub(super) fn is_cut(name: &str) -> bool {
    name_length(name, false) < name.len()
}

/// Returns true if a slash without blanks around it stands here and leads into the variable.
fn begins_step(cursor: &Cursor<'_>) -> bool {
    if !cursor.is("/") || !is_glued(cursor, 0) || !is_glued(cursor, 1) {
        return false;
    }
    let next = cursor.nth(1);
    match next.kind {
        Token::Number => cursor.text(next).bytes().all(|byte| byte.is_ascii_digit()),
        Token::Word => Operator::of(cursor.text(next)).is_none() || !cursor.nth_is(2, "("),
        Token::Text => true,
        Token::Symbol("@") => matches!(cursor.nth(2).kind, Token::Word | Token::Text),
        _ => false,
    }
}

/// Returns true if no blank stands before the token `n` places on.
fn is_glued(cursor: &Cursor<'_>, n: usize) -> bool {
    let before = if n == 0 { cursor.previous() } else { Some(cursor.nth(n - 1)) };
    before.is_some_and(|before| before.span.end == cursor.nth(n).span.start)
}

/// Returns true if the slash at the current token divides. If it may also belong to a path with a blank in it, that is
/// reported and the name behind it is taken.
pub(super) fn divides(cursor: &mut Cursor<'_>, left: &Syntax) -> bool {
    let is_variable = matches!(left.own(), Some(AlbertForm::Variable(_))) && left.outer == left.span;
    let (before, after) = (is_glued(cursor, 0), is_glued(cursor, 1));
    let next = cursor.nth(1);
    if !is_variable || !(before || after) || matches!(next.kind, Token::Symbol("$" | "(") | Token::End) {
        return true;
    }
    let slash = cursor.peek().span;
    let around = Span { start: cursor.gap().start, end: next.span.start };
    let (path, follower) = (cursor.slice(left.span), cursor.text(next));
    let names = next.kind == Token::Text || (next.kind == Token::Word && !cursor.nth_is(2, "("));
    let diagnostic = Diagnostic::error("G0132", slash, "is this a path or a quotient?")
        .label("a path has no blanks around its slash; a quotient has one on each side");
    cursor.report(if names {
        diagnostic.edit(format!("write the path in one piece; to divide, write `{path} / ${follower}`"), around, "/")
    } else {
        diagnostic.edit("write blanks on both sides to divide", around, " / ")
    });
    if names {
        cursor.bump();
        cursor.bump();
        cursor.suppress();
    }
    !names
}
