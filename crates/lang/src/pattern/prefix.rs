// SPDX-License-Identifier: MIT OR Apache-2.0
//! The variables in front of a pattern: `for every t, u:`

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::spec::{Quantifier, QuantifierKind, Variable};

use crate::specfile::condition::respelt;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;
use crate::specfile::literal::declared_variable;

/// Reads the quantifiers that stand here; `None` if one of them could not be understood, which has been reported.
pub(super) fn prefix(cursor: &mut Cursor<'_>) -> Option<Vec<Quantifier>> {
    let mut prefix = Vec::new();
    let mut understood = true;
    while let Some(words) = quantifier_at(cursor) {
        cursor.grow();
        match quantifier(cursor, words) {
            Some(quantifier) => prefix.push(quantifier),
            None => understood = false,
        }
    }
    understood.then_some(prefix)
}

/// How many words of a quantifier stand here.
fn quantifier_at(cursor: &Cursor<'_>) -> Option<usize> {
    let token = cursor.peek();
    match (token.kind, cursor.text(token)) {
        (Kind::Word, "for") => matches!(cursor.nth_word(1), Some("every" | "each" | "all")).then_some(2),
        (Kind::Word, "forall") | (Kind::Unknown, "∀") => (cursor.nth(1).kind == Kind::Word).then_some(1),
        _ => None,
    }
}

fn quantifier(cursor: &mut Cursor<'_>, words: usize) -> Option<Quantifier> {
    let start = cursor.bump().span;
    if words == 1 {
        cursor.report(respelt(cursor.slice(start), start, "for every"));
    } else {
        cursor.bump();
    }
    let mut variables: Vec<Variable> = Vec::new();
    let mut understood = true;
    loop {
        let Some(word) = cursor.word() else {
            cursor.expected("a variable");
            cursor.eat(":");
            return None;
        };
        // `t:before` and `t.before` are one word to the lexer, but no variable is called so.
        let length = word.find([':', '.']).unwrap_or(word.len());
        let span = cursor.take_front(length);
        let variable = declared_variable(cursor, span);
        understood &= variable.is_some();
        variables.extend(variable);
        if !goes_on(cursor) {
            break;
        }
    }
    for variable in &variables {
        cursor.bind(&variable.name);
    }
    let end = variables.last().map_or(start, |last| last.span);
    let (kind, span) = (QuantifierKind::Forall, start.to(end));
    understood.then_some(Quantifier { kind, threshold: None, variables, span })
}

/// What stands after a variable: takes `,` or the colon. Whether another variable follows.
fn goes_on(cursor: &mut Cursor<'_>) -> bool {
    if cursor.eat(",").is_some() {
        return true;
    }
    if cursor.eat(":").is_some() {
        return false;
    }
    let token = cursor.peek();
    let end = cursor.previous().map_or(token.span.start, |before| before.span.end);
    match (token.kind, cursor.text(token)) {
        (Kind::Word, rest) if rest.starts_with(':') => {
            cursor.take_front(1);
            false
        }
        (Kind::Word, rest) if rest.starts_with('.') => {
            let span = cursor.take_front(1);
            cursor.report(respelt(".", span, ":"));
            false
        }
        (Kind::Symbol("."), _) => {
            cursor.report(respelt(".", token.span, ":"));
            cursor.bump();
            false
        }
        (Kind::Word, "and") => {
            cursor.report(respelt("and", token.span, ","));
            cursor.bump();
            true
        }
        _ => {
            let found = cursor.describe(token);
            cursor.blame(
                Diagnostic::error("G0101", token.span, format!("expected `:`, found {found}"))
                    .label("a colon ends the list of variables")
                    .edit("write a colon after the variables", Span { start: end, end }, ":"),
            );
            false
        }
    }
}
