// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers, texts and variables, and what tells a path from a quotient.

use std::borrow::Cow;

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::time::{Quantity, Unit};
use gnomon_core::value::Value;
use gnomon_ir::term::Reference;

use super::operator::Operator;
use super::parse::node;
use super::syntax::{Kind, Syntax};
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::{Kind as Token, is_number};
use crate::specfile::literal::{self, billionths, meant_unit, unknown_unit};

/// A number, with a unit if it is an amount of time. The current token is a number, or what is left of `$n-1s`.
pub(super) fn number(cursor: &mut Cursor<'_>) -> Syntax {
    let token = cursor.peek();
    let text = cursor.text(token);
    let digits = (1..=text.len()).rev().find(|&end| text.is_char_boundary(end) && is_number(&text[..end]));
    let span = cursor.take_front(digits.unwrap_or(text.len()));
    let Some((unit, end)) = unit(cursor, span) else {
        let value = literal::number(cursor, span);
        return node(cursor, Kind::Literal(value), span);
    };
    let whole = span.to(end);
    match billionths(cursor, span) {
        Some(billionths) => node(cursor, Kind::Time(Quantity { billionths, unit: Some(unit) }), whole),
        None => Syntax::missing(whole),
    }
}

/// Takes the unit after a number, if there is one.
fn unit(cursor: &mut Cursor<'_>, number: Span) -> Option<(Unit, Span)> {
    let word = cursor.word()?;
    let span = cursor.peek().span;
    let adjacent = span.start == number.end;
    // `10s-5s` has a word `s-5s`, and what is left of `$n-1-1` goes on with a minus.
    let front = &word[..word.find('-').unwrap_or(word.len())];
    if front.is_empty() {
        return None;
    }
    if let Some(known) = Unit::parse(front) {
        return Some((known, cursor.take_front(front.len())));
    }
    let meant = meant_unit(front);
    if !adjacent && meant.is_none() {
        return None;
    }
    cursor.bump();
    unknown_unit(cursor, span);
    meant.map(|unit| (unit, span))
}

pub(super) fn text(cursor: &mut Cursor<'_>) -> Syntax {
    let span = cursor.peek().span;
    let text = literal::text(cursor);
    node(cursor, Kind::Literal(Value::Text(Cow::Owned(text))), span)
}

/// `$order/items/0`; the `$` is the current token.
pub(super) fn variable(cursor: &mut Cursor<'_>) -> Syntax {
    let start = cursor.peek().span;
    match reference(cursor) {
        Some(reference) => {
            let span = reference.span;
            node(cursor, Kind::Variable(reference), span)
        }
        None => Syntax::missing(start),
    }
}

/// Likewise, for the list of a quantifier.
pub(super) fn reference(cursor: &mut Cursor<'_>) -> Option<Reference> {
    let start = cursor.bump().span;
    let Some((name, mut end)) = field(cursor) else {
        let diagnostic = cursor.unexpected("the name of a variable");
        cursor
            .blame(diagnostic.help("write the variable's name after `$`, in quotes if it is no word: `$\"odd name\"`"));
        return None;
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

/// A name, or `@` and a name. Of `n-1` it is the `n`.
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

/// How much of a word is the name of a variable: not the number that is subtracted from it, nor a function that is.
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

/// Whether a name would not be read as one word: `covid-19` is `covid` less 19.
pub(super) fn is_cut(name: &str) -> bool {
    name_length(name, false) < name.len()
}

/// Whether a slash at the current token, glued to what stands before and after it, leads to a part of the variable.
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

/// Whether no blank stands before the token `n` places on.
fn is_glued(cursor: &Cursor<'_>, n: usize) -> bool {
    let before = if n == 0 { cursor.previous() } else { Some(cursor.nth(n - 1)) };
    before.is_some_and(|before| before.span.end == cursor.nth(n).span.start)
}

/// Whether the slash at the current token divides. If it may as well belong to a path with a blank in it, that is reported
/// and what follows is taken.
pub(super) fn divides(cursor: &mut Cursor<'_>, left: &Syntax) -> bool {
    let is_variable = matches!(left.kind.as_ref(), Kind::Variable(_)) && left.outer == left.span;
    let (before, after) = (is_glued(cursor, 0), is_glued(cursor, 1));
    let next = cursor.nth(1);
    if !is_variable || !(before || after) || matches!(next.kind, Token::Symbol("$" | "(") | Token::End) {
        return true;
    }
    let slash = cursor.peek().span;
    let end = cursor.previous().map_or(slash.start, |token| token.span.end);
    let around = Span { start: end, end: next.span.start };
    let (path, follower) = (cursor.slice(left.span), cursor.text(next));
    let names = next.kind == Token::Text || (next.kind == Token::Word && !cursor.nth_is(2, "("));
    let diagnostic = Diagnostic::error("G0132", slash, "is this a path or a quotient?")
        .label("a path has no blanks around its slash, a quotient has one on each side");
    cursor.report(if names {
        diagnostic.edit(format!("write the path in one piece; to divide, write `{path} / ${follower}`"), around, "/")
    } else {
        diagnostic.edit("write blanks on both sides to divide", around, " / ")
    });
    if names {
        cursor.bump();
        cursor.bump();
        cursor.hush();
    }
    !names
}
