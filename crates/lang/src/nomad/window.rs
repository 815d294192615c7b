// SPDX-License-Identifier: MIT OR Apache-2.0
//! The window: `O[m,n]` with a unit after it or on its bounds, or as the paper writes it, `O^{d∈[m,n]s}`.

use gnomon_core::{Diagnostic, Quantity, Span, Unit};
use gnomon_ir::rule::RuleWindow;

use super::context::{RuleSide, is_phase, starts_action};
use crate::syntax::{Cursor, SpannedToken, Token, UnitPlace, is_infinite, quantity, respelt, trailing_unit};
use crate::temporal::interval::{bad_bounds, is_end};

/// Returns true if a window begins `n` places on.
pub(super) fn starts_window(cursor: &Cursor<'_>, n: usize) -> bool {
    let bracket = || matches!(cursor.nth(n + 1).kind, Token::Symbol("[" | "^")) || cursor.nth_word(n + 1) == Some("_");
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
    matches!(cursor.nth(n).kind, Token::Number | Token::Symbol("inf" | "+" | "-")) || cursor.nth_word(n) == Some("inf")
}

/// Reads the window of a rule. Returns `None` after reporting an error.
pub(super) fn window(cursor: &mut Cursor<'_>) -> Option<RuleWindow> {
    if !starts_window(cursor, 0) {
        let token = cursor.peek();
        let span = Span { end: token.span.start, ..token.span };
        let diagnostic = Diagnostic::error("G0120", token.span, "the rule has no window")
            .label("`O[m,n]` is expected before this")
            .edit("state when: `O[0,inf]` is any time after, `O[inf,0]` any time before", span, "O[0,inf] ");
        if starts_action(cursor, 0) || matches!(token.kind, Token::Word | Token::Text | Token::Symbol("(" | "!")) {
            cursor.report(diagnostic);
        } else {
            // The error about the missing window covers the missing context too.
            cursor.report_once(diagnostic);
        }
        return None;
    }
    let letter = if cursor.is("[") { no_letter(cursor) } else { cursor.bump() };
    if !matches!(cursor.text(letter), "" | "O" | "O_" | "𝒪" | "𝓞" | "𝖮") {
        cursor.report(respelt(cursor.text(letter), letter.span, "O"));
    }
    let brace = superscript(cursor);
    let opening = cursor.peek();
    if !matches!(opening.kind, Token::Symbol("[" | "(")) || is_phase(cursor, 0) || starts_action(cursor, 1) {
        return no_bounds(cursor, letter.span);
    }
    cursor.bump();
    let bounds = bounds(cursor);
    if bounds.is_some() && !is_end(cursor) {
        cursor.unclosed(opening.span, if opening.kind == Token::Symbol("[") { "]" } else { ")" });
    }
    let Some((mut from, mut to)) = bounds.filter(|_| is_end(cursor)) else {
        skip_bounds(cursor, brace);
        return None;
    };
    let closing = cursor.bump();
    let mut span = letter.span.to(closing.span);
    if opening.kind != Token::Symbol("[") || closing.kind != Token::Symbol("]") {
        cursor.report(round(cursor, opening.span, closing.span));
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
    let amount = |bound: WindowBound| bound.map(|(amount, _)| amount);
    Some(RuleWindow { from: amount(from), to: amount(to), span })
}

/// Reports `[0,10]` without its letter. Returns an empty token in its place.
fn no_letter(cursor: &mut Cursor<'_>) -> SpannedToken {
    let bracket = cursor.peek();
    let diagnostic = Diagnostic::error("G0120", bracket.span, "the window has no `O`");
    cursor.report(diagnostic.label("`O` is expected before this").edit("write `O`", bracket.span, "O["));
    SpannedToken { kind: Token::Word, span: Span { end: bracket.span.start, ..bracket.span } }
}

/// Takes `^{d∈`, `^`, `_{` or `_`, which the paper puts before the bounds. Returns the brace, if there is one.
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

/// One end of a window and its position; `None` if it is infinite.
type WindowBound = Option<(Quantity, Span)>;

/// Reads `m,n`. Returns `None` after reporting an error.
fn bounds(cursor: &mut Cursor<'_>) -> Option<(WindowBound, WindowBound)> {
    if is_end(cursor) {
        return bad_bounds(cursor, "the window has no bounds", "write both, as in `O[0,10]`");
    }
    let from = bound(cursor, "the bound at which the window begins")?;
    match cursor.peek().kind {
        Token::Symbol(",") => cursor.bump().span,
        Token::Symbol(";" | ":") => cursor.respell(","),
        Token::Symbol("]" | ")") => {
            let help = "write both: `O[0,10]` is up to 10 after, `O[10,0]` before";
            return bad_bounds(cursor, "the window has one bound only", help);
        }
        _ => return bad_bounds(cursor, "there is no `,` between the bounds", "write the bounds as in `O[0,10]`"),
    };
    if is_end(cursor) {
        let help = "write `inf` if it has no end, as in `O[0,inf]`";
        return bad_bounds(cursor, "the window has one bound only", help);
    }
    Some((from, bound(cursor, "the bound at which the window ends, or `inf`")?))
}

fn bound(cursor: &mut Cursor<'_>, what: &str) -> Option<WindowBound> {
    let sign = cursor.eat("+");
    if is_infinite(cursor) || cursor.word() == Some("infty") {
        cursor.bump();
        return Some(None);
    }
    let (amount, span) = quantity(cursor, UnitPlace::Sure, what)?;
    if amount.billionths >= 0 {
        return Some(Some((amount, sign.unwrap_or(span).to(span))));
    }
    let written = cursor.slice(span);
    let positive = written.trim_start_matches(|sign: char| !sign.is_ascii_digit());
    let diagnostic = Diagnostic::error("G0309", span, format!("`{written}` is negative"));
    let advice = "leave out the sign; `O[10,0]` looks back, the greater bound first";
    cursor.report(diagnostic.label("distances are not negative").edit(advice, span, positive));
    None
}

/// Reads the unit after the bracket. Another word there is a message without `done( )`, unless it stands right behind
/// the bracket or before an action.
fn unit(cursor: &mut Cursor<'_>, closing: Span, braced: bool) -> Option<(Unit, Span)> {
    let word = cursor.word()?;
    let adjacent = cursor.peek().span.start == closing.end;
    let before_context = braced || starts_action(cursor, 1) || cursor.nth_is(1, "(") || cursor.nth_is(1, "!");
    if is_phase(cursor, 0) || !(adjacent || before_context) {
        return None;
    }
    trailing_unit(cursor, word.len(), adjacent)
}

/// Gives both bounds the unit after the bracket.
fn spread(cursor: &mut Cursor<'_>, unit: Unit, written: Span, bounds: [&mut WindowBound; 2]) {
    for bound in bounds {
        let Some((quantity, span)) = bound else { continue };
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

/// Returns the diagnostic about `O(0,10)` or `O[0,10)`.
fn round(cursor: &Cursor<'_>, opening: Span, closing: Span) -> Diagnostic {
    let span = opening.to(closing);
    let inside = cursor.slice(Span { start: opening.end, end: closing.start });
    Diagnostic::error("G0302", span, "the window is not in square brackets")
        .label("both bounds belong to a window")
        .edit("write it in brackets", span, format!("[{inside}]"))
}

/// Reports a window that is a letter only.
fn no_bounds<T>(cursor: &mut Cursor<'_>, letter: Span) -> Option<T> {
    let diagnostic = Diagnostic::error("G0302", letter, "the window has no bounds");
    let advice = "`O[0,inf]` is any time after, `O[inf,0]` any time before";
    let diagnostic = diagnostic.label("`[m,n]` is expected after this").edit(advice, letter, "O[0,inf]");
    cursor.report_once(diagnostic).none()
}

/// Skips to the end of bounds that could not be understood.
fn skip_bounds(cursor: &mut Cursor<'_>, brace: Option<Span>) {
    while !cursor.at_end() && !starts_action(cursor, 0) && !cursor.is("(") {
        if let Token::Symbol("]" | ")") = cursor.bump().kind {
            break;
        }
    }
    if cursor.word().and_then(Unit::parse).is_some() && !is_phase(cursor, 0) {
        cursor.bump();
    }
    if brace.is_some() {
        cursor.eat("}");
    }
    cursor.suppress();
}

/// Reads a window where an action should be, which is reported.
pub(super) fn nested<T>(cursor: &mut Cursor<'_>, side: RuleSide) -> Option<T> {
    let start = cursor.peek().span;
    let before = cursor.count();
    let span = window(cursor).map_or(start, |window| window.span);
    if cursor.count() == before {
        cursor.report(match side {
            RuleSide::Supposition => Diagnostic::error("G0118", span, "the supposition has a window")
                .label("a supposition is a message at the present position")
                .help("write the window after the `|`: `P(start(a) | O[0,10] done(b))`"),
            RuleSide::Context => Diagnostic::error("G0118", span, "there is a window inside the window")
                .label("a rule has one window, over the whole context")
                .help("write the window once, before the context, and a second rule for the other distance"),
        });
    }
    cursor.suppress();
    None
}
