// SPDX-License-Identifier: MIT OR Apache-2.0
//! What may stand after an operator's letter: an exponent and an interval, as super- and subscripts or plainly.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::time::{Quantity, Unit};
use gnomon_ir::formula::Bounds;

use super::Dialect;
use super::slip::{is_between, starts_round_interval, starts_tail};
use super::syntax::Exponent;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;
use crate::specfile::literal::{UnitPlace, quantity};

/// What stood after the letter.
pub(super) struct Tail {
    pub(super) exponent: Option<Exponent>,
    pub(super) interval: Option<Bounds>,
}

/// Reads what stands after an operator's letter, in any order, each part once.
pub(super) fn tail(cursor: &mut Cursor<'_>, dialect: &Dialect, letter: char) -> Tail {
    let mut tail = Tail { exponent: None, interval: None };
    while starts_tail(cursor, 0) {
        if cursor.is("^") {
            if tail.exponent.is_some() {
                break;
            }
            tail.exponent = exponent(cursor, letter);
        } else {
            if tail.interval.is_some() {
                break;
            }
            tail.interval =
                if cursor.word() == Some("_") { subscript(cursor, dialect) } else { interval(cursor, dialect) };
        }
    }
    tail
}

/// `^6` or `^{6}`
fn exponent(cursor: &mut Cursor<'_>, letter: char) -> Option<Exponent> {
    let start = cursor.bump().span;
    let opening = cursor.eat("{");
    let token = cursor.peek();
    if token.kind != Kind::Number {
        cursor.expected(&format!("a number of times, as in `{letter}^6`"));
        if let Some(opening) = opening {
            skip_brace(cursor, opening);
        }
        return None;
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
    cursor.report(
        Diagnostic::error("G0308", span, format!("`{letter}` takes no exponent"))
            .label("only `X` and `Y` are repeated")
            .edit("leave it out", span, ""),
    );
    None
}

/// `_{(0,10)}` or `_(0,10)`
fn subscript(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Option<Bounds> {
    let mark = cursor.bump().span;
    let opening = cursor.eat("{");
    let starts = cursor.is("[") || cursor.is("(") || cursor.is("=") || cursor.is("==");
    let bounds = if starts {
        interval(cursor, dialect)
    } else {
        let diagnostic = Diagnostic::error("G0302", mark, "the subscript is no interval")
            .label("an interval is expected after this")
            .help("write `_{[a,b]}`, `_{(a,b)}`, `_{[a,inf)}` or `_{=a}`");
        cursor.blame(diagnostic);
        None
    };
    if let Some(opening) = opening {
        if bounds.is_some() {
            cursor.close(opening, "}");
        } else {
            skip_brace(cursor, opening);
        }
    }
    bounds
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

/// Reads `[a,b]`, `(a,inf)` and the like; the current token is the bracket. What is wrong has been reported.
pub(crate) fn bracketed(cursor: &mut Cursor<'_>) -> Bounds {
    let opening = cursor.bump();
    let lo_closed = opening.kind == Kind::Symbol("[");
    let bounds = bounds(cursor, opening.span);
    let closing = cursor.peek();
    let Some((lo, hi)) = bounds else {
        let end = skip_bracket(cursor);
        return Bounds { span: Some(opening.span.to(end)), ..Bounds::POSITIVE };
    };
    if !matches!(closing.kind, Kind::Symbol("]" | ")")) {
        cursor.unclosed(opening.span, if lo_closed { "]" } else { ")" });
        let end = skip_bracket(cursor);
        return Bounds { span: Some(opening.span.to(end)), ..Bounds::POSITIVE };
    }
    cursor.bump();
    let span = opening.span.to(closing.span);
    // `[a,inf]` is read as `[a,inf)`: no distance is infinite.
    let hi_closed = hi.is_some() && closing.kind == Kind::Symbol("]");
    Bounds { lo, lo_closed, hi, hi_closed, span: Some(span) }
}

/// In `F=5 s a` the `s` is a unit, in `F=5 s` and `F=5 s(1)` an event, in `F=5 H a` the `H` an operator. The current token
/// is the number.
fn unit_before_operand(cursor: &Cursor<'_>, dialect: &Dialect) -> bool {
    let (word, next) = (cursor.nth(1), cursor.nth(2));
    match next.kind {
        _ if cursor.text(word) == "H" => false,
        Kind::Word => cursor.text(next) != "_" && !is_between(cursor, dialect, 2),
        Kind::Text | Kind::OpenText | Kind::Unknown | Kind::Symbol("!") => true,
        Kind::Symbol("(") => next.span.start > word.span.end,
        _ => false,
    }
}

/// The two ends; the upper is `None` for `inf`. What is wrong has been reported.
fn bounds(cursor: &mut Cursor<'_>, opening: Span) -> Option<(Quantity, Option<Quantity>)> {
    if is_infinite(cursor) {
        bad_bound(cursor, "an interval cannot begin at infinity", "write the lower bound first, as in `[5,inf)`");
        return None;
    }
    if cursor.is("]") || cursor.is(")") {
        let span = opening.to(cursor.peek().span);
        cursor.blame(
            Diagnostic::error("G0302", span, "the interval has no bounds").label("two bounds are expected").edit(
                "write both bounds, or leave the interval out",
                span,
                "[0,10]",
            ),
        );
        return None;
    }
    if cursor.is(",") {
        bad_bound(cursor, "the interval has no lower bound", "write `0` if any distance from now on will do");
        return None;
    }
    let (lo, _) = constant(cursor, UnitPlace::Sure, "the lower bound")?;
    if cursor.eat(",").is_none() {
        if cursor.is("]") || cursor.is(")") {
            bad_bound(
                cursor,
                "the interval has no upper bound",
                "write two bounds, as in `[0,10]`; `=10` is exactly 10",
            );
        } else {
            bad_bound(cursor, "no `,` stands between the bounds", "write the bounds as in `[0,10]`");
        }
        return None;
    }
    if is_infinite(cursor) {
        cursor.bump();
        return Some((lo, None));
    }
    if cursor.is("]") || cursor.is(")") {
        bad_bound(cursor, "the interval has no upper bound", "write `inf` if there is none, as in `[5,inf)`");
        return None;
    }
    let (hi, _) = constant(cursor, UnitPlace::Sure, "the upper bound or `inf`")?;
    Some((lo, Some(hi)))
}

fn is_infinite(cursor: &Cursor<'_>) -> bool {
    cursor.is("inf") || cursor.word().is_some_and(|word| matches!(word, "inf" | "infinity" | "Inf" | "INF" | "oo"))
}

fn bad_bound(cursor: &mut Cursor<'_>, message: &str, help: &str) {
    let span = cursor.peek().span;
    cursor.blame(Diagnostic::error("G0302", span, message).help(help));
}

/// An amount that cannot be negative. `None` if there is none that makes sense, which has been reported.
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
    loop {
        let token = cursor.peek();
        match token.kind {
            Kind::Symbol("]" | ")") => return cursor.bump().span,
            Kind::Number | Kind::Symbol("," | ";" | "." | ":" | "-" | "inf") => {
                cursor.bump();
            }
            Kind::Word if is_infinite(cursor) || cursor.word().and_then(Unit::parse).is_some() => {
                cursor.bump();
            }
            _ => return cursor.previous().map_or(token.span, |before| before.span),
        }
    }
}

/// Skips past the closing brace of a sub- or superscript that could not be understood, if there is one.
pub(crate) fn skip_brace(cursor: &mut Cursor<'_>, opening: Span) {
    while !cursor.at_end() && !starts_round_interval(cursor, 0) && !cursor.is("(") {
        if cursor.eat("}").is_some() {
            return;
        }
        cursor.bump();
    }
    cursor.unclosed(opening, "}");
}
