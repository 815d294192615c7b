// SPDX-License-Identifier: MIT OR Apache-2.0
//! Actions: `start(message)`, `done(message)`, `done(!message)`.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::rule::Phase;

use super::context::{Joint, Place, eat_not, joint};
use super::syntax::Action;
use crate::specfile::atom::{AtomSyntax, atom};
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;
use crate::specfile::similar::nearest;

/// What people write for `start` and `done`.
const WORDS: &[(&str, Phase)] = &[
    ("begin", Phase::Start),
    ("started", Phase::Start),
    ("starts", Phase::Start),
    ("end", Phase::Done),
    ("finish", Phase::Done),
    ("finished", Phase::Done),
    ("complete", Phase::Done),
    ("completed", Phase::Done),
];

/// Whether the token `n` places on is `start` or `done` with a parenthesis.
pub(super) fn is_phase(cursor: &Cursor<'_>, n: usize) -> bool {
    matches!(cursor.nth_word(n), Some("start" | "done")) && cursor.nth_is(n + 1, "(")
}

/// Reads an action. `negation` is where a `!` stands before it.
pub(super) fn action(cursor: &mut Cursor<'_>, place: Place, negation: Option<Span>) -> Option<Action> {
    cursor.grow();
    let start = cursor.peek().span;
    let Some(phase) = phase(cursor) else { return bare(cursor, place, negation) };
    let opening = cursor.bump().span;
    let inner = eat_not(cursor);
    let Some(message) = atom(cursor) else {
        let word = phase.word();
        let diagnostic = cursor.unexpected("a message");
        cursor.blame(match diagnostic.help {
            Some(_) => diagnostic,
            None => diagnostic.help(format!("write the message's name: `{word}(loginReq)`")),
        });
        skip_action(cursor);
        return None;
    };
    if let Some(joint) = joint_inside(cursor, place) {
        return several(cursor, place, phase, start, &(inner.is_some(), message), joint);
    }
    let whole = message.whole;
    let closed = cursor.close(opening, ")");
    if closed.is_none() {
        skip_action(cursor);
    }
    let span = start.to(closed.unwrap_or(message.span));
    if let (Some(outer), Some(_)) = (negation, inner) {
        twice(cursor, phase, outer.to(span), &message);
    }
    let negated = negation.or(inner).is_some();
    (whole && closed.is_some()).then_some(Action { phase, negated, message, span: negation.unwrap_or(span).to(span) })
}

/// Takes `start` or `done`, also where another word stands for it, which is reported.
fn phase(cursor: &mut Cursor<'_>) -> Option<Phase> {
    let word = cursor.word().filter(|_| cursor.nth_is(1, "("))?;
    let exact = match word {
        "start" => Some(Phase::Start),
        "done" => Some(Phase::Done),
        _ => None,
    };
    if exact.is_some() {
        cursor.bump();
        return exact;
    }
    // `login("ann")` is a message with a parameter; `begin(login)` can be none, as rules have no variables.
    let holds_word = matches!(cursor.nth_word(2), Some(inside) if !matches!(inside, "true" | "false" | "null" | "_"));
    if !holds_word && !cursor.nth_is(2, "!") {
        return None;
    }
    let lower = word.to_lowercase();
    let meant = WORDS.iter().find(|(known, _)| *known == lower).map(|(_, phase)| *phase);
    let meant = meant.or_else(|| match nearest(word, ["start", "done"]) {
        Some("start") => Some(Phase::Start),
        Some(_) => Some(Phase::Done),
        None => None,
    })?;
    let span = cursor.bump().span;
    cursor.report(
        Diagnostic::error("G0117", span, format!("`{word}` is neither `start` nor `done`"))
            .label("an action is one of these two")
            .edit(format!("write `{}`", meant.word()), span, meant.word()),
    );
    Some(meant)
}

/// A message without `start` or `done`.
fn bare(cursor: &mut Cursor<'_>, place: Place, negation: Option<Span>) -> Option<Action> {
    let Some(message) = atom(cursor) else {
        let diagnostic = cursor.unexpected("an action, `start(message)` or `done(message)`");
        cursor.blame(diagnostic);
        return None;
    };
    let phase = place.phase();
    let (word, written) = (phase.word(), cursor.slice(message.span));
    let mark = if negation.is_some() { "!" } else { "" };
    let span = negation.unwrap_or(message.span).to(message.span);
    cursor.report(
        Diagnostic::error("G0117", message.span, format!("`{}` is neither started nor done", message.name))
            .label("a message stands in `start( )` or `done( )`")
            .edit(format!("write `{word}( )` around it"), span, format!("{word}({mark}{written})")),
    );
    let negated = negation.is_some();
    message.whole.then_some(Action { phase, negated, message, span })
}

/// What stands between the messages of `done(a && b)` or `done(a, b)`.
fn joint_inside(cursor: &Cursor<'_>, place: Place) -> Option<Joint> {
    joint(cursor).or_else(|| {
        cursor.is(",").then_some(match place {
            Place::Supposition => Joint::Or,
            Place::Context => Joint::And,
        })
    })
}

/// `done(a && b)`: `done` takes one message. The first is read, and a connective stands here.
fn several(
    cursor: &mut Cursor<'_>,
    place: Place,
    phase: Phase,
    start: Span,
    first: &(bool, AtomSyntax),
    mut joint: Joint,
) -> Option<Action> {
    let word = phase.word();
    let part = |cursor: &Cursor<'_>, (negated, message): &(bool, AtomSyntax)| {
        format!("{word}({}{})", if *negated { "!" } else { "" }, cursor.slice(message.span))
    };
    let mut parts = part(cursor, first);
    let end = loop {
        cursor.bump();
        cursor.grow();
        let negated = eat_not(cursor).is_some();
        let Some(message) = atom(cursor) else {
            cursor.expected("a message");
            skip_action(cursor);
            return None;
        };
        let read = (negated, message);
        parts = format!("{parts} {} {}", joint.symbol(), part(cursor, &read));
        match joint_inside(cursor, place) {
            Some(next) => joint = next,
            None => break read.1.span,
        }
    };
    let closing = cursor.eat(")");
    let span = start.to(closing.unwrap_or(end));
    let diagnostic = Diagnostic::error("G0117", span, format!("`{word}` takes one message"))
        .label("these are several")
        .edit("join actions, not messages", span, format!("({parts})"));
    cursor.blame(diagnostic);
    if closing.is_none() {
        skip_action(cursor);
    }
    None
}

/// `!done(!a)`
fn twice(cursor: &mut Cursor<'_>, phase: Phase, span: Span, message: &AtomSyntax) {
    let plain = format!("{}({})", phase.word(), cursor.slice(message.span));
    cursor.report(
        Diagnostic::error("G0119", span, "the action is negated twice")
            .label("once outside, once inside the parentheses")
            .edit("write what is meant", span, plain),
    );
}

/// Skips to the end of an action that could not be understood.
fn skip_action(cursor: &mut Cursor<'_>) {
    let mut depth = 0_u32;
    loop {
        match cursor.peek().kind {
            Kind::End | Kind::Symbol("{" | "}" | "&&" | "||" | "|") => break,
            Kind::Symbol("(" | "[") => depth += 1,
            Kind::Symbol(")") if depth == 0 => {
                cursor.bump();
                break;
            }
            Kind::Symbol(")" | "]") => depth = depth.saturating_sub(1),
            _ => {}
        }
        cursor.bump();
    }
    cursor.hush();
}
