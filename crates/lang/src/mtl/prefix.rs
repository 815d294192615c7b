// SPDX-License-Identifier: MIT OR Apache-2.0
//! The quantifiers in front of a formula: `forall c, i. exists >= 3 s.`

use gnomon_core::{Comparison, Diagnostic, Span, TICKS_PER_BARE_UNIT};
use gnomon_ir::{Quantifier, QuantifierKind, Threshold, Variable};

use crate::syntax::literal::plain_number;
use crate::syntax::{Cursor, Token, comparison, declared_variable, is_comparison, quantifier, respelt};

/// Reads the quantifiers that stand here. Returns `None` after reporting one that could not be understood.
pub(super) fn prefix(cursor: &mut Cursor<'_>) -> Option<Vec<Quantifier>> {
    quantifier::prefix(cursor, kind_at, quantifier)
}

/// Returns the quantifier that the current token begins. An event may be called `forall`, but no variable follows it.
pub(super) fn kind_at(cursor: &Cursor<'_>) -> Option<QuantifierKind> {
    let kind = quantifier::kind_in_any_case(cursor)?;
    let follows = match cursor.nth(1).kind {
        Token::Word | Token::Number | Token::Symbol(".") => true,
        // `forall (x).` is a misspelt quantifier, `forall(x)` alone an event.
        Token::Symbol("(") => cursor.nth(2).kind == Token::Word && is_parenthesised(cursor),
        next => is_comparison(next),
    };
    follows.then_some(kind)
}

/// Returns true if a dot follows the parentheses that open at the next token.
fn is_parenthesised(cursor: &Cursor<'_>) -> bool {
    let mut at = 2;
    while matches!(cursor.nth(at).kind, Token::Word | Token::Symbol(",")) {
        at += 1;
    }
    cursor.nth_is(at, ")") && matches!(cursor.nth(at + 1).kind, Token::Symbol("." | ":"))
}

/// Reads one quantifier with its dot; its word is the current token.
fn quantifier(cursor: &mut Cursor<'_>, kind: QuantifierKind) -> Option<Quantifier> {
    let (token, word) = (cursor.peek(), kind.word());
    cursor.take((token.kind == Token::Word && cursor.text(token) != word).then_some(word));
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
    let span = variables.last().map_or(cursor.since(token.span), |last| token.span.to(last.span));
    let threshold = threshold?;
    if threshold.is_some() && variables.len() > 1 {
        cursor.report(counts_several(cursor, token.span, &variables));
        return None;
    }
    understood.then_some(Quantifier { kind, threshold, variables, span })
}

/// Reads `>= 95%`, if it is there. Returns `None` after reporting an error.
fn threshold(cursor: &mut Cursor<'_>, word: &str) -> Option<Option<Threshold>> {
    let token = cursor.peek();
    let compared = if token.kind == Token::Number {
        let edit = format!(">= {}", cursor.text(token));
        let label = format!("`{word} >= 3 x.` requires at least three");
        let diagnostic = cursor.mismatch("a comparison or a variable", &label);
        cursor.report_once(diagnostic.edit("write how the number is compared", token.span, edit));
        Some(Comparison::AtLeast)
    } else if is_comparison(token.kind) {
        comparison(cursor)
    } else {
        return Some(None);
    };
    if compared == Some(Comparison::NotEqual) {
        cursor.report(
            Diagnostic::error("G0310", token.span, "quantifiers are not compared with `!=`")
                .label("one of `= < <= > >=` is expected")
                .help("state how many it must be, with `<` or `>`"),
        );
    }
    let (amount, number) = plain_number(cursor, "a number of values, or a percentage")?;
    let percent = cursor.eat("%").is_some();
    if percent && amount.billionths > 100 * TICKS_PER_BARE_UNIT {
        let (span, written) = (cursor.since(number), cursor.slice(cursor.since(number)));
        cursor.report(
            Diagnostic::error("G0310", span, format!("`{written}` is more than all values"))
                .label("a percentage is at most 100")
                .help("write a percentage from 0 to 100, or a number of values without `%`"),
        );
        return None;
    }
    let comparison = compared.filter(|compared| *compared != Comparison::NotEqual)?;
    Some(Some(Threshold { comparison, amount, percent }))
}

/// Reads a variable, with its dot if no space is between them. Returns `None` after reporting that there is none; the
/// variable is `None` if the word cannot be one. The second value is true if the dot was taken.
fn next_variable(cursor: &mut Cursor<'_>) -> Option<(Option<Variable>, bool)> {
    let Some(word) = cursor.word() else {
        return cursor.expected("a variable").none();
    };
    let dot = word.find('.');
    let front = &word[..dot.unwrap_or(word.len())];
    let typed = front.find(':').filter(|_| dot.is_some() || cursor.nth_is(1, ".") || cursor.nth_is(1, ","));
    if let Some(colon) = front.find(':').filter(|_| typed.is_none()) {
        // `forall x:p(x)`: the colon is meant as the dot.
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
    let diagnostic = Diagnostic::error("G0116", span, format!("`{front}`: variables have no types"));
    cursor.report(diagnostic.label("its values are those that the trace has").edit("leave out the type", span, name));
    Some((None, dot.is_some()))
}

/// Takes `,` or the dot after a variable. Returns true if another variable follows.
fn goes_on(cursor: &mut Cursor<'_>) -> bool {
    if cursor.eat(",").is_some() {
        return true;
    }
    if cursor.eat(".").is_some() {
        return false;
    }
    let token = cursor.peek();
    if matches!((token.kind, cursor.text(token)), (Token::Word, "in") | (Token::Unknown, "∈")) {
        ranges(cursor);
        return false;
    }
    if let Token::Symbol(":" | "|" | "->" | "=>" | ";") = token.kind {
        cursor.respell(".");
        return false;
    }
    let another = cursor.word().is_some_and(|word| {
        kind_at(cursor).is_none() && (word.contains('.') || cursor.nth_is(1, ".") || cursor.nth_is(1, ","))
    });
    if another {
        cursor.expected_mark(",", "variables are separated by commas", "write a comma between the variables");
    } else {
        cursor.expected_mark(".", "a dot ends the list of variables", "write a dot after the variables");
    }
    another
}

/// Reports and skips the range of `forall x in Users.`: variables have no ranges.
fn ranges(cursor: &mut Cursor<'_>) {
    let before = cursor.gap().start;
    let diagnostic = cursor.mismatch("`.`", "a variable ranges over the values that its events carry");
    let mut last = cursor.bump().span;
    while !cursor.at_end() && !matches!(cursor.peek().kind, Token::Symbol("." | ":")) {
        if let Some(dot) = cursor.word().and_then(|word| word.find('.')) {
            last = cursor.take_front(dot);
            cursor.take_front(1);
            break;
        }
        last = cursor.bump().span;
    }
    if !cursor.at_end() && matches!(cursor.peek().kind, Token::Symbol("." | ":")) {
        cursor.bump();
    }
    cursor.report(diagnostic.edit("leave the range out", Span { start: before, end: last.end }, ""));
}

/// Reports variables in parentheses.
fn in_parentheses(cursor: &mut Cursor<'_>, opening: Span) {
    let span = opening.to(cursor.bump().span);
    let inner = Span { start: span.start + 1, end: span.end - 1 };
    let inside = cursor.slice(inner).trim().to_owned();
    cursor.report(
        Diagnostic::error("G0101", span, "expected a variable, found `(`")
            .label("the variables are not in parentheses")
            .edit("leave out the parentheses", span, inside),
    );
}

fn counts_several(cursor: &Cursor<'_>, word: Span, variables: &[Variable]) -> Diagnostic {
    let first = variables.first().map_or(word, |variable| variable.span);
    let last = variables.last().map_or(word, |variable| variable.span);
    let (one, other) = (cursor.slice(first).to_owned(), cursor.slice(last).to_owned());
    Diagnostic::error("G0315", first.to(last), "values of several variables cannot be counted together")
        .label("one variable is expected after a number")
        .also(word, "this counts")
        .help(format!("give each its own quantifier: `forall {one}. exists >= 3 {other}. ...`"))
}

/// Skips past the dot of a quantifier that could not be understood, if it is near.
fn skip_to_dot(cursor: &mut Cursor<'_>) {
    cursor.skip_while(|kind| {
        matches!(
            kind,
            Token::Number | Token::Text | Token::Symbol("," | "%" | "=" | "<" | ">" | "<=" | ">=" | "!=" | "-")
        )
    });
    cursor.eat(".");
    cursor.suppress();
}
