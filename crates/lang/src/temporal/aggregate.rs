// SPDX-License-Identifier: MIT OR Apache-2.0
//! Aggregates as they read aloud, `count[600](f) <= 3`, and the parts of which all aggregates are made.
//!
//! Aggregates nest, so what only errors need is kept out of the frames of the recursion.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::time::Quantity;
use gnomon_core::value::Comparison;
use gnomon_ir::pattern::Path;

use super::Dialect;
use super::parse::{formula, node};
use super::syntax::{Aggregate, Kind, Measure, Syntax};
use crate::specfile::condition::comparison;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind as Token;
use crate::specfile::literal::{UnitPlace, quantity};
use crate::specfile::rest::leftovers;

pub(crate) use super::interval::{constant, skip_brace};

/// `None` if it could not be understood, which has been reported.
pub(crate) type Compared = Option<(Comparison, Quantity)>;
/// Likewise.
pub(crate) type Window = Option<Vec<Quantity>>;

/// What an aggregate is about.
pub(crate) struct Arguments {
    pub(crate) parts: Vec<Syntax>,
    /// The field whose numbers are folded.
    pub(crate) field: Option<Path>,
    /// The last token of the arguments.
    pub(crate) end: Span,
}

/// Whether a window follows the word at the current token: an event may bear the name of an aggregate.
pub(crate) fn has_window(cursor: &Cursor<'_>) -> bool {
    cursor.nth_is(1, "[") && matches!(cursor.nth(2).kind, Token::Number | Token::Symbol("-" | "," | "]"))
}

/// `count[600](f) <= 3`; the word is the current token, and `arguments` reads what stands in the parentheses.
pub(crate) fn readable(
    cursor: &mut Cursor<'_>,
    dialect: &Dialect,
    measure: Measure,
    arguments: fn(&mut Cursor<'_>, &Dialect, Measure, Span) -> Arguments,
) -> Syntax {
    let head = cursor.bump().span;
    let opening = cursor.bump().span;
    let window = constants(cursor);
    let closed = if window.is_some() { cursor.close(opening, "]") } else { None };
    if closed.is_none() {
        while !cursor.at_end() && !cursor.is("(") && cursor.eat("]").is_none() {
            cursor.bump();
        }
    }
    let Arguments { parts, field, mut end } = arguments(cursor, dialect, measure, head);
    let compared = if is_comparison(cursor) {
        let compared = compare(cursor, measure);
        end = cursor.previous().map_or(end, |token| token.span);
        compared
    } else {
        // Without anything in parentheses the comparison is not looked for.
        if !parts.is_empty() {
            let label = "a comparison is expected after its parentheses";
            incomplete(cursor, dialect, head, "is compared with nothing", label);
        }
        None
    };
    finish(cursor, dialect, head.to(end), head, Aggregate { measure, window, compared, arguments: parts, field })
}

/// The aggregate, its window checked.
pub(crate) fn finish(
    cursor: &mut Cursor<'_>,
    dialect: &Dialect,
    span: Span,
    head: Span,
    aggregate: Aggregate,
) -> Syntax {
    let constants = aggregate.window.as_ref().map(Vec::len);
    match (constants, aggregate.measure.has_step()) {
        (None, _) | (Some(1), false) | (Some(2), true) => {}
        (Some(1), true) => incomplete(cursor, dialect, head, "has no step", "a window and a step are expected: `K,h`"),
        _ => incomplete(cursor, dialect, head, "has more than a window", "one constant is expected here"),
    }
    node(cursor, Kind::Aggregate(aggregate), span)
}

/// Reports an aggregate that lacks a part.
#[inline(never)]
pub(crate) fn incomplete(cursor: &mut Cursor<'_>, dialect: &Dialect, head: Span, what: &str, label: &str) {
    let written = cursor.slice(head);
    let form = (dialect.form)(written);
    cursor.report(
        Diagnostic::error("G0307", head, format!("`{written}` {what}"))
            .label(label)
            .help(format!("write it as in `{form}`")),
    );
}

/// Constants separated by commas, at least one.
pub(crate) fn constants(cursor: &mut Cursor<'_>) -> Window {
    let mut constants = Vec::new();
    loop {
        constants.push(constant(cursor, UnitPlace::Sure, "a length of time")?.0);
        if cursor.eat(",").is_none() {
            return Some(constants);
        }
    }
}

/// Whether the current token compares.
pub(crate) fn is_comparison(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.peek().kind, Token::Symbol("=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "=<" | "=>"))
}

/// A comparison and a number.
pub(crate) fn compare(cursor: &mut Cursor<'_>, measure: Measure) -> Compared {
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
    // A sum may well be negative, a number of occurrences may not.
    let read = if matches!(measure, Measure::Fold(_)) { quantity } else { constant };
    let (bound, _) = read(cursor, UnitPlace::Sure, "a number")?;
    Some((comparison, bound))
}

/// `(f)`, `(f, g)` or `{(f, g)}`
pub(crate) fn formulae(cursor: &mut Cursor<'_>, dialect: &Dialect, measure: Measure, head: Span) -> Arguments {
    let brace = (cursor.is("{") && cursor.nth_is(1, "(")).then(|| cursor.bump().span);
    if !cursor.is("(") {
        return no_argument(cursor, dialect, head);
    }
    let opening = cursor.bump().span;
    let before = cursor.count();
    let mut parts = Vec::new();
    loop {
        parts.push(formula(cursor, dialect));
        leftovers(cursor, dialect, &[")", "}", ","]);
        if cursor.eat(",").is_none() {
            break;
        }
    }
    cursor.close(opening, ")");
    if let Some(brace) = brace {
        cursor.close(brace, "}");
    }
    let end = cursor.previous().map_or(opening, |token| token.span);
    if parts.len() != measure.arity() && cursor.count() == before {
        wrong_number(cursor, dialect, measure, head, opening.to(end), parts.len());
    }
    Arguments { parts, field: None, end }
}

#[inline(never)]
fn wrong_number(cursor: &mut Cursor<'_>, dialect: &Dialect, measure: Measure, head: Span, span: Span, got: usize) {
    let written = cursor.slice(head);
    let about = if measure.arity() == 1 { "one formula" } else { "two formulae" };
    cursor.report(
        Diagnostic::error("G0307", span, format!("`{written}` is about {about}, not {got}"))
            .label(format!("{about} must stand here"))
            .help(format!("write it as in `{}`", (dialect.form)(written))),
    );
}

/// Blames the current token for not being the parenthesis in which the arguments stand.
#[inline(never)]
pub(crate) fn no_argument(cursor: &mut Cursor<'_>, dialect: &Dialect, head: Span) -> Arguments {
    let form = (dialect.form)(cursor.slice(head));
    let diagnostic = cursor.unexpected("`(`");
    cursor.blame(diagnostic.help(format!("write what it is about in parentheses, as in `{form}`")));
    Arguments { parts: vec![], field: None, end: cursor.previous().map_or(head, |token| token.span) }
}
