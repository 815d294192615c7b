// SPDX-License-Identifier: MIT OR Apache-2.0
//! Actions joined by `&&`, `||` and parentheses: the context, and in a simpler form the supposition.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::rule::Phase;

use super::action::{action, is_phase};
use super::syntax::Context;
use super::window::{nested, starts_window};
use crate::specfile::chain::join;
use crate::specfile::condition::respelt;
use crate::specfile::cursor::{Cursor, MAX_DEPTH};
use crate::specfile::lexer::Kind;

/// Which side of the bar is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Supposition,
    Context,
}

impl Place {
    /// What an action is there, if somebody did not say.
    pub(super) fn phase(self) -> Phase {
        match self {
            Place::Supposition => Phase::Start,
            Place::Context => Phase::Done,
        }
    }
}

/// What joins two actions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    And,
    Or,
}

impl Joint {
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Joint::And => "&&",
            Joint::Or => "||",
        }
    }
}

/// What was read, where, and how high its tree is.
struct Part {
    context: Context,
    span: Span,
    depth: u32,
}

/// Reads actions and what joins them; `None` if a part could not be understood, which has been reported.
pub(super) fn context(cursor: &mut Cursor<'_>, place: Place) -> Option<Context> {
    disjunction(cursor, place).map(|part| part.context)
}

/// The connective at the current token, if one is there.
pub(super) fn joint(cursor: &Cursor<'_>) -> Option<Joint> {
    Some(match cursor.peek().kind {
        Kind::Symbol("&&" | "&") => Joint::And,
        Kind::Symbol("||") => Joint::Or,
        Kind::Word => match cursor.word()? {
            "AND" | "and" => Joint::And,
            "OR" | "or" => Joint::Or,
            _ => return None,
        },
        _ => return None,
    })
}

/// Takes a `!` or `NOT`, if one is there.
pub(super) fn eat_not(cursor: &mut Cursor<'_>) -> Option<Span> {
    let token = cursor.peek();
    let negates = match token.kind {
        Kind::Symbol("!" | "~") => true,
        // A message may be called `not`.
        Kind::Word => {
            matches!(cursor.text(token), "NOT" | "not")
                && (matches!(cursor.nth(1).kind, Kind::Word | Kind::Text | Kind::OpenText) || cursor.nth_is(1, "("))
        }
        _ => false,
    };
    if !negates {
        return None;
    }
    if let "not" | "~" = cursor.text(token) {
        cursor.report(respelt(cursor.text(token), token.span, "!"));
    }
    Some(cursor.bump().span)
}

/// Whether an action begins `n` places on, negated or not.
pub(super) fn starts_action(cursor: &Cursor<'_>, n: usize) -> bool {
    is_phase(cursor, n) || (cursor.nth_is(n, "!") && is_phase(cursor, n + 1))
}

fn disjunction(cursor: &mut Cursor<'_>, place: Place) -> Option<Part> {
    chain(cursor, place, Joint::Or, |cursor| chain(cursor, place, Joint::And, |cursor| operand(cursor, place)))
}

fn chain(
    cursor: &mut Cursor<'_>,
    place: Place,
    joint: Joint,
    mut read: impl FnMut(&mut Cursor<'_>) -> Option<Part>,
) -> Option<Part> {
    let mut parts = vec![read(cursor)?];
    while take(cursor, place, joint) {
        parts.push(read(cursor)?);
    }
    if parts.len() == 1 {
        return parts.pop();
    }
    let span = parts.iter().map(|part| part.span).reduce(Span::to)?;
    let height = u32::try_from(parts.len()).unwrap_or(u32::MAX).min(16);
    let depth = parts.iter().map(|part| part.depth).max()? + height;
    if depth > MAX_DEPTH {
        cursor.too_deep();
        return None;
    }
    let both = match joint {
        Joint::And => Context::And,
        Joint::Or => Context::Or,
    };
    let contexts = parts.into_iter().map(|part| part.context).collect();
    let context = join(contexts, &mut |left, right| both(Box::new(left), Box::new(right)))?;
    Some(Part { context, span, depth })
}

/// Takes this connective, if it stands here.
fn take(cursor: &mut Cursor<'_>, place: Place, wanted: Joint) -> bool {
    let token = cursor.peek();
    if place == Place::Supposition && starts_window(cursor, 1) {
        // `||` before a window stands for the bar.
        return false;
    }
    if joint(cursor) != Some(wanted) {
        return single_bar(cursor, place, wanted) || no_operator(cursor, place, wanted);
    }
    if let "and" | "or" | "&" = cursor.text(token) {
        cursor.report(respelt(cursor.text(token), token.span, wanted.symbol()));
    }
    if place == Place::Supposition && wanted == Joint::And {
        both_suppositions(cursor);
    }
    cursor.bump();
    true
}

/// `start(a) | start(b) | O[...]`: the first bar should be two.
fn single_bar(cursor: &mut Cursor<'_>, place: Place, wanted: Joint) -> bool {
    let token = cursor.peek();
    if wanted != Joint::Or || !matches!(token.kind, Kind::Symbol("|" | ",")) {
        return false;
    }
    let slip = match place {
        Place::Context => cursor.is("|"),
        Place::Supposition => starts_action(cursor, 1) && another_bar(cursor),
    };
    if slip {
        let meant = if cursor.is("|") { "||" } else { " ||" };
        cursor.report(respelt(cursor.text(token), token.span, "||").edit("write `||`", token.span, meant));
        cursor.bump();
    }
    slip
}

/// How far ahead a second bar is looked for: no supposition is longer, and looking must not cost more than reading.
const AHEAD: usize = 1_000;

/// Whether a window follows a later bar of the rule.
fn another_bar(cursor: &Cursor<'_>) -> bool {
    let mut depth = 0_u32;
    for n in 1..AHEAD {
        match cursor.nth(n).kind {
            Kind::End => break,
            Kind::Symbol("(" | "[" | "{") => depth += 1,
            Kind::Symbol(")" | "]" | "}") if depth == 0 => break,
            Kind::Symbol(")" | "]" | "}") => depth -= 1,
            Kind::Symbol("|" | "||") if depth == 0 && starts_window(cursor, n + 1) => return true,
            _ => {}
        }
    }
    false
}

/// `done(a) done(b)`: read as if `&&` stood between, or `||` in the supposition.
fn no_operator(cursor: &mut Cursor<'_>, place: Place, wanted: Joint) -> bool {
    let missing = match place {
        Place::Supposition => Joint::Or,
        Place::Context => Joint::And,
    };
    if wanted != missing || !starts_action(cursor, 0) || cursor.is_echo() {
        return false;
    }
    let token = cursor.peek();
    let symbol = missing.symbol();
    let written = cursor.text(token);
    cursor.blame(
        Diagnostic::error("G0101", token.span, format!("expected `&&`, `||` or `)`, found `{written}`"))
            .label("nothing stands between two actions")
            .edit(format!("write `{symbol}` between them"), token.span, format!("{symbol} {written}")),
    );
    true
}

fn both_suppositions(cursor: &mut Cursor<'_>) {
    let span = cursor.peek().span;
    cursor.report(
        Diagnostic::error("G0121", span, "a supposition asks for two messages at once")
            .label("one message activates a rule, and each position is one message")
            .edit("write `||` if either is enough; otherwise move one of them into the context", span, "||"),
    );
}

fn operand(cursor: &mut Cursor<'_>, place: Place) -> Option<Part> {
    cursor.grow();
    let read = if cursor.enter() { operand_inside(cursor, place) } else { None };
    cursor.leave();
    read
}

fn operand_inside(cursor: &mut Cursor<'_>, place: Place) -> Option<Part> {
    if starts_window(cursor, 0) {
        return nested(cursor, place);
    }
    if let Some(negation) = eat_not(cursor) {
        return negated(cursor, place, negation);
    }
    if let Some(opening) = cursor.eat("(") {
        let inner = disjunction(cursor, place)?;
        let end = cursor.close(opening, ")")?;
        return Some(Part { span: opening.to(end), ..inner });
    }
    let mut action = action(cursor, place, None)?;
    if place == Place::Supposition && action.negated {
        negative_supposition(
            cursor,
            action.span,
            action.span,
            &format!("start({})", cursor.slice(action.message.span)),
        );
        action.negated = false;
    }
    let span = action.span;
    Some(Part { context: Context::Action(action), span, depth: 1 })
}

fn negative_supposition(cursor: &mut Cursor<'_>, span: Span, edited: Span, meant: &str) {
    cursor.report(
        Diagnostic::error("G0119", span, "a supposition is negated")
            .label("a message that does not come activates nothing")
            .edit("name the message that asks for the context", edited, meant),
    );
}

/// What follows a `!`.
fn negated(cursor: &mut Cursor<'_>, place: Place, negation: Span) -> Option<Part> {
    if let Some(again) = eat_not(cursor) {
        let span = negation.to(again);
        cursor.report(
            Diagnostic::error("G0119", span, "the action is negated twice").label("one undoes the other").edit(
                "leave both out",
                span,
                "",
            ),
        );
        return operand(cursor, place);
    }
    if cursor.is("(") {
        let inner = operand(cursor, place)?;
        let span = negation.to(inner.span);
        return match inner.context {
            Context::Action(mut action) if !action.negated && place == Place::Context => {
                action.negated = true;
                action.span = span;
                Some(Part { context: Context::Action(action), span, depth: 1 })
            }
            context => {
                let mut meant = String::new();
                opposite(cursor, &context, false, &mut meant);
                compound(cursor, negation, span, meant);
                Some(Part { context, span, depth: inner.depth })
            }
        };
    }
    let mut action = action(cursor, place, Some(negation))?;
    if place == Place::Supposition {
        negative_supposition(cursor, negation, negation, "");
        action.negated = false;
    }
    let span = action.span;
    Some(Part { context: Context::Action(action), span, depth: 1 })
}

fn compound(cursor: &mut Cursor<'_>, negation: Span, span: Span, meant: String) {
    cursor.report(
        Diagnostic::error("G0119", negation, "only an action can be negated")
            .label("this negates what is in the parentheses")
            .edit("negate each action, and turn `&&` and `||` round", span, meant),
    );
}

/// Writes the negation of what was read, negations at the actions.
fn opposite(cursor: &Cursor<'_>, context: &Context, inside_and: bool, out: &mut String) {
    match context {
        Context::Action(action) => {
            let mark = if action.negated { "" } else { "!" };
            let message = cursor.slice(action.message.span);
            out.extend([action.phase.word(), "(", mark, message, ")"]);
        }
        Context::And(left, right) => {
            // The negation of a conjunction is a disjunction, which binds less tightly.
            out.push_str(if inside_and { "(" } else { "" });
            opposite(cursor, left, false, out);
            out.push_str(" || ");
            opposite(cursor, right, false, out);
            out.push_str(if inside_and { ")" } else { "" });
        }
        Context::Or(left, right) => {
            opposite(cursor, left, true, out);
            out.push_str(" && ");
            opposite(cursor, right, true, out);
        }
    }
}
