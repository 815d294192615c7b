// SPDX-License-Identifier: MIT OR Apache-2.0
//! Aggregates in words, `count[600](f) <= 3`, and the parts that all aggregates consist of.
//!
//! Aggregates nest, so functions that only report errors are not inlined into the recursive ones: that keeps stack
//! frames small.

use gnomon_core::{Comparison, Diagnostic, Quantity, Span};
use gnomon_ir::Percent;
use gnomon_ir::atom::Path;

use super::Dialect;
use super::parse::formula;
use super::syntax::{Aggregate, Measure, Syntax, TemporalForm};
use crate::syntax::atom::atom;
use crate::syntax::condition::{path, steps};
use crate::syntax::formula::{leftovers, node};
use crate::syntax::{AtomSyntax, Cursor, SyntaxKind, Token, UnitPlace, comparison, is_comparison, value_bound};

pub(crate) use super::interval::{close_brace, constant};

/// A comparison and its bound; `None` if it could not be understood, which has been reported.
pub(crate) type ParsedComparison = Option<(Comparison, Quantity)>;
/// The constants of a window; `None` if they could not be understood, which has been reported.
pub(crate) type ParsedWindow = Option<Vec<Quantity>>;

/// The arguments of an aggregate.
pub(crate) struct AggregateArguments {
    pub(crate) parts: Vec<Syntax>,
    /// The field whose values the aggregate is about.
    pub(crate) field: Option<Path>,
    /// The last token of the arguments.
    pub(crate) end: Span,
}

/// Returns the aggregate of a word that every temporal language has: `rate`, `p95`, `distinct`.
pub(crate) fn statistic(word: &str) -> Option<Measure> {
    match word {
        "rate" => Some(Measure::Rate),
        "distinct" => Some(Measure::Distinct),
        _ => percent(word).map(Measure::Percentile),
    }
}

/// Returns an example of an aggregate of [`statistic`].
pub(crate) fn statistic_form(word: &str) -> Option<String> {
    Some(match statistic(word)? {
        Measure::Rate => format!("{word}[60s](request) <= 5"),
        Measure::Distinct => format!("{word}[10m](login.user) <= 3"),
        _ => format!("{word}[5m](request.duration) <= 200"),
    })
}

/// Reads the N of `pN`, such as `p95` or `p99.9`. Returns `None` for another word, and `Some(None)` for an N that is 0, above 100, or has
/// more than nine places.
fn percent(word: &str) -> Option<Option<Percent>> {
    let number = word.strip_prefix('p')?;
    let (whole, places) = number.split_once('.').unwrap_or((number, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(places) {
        return None;
    }
    let billionths = || {
        let places: u64 = format!("{places:0<9}").parse().ok()?;
        whole.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(places)
    };
    let fits = places.len() <= 9;
    Some(billionths().filter(|_| fits).and_then(Percent::new))
}

/// Returns true if a window follows the word at the current token. Otherwise the word is an event's name.
pub(crate) fn has_window(cursor: &Cursor<'_>) -> bool {
    cursor.nth_is(1, "[") && matches!(cursor.nth(2).kind, Token::Number | Token::Symbol("-" | "," | "]"))
}

/// Reads `count[600](f) <= 3`; the word is the current token.
pub(crate) fn readable(cursor: &mut Cursor<'_>, dialect: &Dialect, measure: Measure) -> Syntax {
    let head = cursor.bump().span;
    let opening = cursor.bump().span;
    let window = constants(cursor);
    let closed = if window.is_some() { cursor.close(opening, "]") } else { None };
    if closed.is_none() {
        while !cursor.at_end() && !cursor.is("(") && cursor.eat("]").is_none() {
            cursor.bump();
        }
    }
    let AggregateArguments { parts, field, mut end } = arguments(cursor, dialect, measure, head);
    let compared = if is_comparison(cursor.peek().kind) {
        let compared = compare(cursor, measure);
        end = cursor.last_span(end);
        compared
    } else {
        // Without arguments, which has been reported, a missing comparison is not reported too.
        if !parts.is_empty() {
            let label = "a comparison is expected after its parentheses";
            incomplete(cursor, dialect, head, "is compared with nothing", label);
        }
        None
    };
    finish(cursor, dialect, head.to(end), head, Aggregate { measure, window, compared, arguments: parts, field })
}

/// Checks the window of an aggregate and creates its node.
pub(crate) fn finish(
    cursor: &mut Cursor<'_>,
    dialect: &Dialect,
    span: Span,
    head: Span,
    aggregate: Aggregate,
) -> Syntax {
    if aggregate.measure == Measure::Percentile(None) {
        no_percentage(cursor, head);
    }
    let constants = aggregate.window.as_ref().map(Vec::len);
    match (constants, aggregate.measure.has_step()) {
        (None, _) | (Some(1), false) | (Some(2), true) => {}
        (Some(1), true) => incomplete(cursor, dialect, head, "has no step", "a window and a step are expected: `K,h`"),
        _ => incomplete(cursor, dialect, head, "has more than a window", "one constant is expected here"),
    }
    node(cursor, SyntaxKind::Own(TemporalForm::Aggregate(aggregate)), span)
}

#[inline(never)]
fn no_percentage(cursor: &mut Cursor<'_>, head: Span) {
    let written = cursor.slice(head);
    cursor.report(
        Diagnostic::error("G0325", head, format!("`{written}` is not a percentile"))
            .label("a number above 0 and up to 100, with at most nine decimal places, is expected after the `p`")
            .help("write for example `p50`, `p95` or `p99.9`; `p100` is the greatest number"),
    );
}

/// Reports an aggregate that lacks a part.
#[inline(never)]
pub(crate) fn incomplete(cursor: &mut Cursor<'_>, dialect: &Dialect, head: Span, what: &str, label: &str) {
    let written = cursor.slice(head);
    let form = (dialect.form)(written);
    let diagnostic = Diagnostic::error("G0307", head, format!("`{written}` {what}")).label(label);
    cursor.report(diagnostic.help(format!("write it as in `{form}`")));
}

/// Reads constants separated by commas, at least one.
pub(crate) fn constants(cursor: &mut Cursor<'_>) -> ParsedWindow {
    let mut constants = Vec::new();
    loop {
        constants.push(constant(cursor, UnitPlace::Sure, "a length of time")?.0);
        if cursor.eat(",").is_none() {
            return Some(constants);
        }
    }
}

/// Reads a comparison and a number.
pub(crate) fn compare(cursor: &mut Cursor<'_>, measure: Measure) -> ParsedComparison {
    let token = cursor.peek();
    let Some(comparison) = comparison(cursor) else {
        return cursor.expected("a comparison: one of `= < <= > >=`").none();
    };
    if comparison == Comparison::NotEqual {
        cursor.report(
            Diagnostic::error("G0310", token.span, "aggregates are not compared with `!=`")
                .label("one of `= < <= > >=` is expected")
                .help("write `=` and put `!` before the aggregate"),
        );
    }
    // A value may be negative, a number of occurrences may not.
    let read = if matches!(measure, Measure::Fold(_) | Measure::Percentile(_)) { value_bound } else { constant };
    let (bound, _) = read(cursor, UnitPlace::Sure, "a number")?;
    Some((comparison, bound))
}

/// Reads the parentheses of an aggregate.
pub(crate) fn arguments(
    cursor: &mut Cursor<'_>,
    dialect: &Dialect,
    measure: Measure,
    head: Span,
) -> AggregateArguments {
    if measure.has_field() { field(cursor, dialect, head) } else { formulae(cursor, dialect, measure, head) }
}

/// Reads `(f)`, `(f, g)` or `{(f, g)}`.
fn formulae(cursor: &mut Cursor<'_>, dialect: &Dialect, measure: Measure, head: Span) -> AggregateArguments {
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
    let end = cursor.last_span(opening);
    if parts.len() != measure.arity() && cursor.count() == before {
        wrong_number(cursor, dialect, measure, head, opening.to(end), parts.len());
    }
    AggregateArguments { parts, field: None, end }
}

#[inline(never)]
fn wrong_number(cursor: &mut Cursor<'_>, dialect: &Dialect, measure: Measure, head: Span, span: Span, got: usize) {
    let written = cursor.slice(head);
    let about = if measure.arity() == 1 { "one formula" } else { "two formulae" };
    cursor.report(
        Diagnostic::error("G0307", span, format!("`{written}` is about {about}, not {got}"))
            .label(format!("{about} is expected here"))
            .help(format!("write it as in `{}`", (dialect.form)(written))),
    );
}

/// Reports that the current token is not the parenthesis of the arguments.
#[inline(never)]
fn no_argument(cursor: &mut Cursor<'_>, dialect: &Dialect, head: Span) -> AggregateArguments {
    let form = (dialect.form)(cursor.slice(head));
    cursor.expected_help("`(`", format!("write the operand in parentheses, as in `{form}`"));
    AggregateArguments { parts: vec![], field: None, end: cursor.last_span(head) }
}

/// Reads `(event.field)`.
fn field(cursor: &mut Cursor<'_>, dialect: &Dialect, head: Span) -> AggregateArguments {
    if !cursor.is("(") {
        return no_argument(cursor, dialect, head);
    }
    let opening = cursor.bump().span;
    let mut arguments = AggregateArguments { parts: vec![], field: None, end: opening };
    if let Some(mut atom) = atom(cursor) {
        arguments.field = field_of(cursor, dialect, head, &mut atom);
        let span = atom.span;
        arguments.parts.push(node(cursor, SyntaxKind::Atom(atom), span));
    } else {
        cursor.expected("an event and its field, as in `pay(u).amount`");
    }
    close(cursor, dialect, head, opening);
    arguments.end = cursor.last_span(opening);
    arguments
}

/// Reads the dot and the field after the event. The lexer reads `pay.amount` as one word: its field follows the last
/// dot.
fn field_of(cursor: &mut Cursor<'_>, dialect: &Dialect, head: Span, atom: &mut AtomSyntax) -> Option<Path> {
    if cursor.eat(".").is_some() {
        return path(cursor);
    }
    if !atom.quoted
        && atom.arguments.is_none()
        && atom.condition.is_none()
        && let Some((event, field)) = atom.name.rsplit_once('.')
    {
        let field = field.to_owned();
        atom.name = event.to_owned();
        atom.name_span.end = atom.name_span.start + atom.name.len() as u32;
        atom.span = atom.name_span;
        return steps(cursor, field);
    }
    if cursor.is(")") {
        incomplete(cursor, dialect, head, "needs a field", "an event and one of its fields are expected");
    }
    None
}

/// Takes the closing parenthesis, or skips to it.
fn close(cursor: &mut Cursor<'_>, dialect: &Dialect, head: Span, opening: Span) {
    if cursor.eat(")").is_some() {
        return;
    }
    if cursor.at_end() || is_comparison(cursor.peek().kind) {
        return cursor.unclosed(opening, ")");
    }
    let form = (dialect.form)(cursor.slice(head));
    cursor.expected_help("`)`", format!("one event and one of its fields are expected here, as in `{form}`"));
    cursor.skip_until(&[")"], &["("], &[")"]);
    cursor.eat(")");
    cursor.suppress();
}
