// SPDX-License-Identifier: MIT OR Apache-2.0
//! Actions, `start(message)`, `done(message)`, `done(!message)`, joined by `&&`, `||` and parentheses: the context,
//! and, restricted to alternatives, the supposition.
//!
//! Both sides of the bar are read by the same functions, so that a supposition with `&&`, `!` or a
//! window is understood well enough to say what is wrong with it.

use gnomon_core::{Diagnostic, Span};
use gnomon_ir::{ActionPhase, Connective};

use super::syntax::{ActionSyntax, ContextSyntax};
use super::window::{nested, starts_window};
use crate::syntax::atom::atom;
use crate::syntax::connective::{self, symbol};
use crate::syntax::print::text;
use crate::syntax::{AtomSyntax, Cursor, Subtree, Token, nearest, respelt, subtree, table};

/// The side of the bar that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleSide {
    Supposition,
    Context,
}

impl RuleSide {
    /// Returns the phase of an action that is written without one.
    fn default_phase(self) -> ActionPhase {
        match self {
            RuleSide::Supposition => ActionPhase::Start,
            RuleSide::Context => ActionPhase::Done,
        }
    }

    /// Returns the connective that is assumed where one is missing.
    fn default_connective(self) -> Connective {
        match self {
            RuleSide::Supposition => Connective::Or,
            RuleSide::Context => Connective::And,
        }
    }
}

/// Reads actions and the connectives between them. Returns `None` after reporting an error.
pub(super) fn context(cursor: &mut Cursor<'_>, side: RuleSide) -> Option<ContextSyntax> {
    disjunction(cursor, side).map(|part| part.node)
}

/// Returns the `&&` or `||` at the current token. A single bar is not one: it ends the supposition.
fn action_connective(cursor: &Cursor<'_>) -> Option<Connective> {
    let (connective, _) = connective::connective(cursor).filter(|_| !cursor.is("|"))?;
    matches!(connective, Connective::And | Connective::Or).then_some(connective)
}

/// Takes a `!` or `NOT`, if one is there.
fn eat_not(cursor: &mut Cursor<'_>) -> Option<Span> {
    let token = cursor.peek();
    let negates = match token.kind {
        Token::Symbol("!" | "~") => true,
        // A message may be called `not`.
        Token::Word => {
            matches!(cursor.text(token), "NOT" | "not")
                && (matches!(cursor.nth(1).kind, Token::Word | Token::Text | Token::OpenText) || cursor.nth_is(1, "("))
        }
        _ => false,
    };
    if !negates {
        return None;
    }
    Some(cursor.take(matches!(cursor.text(token), "not" | "~").then_some("!")))
}

/// Returns true if an action begins `n` places on, negated or not.
pub(super) fn starts_action(cursor: &Cursor<'_>, n: usize) -> bool {
    is_phase(cursor, n) || (cursor.nth_is(n, "!") && is_phase(cursor, n + 1))
}

fn disjunction(cursor: &mut Cursor<'_>, side: RuleSide) -> Option<Subtree<ContextSyntax>> {
    chain(cursor, side, Connective::Or, |cursor| chain(cursor, side, Connective::And, |cursor| operand(cursor, side)))
}

fn chain(
    cursor: &mut Cursor<'_>,
    side: RuleSide,
    connective: Connective,
    mut read: impl FnMut(&mut Cursor<'_>) -> Option<Subtree<ContextSyntax>>,
) -> Option<Subtree<ContextSyntax>> {
    let mut parts = vec![read(cursor)?];
    while take(cursor, side, connective) {
        parts.push(read(cursor)?);
    }
    let both = if connective == Connective::And { ContextSyntax::And } else { ContextSyntax::Or };
    subtree::chain(cursor, parts, both)
}

/// Takes this connective, if it stands here.
fn take(cursor: &mut Cursor<'_>, side: RuleSide, wanted: Connective) -> bool {
    let token = cursor.peek();
    if side == RuleSide::Supposition && starts_window(cursor, 1) {
        // `||` before a window is meant as the bar.
        return false;
    }
    if action_connective(cursor) != Some(wanted) {
        return single_bar(cursor, side, wanted) || no_operator(cursor, side, wanted);
    }
    if let "and" | "or" | "&" = cursor.text(token) {
        cursor.report(respelt(cursor.text(token), token.span, symbol(wanted)));
    }
    if side == RuleSide::Supposition && wanted == Connective::And {
        cursor.report(both_suppositions(cursor));
    }
    cursor.bump();
    true
}

/// Takes the first bar of `start(a) | start(b) | O[...]`, which should be `||` and is reported.
fn single_bar(cursor: &mut Cursor<'_>, side: RuleSide, wanted: Connective) -> bool {
    let token = cursor.peek();
    if wanted != Connective::Or || !matches!(token.kind, Token::Symbol("|" | ",")) {
        return false;
    }
    let is_or = match side {
        RuleSide::Context => cursor.is("|"),
        RuleSide::Supposition => starts_action(cursor, 1) && another_bar(cursor),
    };
    if is_or {
        let meant = if cursor.is("|") { "||" } else { " ||" };
        cursor.report(respelt(cursor.text(token), token.span, "||").edit("write `||`", token.span, meant));
        cursor.bump();
    }
    is_or
}

/// Limit on the lookahead for a second bar. No supposition is longer, and the lookahead must not cost more than
/// reading.
const AHEAD: usize = 1_000;

/// Returns true if a window follows a later bar of the rule.
fn another_bar(cursor: &Cursor<'_>) -> bool {
    let mut depth = 0_u32;
    for n in 1..AHEAD {
        match cursor.nth(n).kind {
            Token::End => break,
            Token::Symbol("(" | "[" | "{") => depth += 1,
            Token::Symbol(")" | "]" | "}") if depth == 0 => break,
            Token::Symbol(")" | "]" | "}") => depth -= 1,
            Token::Symbol("|" | "||") if depth == 0 && starts_window(cursor, n + 1) => return true,
            _ => {}
        }
    }
    false
}

/// Reports a missing connective in `done(a) done(b)`. The default connective is assumed.
fn no_operator(cursor: &mut Cursor<'_>, side: RuleSide, wanted: Connective) -> bool {
    if wanted != side.default_connective() || !starts_action(cursor, 0) || cursor.follows_error() {
        return false;
    }
    let (token, symbol) = (cursor.peek(), symbol(wanted));
    let edit = format!("{symbol} {}", cursor.text(token));
    let diagnostic = cursor.mismatch("`&&`, `||` or `)`", "there is nothing between two actions");
    cursor.report_once(diagnostic.edit(format!("write `{symbol}` between them"), token.span, edit));
    true
}

/// Returns the diagnostic about `&&` in a supposition.
fn both_suppositions(cursor: &Cursor<'_>) -> Diagnostic {
    let span = cursor.peek().span;
    Diagnostic::error("G0121", span, "a supposition requires two simultaneous messages")
        .label("one message activates a rule, and each position is one message")
        .edit("write `||` if either is enough; otherwise move one of them into the context", span, "||")
}

fn operand(cursor: &mut Cursor<'_>, side: RuleSide) -> Option<Subtree<ContextSyntax>> {
    cursor.count_node();
    let read = if cursor.enter() { operand_inside(cursor, side) } else { None };
    cursor.leave();
    read
}

fn operand_inside(cursor: &mut Cursor<'_>, side: RuleSide) -> Option<Subtree<ContextSyntax>> {
    if starts_window(cursor, 0) {
        return nested(cursor, side);
    }
    if let Some(negation) = eat_not(cursor) {
        return negated(cursor, side, negation);
    }
    if let Some(opening) = cursor.eat("(") {
        let inner = disjunction(cursor, side)?;
        let end = cursor.close(opening, ")")?;
        return Some(Subtree { span: opening.to(end), ..inner });
    }
    let mut action = action(cursor, side, None)?;
    if side == RuleSide::Supposition && action.negated {
        let meant = format!("start({})", cursor.slice(action.message.span));
        cursor.report(negative_supposition(action.span, action.span, &meant));
        action.negated = false;
    }
    Some(leaf(action))
}

fn leaf(action: ActionSyntax) -> Subtree<ContextSyntax> {
    let span = action.span;
    Subtree::leaf(ContextSyntax::Action(action), span)
}

/// Returns the diagnostic about a negated supposition.
fn negative_supposition(span: Span, edited: Span, meant: &str) -> Diagnostic {
    Diagnostic::error("G0119", span, "a supposition is negated")
        .label("a message that does not come activates nothing")
        .edit("name the message that requires the context", edited, meant)
}

/// Reads the operand of a `!`.
fn negated(cursor: &mut Cursor<'_>, side: RuleSide, negation: Span) -> Option<Subtree<ContextSyntax>> {
    if let Some(again) = eat_not(cursor) {
        let span = negation.to(again);
        let diagnostic = Diagnostic::error("G0119", span, "the action is negated twice");
        cursor.report(diagnostic.label("one cancels the other").edit("leave both out", span, ""));
        return operand(cursor, side);
    }
    if cursor.is("(") {
        let inner = operand(cursor, side)?;
        let span = negation.to(inner.span);
        return match inner.node {
            ContextSyntax::Action(mut action) if !action.negated && side == RuleSide::Context => {
                action.negated = true;
                action.span = span;
                Some(leaf(action))
            }
            context => {
                let meant = text(|out| write_negation(cursor, &context, false, out));
                cursor.report(
                    Diagnostic::error("G0119", negation, "only an action can be negated")
                        .label("this negates an expression in parentheses")
                        .edit("negate each action, and exchange `&&` and `||`", span, meant),
                );
                Some(Subtree { node: context, span, depth: inner.depth })
            }
        };
    }
    let mut action = action(cursor, side, Some(negation))?;
    if side == RuleSide::Supposition {
        cursor.report(negative_supposition(negation, negation, ""));
        action.negated = false;
    }
    Some(leaf(action))
}

/// Writes the negation of a context, with negations at the actions only.
fn write_negation(cursor: &Cursor<'_>, context: &ContextSyntax, inside_and: bool, out: &mut String) {
    match context {
        ContextSyntax::Action(action) => {
            let mark = if action.negated { "" } else { "!" };
            let message = cursor.slice(action.message.span);
            out.extend([action.phase.word(), "(", mark, message, ")"]);
        }
        ContextSyntax::And(left, right) => {
            // The negation of a conjunction is a disjunction, which binds less tightly.
            out.push_str(if inside_and { "(" } else { "" });
            write_negation(cursor, left, false, out);
            out.push_str(" || ");
            write_negation(cursor, right, false, out);
            out.push_str(if inside_and { ")" } else { "" });
        }
        ContextSyntax::Or(left, right) => {
            write_negation(cursor, left, true, out);
            out.push_str(" && ");
            write_negation(cursor, right, true, out);
        }
    }
}

/// The words for the phases of a message.
/// Other words that people write for `start` and `done`.
const WORDS: &[(ActionPhase, &[&str])] = &[
    (ActionPhase::Start, &["begin", "started", "starts"]),
    (ActionPhase::Done, &["end", "finish", "finished", "complete", "completed"]),
];

/// Returns true if the token `n` places on is `start` or `done` with a parenthesis.
pub(super) fn is_phase(cursor: &Cursor<'_>, n: usize) -> bool {
    matches!(cursor.nth_word(n), Some("start" | "done")) && cursor.nth_is(n + 1, "(")
}

/// Reads an action. `negation` is the position of a `!` before it.
fn action(cursor: &mut Cursor<'_>, side: RuleSide, negation: Option<Span>) -> Option<ActionSyntax> {
    cursor.count_node();
    let start = cursor.peek().span;
    let Some(phase) = phase(cursor) else { return bare(cursor, side, negation) };
    let opening = cursor.bump().span;
    let inner = eat_not(cursor);
    let Some(message) = atom(cursor) else {
        let word = phase.word();
        cursor.expected_hint("a message", format!("write the message's name: `{word}(loginReq)`"));
        skip_action(cursor);
        return None;
    };
    if let Some(connective) = message_connective(cursor, side) {
        return several(cursor, side, phase, start, &(inner.is_some(), message), connective);
    }
    let whole = message.whole;
    let closed = cursor.close(opening, ")");
    if closed.is_none() {
        skip_action(cursor);
    }
    let span = start.to(closed.unwrap_or(message.span));
    if let (Some(outer), Some(_)) = (negation, inner) {
        cursor.report(twice(cursor, phase, outer.to(span), &message));
    }
    let negated = negation.or(inner).is_some();
    (whole && closed.is_some()).then_some(ActionSyntax {
        phase,
        negated,
        message,
        span: negation.unwrap_or(span).to(span),
    })
}

/// Takes `start` or `done`; another word for it is reported.
fn phase(cursor: &mut Cursor<'_>) -> Option<ActionPhase> {
    let word = cursor.word().filter(|_| cursor.nth_is(1, "("))?;
    let exact = ActionPhase::parse(word);
    if exact.is_some() {
        cursor.bump();
        return exact;
    }
    // `login("ann")` is a message with a parameter; `begin(login)` is not, because rules have no variables.
    let holds_word = matches!(cursor.nth_word(2), Some(inside) if !matches!(inside, "true" | "false" | "null" | "_"));
    if !holds_word && !cursor.nth_is(2, "!") {
        return None;
    }
    let meant = table::lookup_spelling(WORDS, &word.to_lowercase());
    let meant = meant.or_else(|| ActionPhase::parse(nearest(word, ActionPhase::ALL.map(ActionPhase::word))?))?;
    let span = cursor.bump().span;
    cursor.report(
        Diagnostic::error("G0117", span, format!("`{word}` is neither `start` nor `done`"))
            .label("an action is one of these two")
            .edit(format!("write `{}`", meant.word()), span, meant.word()),
    );
    Some(meant)
}

/// Reads a message without `start` or `done`, which is reported.
fn bare(cursor: &mut Cursor<'_>, side: RuleSide, negation: Option<Span>) -> Option<ActionSyntax> {
    let Some(message) = atom(cursor) else {
        return cursor.expected("an action, `start(message)` or `done(message)`").none();
    };
    let phase = side.default_phase();
    let (word, written) = (phase.word(), cursor.slice(message.span));
    let mark = if negation.is_some() { "!" } else { "" };
    let span = negation.unwrap_or(message.span).to(message.span);
    cursor.report(
        Diagnostic::error("G0117", message.span, format!("`{}` is neither started nor done", message.name))
            .label("a message must be inside `start( )` or `done( )`")
            .edit(format!("write `{word}( )` around it"), span, format!("{word}({mark}{written})")),
    );
    let negated = negation.is_some();
    message.whole.then_some(ActionSyntax { phase, negated, message, span })
}

/// Returns the connective between the messages of `done(a && b)` or `done(a, b)`.
fn message_connective(cursor: &Cursor<'_>, side: RuleSide) -> Option<Connective> {
    action_connective(cursor).or_else(|| cursor.is(",").then_some(side.default_connective()))
}

/// Reads the rest of `done(a && b)`, which is reported: `done` takes one message. The first one is read, and the
/// current token is the connective.
fn several(
    cursor: &mut Cursor<'_>,
    side: RuleSide,
    phase: ActionPhase,
    start: Span,
    first: &(bool, AtomSyntax),
    mut connective: Connective,
) -> Option<ActionSyntax> {
    let word = phase.word();
    let part = |cursor: &Cursor<'_>, (negated, message): &(bool, AtomSyntax)| {
        format!("{word}({}{})", if *negated { "!" } else { "" }, cursor.slice(message.span))
    };
    let mut parts = part(cursor, first);
    let end = loop {
        cursor.bump();
        cursor.count_node();
        let negated = eat_not(cursor).is_some();
        let Some(message) = atom(cursor) else {
            cursor.expected("a message");
            skip_action(cursor);
            return None;
        };
        let read = (negated, message);
        parts = format!("{parts} {} {}", symbol(connective), part(cursor, &read));
        match message_connective(cursor, side) {
            Some(next) => connective = next,
            None => break read.1.span,
        }
    };
    let closing = cursor.eat(")");
    let span = start.to(closing.unwrap_or(end));
    let diagnostic = Diagnostic::error("G0117", span, format!("`{word}` takes one message"))
        .label("these are several")
        .edit("join actions, not messages", span, format!("({parts})"));
    cursor.report_once(diagnostic);
    if closing.is_none() {
        skip_action(cursor);
    }
    None
}

/// Returns the diagnostic about `!done(!a)`.
fn twice(cursor: &Cursor<'_>, phase: ActionPhase, span: Span, message: &AtomSyntax) -> Diagnostic {
    let plain = format!("{}({})", phase.word(), cursor.slice(message.span));
    Diagnostic::error("G0119", span, "the action is negated twice")
        .label("once outside, once inside the parentheses")
        .edit("write the intended expression", span, plain)
}

/// Skips to the end of an action that could not be understood.
fn skip_action(cursor: &mut Cursor<'_>) {
    let mut depth = 0_u32;
    loop {
        match cursor.peek().kind {
            Token::End | Token::Symbol("{" | "}" | "&&" | "||" | "|") => break,
            Token::Symbol("(" | "[") => depth += 1,
            Token::Symbol(")") if depth == 0 => {
                cursor.bump();
                break;
            }
            Token::Symbol(")" | "]") => depth = depth.saturating_sub(1),
            _ => {}
        }
        cursor.bump();
    }
    cursor.suppress();
}
