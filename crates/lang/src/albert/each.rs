// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantifiers over lists: `(forall x in $order/items; $x/price > 0)`.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::spec::{QuantifierKind, Variable};
use gnomon_ir::term::Reference;

use super::parse::{Level, climb, leftovers, node};
use super::syntax::{Kind, Syntax};
use super::value;
use crate::specfile::condition::respelt;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind as Token;
use crate::specfile::literal::declared_variable;

const FORM: &str = "write it as in `(forall x in $order/items; $x/price > 0)`";

/// The quantifier that the token `n` places on is.
pub(super) fn kind_at(cursor: &Cursor<'_>, n: usize) -> Option<QuantifierKind> {
    let token = cursor.nth(n);
    match (token.kind, cursor.text(token)) {
        (Token::Word, "forall") | (Token::Unknown, "∀") => Some(QuantifierKind::Forall),
        (Token::Word, "exists") | (Token::Unknown, "∃") => Some(QuantifierKind::Exists),
        _ => None,
    }
}

/// Whether what follows the word at the current token makes it a quantifier, and not a name.
pub(super) fn follows(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.nth(1).kind, Token::Word | Token::Symbol("$"))
}

/// A quantifier in its parentheses, which open at the current token.
pub(super) fn each(cursor: &mut Cursor<'_>) -> Syntax {
    let opening = cursor.bump().span;
    let mut each = quantified(cursor);
    leftovers(cursor, &[")"]);
    let closing = cursor.close(opening, ")");
    let span = opening.to(closing.unwrap_or(each.outer));
    each.span = span;
    each.outer = span;
    each
}

/// A quantifier without parentheses.
#[inline(never)]
pub(super) fn bare(cursor: &mut Cursor<'_>) -> Syntax {
    let token = cursor.peek();
    let before = cursor.count();
    let each = quantified(cursor);
    if cursor.count() == before {
        let written = format!("({})", cursor.slice(each.outer));
        cursor.report(
            Diagnostic::error("G0138", token.span, "a quantifier stands in parentheses")
                .label("they show where what it says ends")
                .edit("write parentheses around it", each.outer, written),
        );
    }
    Syntax::missing(each.outer)
}

fn quantified(cursor: &mut Cursor<'_>) -> Syntax {
    let kind = kind_at(cursor, 0).unwrap_or(QuantifierKind::Forall);
    let start = cursor.bump().span;
    let variable = variable(cursor, start);
    let list = variable.as_ref().and_then(|_| list(cursor));
    if variable.is_some() && list.is_some() {
        separator(cursor);
    } else {
        skip(cursor);
    }
    let of = climb(cursor, Level::Iff);
    let span = start.to(of.outer);
    match (variable, list) {
        (Some(variable), Some(list)) => node(cursor, Kind::Each { kind, variable, list, of }, span),
        _ => Syntax::missing(span),
    }
}

fn variable(cursor: &mut Cursor<'_>, quantifier: Span) -> Option<Variable> {
    if cursor.is("$") && cursor.nth(1).kind == Token::Word {
        let mark = cursor.bump().span;
        cursor.report(
            Diagnostic::error("G0138", mark, "a quantifier names its variable without `$`")
                .label("the `$` stands where the variable is used")
                .edit("leave it out", mark, ""),
        );
    }
    if cursor.word().is_none() {
        let written = cursor.slice(quantifier);
        let diagnostic = cursor.unexpected(&format!("a variable after `{written}`"));
        cursor.blame(if diagnostic.help.is_none() { diagnostic.help(FORM) } else { diagnostic });
        return None;
    }
    let span = cursor.bump().span;
    declared_variable(cursor, span)
}

fn list(cursor: &mut Cursor<'_>) -> Option<Reference> {
    let token = cursor.peek();
    if !matches!((token.kind, cursor.text(token)), (Token::Word, "in") | (Token::Unknown, "∈")) {
        let found = cursor.describe(token);
        cursor.blame(
            Diagnostic::error("G0138", token.span, format!("expected `in` and a list, found {found}"))
                .label("the variable takes the values of a list")
                .help(FORM),
        );
        return None;
    }
    cursor.bump();
    if cursor.is("$") {
        return value::reference(cursor);
    }
    let token = cursor.peek();
    let found = cursor.describe(token);
    let diagnostic = Diagnostic::error("G0138", token.span, format!("expected a list, found {found}"))
        .label("a variable of the state, with `$`, is expected");
    cursor.blame(match cursor.word() {
        Some(word) => diagnostic.edit("write `$` before the variable", token.span, format!("${word}")),
        None => diagnostic.help(FORM),
    });
    None
}

/// `;`; another sign in its place is reported.
fn separator(cursor: &mut Cursor<'_>) {
    if cursor.eat(";").is_some() {
        return;
    }
    let token = cursor.peek();
    if let Token::Symbol("." | ":" | "," | "|") = token.kind {
        cursor.report(respelt(cursor.text(token), token.span, ";"));
        cursor.bump();
        return;
    }
    let found = cursor.describe(token);
    let end = cursor.previous().map_or(token.span.start, |before| before.span.end);
    cursor.blame(
        Diagnostic::error("G0101", token.span, format!("expected `;`, found {found}"))
            .label("a `;` parts the list from what holds of its elements")
            .edit("write `;` after the list", Span { start: end, end }, ";"),
    );
}

/// Skips past the `;` of a quantifier that could not be understood, if it is near.
fn skip(cursor: &mut Cursor<'_>) {
    while matches!(
        cursor.peek().kind,
        Token::Word | Token::Number | Token::Text | Token::Symbol("$" | "/" | "," | "." | ":")
    ) {
        cursor.bump();
    }
    cursor.eat(";");
    cursor.hush();
}
