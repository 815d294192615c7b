// SPDX-License-Identifier: MIT OR Apache-2.0
//! The quantifiers in front of an automaton, `Forall(c, i)`, and the condition on their values, `where [ c != i ]`.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::automaton::Guard;
use gnomon_ir::spec::{Quantifier, QuantifierKind, Variable};

use super::guard;
use crate::specfile::condition::respelt;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;
use crate::specfile::literal::declared_variable;

/// Reads the quantifiers that stand here; `None` if one of them could not be understood, which has been reported.
pub(super) fn prefix(cursor: &mut Cursor<'_>) -> Option<Vec<Quantifier>> {
    let mut prefix = Vec::new();
    let mut understood = true;
    while let Some(kind) = kind_at(cursor) {
        cursor.grow();
        match quantifier(cursor, kind) {
            Some(quantifier) => prefix.push(quantifier),
            None => understood = false,
        }
    }
    understood.then_some(prefix)
}

/// The quantifier at the current token.
pub(super) fn kind_at(cursor: &Cursor<'_>) -> Option<QuantifierKind> {
    let token = cursor.peek();
    match (token.kind, cursor.text(token)) {
        (Kind::Word, "Forall" | "forall" | "FORALL") | (Kind::Unknown, "∀") => Some(QuantifierKind::Forall),
        (Kind::Word, "Exists" | "exists" | "EXISTS") | (Kind::Unknown, "∃") => Some(QuantifierKind::Exists),
        _ => None,
    }
}

fn quantifier(cursor: &mut Cursor<'_>, kind: QuantifierKind) -> Option<Quantifier> {
    let token = cursor.bump();
    let word = if kind == QuantifierKind::Forall { "Forall" } else { "Exists" };
    if matches!(cursor.text(token), "FORALL" | "EXISTS") {
        cursor.report(respelt(cursor.text(token), token.span, word));
    }
    let opening = cursor.eat("(");
    if opening.is_none() && cursor.word().is_none() {
        let diagnostic = cursor.unexpected("`(`");
        cursor.blame(diagnostic.help(format!("write the variables in parentheses: `{word}(x, y)`")));
        return None;
    }
    let mut variables: Vec<Variable> = Vec::new();
    let mut understood = true;
    while cursor.word().is_some() {
        // `Forall c, i.`, as other languages write it, may be glued to its dot.
        let length = cursor.word().and_then(|word| word.find('.')).filter(|_| opening.is_none());
        let span = match length {
            Some(length) => cursor.take_front(length),
            None => cursor.bump().span,
        };
        let variable = declared_variable(cursor, span);
        understood &= variable.is_some();
        variables.extend(variable);
        if length.is_some() || cursor.eat(",").is_none() {
            break;
        }
    }
    if variables.is_empty() && understood {
        cursor.expected("a variable");
        understood = false;
    }
    match opening {
        Some(opening) if understood => understood = close(cursor, opening).is_some(),
        Some(_) => {
            cursor.eat(")");
        }
        None => bare(cursor, &variables),
    }
    for variable in &variables {
        cursor.bind(&variable.name);
    }
    let end = cursor.previous().map_or(token.span, |last| last.span);
    understood.then_some(Quantifier { kind, threshold: None, variables, span: token.span.to(end) })
}

/// Reports variables without parentheses, and takes the dot that ends them in other languages.
fn bare(cursor: &mut Cursor<'_>, variables: &[Variable]) {
    let (Some(first), Some(last)) = (variables.first(), variables.last()) else { return };
    let glued = cursor.word().is_some_and(|word| word.starts_with('.'));
    let dot = if glued { Some(cursor.take_front(1)) } else { cursor.eat(".") };
    let names: Vec<&str> = variables.iter().map(|variable| variable.name.as_str()).collect();
    let names = names.join(", ");
    cursor.report(
        Diagnostic::error("G0101", first.span, format!("expected `(`, found `{}`", first.name))
            .label("variables stand in parentheses")
            .edit("write the parentheses", first.span.to(dot.unwrap_or(last.span)), format!("({names})")),
    );
}

/// The closing parenthesis; two variables without a comma are told from one that is missing.
fn close(cursor: &mut Cursor<'_>, opening: Span) -> Option<()> {
    if cursor.word().is_none_or(|word| matches!(word, "accept" | "skip" | "next" | "where")) {
        return cursor.close(opening, ")").map(|_| ());
    }
    let token = cursor.peek();
    let word = cursor.text(token);
    cursor.blame(
        Diagnostic::error("G0101", token.span, format!("expected `,` or `)`, found `{word}`"))
            .label("variables are separated by commas")
            .edit("write a comma", token.span, format!(", {word}")),
    );
    while cursor.word().is_some() || cursor.is(",") {
        cursor.bump();
    }
    cursor.eat(")");
    None
}

/// `where [ ... ]`, if it is there; the outer `None`: it could not be understood.
#[expect(clippy::option_option, reason = "absent and wrong are two things")]
pub(super) fn condition(cursor: &mut Cursor<'_>) -> Option<Option<Guard>> {
    if cursor.eat_word("where").is_none() {
        return Some(None);
    }
    guard::bracketed(cursor).map(Some)
}
