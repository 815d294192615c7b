// SPDX-License-Identifier: MIT OR Apache-2.0
//! Aggregates: `count[10m](f) <= 3`, `sum[24h](withdraw(u).amount) <= 5000`; and forms that stand in a formula by
//! mistake.

use gnomon_core::{Diagnostic, Span};
use gnomon_ir::{Fold, Path};

use super::prefix::{kind_at, prefix};
use crate::syntax::atom::atom;
use crate::syntax::condition::{path, steps};
use crate::syntax::formula::node;
use crate::syntax::{
    AtomSyntax, Cursor, SyntaxKind, Token, UnitPlace, argument_list_end, is_comparison, quantity, respelt,
};
use crate::temporal::Dialect;
use crate::temporal::aggregate::{AggregateArguments, formulae, has_window, incomplete, no_argument, readable};
use crate::temporal::parse::formula;
use crate::temporal::syntax::{Measure, Syntax};

/// Reads an aggregate if the current token begins one. Also reads, and reports, a misplaced quantifier or an aggregate
/// of SOLOIST.
pub(super) fn own(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Option<Syntax> {
    if kind_at(cursor).is_some() {
        return Some(misplaced(cursor, dialect));
    }
    if matches!(cursor.word()?, "C" | "M" | "D" | "U") && cursor.nth_is(1, "^") {
        return Some(lettered(cursor, dialect));
    }
    let measure = measure(cursor.word()?)?;
    let arguments = if measure == Measure::Count { formulae } else { field };
    if has_window(cursor) {
        return Some(readable(cursor, dialect, measure, arguments));
    }
    let end = argument_list_end(cursor, 1).filter(|_| cursor.nth_is(1, "("))?;
    matches!(cursor.nth(end + 1).kind, Token::Symbol("<" | "<=" | ">" | ">=")).then(|| no_window(cursor, dialect, end))
}

/// Returns the aggregate of a word.
fn measure(word: &str) -> Option<Measure> {
    if word == "count" { Some(Measure::Count) } else { Fold::parse(word).map(Measure::Fold) }
}

/// Reports `sum(pay.amount) <= 500`, which cannot be an event, because no event is compared with a number. The
/// parameters end at token `end`.
#[inline(never)]
fn no_window(cursor: &mut Cursor<'_>, dialect: &Dialect, end: usize) -> Syntax {
    let head = cursor.peek().span;
    incomplete(cursor, dialect, head, "has no window", "a window is expected after this");
    cursor.skip_to(cursor.index() + end + 2);
    quantity(cursor, UnitPlace::Sure, "a number");
    Syntax::missing(head)
}

/// Returns an example of an aggregate with this word.
pub(super) fn form(written: &str) -> String {
    match written {
        "count" => "count[10m](f) <= 3".to_owned(),
        _ => format!("{written}[24h](pay(u).amount) <= 500"),
    }
}

/// Reads `(event.field)`.
fn field(cursor: &mut Cursor<'_>, dialect: &Dialect, _measure: Measure, head: Span) -> AggregateArguments {
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
        incomplete(cursor, dialect, head, "is about no field", "an event and one of its fields are expected");
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
    cursor.expected_help("`)`", format!("one event and one field of it stand here, as in `{form}`"));
    cursor.skip_until(&[")"], &["("], &[")"]);
    cursor.eat(")");
    cursor.suppress();
}

/// Reads quantifiers inside the formula, which is reported.
#[inline(never)]
fn misplaced(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let token = cursor.peek();
    let word = cursor.text(token);
    cursor.report_once(
        Diagnostic::error("G0314", token.span, format!("`{word}` stands inside the formula"))
            .label("quantifiers stand in front of the whole formula")
            .help("write `_` where any value will do: `F close(x, _)`, and `!close(x, _)` where none may"),
    );
    prefix(cursor);
    formula(cursor, dialect);
    Syntax::missing(token.span)
}

/// Reads `C^{600}_{<=3}(f)`, as SOLOIST writes it, which is reported.
#[inline(never)]
fn lettered(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let head = cursor.bump().span;
    let meant = form(if cursor.slice(head) == "C" { "count" } else { "avg" });
    cursor.report(respelt(cursor.slice(head), head, &meant).help(format!("write a window as in `{meant}`")));
    cursor.skip_until(&["("], &[], &[]);
    if cursor.is("(") {
        formulae(cursor, dialect, Measure::Count, head);
    }
    cursor.suppress();
    Syntax::missing(head)
}
