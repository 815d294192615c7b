// SPDX-License-Identifier: MIT OR Apache-2.0
//! The suffix of an operator's letter: an exponent and an interval, written as super- and subscripts or plainly.

use gnomon_core::{Diagnostic, Quantity, Span, Unit};
use gnomon_ir::formula::Bounds;

use super::Dialect;
use super::operator::{is_between, starts_round_interval, starts_suffix};
use super::syntax::Exponent;
use crate::syntax::{Cursor, Token, UnitPlace, is_infinite, quantity};

/// The suffix of an operator's letter.
pub(super) struct OperatorSuffix {
    pub(super) exponent: Option<Exponent>,
    pub(super) interval: Option<Bounds>,
}

/// Reads the suffix of an operator's letter: its parts in any order, each once.
pub(super) fn suffix(cursor: &mut Cursor<'_>, dialect: &Dialect, letter: char) -> OperatorSuffix {
    let mut suffix = OperatorSuffix { exponent: None, interval: None };
    while starts_suffix(cursor, 0) {
        match cursor.symbol_or_word() {
            Some("^") if suffix.exponent.is_none() => suffix.exponent = exponent(cursor, letter),
            Some("^") => break,
            _ if suffix.interval.is_some() => break,
            Some("_") => suffix.interval = subscript(cursor, dialect),
            _ => suffix.interval = interval(cursor, dialect),
        }
    }
    suffix
}

/// Reads `^6` or `^{6}`.
fn exponent(cursor: &mut Cursor<'_>, letter: char) -> Option<Exponent> {
    let start = cursor.bump().span;
    let opening = cursor.eat("{");
    let token = cursor.peek();
    if token.kind != Token::Number {
        cursor.expected(&format!("a number of times, as in `{letter}^6`"));
        return close_brace(cursor, opening, None);
    }
    cursor.bump();
    let mut span = start.to(token.span);
    if let Some(opening) = opening {
        span = span.to(cursor.close(opening, "}").unwrap_or(span));
    }
    let exponent = Exponent { number: cursor.text(token).parse().ok(), span };
    if matches!(letter, 'X' | 'Y') {
        return Some(exponent);
    }
    let diagnostic = Diagnostic::error("G0308", span, format!("`{letter}` takes no exponent"));
    cursor.report(diagnostic.label("only `X` and `Y` are repeated").edit("leave it out", span, ""));
    None
}

/// Reads `_{(0,10)}` or `_(0,10)`.
fn subscript(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Option<Bounds> {
    let mark = cursor.bump().span;
    let opening = cursor.eat("{");
    let bounds = if let Token::Symbol("[" | "(" | "=" | "==") = cursor.peek().kind {
        interval(cursor, dialect)
    } else {
        let diagnostic = Diagnostic::error("G0302", mark, "the subscript is not an interval")
            .label("an interval is expected after this")
            .help("write `_{[a,b]}`, `_{(a,b)}`, `_{[a,inf)}` or `_{=a}`");
        cursor.report_once(diagnostic).none()
    };
    close_brace(cursor, opening, bounds)
}

/// Takes the brace that closes a sub- or superscript, if one opened it, or skips to it if `read` is missing.
pub(crate) fn close_brace<T>(cursor: &mut Cursor<'_>, opening: Option<Span>, read: Option<T>) -> Option<T> {
    match opening {
        Some(opening) if read.is_some() => {
            cursor.close(opening, "}");
        }
        Some(opening) => skip_brace(cursor, opening),
        None => {}
    }
    read
}

/// Reads an interval; the current token begins it.
fn interval(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Option<Bounds> {
    if cursor.is("=") || cursor.is("==") {
        let start = cursor.bump().span;
        let closed = cursor.nth_is(1, "}") || cursor.nth_is(2, "}");
        let place =
            if closed || unit_before_operand(cursor, dialect) { UnitPlace::Sure } else { UnitPlace::BeforeOperand };
        let (at, end) = constant(cursor, place, "a distance in time")?;
        return Some(Bounds { lo: at, lo_closed: true, hi: Some(at), hi_closed: true, span: Some(start.to(end)) });
    }
    Some(bracketed(cursor))
}

/// Reads `[a,b]`, `(a,inf)` and the like; the current token is the bracket. After an error, which is reported, any
/// bounds are returned.
pub(crate) fn bracketed(cursor: &mut Cursor<'_>) -> Bounds {
    let opening = cursor.bump();
    let lo_closed = opening.kind == Token::Symbol("[");
    let bounds = bounds(cursor, opening.span);
    let closing = cursor.peek();
    let is_closed = is_end(cursor);
    if bounds.is_some() && !is_closed {
        cursor.unclosed(opening.span, if lo_closed { "]" } else { ")" });
    }
    let Some((lo, hi)) = bounds.filter(|_| is_closed) else {
        let end = skip_bracket(cursor);
        return Bounds { span: Some(opening.span.to(end)), ..Bounds::POSITIVE };
    };
    cursor.bump();
    let span = opening.span.to(closing.span);
    // `[a,inf]` is read as `[a,inf)`, because no distance is infinite.
    let hi_closed = hi.is_some() && closing.kind == Token::Symbol("]");
    Bounds { lo, lo_closed, hi, hi_closed, span: Some(span) }
}

/// Returns true if a word behind a number, the current token, is its unit: in `F=5 s a` it is, in `F=5 s` and `F=5
/// s(1)` it is an event, in `F=5 H a` an operator.
fn unit_before_operand(cursor: &Cursor<'_>, dialect: &Dialect) -> bool {
    let (word, next) = (cursor.nth(1), cursor.nth(2));
    match next.kind {
        _ if cursor.text(word) == "H" => false,
        Token::Word => cursor.text(next) != "_" && !is_between(cursor, dialect, 2),
        Token::Text | Token::OpenText | Token::Unknown | Token::Symbol("!") => true,
        Token::Symbol("(") => next.span.start > word.span.end,
        _ => false,
    }
}

/// Returns true if the current token closes an interval.
pub(crate) fn is_end(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.peek().kind, Token::Symbol("]" | ")"))
}

/// Reads the two bounds; the upper is `None` for `inf`. Returns `None` after reporting an error.
fn bounds(cursor: &mut Cursor<'_>, opening: Span) -> Option<(Quantity, Option<Quantity>)> {
    if is_infinite(cursor) {
        let help = "write the lower bound first, as in `[5,inf)`";
        return bad_bounds(cursor, "an interval cannot begin at infinity", help);
    }
    if is_end(cursor) {
        let span = opening.to(cursor.peek().span);
        let diagnostic =
            Diagnostic::error("G0302", span, "the interval has no bounds").label("two bounds are expected");
        let advice = "write both bounds, or leave the interval out";
        return cursor.report_once(diagnostic.edit(advice, span, "[0,10]")).none();
    }
    if cursor.is(",") {
        return bad_bounds(cursor, "the interval has no lower bound", "write `0` if any distance from now on will do");
    }
    let (lo, _) = constant(cursor, UnitPlace::Sure, "the lower bound")?;
    if cursor.eat(",").is_none() {
        if is_end(cursor) {
            let help = "write two bounds, as in `[0,10]`; `=10` is exactly 10";
            return bad_bounds(cursor, "the interval has no upper bound", help);
        }
        return bad_bounds(cursor, "there is no `,` between the bounds", "write the bounds as in `[0,10]`");
    }
    if is_infinite(cursor) {
        cursor.bump();
        return Some((lo, None));
    }
    if is_end(cursor) {
        return bad_bounds(cursor, "the interval has no upper bound", "write `inf` if there is none, as in `[5,inf)`");
    }
    let (hi, _) = constant(cursor, UnitPlace::Sure, "the upper bound or `inf`")?;
    Some((lo, Some(hi)))
}

/// Reports bounds of an interval or a window that make no sense at the current token.
pub(crate) fn bad_bounds<T>(cursor: &mut Cursor<'_>, message: &str, help: &str) -> Option<T> {
    let span = cursor.peek().span;
    cursor.report_once(Diagnostic::error("G0302", span, message).help(help)).none()
}

/// Reads an amount that cannot be negative. Returns `None` after reporting an error.
pub(crate) fn constant(cursor: &mut Cursor<'_>, place: UnitPlace, what: &str) -> Option<(Quantity, Span)> {
    let (quantity, span) = quantity(cursor, place, what)?;
    if quantity.billionths >= 0 {
        return Some((quantity, span));
    }
    let written = cursor.slice(span);
    cursor.report(
        Diagnostic::error("G0309", span, format!("`{written}` is negative"))
            .label("distances, windows and bounds are not negative")
            .help("leave out the sign, or look back in time with `P H Y S`"),
    );
    None
}

/// Skips to the end of an interval that could not be understood, but not out of the formula around it.
fn skip_bracket(cursor: &mut Cursor<'_>) -> Span {
    let is_inside = |cursor: &Cursor<'_>| match cursor.peek().kind {
        Token::Number | Token::Symbol("," | ";" | "." | ":" | "-" | "inf") => true,
        Token::Word => is_infinite(cursor) || cursor.word().and_then(Unit::parse).is_some(),
        _ => false,
    };
    while is_inside(cursor) {
        cursor.bump();
    }
    if is_end(cursor) { cursor.bump().span } else { cursor.last_span(cursor.peek().span) }
}

/// Skips past the closing brace of a sub- or superscript that could not be understood, if there is one.
fn skip_brace(cursor: &mut Cursor<'_>, opening: Span) {
    while !cursor.at_end() && !starts_round_interval(cursor, 0) && !cursor.is("(") {
        if cursor.eat("}").is_some() {
            return;
        }
        cursor.bump();
    }
    cursor.unclosed(opening, "}");
}
