// SPDX-License-Identifier: MIT OR Apache-2.0
//! Aggregates: `C^{600}_{<=3}(f)` as papers write it, `count[600](f) <= 3` as it reads aloud.
//!
//! Aggregates nest, so what only errors need is kept out of the frames of the recursion.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::time::Quantity;
use gnomon_core::value::Comparison;

use super::interval::{constant, skip_brace};
use super::parse::{formula, leftovers, node};
use super::syntax::{Aggregate, Kind, Measure, Syntax};
use crate::specfile::condition::comparison;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind as Token;
use crate::specfile::literal::UnitPlace;

/// `None` if it could not be understood, which has been reported.
type Compared = Option<(Comparison, Quantity)>;
/// Likewise.
type Window = Option<Vec<Quantity>>;

/// The aggregate that the letter at the current token begins, if its sub- or superscript follows.
pub(super) fn measure(cursor: &Cursor<'_>, letter: char) -> Option<Measure> {
    if !cursor.nth_is(1, "^") && cursor.nth_word(1) != Some("_") {
        return None;
    }
    Some(match letter {
        'C' => Measure::Count,
        'U' => Measure::Average,
        'M' => Measure::Maximum,
        'D' => Measure::Gap,
        _ => return None,
    })
}

/// The aggregate that the word at the current token names, if a window follows: an event may bear the same name.
pub(super) fn alias(cursor: &Cursor<'_>) -> Option<Measure> {
    let window = cursor.nth_is(1, "[") && matches!(cursor.nth(2).kind, Token::Number | Token::Symbol("-" | "," | "]"));
    if !window {
        return None;
    }
    Some(match cursor.word()? {
        "count" => Measure::Count,
        "avg" => Measure::Average,
        "max" => Measure::Maximum,
        "gap" => Measure::Gap,
        _ => return None,
    })
}

/// How an aggregate is written, with its own letter or word.
pub(super) fn form(written: &str) -> String {
    match written {
        "count" => "count[600](f) <= 3".to_owned(),
        "avg" | "max" => format!("{written}[600,60](f) <= 3"),
        "gap" => "gap[900](f, g) <= 5".to_owned(),
        _ => match super::letter::letter(written) {
            Some('U' | 'M') => format!("{written}^{{600,60}}_{{<=3}}(f)"),
            Some('D') => format!("{written}^{{900}}_{{<=5}}{{(f, g)}}"),
            _ => format!("{written}^{{600}}_{{<=3}}(f)"),
        },
    }
}

/// `C^{600}_{<=3}(f)`; the letter is the current token.
pub(super) fn lettered(cursor: &mut Cursor<'_>, measure: Measure) -> Syntax {
    let head = cursor.bump().span;
    let mut window: Option<Window> = None;
    let mut compared: Option<Compared> = None;
    loop {
        if window.is_none() && cursor.is("^") {
            window = Some(superscript(cursor));
        } else if compared.is_none() && cursor.word() == Some("_") {
            compared = Some(subscript(cursor));
        } else {
            break;
        }
    }
    let before = cursor.previous().map_or(head, |token| token.span);
    if window.is_none() {
        incomplete(cursor, head, "has no window", "a superscript is expected after this");
    }
    let (arguments, end) = arguments(cursor, measure, head);
    if compared.is_none() {
        compared = Some(compared_behind(cursor, head, head.to(before), before.end));
    }
    let compared = compared.flatten();
    finish(cursor, head, end, Aggregate { measure, window: window.flatten(), compared, arguments })
}

/// `count[600](f) <= 3`; the word is the current token.
pub(super) fn readable(cursor: &mut Cursor<'_>, measure: Measure) -> Syntax {
    let head = cursor.bump().span;
    let opening = cursor.bump().span;
    let window = constants(cursor);
    let closed = if window.is_some() { cursor.close(opening, "]") } else { None };
    if closed.is_none() {
        while !cursor.at_end() && !cursor.is("(") && cursor.eat("]").is_none() {
            cursor.bump();
        }
    }
    let (arguments, mut end) = arguments(cursor, measure, head);
    let compared = if is_comparison(cursor) {
        let compared = compare(cursor);
        end = cursor.previous().map_or(end, |token| token.span);
        compared
    } else {
        incomplete(cursor, head, "is compared with nothing", "a comparison is expected after its parentheses");
        None
    };
    finish(cursor, head, end, Aggregate { measure, window, compared, arguments })
}

fn finish(cursor: &mut Cursor<'_>, head: Span, end: Span, aggregate: Aggregate) -> Syntax {
    let constants = aggregate.window.as_ref().map(Vec::len);
    match (constants, aggregate.measure.has_step()) {
        (None, _) | (Some(1), false) | (Some(2), true) => {}
        (Some(1), true) => incomplete(cursor, head, "has no step", "a window and a step are expected: `K,h`"),
        _ => incomplete(cursor, head, "has more than a window", "one constant is expected here"),
    }
    node(cursor, Kind::Aggregate(aggregate), head.to(end))
}

/// Reports an aggregate that lacks a part.
#[inline(never)]
fn incomplete(cursor: &mut Cursor<'_>, head: Span, what: &str, label: &str) {
    let written = cursor.slice(head);
    let form = form(written);
    cursor.report(
        Diagnostic::error("G0307", head, format!("`{written}` {what}"))
            .label(label)
            .help(format!("write it as in `{form}`")),
    );
}

/// `^{K}`, `^{K,h}` or `^K`
#[inline(never)]
fn superscript(cursor: &mut Cursor<'_>) -> Window {
    cursor.bump();
    let Some(opening) = cursor.eat("{") else {
        return constant(cursor, UnitPlace::Sure, "the window").map(|(window, _)| vec![window]);
    };
    let window = constants(cursor);
    if window.is_some() {
        cursor.close(opening, "}");
    } else {
        skip_brace(cursor, opening);
    }
    window
}

/// Constants separated by commas, at least one.
fn constants(cursor: &mut Cursor<'_>) -> Window {
    let mut constants = Vec::new();
    loop {
        constants.push(constant(cursor, UnitPlace::Sure, "a length of time")?.0);
        if cursor.eat(",").is_none() {
            return Some(constants);
        }
    }
}

/// `_{<=n}` or `_<=n`
#[inline(never)]
fn subscript(cursor: &mut Cursor<'_>) -> Compared {
    cursor.bump();
    let opening = cursor.eat("{");
    let compared = compare(cursor);
    let Some(opening) = opening else { return compared };
    if compared.is_some() {
        cursor.close(opening, "}");
    } else {
        skip_brace(cursor, opening);
    }
    compared
}

fn is_comparison(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.peek().kind, Token::Symbol("=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "=<" | "=>"))
}

/// A comparison and a number.
fn compare(cursor: &mut Cursor<'_>) -> Compared {
    let token = cursor.peek();
    let Some(comparison) = comparison(cursor) else {
        cursor.expected("a comparison: one of `= < <= > >=`");
        return None;
    };
    if comparison == Comparison::NotEqual {
        cursor.report(
            Diagnostic::error("G0310", token.span, "aggregates are not compared with `!=`")
                .label("one of `= < <= > >=` is expected")
                .help("write `=` and put `!` before the aggregate"),
        );
    }
    let (bound, _) = constant(cursor, UnitPlace::Sure, "a number")?;
    Some((comparison, bound))
}

/// `C^{600}(f) <= 3`: the comparison belongs in the subscript.
#[inline(never)]
fn compared_behind(cursor: &mut Cursor<'_>, head: Span, front: Span, arguments: u32) -> Compared {
    let written = cursor.slice(head);
    if !is_comparison(cursor) {
        incomplete(cursor, head, "is compared with nothing", "a subscript is expected after this");
        return None;
    }
    let start = cursor.peek().span;
    let rest = Span { start: arguments, end: cursor.previous().map_or(start.start, |token| token.span.end) };
    let (before, diagnostics) = (start.start, cursor.count());
    let compared = compare(cursor);
    let end = cursor.previous().map_or(start, |token| token.span);
    if cursor.count() == diagnostics {
        let comparison = cursor.slice(Span { start: before, end: end.end });
        let comparison: String = comparison.split_whitespace().collect();
        let edit = format!("{}_{{{comparison}}}{}", cursor.slice(front), cursor.slice(rest));
        cursor.report(
            Diagnostic::error(
                "G0307",
                start.to(end),
                format!("the comparison of `{written}` is written as a subscript"),
            )
            .label("this stands after the parentheses")
            .edit("move it before them", head.to(end), edit),
        );
    }
    compared
}

/// `(f)`, `(f, g)` or `{(f, g)}`
fn arguments(cursor: &mut Cursor<'_>, measure: Measure, head: Span) -> (Vec<Syntax>, Span) {
    let brace = (cursor.is("{") && cursor.nth_is(1, "(")).then(|| cursor.bump().span);
    if !cursor.is("(") {
        no_argument(cursor, head);
        return (vec![], cursor.previous().map_or(head, |token| token.span));
    }
    let opening = cursor.bump().span;
    let before = cursor.count();
    let mut arguments = Vec::new();
    loop {
        arguments.push(formula(cursor));
        leftovers(cursor, &[")", "}", ","]);
        if cursor.eat(",").is_none() {
            break;
        }
    }
    cursor.close(opening, ")");
    if let Some(brace) = brace {
        cursor.close(brace, "}");
    }
    let end = cursor.previous().map_or(opening, |token| token.span);
    if arguments.len() != measure.arity() && cursor.count() == before {
        wrong_number(cursor, measure, head, opening.to(end), arguments.len());
    }
    (arguments, end)
}

#[inline(never)]
fn wrong_number(cursor: &mut Cursor<'_>, measure: Measure, head: Span, span: Span, got: usize) {
    let written = cursor.slice(head);
    let about = if measure.arity() == 1 { "one formula" } else { "two formulae" };
    cursor.report(
        Diagnostic::error("G0307", span, format!("`{written}` is about {about}, not {got}"))
            .label(format!("{about} must stand here"))
            .help(format!("write it as in `{}`", form(written))),
    );
}

#[inline(never)]
fn no_argument(cursor: &mut Cursor<'_>, head: Span) {
    let form = form(cursor.slice(head));
    let diagnostic = cursor.unexpected("`(`");
    cursor.blame(diagnostic.help(format!("write what it is about in parentheses, as in `{form}`")));
}
