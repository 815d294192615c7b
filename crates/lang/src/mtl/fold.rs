// SPDX-License-Identifier: MIT OR Apache-2.0
//! Windows: `count[10m](f) <= 3`, `sum[24h](withdraw(u).amount) <= 5000`; and what stands in a formula's place by mistake.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::formula::Fold;
use gnomon_ir::pattern::Path;

use super::prefix::{kind_at, prefix};
use crate::specfile::atom::{AtomSyntax, argument_list_end, atom};
use crate::specfile::condition::{path, respelt, steps};
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind as Token;
use crate::specfile::literal::{UnitPlace, quantity};
use crate::temporal::Dialect;
use crate::temporal::aggregate::{Arguments, formulae, has_window, incomplete, is_comparison, no_argument, readable};
use crate::temporal::parse::{formula, node};
use crate::temporal::syntax::{Kind, Measure, Syntax};

/// Reads a window, if the current token begins one, or what belongs elsewhere.
pub(super) fn own(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Option<Syntax> {
    if kind_at(cursor).is_some() {
        return Some(misplaced(cursor, dialect));
    }
    if matches!(cursor.word()?, "C" | "M" | "D" | "U") && cursor.nth_is(1, "^") {
        return Some(lettered(cursor, dialect));
    }
    let measure = match cursor.word()? {
        "count" => Measure::Count,
        "sum" => Measure::Fold(Fold::Sum),
        "avg" => Measure::Fold(Fold::Mean),
        "min" => Measure::Fold(Fold::Least),
        "max" => Measure::Fold(Fold::Greatest),
        _ => return None,
    };
    let arguments = if measure == Measure::Count { formulae } else { field };
    if has_window(cursor) {
        return Some(readable(cursor, dialect, measure, arguments));
    }
    let end = argument_list_end(cursor, 1).filter(|_| cursor.nth_is(1, "("))?;
    matches!(cursor.nth(end + 1).kind, Token::Symbol("<" | "<=" | ">" | ">=")).then(|| no_window(cursor, dialect, end))
}

/// `sum(pay.amount) <= 500`: no event is compared with a number. The parameters end at token `end`.
#[inline(never)]
fn no_window(cursor: &mut Cursor<'_>, dialect: &Dialect, end: usize) -> Syntax {
    let head = cursor.peek().span;
    incomplete(cursor, dialect, head, "has no window", "a window is expected after this");
    cursor.skip_to(cursor.index() + end + 2);
    quantity(cursor, UnitPlace::Sure, "a number");
    Syntax::missing(head)
}

/// How a window is written, with its own word.
pub(super) fn form(written: &str) -> String {
    match written {
        "count" => "count[10m](f) <= 3".to_owned(),
        _ => format!("{written}[24h](pay(u).amount) <= 500"),
    }
}

/// `(event.field)`
fn field(cursor: &mut Cursor<'_>, dialect: &Dialect, _measure: Measure, head: Span) -> Arguments {
    if !cursor.is("(") {
        return no_argument(cursor, dialect, head);
    }
    let opening = cursor.bump().span;
    let mut arguments = Arguments { parts: vec![], field: None, end: opening };
    if let Some(mut atom) = atom(cursor) {
        arguments.field = field_of(cursor, dialect, head, &mut atom);
        let span = atom.span;
        arguments.parts.push(node(cursor, Kind::Atom(atom), span));
    } else {
        cursor.expected("an event and its field, as in `pay(u).amount`");
    }
    close(cursor, dialect, head, opening);
    arguments.end = cursor.previous().map_or(opening, |token| token.span);
    arguments
}

/// What stands after the event: a dot and a field. `pay.amount` is one word to the lexer: the field is what follows its
/// last dot.
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

/// The end of the parentheses.
fn close(cursor: &mut Cursor<'_>, dialect: &Dialect, head: Span, opening: Span) {
    if cursor.eat(")").is_some() {
        return;
    }
    if cursor.at_end() || is_comparison(cursor) {
        return cursor.unclosed(opening, ")");
    }
    let form = (dialect.form)(cursor.slice(head));
    let diagnostic = cursor.unexpected("`)`");
    cursor.blame(diagnostic.help(format!("one event and one field of it stand here, as in `{form}`")));
    let mut depth = 0_u32;
    while !cursor.at_end() {
        match cursor.bump().kind {
            Token::Symbol("(") => depth += 1,
            Token::Symbol(")") if depth == 0 => break,
            Token::Symbol(")") => depth -= 1,
            _ => {}
        }
    }
    cursor.hush();
}

/// Quantifiers inside the formula.
#[inline(never)]
fn misplaced(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let token = cursor.peek();
    let word = cursor.text(token);
    cursor.blame(
        Diagnostic::error("G0314", token.span, format!("`{word}` stands inside the formula"))
            .label("quantifiers stand in front of the whole formula")
            .help("move it to the front: `forall x. G(open(x) -> F close(x))`"),
    );
    prefix(cursor);
    formula(cursor, dialect);
    Syntax::missing(token.span)
}

/// `C^{600}_{<=3}(f)`, as SOLOIST writes it.
#[inline(never)]
fn lettered(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let head = cursor.bump().span;
    let meant = match cursor.slice(head) {
        "C" => form("count"),
        _ => form("avg"),
    };
    cursor.report(respelt(cursor.slice(head), head, &meant).help(format!("write a window as in `{meant}`")));
    while !cursor.at_end() && !cursor.is("(") {
        cursor.bump();
    }
    if cursor.is("(") {
        formulae(cursor, dialect, Measure::Count, head);
    }
    cursor.hush();
    Syntax::missing(head)
}
