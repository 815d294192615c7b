// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operators and functions with their arguments, and words that are not operators.

use gnomon_core::{Diagnostic, Quantity, Span};

use super::foreign;
use super::operator::{Expected, Function, Operator};
use super::parse::{climb, leftovers, node, starts_operand};
use super::syntax::{AlbertForm, CallArgument, Syntax};
use crate::syntax::atom::atom;
use crate::syntax::formula::event;
use crate::syntax::{Cursor, Precedence, SyntaxKind, Token, UnitPlace, is_argument_list, quantity};

/// Reads what a word begins: an operator with its arguments, or a name without its `$` or `onEvent`.
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
            None if is_argument_list(cursor, 1) => event(cursor),
            None => unknown(cursor),
        };
    }
    match known {
        Some(Operator { function: Function::Count | Function::Fold(_), .. }) if cursor.nth_is(1, "[") => {
            foreign::window(cursor)
        }
        Some(operator) => bare(cursor, operator),
        None => event(cursor),
    }
}

/// Returns the operator that is meant by a misspelt word with parentheses after it, and reports the word.
#[inline(never)]
fn misspelt(cursor: &mut Cursor<'_>, word: &str) -> Option<&'static Operator> {
    let meant = Operator::meant(word)?;
    let correct = meant.word;
    // `Pass(3)` may well be an event.
    if !correct.eq_ignore_ascii_case(word) && is_argument_list(cursor, 1) {
        return None;
    }
    let span = cursor.peek().span;
    cursor.report(
        Diagnostic::error("G0133", span, format!("unknown function `{word}`; did you mean `{correct}`?"))
            .label("not an operator or a function")
            .edit(format!("write `{correct}`"), span, correct),
    );
    Some(meant)
}

/// Reports a word that is not an operator, before parentheses that are not a list of parameters.
#[inline(never)]
fn unknown(cursor: &mut Cursor<'_>) -> Syntax {
    let token = cursor.bump();
    let word = cursor.text(token);
    cursor.report(
        Diagnostic::error("G0133", token.span, format!("unknown function `{word}`"))
            .label("not an operator or a function")
            .help(
                "there are `Until Between Within InFuture Becomes Always Eventually onEvent` \
                 and `past count sum avg min max elapsed`",
            ),
    );
    let opening = cursor.bump().span;
    loop {
        climb(cursor, Precedence::Iff);
        leftovers(cursor, &[")", ","]);
        if cursor.eat(",").is_none() {
            break;
        }
    }
    cursor.close(opening, ")");
    Syntax::missing(token.span)
}

/// Reports an operator without parentheses.
#[inline(never)]
fn bare(cursor: &mut Cursor<'_>, operator: &Operator) -> Syntax {
    let token = cursor.bump();
    let Operator { word, described, form, .. } = *operator;
    let diagnostic = Diagnostic::error("G0136", token.span, format!("`{word}` has no arguments"))
        .label(format!("{described} in parentheses must follow"));
    let before = cursor.count();
    let follows = operator.arguments.len() == 1 && starts_operand(cursor);
    let of = follows.then(|| climb(cursor, Precedence::Operand));
    cursor.report(match of {
        Some(of) if cursor.count() == before => {
            let written = format!("{word}({})", cursor.slice(of.span));
            diagnostic.edit(format!("write `{written}`"), token.span.to(of.outer), written)
        }
        _ => diagnostic.help(format!("write it as in `{form}`")),
    });
    cursor.suppress();
    Syntax::missing(token.span)
}

/// Reads the arguments, in their parentheses.
fn applied(cursor: &mut Cursor<'_>, operator: &Operator, head: Span) -> Syntax {
    let opening = cursor.bump().span;
    let before = cursor.count();
    let expected = operator.arguments;
    let mut arguments = Vec::new();
    let mut count = 0;
    while !cursor.is(")") && !cursor.at_end() {
        let argument = argument(cursor, operator, expected.get(count).copied().unwrap_or(Expected::Part));
        count += 1;
        if count <= expected.len() {
            arguments.push(argument);
        }
        leftovers(cursor, &[")", ","]);
        if cursor.eat(",").is_none() {
            break;
        }
    }
    let closing = cursor.close(opening, ")");
    let end = closing.unwrap_or(cursor.last_span(opening));
    let span = head.to(end);
    if count != expected.len() {
        if cursor.count() == before {
            wrong_number(cursor, operator, opening.to(end));
        }
        return Syntax::missing(span);
    }
    node(cursor, AlbertForm::Call(operator.function, arguments), span)
}

#[inline(never)]
fn wrong_number(cursor: &mut Cursor<'_>, operator: &Operator, span: Span) {
    let Operator { word, described, form, .. } = *operator;
    let diagnostic = Diagnostic::error("G0136", span, format!("`{word}` is about {described}"));
    cursor.report(diagnostic.label(format!("{described} is expected here")).help(format!("write it as in `{form}`")));
}

fn argument(cursor: &mut Cursor<'_>, operator: &Operator, expected: Expected) -> CallArgument {
    match expected {
        Expected::Part => CallArgument::Part(climb(cursor, Precedence::Iff)),
        Expected::Event => event_argument(cursor),
        Expected::Window => window(cursor, operator).unwrap_or(CallArgument::Missing),
        Expected::Times => times(cursor).unwrap_or(CallArgument::Missing),
    }
}

/// Reads the event of `onEvent`.
fn event_argument(cursor: &mut Cursor<'_>) -> CallArgument {
    let token = cursor.peek();
    if cursor.word() == Some("_") {
        cursor.report_once(
            Diagnostic::error("G0107", token.span, "`_` can only be a parameter").label("not an event's name").edit(
                "an event of that name must be in quotes",
                token.span,
                "\"_\"",
            ),
        );
    }
    if let Some(atom) = atom(cursor) {
        if !matches!(cursor.peek().kind, Token::Symbol(")" | ",") | Token::End) {
            cursor.expected_help("`)`", "`onEvent` is about one event: write `onEvent(Pay) || onEvent(Ship)`");
            skip(cursor);
        }
        return CallArgument::Event(atom);
    }
    let diagnostic = cursor.unexpected("the name of an event");
    cursor.report_once(match token.kind {
        Token::Symbol("!") => diagnostic.help("write the `!` in front: `!onEvent(Pay)`"),
        Token::Symbol("$") => diagnostic.help("events are names, not values: `onEvent(Pay)`"),
        _ => diagnostic,
    });
    skip(cursor);
    CallArgument::Missing
}

/// Reads a length of time.
fn window(cursor: &mut Cursor<'_>, operator: &Operator) -> Option<CallArgument> {
    let token = cursor.peek();
    if !matches!(token.kind, Token::Number | Token::Symbol("-")) {
        no_window(cursor, operator);
        if starts_operand(cursor) {
            climb(cursor, Precedence::Iff);
        } else {
            skip(cursor);
        }
        return None;
    }
    let (quantity, span) = quantity(cursor, UnitPlace::Sure, "a length of time")?;
    if quantity.billionths >= 0 {
        return Some(CallArgument::Window(quantity, span));
    }
    negative(cursor, quantity, span);
    None
}

#[inline(never)]
fn no_window(cursor: &mut Cursor<'_>, operator: &Operator) {
    let infinite = cursor.is("inf") || matches!(cursor.word(), Some("inf" | "Inf" | "INF" | "infinity"));
    let help = match operator.function {
        Function::Within if infinite => "write `Eventually(f)` if there is no bound".to_owned(),
        _ => format!("write a number, with or without a unit, as in `{}`", operator.form),
    };
    cursor.expected_hint("a length of time", help);
}

#[inline(never)]
fn negative(cursor: &mut Cursor<'_>, quantity: Quantity, span: Span) {
    cursor.report(
        Diagnostic::error("G0309", span, format!("`{quantity}` is negative"))
            .label("a length of time is not negative")
            .help("leave out the sign: `count sum avg min max` look back, `Within` and `InFuture` look ahead"),
    );
}

/// Reads the number of times of `past`.
fn times(cursor: &mut Cursor<'_>) -> Option<CallArgument> {
    let written = climb(cursor, Precedence::Iff);
    let times = cursor.slice(written.span).parse::<u64>().ok().filter(|times| *times > 0);
    if times.is_none() && !matches!(written.kind.as_ref(), SyntaxKind::Missing) {
        no_times(cursor, written.outer);
    }
    times.map(CallArgument::Times)
}

#[inline(never)]
fn no_times(cursor: &mut Cursor<'_>, span: Span) {
    let text = cursor.slice(span);
    let diagnostic = Diagnostic::error("G0131", span, format!("`{text}` is not a number of times"))
        .label("a whole number from 1 on is expected");
    cursor.report(if text == "0" {
        diagnostic.edit("1 is the latest time before this state", span, "1")
    } else {
        diagnostic.help("write how many times back: 1 is the latest time before this state")
    });
}

/// Skips to the end of an argument that could not be understood.
fn skip(cursor: &mut Cursor<'_>) {
    cursor.skip_until(&[")", ","], &["("], &[")"]);
    cursor.suppress();
}
