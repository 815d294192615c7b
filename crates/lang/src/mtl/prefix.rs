// SPDX-License-Identifier: MIT OR Apache-2.0
//! The quantifiers in front of a formula: `forall c, i. exists >= 3 s.`

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::value::Comparison;
use gnomon_ir::spec::{Quantifier, QuantifierKind, Threshold, Variable};

use crate::specfile::condition::{comparison, respelt};
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;
use crate::specfile::literal::{declared_variable, plain_number};
use crate::temporal::aggregate::is_comparison;

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

/// The quantifier that the current token begins. An event may be called `forall`, but no variable follows it.
pub(super) fn kind_at(cursor: &Cursor<'_>) -> Option<QuantifierKind> {
    let token = cursor.peek();
    let kind = match (token.kind, cursor.text(token)) {
        (Kind::Word, "forall" | "Forall" | "FORALL") | (Kind::Unknown, "∀") => QuantifierKind::Forall,
        (Kind::Word, "exists" | "Exists" | "EXISTS") | (Kind::Unknown, "∃") => QuantifierKind::Exists,
        _ => return None,
    };
    let follows = match cursor.nth(1).kind {
        Kind::Word | Kind::Number => true,
        // `forall (x).` is a slip, `forall(x)` alone an event.
        Kind::Symbol("(") => cursor.nth(2).kind == Kind::Word && is_parenthesised(cursor),
        Kind::Symbol(symbol) => matches!(symbol, "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "=<" | "=>" | "."),
        _ => false,
    };
    follows.then_some(kind)
}

/// Whether a dot follows the parentheses that open at the next token.
fn is_parenthesised(cursor: &Cursor<'_>) -> bool {
    let mut at = 2;
    while matches!(cursor.nth(at).kind, Kind::Word | Kind::Symbol(",")) {
        at += 1;
    }
    cursor.nth_is(at, ")") && matches!(cursor.nth(at + 1).kind, Kind::Symbol("." | ":"))
}

/// Reads one quantifier with its dot; its word is the current token.
fn quantifier(cursor: &mut Cursor<'_>, kind: QuantifierKind) -> Option<Quantifier> {
    let token = cursor.bump();
    let word = if kind == QuantifierKind::Forall { "forall" } else { "exists" };
    if token.kind == Kind::Word && cursor.text(token) != word {
        cursor.report(respelt(cursor.text(token), token.span, word));
    }
    let threshold = threshold(cursor, word);
    let mut variables: Vec<Variable> = Vec::new();
    let mut understood = true;
    let opening = cursor.eat("(");
    loop {
        let ended = if let Some((read, ended)) = next_variable(cursor) {
            understood &= read.is_some();
            variables.extend(read);
            ended
        } else {
            understood = false;
            skip_to_dot(cursor);
            break;
        };
        if let Some(opening) = opening.filter(|_| cursor.is(")")) {
            in_parentheses(cursor, opening);
            if cursor.eat(".").is_none() {
                cursor.eat(":");
            }
            break;
        }
        if ended || !goes_on(cursor) {
            break;
        }
    }
    for variable in &variables {
        cursor.bind(&variable.name);
    }
    let end = cursor.previous().map_or(token.span, |last| last.span);
    let span = variables.last().map_or(token.span.to(end), |last| token.span.to(last.span));
    let threshold = threshold?;
    if threshold.is_some() && variables.len() > 1 {
        counts_several(cursor, token.span, &variables);
        return None;
    }
    understood.then_some(Quantifier { kind, threshold, variables, span })
}

/// `>= 95%`, if it is there; the outer `None`: it could not be understood.
#[expect(clippy::option_option, reason = "absent and wrong are two things")]
fn threshold(cursor: &mut Cursor<'_>, word: &str) -> Option<Option<Threshold>> {
    let token = cursor.peek();
    let compared = if token.kind == Kind::Number {
        let number = cursor.text(token);
        cursor.blame(
            Diagnostic::error("G0101", token.span, format!("expected a comparison or a variable, found `{number}`"))
                .label("`{word} >= 3 x.` asks for at least three".replace("{word}", word))
                .edit("write how the number is compared", token.span, format!(">= {number}")),
        );
        Some(Comparison::AtLeast)
    } else if is_comparison(cursor) {
        comparison(cursor)
    } else {
        return Some(None);
    };
    if compared == Some(Comparison::NotEqual) {
        cursor.report(
            Diagnostic::error("G0310", token.span, "quantifiers are not compared with `!=`")
                .label("one of `= < <= > >=` is expected")
                .help("say how many it must be, with `<` or `>`"),
        );
    }
    let (amount, _) = plain_number(cursor, "a number of values, or a percentage")?;
    let percent = cursor.eat("%").is_some();
    let comparison = compared.filter(|compared| *compared != Comparison::NotEqual)?;
    Some(Some(Threshold { comparison, amount, percent }))
}

/// Reads a variable and, where it is glued to it, its dot. The outer `None`: there is none; the inner: a wrong one.
fn next_variable(cursor: &mut Cursor<'_>) -> Option<(Option<Variable>, bool)> {
    let Some(word) = cursor.word() else {
        cursor.expected("a variable");
        return None;
    };
    let dot = word.find('.');
    let front = &word[..dot.unwrap_or(word.len())];
    let typed = front.find(':').filter(|_| dot.is_some() || cursor.nth_is(1, ".") || cursor.nth_is(1, ","));
    if let Some(colon) = front.find(':').filter(|_| typed.is_none()) {
        // `forall x:p(x)`: the colon stands for the dot.
        let span = cursor.take_front(colon);
        let mark = cursor.take_front(1);
        cursor.report(respelt(":", mark, "."));
        return Some((declared_variable(cursor, span), true));
    }
    let span = cursor.take_front(front.len());
    if dot.is_some() {
        cursor.take_front(1);
    }
    let Some(colon) = typed else { return Some((declared_variable(cursor, span), dot.is_some())) };
    let name = &front[..colon];
    cursor.report(
        Diagnostic::error("G0116", span, format!("`{front}`: variables have no types"))
            .label("its values are those that the trace has")
            .edit("leave out the type", span, name),
    );
    Some((None, dot.is_some()))
}

/// What stands after a variable: takes `,` or the dot. Whether another variable follows.
fn goes_on(cursor: &mut Cursor<'_>) -> bool {
    if cursor.eat(",").is_some() {
        return true;
    }
    if cursor.eat(".").is_some() {
        return false;
    }
    let token = cursor.peek();
    let end = cursor.previous().map_or(token.span.start, |before| before.span.end);
    let gap = Span { start: end, end };
    if matches!((token.kind, cursor.text(token)), (Kind::Word, "in") | (Kind::Unknown, "∈")) {
        ranges(cursor);
        return false;
    }
    if let Kind::Symbol(":" | "|" | "->" | "=>" | ";") = token.kind {
        cursor.report(respelt(cursor.text(token), token.span, "."));
        cursor.bump();
        return false;
    }
    let found = cursor.describe(token);
    let another = cursor.word().is_some_and(|word| {
        kind_at(cursor).is_none() && (word.contains('.') || cursor.nth_is(1, ".") || cursor.nth_is(1, ","))
    });
    let (mark, label, advice) = if another {
        (",", "variables are separated by commas", "write a comma between the variables")
    } else {
        (".", "a dot ends the list of variables", "write a dot after the variables")
    };
    cursor.blame(
        Diagnostic::error("G0101", token.span, format!("expected `{mark}`, found {found}"))
            .label(label)
            .edit(advice, gap, mark),
    );
    another
}

/// `forall x in Users.`: what a variable ranges over is not said.
fn ranges(cursor: &mut Cursor<'_>) {
    let token = cursor.peek();
    let before = cursor.previous().map_or(token.span.start, |before| before.span.end);
    let found = cursor.describe(token);
    let mut last = cursor.bump().span;
    while !cursor.at_end() && !matches!(cursor.peek().kind, Kind::Symbol("." | ":")) {
        if let Some(dot) = cursor.word().and_then(|word| word.find('.')) {
            last = cursor.take_front(dot);
            cursor.take_front(1);
            break;
        }
        last = cursor.bump().span;
    }
    if !cursor.at_end() && matches!(cursor.peek().kind, Kind::Symbol("." | ":")) {
        cursor.bump();
    }
    cursor.report(
        Diagnostic::error("G0101", token.span, format!("expected `.`, found {found}"))
            .label("a variable ranges over the values that its events carry")
            .edit("leave the range out", Span { start: before, end: last.end }, ""),
    );
}

fn in_parentheses(cursor: &mut Cursor<'_>, opening: Span) {
    let span = opening.to(cursor.bump().span);
    let inner = Span { start: span.start + 1, end: span.end - 1 };
    let inside = cursor.slice(inner).trim().to_owned();
    cursor.report(
        Diagnostic::error("G0101", span, "expected a variable, found `(`")
            .label("the variables stand without parentheses")
            .edit("leave out the parentheses", span, inside),
    );
}

fn counts_several(cursor: &mut Cursor<'_>, word: Span, variables: &[Variable]) {
    let first = variables.first().map_or(word, |variable| variable.span);
    let last = variables.last().map_or(word, |variable| variable.span);
    let (one, other) = (cursor.slice(first).to_owned(), cursor.slice(last).to_owned());
    cursor.report(
        Diagnostic::error("G0315", first.to(last), "values of several variables cannot be counted together")
            .label("one variable is expected after a number")
            .also(word, "this counts")
            .help(format!("give each its own quantifier: `forall {one}. exists >= 3 {other}. ...`")),
    );
}

/// Skips past the dot of a quantifier that could not be understood, if it is near.
fn skip_to_dot(cursor: &mut Cursor<'_>) {
    while matches!(
        cursor.peek().kind,
        Kind::Number | Kind::Text | Kind::Symbol("," | "%" | "=" | "<" | ">" | "<=" | ">=" | "!=" | "-")
    ) {
        cursor.bump();
    }
    cursor.eat(".");
    cursor.hush();
}
