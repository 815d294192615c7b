// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses the parts in front of a behaviour: the variables, `for every t, u:`, and the scope with its colon,
//! `globally`, `before R`, `until R`, `after last Q`, `between Q and R`, `after Q until R`.

use gnomon_core::{Diagnostic, Span};
use gnomon_ir::{Quantifier, QuantifierKind, ScopeKind, Variable};

use super::syntax::{EventSyntax, ScopeSyntax, begins_event, event};
use crate::syntax::{AtomSyntax, Cursor, Token, declared_variable, nearest, quantifier, respelt, suggest};

/// The words that begin a scope.
pub(super) const WORDS: &[&str] = &["globally", "before", "until", "after", "between"];

/// Reads a scope and its colon. Returns `None` after reporting an error.
pub(super) fn scope(cursor: &mut Cursor<'_>) -> Option<ScopeSyntax> {
    let start = cursor.peek().span;
    let glued = !has_colon(cursor);
    // The lexer reads `globally:absence` as one word.
    let word = cursor.word().map(|word| word.split(':').next().unwrap_or(word));
    let read = match word {
        Some("globally") => {
            cursor.take_front("globally".len());
            Some((ScopeKind::Globally, None, None))
        }
        Some(word @ ("before" | "until")) => {
            cursor.bump();
            let kind = if word == "before" { ScopeKind::Before } else { ScopeKind::Until };
            delimiter(cursor, glued).map(|closes| (kind, None, Some(closes)))
        }
        Some("after") => after(cursor, glued),
        Some("between") => between(cursor, glued),
        Some("always" | "throughout" | "everywhere") if !glued && cursor.nth_is(1, ":") => {
            cursor.respell("globally");
            Some((ScopeKind::Globally, None, None))
        }
        _ if glued => return none(cursor),
        _ => unknown(cursor),
    };
    let end = cursor.last_span(start);
    if read.is_some() {
        colon(cursor);
    } else {
        skip_colon(cursor, glued);
    }
    let (kind, opens, closes) = read?;
    Some(ScopeSyntax { kind, opens, closes, span: start.to(end) })
}

/// A scope's kind and its events.
type Parts = (ScopeKind, Option<EventSyntax>, Option<EventSyntax>);

/// Reads `after Q`, `after last Q`, each with `until R` or without.
fn after(cursor: &mut Cursor<'_>, glued: bool) -> Option<Parts> {
    let start = cursor.bump().span;
    let last = last(cursor);
    let opens = delimiter(cursor, glued)?;
    if cursor.eat_word("until").is_some() {
        let closes = delimiter(cursor, glued)?;
        let kind = if last { ScopeKind::AfterLastUntil } else { ScopeKind::AfterUntil };
        return Some((kind, Some(opens), Some(closes)));
    }
    if cursor.word() == Some("before") && begins_event(cursor, 1) {
        return ambiguous(cursor, start, last, &opens);
    }
    let kind = if last { ScopeKind::AfterLast } else { ScopeKind::After };
    Some((kind, Some(opens), None))
}

/// Reports `after Q before R`, which may mean either of two scopes.
fn ambiguous<T>(cursor: &mut Cursor<'_>, start: Span, last: bool, opens: &EventSyntax) -> Option<T> {
    let word = cursor.peek().span;
    let last = if last { "last " } else { "" };
    let opens = cursor.slice(opens.span).to_owned();
    let message = "`after ... before ...` does not say whether the end must come";
    let diagnostic = Diagnostic::error("G0140", start.to(word), message).label("the scope is ambiguous").help(format!(
        "write `between {last}{opens} and ...` if the end must come, `after {last}{opens} until ...` if it need not"
    ));
    cursor.report_once(diagnostic).none()
}

/// Reads `between Q and R`, `between last Q and R`.
fn between(cursor: &mut Cursor<'_>, glued: bool) -> Option<Parts> {
    cursor.bump();
    let last = last(cursor);
    let opens = event(cursor, "the event that opens a segment")?;
    let token = cursor.peek();
    if cursor.eat_word("and").is_none() {
        if !matches!((token.kind, cursor.text(token)), (Token::Symbol(",") | Token::Word, "," | "until" | "to")) {
            let help = "state where it begins and ends: `between open and close`";
            return cursor.expected_help("`and` and the event that closes a segment", help).none();
        }
        // `a, b` has no space in front of the comma.
        let meant = if token.kind == Token::Word { "and" } else { " and" };
        cursor.report(respelt(cursor.text(token), token.span, "and").edit("write `and`", token.span, meant));
        cursor.bump();
    }
    let closes = delimiter(cursor, glued)?;
    let kind = if last { ScopeKind::BetweenLast } else { ScopeKind::Between };
    Some((kind, Some(opens), Some(closes)))
}

/// Takes `last`, unless it is the event.
fn last(cursor: &mut Cursor<'_>) -> bool {
    cursor.word() == Some("last") && begins_event(cursor, 1) && cursor.eat_word("last").is_some()
}

/// Reads an event that opens or closes a segment. In `after q:absence` the colon is part of the word and is left;
/// `glued` says that the text has no colon of its own.
fn delimiter(cursor: &mut Cursor<'_>, glued: bool) -> Option<EventSyntax> {
    let Some(length) = cursor.word().and_then(|word| word.rfind(':')).filter(|_| glued) else {
        return event(cursor, "the event that the scope is about");
    };
    let span = cursor.take_front(length);
    let name = cursor.slice(span).to_owned();
    Some(AtomSyntax { name, name_span: span, quoted: false, arguments: None, condition: None, span, whole: true })
}

/// Returns true if a colon stands somewhere ahead.
fn has_colon(cursor: &Cursor<'_>) -> bool {
    let mut n = 0;
    while !matches!(cursor.nth(n).kind, Token::End | Token::Symbol(":")) {
        n += 1;
    }
    cursor.nth_is(n, ":")
}

/// Takes the colon after a scope.
fn colon(cursor: &mut Cursor<'_>) {
    if cursor.eat(":").is_some() {
        return;
    }
    let token = cursor.peek();
    if cursor.word().is_some_and(|word| word.starts_with(':')) {
        cursor.take_front(1);
        return;
    }
    if let Token::Symbol("," | "." | ";" | "->") = token.kind {
        cursor.respell(":");
        return;
    }
    cursor.expected_mark(":", "a colon must separate the scope from the behaviour", "write a colon after the scope");
}

/// Skips a scope that could not be understood, with its colon.
fn skip_colon(cursor: &mut Cursor<'_>, glued: bool) {
    if glued {
        return cursor.suppress();
    }
    cursor.skip_until(&[":"], &[], &[]);
    cursor.eat(":");
}

/// Reports a behaviour without a scope.
fn none(cursor: &mut Cursor<'_>) -> Option<ScopeSyntax> {
    let span = cursor.peek().span;
    let start = Span { start: span.start, end: span.start };
    let diagnostic = Diagnostic::error("G0139", span, "there is no scope").label("which part of the trace is meant?");
    let advice = "state where it must be true; for the whole trace:";
    cursor.report_once(diagnostic.edit(advice, start, "globally: ")).none()
}

/// Reports a text with a colon that is not a scope.
fn unknown<T>(cursor: &mut Cursor<'_>) -> Option<T> {
    let token = cursor.peek();
    let found = cursor.describe(token);
    let diagnostic = Diagnostic::error("G0140", token.span, format!("no scope begins with {found}"))
        .label("a scope begins with `globally`, `before`, `until`, `after` or `between`");
    let meant = cursor.word().and_then(|word| nearest(word, WORDS.iter().copied()));
    let help = "write `globally:` for the whole trace, or for example `after login until logout:`";
    cursor.report_once(suggest(diagnostic, token.span, meant, help)).none()
}

/// Reads the quantifiers that stand here. Returns `None` after reporting one that could not be understood.
pub(super) fn prefix(cursor: &mut Cursor<'_>) -> Option<Vec<Quantifier>> {
    quantifier::prefix(cursor, quantifier_at, quantifier)
}

/// Returns the number of words of the quantifier that stands here.
fn quantifier_at(cursor: &Cursor<'_>) -> Option<usize> {
    let token = cursor.peek();
    match (token.kind, cursor.text(token)) {
        (Token::Word, "for") => matches!(cursor.nth_word(1), Some("every" | "each" | "all")).then_some(2),
        (Token::Word, "forall") | (Token::Unknown, "∀") => (cursor.nth(1).kind == Token::Word).then_some(1),
        _ => None,
    }
}

fn quantifier(cursor: &mut Cursor<'_>, words: usize) -> Option<Quantifier> {
    let start = cursor.take((words == 1).then_some("for every"));
    if words == 2 {
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
        // The lexer reads `t:before` and `t.before` as one word, but variables have no marks.
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

/// Takes `,` or the colon after a variable. Returns true if another variable follows.
fn goes_on(cursor: &mut Cursor<'_>) -> bool {
    if cursor.eat(",").is_some() {
        return true;
    }
    if cursor.eat(":").is_some() {
        return false;
    }
    let token = cursor.peek();
    match (token.kind, cursor.text(token)) {
        (Token::Word, rest) if rest.starts_with(':') => {
            cursor.take_front(1);
            false
        }
        (Token::Word, rest) if rest.starts_with('.') => {
            let span = cursor.take_front(1);
            cursor.report(respelt(".", span, ":"));
            false
        }
        (Token::Symbol("."), _) => {
            cursor.respell(":");
            false
        }
        (Token::Word, "and") => {
            cursor.respell(",");
            true
        }
        _ => {
            cursor.expected_mark(":", "a colon ends the list of variables", "write a colon after the variables");
            false
        }
    }
}
