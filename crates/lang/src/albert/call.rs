// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operators and functions with their arguments, and words that are none.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::time::Quantity;

use super::foreign;
use super::operator::{Expected, Operator};
use super::parse::{Level, climb, leftovers, node, starts_operand};
use super::syntax::{Argument, Kind, Syntax};
use crate::specfile::atom::{atom, is_argument_list};
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind as Token;
use crate::specfile::literal::{UnitPlace, quantity};

/// What a word begins: an operator with its arguments, or a name that has lost its `$` or `onEvent`.
pub(super) fn call(cursor: &mut Cursor<'_>) -> Syntax {
    let token = cursor.peek();
    let word = cursor.text(token);
    let known = Operator::of(word);
    if cursor.nth_is(1, "(") {
        return match known.or_else(|| misspelt(cursor, word)) {
            Some(operator) => {
                cursor.bump();
                applied(cursor, operator, token.span)
            }
            None if is_argument_list(cursor, 1) => name(cursor),
            None => unknown(cursor),
        };
    }
    match known {
        Some(Operator::Count | Operator::Fold(_)) if cursor.nth_is(1, "[") => foreign::window(cursor),
        Some(operator) => bare(cursor, operator),
        None => name(cursor),
    }
}

/// The operator that is meant by a word with parentheses after it, which is reported.
#[inline(never)]
fn misspelt(cursor: &mut Cursor<'_>, word: &str) -> Option<Operator> {
    let meant = Operator::meant(word)?;
    let correct = meant.word();
    // `Pass(3)` may well be an event.
    if !correct.eq_ignore_ascii_case(word) && is_argument_list(cursor, 1) {
        return None;
    }
    let span = cursor.peek().span;
    cursor.report(
        Diagnostic::error("G0133", span, format!("there is no operator `{word}`; did you mean `{correct}`?"))
            .label("not an operator")
            .edit(format!("write `{correct}`"), span, correct),
    );
    Some(meant)
}

/// A name where a formula or a value should be: which of them is known when the tree is lowered.
fn name(cursor: &mut Cursor<'_>) -> Syntax {
    let start = cursor.peek().span;
    match atom(cursor) {
        Some(atom) => {
            let span = atom.span;
            node(cursor, Kind::Name(atom), span)
        }
        None => Syntax::missing(start),
    }
}

/// A word that is no operator, before something in parentheses that is no list of parameters.
#[inline(never)]
fn unknown(cursor: &mut Cursor<'_>) -> Syntax {
    let token = cursor.bump();
    let word = cursor.text(token);
    cursor.report(
        Diagnostic::error("G0133", token.span, format!("there is no operator `{word}`"))
            .label("not an operator or a function")
            .help(
                "there are `Until Between Within InFuture Becomes Always Eventually onEvent` \
                 and `past count sum avg min max elapsed`",
            ),
    );
    let opening = cursor.bump().span;
    loop {
        climb(cursor, Level::Iff);
        leftovers(cursor, &[")", ","]);
        if cursor.eat(",").is_none() {
            break;
        }
    }
    cursor.close(opening, ")");
    Syntax::missing(token.span)
}

/// An operator without parentheses.
#[inline(never)]
fn bare(cursor: &mut Cursor<'_>, operator: Operator) -> Syntax {
    let token = cursor.bump();
    let (word, form) = (operator.word(), operator.form());
    let diagnostic = Diagnostic::error("G0136", token.span, format!("`{word}` has no arguments"))
        .label(format!("{} in parentheses must follow", operator.described()));
    let before = cursor.count();
    let follows = operator.arguments().len() == 1 && starts_operand(cursor);
    let of = follows.then(|| climb(cursor, Level::Operand));
    cursor.report(match of {
        Some(of) if cursor.count() == before => {
            let written = format!("{word}({})", cursor.slice(of.span));
            diagnostic.edit(format!("write `{written}`"), token.span.to(of.outer), written)
        }
        _ => diagnostic.help(format!("write it as in `{form}`")),
    });
    cursor.hush();
    Syntax::missing(token.span)
}

/// The arguments, in their parentheses.
fn applied(cursor: &mut Cursor<'_>, operator: Operator, head: Span) -> Syntax {
    let opening = cursor.bump().span;
    let before = cursor.count();
    let expected = operator.arguments();
    let mut arguments = Vec::new();
    let mut given = 0;
    while !cursor.is(")") && !cursor.at_end() {
        let argument = argument(cursor, operator, expected.get(given).copied().unwrap_or(Expected::Part));
        given += 1;
        if given <= expected.len() {
            arguments.push(argument);
        }
        leftovers(cursor, &[")", ","]);
        if cursor.eat(",").is_none() {
            break;
        }
    }
    let closing = cursor.close(opening, ")");
    let end = closing.or(cursor.previous().map(|token| token.span)).unwrap_or(opening);
    let span = head.to(end);
    if given != expected.len() {
        if cursor.count() == before {
            wrong_number(cursor, operator, opening.to(end));
        }
        return Syntax::missing(span);
    }
    node(cursor, Kind::Call(operator, arguments), span)
}

#[inline(never)]
fn wrong_number(cursor: &mut Cursor<'_>, operator: Operator, span: Span) {
    let (word, described, form) = (operator.word(), operator.described(), operator.form());
    cursor.report(
        Diagnostic::error("G0136", span, format!("`{word}` is about {described}"))
            .label(format!("{described} must stand here"))
            .help(format!("write it as in `{form}`")),
    );
}

fn argument(cursor: &mut Cursor<'_>, operator: Operator, expected: Expected) -> Argument {
    match expected {
        Expected::Part => Argument::Part(climb(cursor, Level::Iff)),
        Expected::Event => event(cursor),
        Expected::Window => window(cursor, operator).unwrap_or(Argument::Missing),
        Expected::Times => times(cursor).unwrap_or(Argument::Missing),
    }
}

/// The event of `onEvent`.
fn event(cursor: &mut Cursor<'_>) -> Argument {
    let token = cursor.peek();
    if cursor.word() == Some("_") {
        cursor.blame(
            Diagnostic::error("G0107", token.span, "`_` stands for a parameter only")
                .label("not an event's name")
                .edit("an event of that name stands in quotes", token.span, "\"_\""),
        );
    }
    if let Some(atom) = atom(cursor) {
        if !matches!(cursor.peek().kind, Token::Symbol(")" | ",") | Token::End) {
            let diagnostic = cursor.unexpected("`)`");
            cursor.blame(diagnostic.help("`onEvent` is about one event: write `onEvent(Pay) || onEvent(Ship)`"));
            skip(cursor);
        }
        return Argument::Event(atom);
    }
    let diagnostic = cursor.unexpected("the name of an event");
    cursor.blame(match token.kind {
        Token::Symbol("!") => diagnostic.help("write the `!` in front: `!onEvent(Pay)`"),
        Token::Symbol("$") => diagnostic.help("events are names, not values: `onEvent(Pay)`"),
        _ => diagnostic,
    });
    skip(cursor);
    Argument::Missing
}

/// A length of time.
fn window(cursor: &mut Cursor<'_>, operator: Operator) -> Option<Argument> {
    let token = cursor.peek();
    if !matches!(token.kind, Token::Number | Token::Symbol("-")) {
        no_window(cursor, operator);
        if starts_operand(cursor) {
            climb(cursor, Level::Iff);
        } else {
            skip(cursor);
        }
        return None;
    }
    let (quantity, span) = quantity(cursor, UnitPlace::Sure, "a length of time")?;
    if quantity.billionths >= 0 {
        return Some(Argument::Window(quantity, span));
    }
    negative(cursor, quantity, span);
    None
}

#[inline(never)]
fn no_window(cursor: &mut Cursor<'_>, operator: Operator) {
    let infinite = cursor.is("inf") || matches!(cursor.word(), Some("inf" | "Inf" | "INF" | "infinity"));
    let diagnostic = cursor.unexpected("a length of time");
    let help = match operator {
        Operator::Within if infinite => "write `Eventually(f)` where there is no bound".to_owned(),
        _ => format!("write a number, with or without a unit, as in `{}`", operator.form()),
    };
    cursor.blame(if diagnostic.help.is_none() { diagnostic.help(help) } else { diagnostic });
}

#[inline(never)]
fn negative(cursor: &mut Cursor<'_>, quantity: Quantity, span: Span) {
    cursor.report(
        Diagnostic::error("G0309", span, format!("`{quantity}` is negative"))
            .label("a length of time is not negative")
            .help("leave out the sign: `count sum avg min max` look back, `Within` and `InFuture` look ahead"),
    );
}

/// The number of times of `past`.
fn times(cursor: &mut Cursor<'_>) -> Option<Argument> {
    let written = climb(cursor, Level::Iff);
    let times = cursor.slice(written.span).parse::<u64>().ok().filter(|times| *times > 0);
    if times.is_none() && !matches!(written.kind.as_ref(), Kind::Missing) {
        no_times(cursor, written.outer);
    }
    times.map(Argument::Times)
}

#[inline(never)]
fn no_times(cursor: &mut Cursor<'_>, span: Span) {
    let text = cursor.slice(span);
    let diagnostic = Diagnostic::error("G0131", span, format!("`{text}` is no number of times"))
        .label("a whole number from 1 on is expected");
    cursor.report(if text == "0" {
        diagnostic.edit("1 is the latest time before this state", span, "1")
    } else {
        diagnostic.help("write how many times back: 1 is the latest time before this state")
    });
}

/// Skips to the end of an argument that could not be understood.
fn skip(cursor: &mut Cursor<'_>) {
    let mut depth = 0_u32;
    while !cursor.at_end() {
        match cursor.peek().kind {
            Token::Symbol("(") => depth += 1,
            Token::Symbol(")" | ",") if depth == 0 => break,
            Token::Symbol(")") => depth -= 1,
            _ => {}
        }
        cursor.bump();
    }
    cursor.hush();
}
