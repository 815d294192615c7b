// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scopes: `globally`, `before R`, `until R`, `after last Q`, `between Q and R`, `after Q until R`, and the colon behind.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::requirement::ScopeKind;

use super::syntax::{Event, Scope, begins_event, event};
use crate::specfile::atom::AtomSyntax;
use crate::specfile::condition::respelt;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;
use crate::specfile::similar::nearest;

/// What opens a scope.
const WORDS: &[&str] = &["globally", "before", "until", "after", "between"];

/// Reads a scope and its colon; `None` if it could not be understood, which has been reported.
pub(super) fn scope(cursor: &mut Cursor<'_>) -> Option<Scope> {
    let start = cursor.peek().span;
    let glued = !has_colon(cursor);
    // `globally:absence` is one word to the lexer.
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
        Some(word @ ("always" | "throughout" | "everywhere")) if !glued && cursor.nth_is(1, ":") => {
            let span = cursor.bump().span;
            cursor.report(respelt(word, span, "globally"));
            Some((ScopeKind::Globally, None, None))
        }
        _ if glued => return none(cursor),
        _ => {
            unknown(cursor);
            None
        }
    };
    let end = cursor.previous().map_or(start, |last| last.span);
    if read.is_some() {
        colon(cursor);
    } else {
        skip_colon(cursor, glued);
    }
    let (kind, opens, closes) = read?;
    Some(Scope { kind, opens, closes, span: start.to(end) })
}

/// A scope's kind and its events.
type Parts = (ScopeKind, Option<Event>, Option<Event>);

/// `after Q`, `after last Q`, each with `until R` or without
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
        neither(cursor, start, last, &opens);
        return None;
    }
    let kind = if last { ScopeKind::AfterLast } else { ScopeKind::After };
    Some((kind, Some(opens), None))
}

/// `after Q before R` is either of two scopes.
fn neither(cursor: &mut Cursor<'_>, start: Span, last: bool, opens: &Event) {
    let word = cursor.peek().span;
    let last = if last { "last " } else { "" };
    let opens = cursor.slice(opens.span).to_owned();
    cursor.blame(
        Diagnostic::error("G0140", start.to(word), "`after ... before ...` does not say whether the end must come")
            .label("two scopes could be meant")
            .help(format!(
                "write `between {last}{opens} and ...` if the end must come, `after {last}{opens} until ...` if it need not"
            )),
    );
}

/// `between Q and R`, `between last Q and R`
fn between(cursor: &mut Cursor<'_>, glued: bool) -> Option<Parts> {
    cursor.bump();
    let last = last(cursor);
    let opens = event(cursor, "the event that opens a segment")?;
    let token = cursor.peek();
    if cursor.eat_word("and").is_none() {
        if !matches!((token.kind, cursor.text(token)), (Kind::Symbol(",") | Kind::Word, "," | "until" | "to")) {
            let diagnostic = cursor.unexpected("`and` and the event that closes a segment");
            cursor.blame(diagnostic.help("say from what to what: `between open and close`"));
            return None;
        }
        // `a, b` has no space in front of the comma.
        let meant = if token.kind == Kind::Word { "and" } else { " and" };
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

/// An event that opens or closes. If no colon stands alone, it is glued to the event in front of it: `after q:absence`.
fn delimiter(cursor: &mut Cursor<'_>, glued: bool) -> Option<Event> {
    let Some(length) = cursor.word().and_then(|word| word.rfind(':')).filter(|_| glued) else {
        return event(cursor, "the event that the scope is about");
    };
    let span = cursor.take_front(length);
    let name = cursor.slice(span).to_owned();
    Some(AtomSyntax { name, name_span: span, quoted: false, arguments: None, condition: None, span, whole: true })
}

/// Whether a colon stands somewhere ahead.
fn has_colon(cursor: &Cursor<'_>) -> bool {
    let mut n = 0;
    while !matches!(cursor.nth(n).kind, Kind::End | Kind::Symbol(":")) {
        n += 1;
    }
    cursor.nth_is(n, ":")
}

/// The colon after a scope.
fn colon(cursor: &mut Cursor<'_>) {
    if cursor.eat(":").is_some() {
        return;
    }
    let token = cursor.peek();
    if cursor.word().is_some_and(|word| word.starts_with(':')) {
        cursor.take_front(1);
        return;
    }
    if let Kind::Symbol("," | "." | ";" | "->") = token.kind {
        cursor.report(respelt(cursor.text(token), token.span, ":"));
        cursor.bump();
        return;
    }
    let end = cursor.previous().map_or(token.span.start, |before| before.span.end);
    let found = cursor.describe(token);
    cursor.blame(
        Diagnostic::error("G0101", token.span, format!("expected `:`, found {found}"))
            .label("a colon stands between the scope and the behaviour")
            .edit("write a colon after the scope", Span { start: end, end }, ":"),
    );
}

/// Skips a scope that could not be understood, with its colon.
fn skip_colon(cursor: &mut Cursor<'_>, glued: bool) {
    if glued {
        return cursor.hush();
    }
    while !cursor.at_end() && cursor.eat(":").is_none() {
        cursor.bump();
    }
}

/// There is a behaviour and nothing before it.
fn none(cursor: &mut Cursor<'_>) -> Option<Scope> {
    let span = cursor.peek().span;
    let start = Span { start: span.start, end: span.start };
    cursor.blame(
        Diagnostic::error("G0139", span, "there is no scope").label("what part of the trace is this about?").edit(
            "say where it must be so; for the whole trace:",
            start,
            "globally: ",
        ),
    );
    None
}

/// There is something with a colon that is no scope.
fn unknown(cursor: &mut Cursor<'_>) {
    let token = cursor.peek();
    let found = cursor.describe(token);
    let diagnostic = Diagnostic::error("G0140", token.span, format!("{found} begins no scope"))
        .label("a scope begins with `globally`, `before`, `until`, `after` or `between`");
    cursor.blame(match cursor.word().and_then(|word| nearest(word, WORDS.iter().copied())) {
        Some(meant) => diagnostic.edit(format!("write `{meant}`"), token.span, meant),
        None => diagnostic.help("write `globally:` for the whole trace, or for example `after login until logout:`"),
    });
}
