// SPDX-License-Identifier: MIT OR Apache-2.0
//! Correlation sets: `/ {{a.id, b.order/id}, {a.user, b.user}}`; one set may stand in one pair of braces or parentheses.

use gnomon_core::diagnostic::{Diagnostic, Span};

use super::syntax::{Member, Set};
use crate::specfile::condition::{respelt, steps, try_field};
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;
use crate::specfile::literal::try_name;

/// Reads the correlation sets, if there are any; `None` if they could not be understood, which has been reported.
pub(super) fn correlation(cursor: &mut Cursor<'_>) -> Option<Vec<Set>> {
    if let Some(slash) = cursor.eat("/") {
        if opening(cursor, 0).is_none() {
            let diagnostic = cursor.unexpected("`{` and the correlation sets");
            cursor.blame(match diagnostic.help {
                Some(_) => diagnostic,
                None => diagnostic.help("write fields that are equal: `/ {{a.id, b.id}}`"),
            });
            cursor.skip_to(usize::MAX);
            return None;
        }
        return sets(cursor, slash);
    }
    if cursor.is("{") {
        let span = cursor.peek().span;
        cursor.report(
            Diagnostic::error("G0101", span, "expected `/`, found `{`")
                .label("correlation sets stand after a `/`")
                .edit("write `/`", span, "/ {"),
        );
        return sets(cursor, span);
    }
    Some(vec![])
}

/// The bracket that closes the one `n` places on, if one opens there.
fn opening(cursor: &Cursor<'_>, n: usize) -> Option<&'static str> {
    match cursor.nth(n).kind {
        Kind::Symbol("{") => Some("}"),
        Kind::Symbol("(") => Some(")"),
        _ => None,
    }
}

fn sets(cursor: &mut Cursor<'_>, start: Span) -> Option<Vec<Set>> {
    let levels = if opening(cursor, 1).is_some() { 2 } else { 1 };
    if (levels..2 * levels).all(|n| matches!(cursor.nth(n).kind, Kind::Symbol("}" | ")"))) {
        let span = cursor.peek().span.to(cursor.nth(2 * levels - 1).span);
        cursor.skip_to(cursor.index() + 2 * levels);
        empty(cursor, span, start.to(span));
        return None;
    }
    if levels == 1 {
        return set(cursor).map(|set| vec![set]);
    }
    let closing = opening(cursor, 0)?;
    let outer = cursor.bump().span;
    let mut sets = Vec::new();
    loop {
        let Some(read) = set(cursor) else { return give_up(cursor) };
        sets.push(read);
        if cursor.eat(",").is_none() && opening(cursor, 0).is_none() {
            break;
        }
        if opening(cursor, 0).is_none() {
            cursor.expected("a correlation set in braces");
            return give_up(cursor);
        }
    }
    if cursor.close(outer, closing).is_none() {
        return give_up(cursor);
    }
    Some(sets)
}

fn give_up<T>(cursor: &mut Cursor<'_>) -> Option<T> {
    cursor.skip_to(usize::MAX);
    cursor.hush();
    None
}

fn empty(cursor: &mut Cursor<'_>, span: Span, edited: Span) {
    cursor.report(
        Diagnostic::error("G0122", span, "the correlation set is empty")
            .label("fields of different messages are expected here")
            .edit("leave it out, or name a field of each message: `{a.id, b.id}`", edited, ""),
    );
}

/// `{a.id, b.id}`
fn set(cursor: &mut Cursor<'_>) -> Option<Set> {
    let closing = opening(cursor, 0)?;
    let opening = cursor.bump().span;
    let mut members = Vec::new();
    if let Some(end) = cursor.eat(closing) {
        let span = opening.to(end);
        // The comma after it goes too.
        let after = cursor.peek().span;
        empty(cursor, span, if cursor.is(",") { span.to(after) } else { span });
        return Some(Set { members, span });
    }
    loop {
        members.push(member(cursor)?);
        let token = cursor.peek();
        match token.kind {
            Kind::Symbol(",") => {
                cursor.bump();
            }
            Kind::Symbol("=" | "==" | ";" | "&&") => {
                cursor.report(respelt(cursor.text(token), token.span, ","));
                cursor.bump();
            }
            _ => break,
        }
    }
    let end = cursor.close(opening, closing)?;
    Some(Set { members, span: opening.to(end) })
}

/// `message.field/step`
fn member(cursor: &mut Cursor<'_>) -> Option<Member> {
    cursor.grow();
    let quoted = cursor.peek().kind != Kind::Word;
    let Some(name) = try_name(cursor) else {
        let diagnostic = cursor.unexpected("a field of a message");
        cursor.blame(match diagnostic.help {
            Some(_) => diagnostic,
            None => diagnostic.help("write the message, a dot and the field: `loginRes.sessionId`"),
        });
        return None;
    };
    let mut field = None;
    if cursor.eat(".").is_some() {
        field = try_field(cursor);
        if field.is_none() {
            cursor.expected("the field after the dot");
            return None;
        }
    }
    let path = steps(cursor, String::new())?;
    let span = name.span.to(cursor.previous().map_or(name.span, |token| token.span));
    Some(Member { name: name.name, quoted, field, steps: path.steps, span })
}
