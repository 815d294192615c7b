// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantifiers over lists: `(forall x in $order/items; $x/price > 0)`.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::{QuantifierKind, Reference, Variable};

use super::parse::{climb, leftovers, node};
use super::syntax::{AlbertForm, Syntax};
use super::value;
use crate::syntax::quantifier::kind_at;
use crate::syntax::{Cursor, Precedence, Token, declared_variable};

const FORM: &str = "write it as in `(forall x in $order/items; $x/price > 0)`";

/// Returns true if the token behind the current word makes it a quantifier, and not a name.
pub(super) fn follows(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.nth(1).kind, Token::Word | Token::Symbol("$"))
}

/// Reads a quantifier in its parentheses, which open at the current token.
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

/// Reads a quantifier without parentheses, which is reported.
#[inline(never)]
pub(super) fn bare(cursor: &mut Cursor<'_>) -> Syntax {
    let token = cursor.peek();
    let before = cursor.count();
    let each = quantified(cursor);
    if cursor.count() == before {
        let written = format!("({})", cursor.slice(each.outer));
        cursor.report(
            Diagnostic::error("G0138", token.span, "a quantifier must be in parentheses")
                .label("they show where its body ends")
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
    let of = climb(cursor, Precedence::Iff);
    let span = start.to(of.outer);
    match (variable, list) {
        (Some(variable), Some(list)) => node(cursor, AlbertForm::Each { kind, variable, list, of }, span),
        _ => Syntax::missing(span),
    }
}

fn variable(cursor: &mut Cursor<'_>, quantifier: Span) -> Option<Variable> {
    if cursor.is("$") && cursor.nth(1).kind == Token::Word {
        let mark = cursor.bump().span;
        let diagnostic = Diagnostic::error("G0138", mark, "a quantifier names its variable without `$`");
        cursor.report(diagnostic.label("`$` is written where the variable is used").edit("leave it out", mark, ""));
    }
    if cursor.word().is_none() {
        let written = cursor.slice(quantifier);
        return cursor.expected_hint(&format!("a variable after `{written}`"), FORM).none();
    }
    let span = cursor.bump().span;
    declared_variable(cursor, span)
}

fn list(cursor: &mut Cursor<'_>) -> Option<Reference> {
    let token = cursor.peek();
    if !matches!((token.kind, cursor.text(token)), (Token::Word, "in") | (Token::Unknown, "∈")) {
        let diagnostic = cursor.mismatch("`in` and a list", "the variable takes the values of a list").help(FORM);
        return cursor.report_once(Diagnostic { code: "G0138", ..diagnostic }).none();
    }
    cursor.bump();
    if cursor.is("$") {
        return value::reference(cursor);
    }
    let diagnostic = cursor.mismatch("a list", "a variable of the state, with `$`, is expected");
    let diagnostic = match cursor.word() {
        Some(word) => diagnostic.edit("write `$` before the variable", cursor.peek().span, format!("${word}")),
        None => diagnostic.help(FORM),
    };
    cursor.report_once(Diagnostic { code: "G0138", ..diagnostic }).none()
}

/// Takes `;`; another sign in its place is reported.
fn separator(cursor: &mut Cursor<'_>) {
    if cursor.eat(";").is_some() {
        return;
    }
    let token = cursor.peek();
    if let Token::Symbol("." | ":" | "," | "|") = token.kind {
        cursor.respell(";");
        return;
    }
    cursor.expected_mark(
        ";",
        "a `;` separates the list from the condition on its elements",
        "write `;` after the list",
    );
}

/// Skips past the `;` of a quantifier that could not be understood, if it is near.
fn skip(cursor: &mut Cursor<'_>) {
    cursor.skip_while(|kind| {
        matches!(kind, Token::Word | Token::Number | Token::Text | Token::Symbol("$" | "/" | "," | "." | ":"))
    });
    cursor.eat(";");
    cursor.suppress();
}
