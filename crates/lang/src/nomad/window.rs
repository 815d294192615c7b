// SPDX-License-Identifier: MIT OR Apache-2.0
//! The window: `O[m,n]` with a unit after it or on its bounds, or as the paper sets it, `O^{d∈[m,n]s}`.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::time::{Quantity, Unit};
use gnomon_ir::rule::Window;

use super::action::is_phase;
use super::context::{Place, starts_action};
use crate::specfile::condition::respelt;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::{Kind, Token};
use crate::specfile::literal::{UnitPlace, meant_unit, quantity, unknown_unit};

/// Whether a window begins `n` places on.
pub(super) fn starts_window(cursor: &Cursor<'_>, n: usize) -> bool {
    let bracket = || matches!(cursor.nth(n + 1).kind, Kind::Symbol("[" | "^")) || cursor.nth_word(n + 1) == Some("_");
    if cursor.nth_is(n, "[") {
        return is_bound(cursor, n + 1);
    }
    match cursor.nth_word(n) {
        Some("O" | "𝒪" | "𝓞" | "𝖮") => {
            bracket()
                || (cursor.nth_is(n + 1, "(") && is_bound(cursor, n + 2))
                || is_phase(cursor, n + 1)
                || (cursor.nth_is(n + 1, "(") && starts_action(cursor, n + 2))
        }
        Some("O_") => cursor.nth_is(n + 1, "["),
        Some("o" | "G" | "F" | "P" | "H" | "X" | "Y" | "within") => {
            cursor.nth_is(n + 1, "[") && is_bound(cursor, n + 2)
        }
        _ => false,
    }
}

fn is_bound(cursor: &Cursor<'_>, n: usize) -> bool {
    matches!(cursor.nth(n).kind, Kind::Number | Kind::Symbol("inf" | "+" | "-")) || cursor.nth_word(n) == Some("inf")
}

/// Reads the window of a rule; `None` if there is none that makes sense, which has been reported.
pub(super) fn window(cursor: &mut Cursor<'_>) -> Option<Window> {
    if !starts_window(cursor, 0) {
        let token = cursor.peek();
        let span = Span { end: token.span.start, ..token.span };
        let diagnostic = Diagnostic::error("G0120", token.span, "the rule has no window")
            .label("`O[m,n]` is expected before this")
            .edit("say when: `O[0,inf]` is any time after, `O[inf,0]` any time before", span, "O[0,inf] ");
        if starts_action(cursor, 0) || matches!(token.kind, Kind::Word | Kind::Text | Kind::Symbol("(" | "!")) {
            cursor.report(diagnostic);
        } else {
            // What is said here is said of the missing context too.
            cursor.blame(diagnostic);
        }
        return None;
    }
    let letter = if cursor.is("[") { no_letter(cursor) } else { cursor.bump() };
    if !matches!(cursor.text(letter), "" | "O" | "O_" | "𝒪" | "𝓞" | "𝖮") {
        cursor.report(respelt(cursor.text(letter), letter.span, "O"));
    }
    let brace = superscript(cursor);
    let opening = cursor.peek();
    if !matches!(opening.kind, Kind::Symbol("[" | "(")) || is_phase(cursor, 0) || starts_action(cursor, 1) {
        no_bounds(cursor, letter.span);
        return None;
    }
    cursor.bump();
    let bounds = bounds(cursor);
    let Some((mut from, mut to)) = bounds else {
        skip_bounds(cursor, brace);
        return None;
    };
    let closing = cursor.peek();
    if !matches!(closing.kind, Kind::Symbol("]" | ")")) {
        cursor.unclosed(opening.span, if opening.kind == Kind::Symbol("[") { "]" } else { ")" });
        skip_bounds(cursor, brace);
        return None;
    }
    cursor.bump();
    let mut span = letter.span.to(closing.span);
    if opening.kind != Kind::Symbol("[") || closing.kind != Kind::Symbol("]") {
        round(cursor, opening.span, closing.span);
    }
    let mut unit = unit(cursor, closing.span, brace.is_some());
    if let Some(opening) = brace {
        let end = cursor.close(opening, "}")?;
        span = span.to(end);
        unit = unit.or_else(|| self::unit(cursor, end, false));
    }
    if let Some((unit, end)) = unit {
        span = span.to(end);
        spread(cursor, unit, end, [&mut from, &mut to]);
    }
    Some(Window { from: from.amount(), to: to.amount(), span })
}

/// `[0,10]` without its letter.
fn no_letter(cursor: &mut Cursor<'_>) -> Token {
    let bracket = cursor.peek();
    cursor.report(
        Diagnostic::error("G0120", bracket.span, "the window has no `O`").label("`O` is expected before this").edit(
            "write `O`",
            bracket.span,
            "O[",
        ),
    );
    Token { kind: Kind::Word, span: Span { end: bracket.span.start, ..bracket.span } }
}

/// `^{d∈`, `^`, `_{`, `_`: what the paper puts before the bounds. The brace, if there is one.
fn superscript(cursor: &mut Cursor<'_>) -> Option<Span> {
    if cursor.eat("^").is_none() {
        cursor.eat_word("_")?;
    }
    let brace = cursor.eat("{");
    let member = cursor.nth(1);
    if cursor.word().is_some() && matches!(cursor.text(member), "∈" | "in") {
        cursor.bump();
        cursor.bump();
    }
    brace
}

/// One end of a window.
enum Bound {
    Infinite,
    Finite(Quantity, Span),
}

impl Bound {
    fn amount(&self) -> Option<Quantity> {
        match self {
            Bound::Infinite => None,
            Bound::Finite(quantity, _) => Some(*quantity),
        }
    }
}

/// `m,n`; what is wrong has been reported.
fn bounds(cursor: &mut Cursor<'_>) -> Option<(Bound, Bound)> {
    if let Kind::Symbol("]" | ")") = cursor.peek().kind {
        bad(cursor, "the window has no bounds", "write both, as in `O[0,10]`");
        return None;
    }
    let from = bound(cursor, "the bound at which the window begins")?;
    let token = cursor.peek();
    match token.kind {
        Kind::Symbol(",") => {
            cursor.bump();
        }
        Kind::Symbol(";" | ":") => {
            cursor.report(respelt(cursor.text(token), token.span, ","));
            cursor.bump();
        }
        Kind::Symbol("]" | ")") => {
            bad(cursor, "the window has one bound only", "write both: `O[0,10]` is up to 10 after, `O[10,0]` before");
            return None;
        }
        _ => {
            bad(cursor, "no `,` stands between the bounds", "write the bounds as in `O[0,10]`");
            return None;
        }
    }
    if let Kind::Symbol("]" | ")") = cursor.peek().kind {
        bad(cursor, "the window has one bound only", "write `inf` if it has no end, as in `O[0,inf]`");
        return None;
    }
    Some((from, bound(cursor, "the bound at which the window ends, or `inf`")?))
}

fn bad(cursor: &mut Cursor<'_>, message: &str, help: &str) {
    let span = cursor.peek().span;
    cursor.blame(Diagnostic::error("G0302", span, message).help(help));
}

fn bound(cursor: &mut Cursor<'_>, what: &str) -> Option<Bound> {
    let sign = cursor.eat("+");
    let infinite =
        cursor.is("inf") || matches!(cursor.word(), Some("inf" | "infinity" | "Inf" | "INF" | "oo" | "infty"));
    if infinite {
        cursor.bump();
        return Some(Bound::Infinite);
    }
    let (amount, span) = quantity(cursor, UnitPlace::Sure, what)?;
    if amount.billionths >= 0 {
        return Some(Bound::Finite(amount, sign.unwrap_or(span).to(span)));
    }
    let written = cursor.slice(span);
    let positive = written.trim_start_matches(|sign: char| !sign.is_ascii_digit());
    cursor.report(
        Diagnostic::error("G0309", span, format!("`{written}` is negative")).label("distances are not negative").edit(
            "leave out the sign; `O[10,0]` looks back, the greater bound first",
            span,
            positive,
        ),
    );
    None
}

/// The unit after the bracket. Another word there is a message that lacks its `done( )`, unless it stands right behind
/// the bracket or before an action.
fn unit(cursor: &mut Cursor<'_>, closing: Span, braced: bool) -> Option<(Unit, Span)> {
    let word = cursor.word()?;
    let token = cursor.peek();
    let adjacent = token.span.start == closing.end;
    let before_context = braced || starts_action(cursor, 1) || cursor.nth_is(1, "(") || cursor.nth_is(1, "!");
    if is_phase(cursor, 0) || !(adjacent || before_context) {
        return None;
    }
    if let Some(unit) = Unit::parse(word) {
        return Some((unit, cursor.bump().span));
    }
    let meant = meant_unit(word);
    if meant.is_none() && !adjacent {
        return None;
    }
    cursor.bump();
    unknown_unit(cursor, token.span);
    meant.map(|unit| (unit, token.span))
}

/// Gives both bounds the unit after the bracket.
fn spread(cursor: &mut Cursor<'_>, unit: Unit, written: Span, bounds: [&mut Bound; 2]) {
    for bound in bounds {
        let Bound::Finite(quantity, span) = bound else { continue };
        if quantity.unit.is_some() {
            cursor.report(
                Diagnostic::error("G0302", written, "the window has two units")
                    .label("this unit is for both bounds")
                    .also(*span, "but this one has a unit of its own")
                    .edit("leave it out", written, ""),
            );
            return;
        }
        quantity.unit = Some(unit);
    }
}

/// `O(0,10)` or `O[0,10)`
fn round(cursor: &mut Cursor<'_>, opening: Span, closing: Span) {
    let span = opening.to(closing);
    let inside = cursor.slice(Span { start: opening.end, end: closing.start });
    cursor.report(
        Diagnostic::error("G0302", span, "the window is not in square brackets")
            .label("both bounds belong to a window")
            .edit("write it in brackets", span, format!("[{inside}]")),
    );
}

fn no_bounds(cursor: &mut Cursor<'_>, letter: Span) {
    cursor.blame(
        Diagnostic::error("G0302", letter, "the window has no bounds").label("`[m,n]` is expected after this").edit(
            "`O[0,inf]` is any time after, `O[inf,0]` any time before",
            letter,
            "O[0,inf]",
        ),
    );
}

/// Skips to the end of bounds that could not be understood.
fn skip_bounds(cursor: &mut Cursor<'_>, brace: Option<Span>) {
    while !cursor.at_end() && !starts_action(cursor, 0) && !cursor.is("(") {
        let closing = matches!(cursor.bump().kind, Kind::Symbol("]" | ")"));
        if closing {
            break;
        }
    }
    if cursor.word().and_then(Unit::parse).is_some() && !is_phase(cursor, 0) {
        cursor.bump();
    }
    if brace.is_some() {
        cursor.eat("}");
    }
    cursor.hush();
}

/// A window where an action should be: it is reported, and what it is about is skipped.
pub(super) fn nested<T>(cursor: &mut Cursor<'_>, place: Place) -> Option<T> {
    let start = cursor.peek().span;
    let before = cursor.count();
    let span = window(cursor).map_or(start, |window| window.span);
    if cursor.count() == before {
        let diagnostic = match place {
            Place::Supposition => Diagnostic::error("G0118", span, "the supposition has a window")
                .label("a supposition is a message, here and now")
                .help("write the window after the `|`: `P(start(a) | O[0,10] done(b))`"),
            Place::Context => Diagnostic::error("G0118", span, "there is a window inside the window")
                .label("a rule has one window, over the whole context")
                .help("write the window once, before the context, and a second rule for the other distance"),
        };
        cursor.report(diagnostic);
    }
    cursor.hush();
    None
}
