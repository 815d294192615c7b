// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses tokens to [`Syntax`]: `P(` or `F(`, the supposition, `|`, the window, the context, `)` and the correlation
//! sets.
//!
//! Correlation sets are `/ {{a.id, b.order/id}, {a.user, b.user}}`; a single set may stand in one pair of braces or
//! parentheses.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::rule::Modality;

use super::context::{RuleSide, context, starts_action};
use super::syntax::{ActionSyntax, ContextSyntax, CorrelationSyntax, MemberSyntax, Syntax};
use super::window::{starts_window, window};
use crate::syntax::condition::{steps, try_field};
use crate::syntax::{Cursor, Token, try_name};

/// Reads the whole text as one rule. Returns `None` after reporting what could not be understood.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Option<Syntax> {
    if cursor.at_end() {
        let help = "write one, for example `P(start(ask) | O[0,3s] done(reply))`";
        return cursor.report_empty("the property is empty", "a rule is expected here", help).none();
    }
    let (modality, opening) = modality(cursor)?;
    let supposition = supposition(cursor);
    let bar = bar(cursor);
    let window = if bar { window(cursor) } else { None };
    let context = if bar { context(cursor, RuleSide::Context) } else { None };
    match opening {
        Some(opening) if context.is_some() && bar => {
            cursor.close(opening, ")");
        }
        _ => skip_rule(cursor),
    }
    let sets = correlation(cursor);
    if !cursor.at_end() {
        after_rule(cursor);
    }
    Some(Syntax { modality: modality?, supposition: supposition?, window: window?, context: context?, sets: sets? })
}

/// Reads `P(` or `F(`. Returns `None` after reporting that nothing here looks like a rule; a missing letter or
/// parenthesis has been reported.
fn modality(cursor: &mut Cursor<'_>) -> Option<(Option<Modality>, Option<Span>)> {
    let (modality, slip) = match cursor.word() {
        Some("P" | "𝒫" | "𝓟" | "ℙ" | "𝖯") => (Modality::Permission, false),
        Some("F" | "ℱ" | "𝓕" | "𝔽" | "𝖥") => (Modality::Prohibition, false),
        Some("p" | "permission" | "Permission" | "PERMISSION" | "permitted" | "must") => (Modality::Permission, true),
        Some("f" | "prohibition" | "Prohibition" | "PROHIBITION" | "forbidden" | "prohibited") => {
            (Modality::Prohibition, true)
        }
        _ => return no_modality(cursor),
    };
    cursor.take(slip.then_some(modality.letter()));
    let opening = cursor.eat("(");
    if opening.is_none() {
        let letter = modality.letter();
        let diagnostic = cursor.unexpected("`(`");
        cursor.report_once(if starts_action(cursor, 0) {
            let whole = cursor.peek().span.to(rule_end(cursor));
            let text = cursor.slice(whole);
            diagnostic.edit("write the rule in parentheses", whole, format!("({text})"))
        } else {
            diagnostic.help(format!("a rule must be in parentheses: `{letter}(start(a) | O[0,10] done(b))`"))
        });
    }
    Some((Some(modality), opening))
}

/// Reports a rule without `P` or `F`, if the text otherwise looks like a rule.
fn no_modality(cursor: &mut Cursor<'_>) -> Option<(Option<Modality>, Option<Span>)> {
    let token = cursor.peek();
    let parenthesis = cursor.is("(");
    if !parenthesis && !starts_action(cursor, 0) {
        let diagnostic = cursor.unexpected("`P(` or `F(`");
        let diagnostic = match diagnostic.help {
            Some(_) => diagnostic,
            None if matches!(cursor.word(), Some("forall" | "exists")) => {
                diagnostic.help("rules have no variables: fields tie messages together, `P(...) / {{a.id, b.id}}`")
            }
            None => diagnostic.help("`P(a | O[0,10] b)`: if a occurs, b must occur; `F(a | O[0,10] b)`: b must not be"),
        };
        return cursor.report_once(diagnostic).none();
    }
    let diagnostic = Diagnostic::error("G0120", token.span, "the rule has neither `P` nor `F`")
        .label("`P` (must) or `F` (must not) is expected before this");
    let end = rule_end(cursor);
    let whole = token.span.to(end);
    let text = cursor.slice(whole);
    cursor.report_once(if parenthesis {
        diagnostic.edit("write `P` for what must happen, `F` for what must not", token.span, "P(")
    } else {
        diagnostic.edit("write `P( )` for what must happen, `F( )` for what must not", whole, format!("P({text})"))
    });
    let opening = parenthesis.then(|| cursor.bump().span);
    Some((None, opening))
}

/// Returns the last token of the rule before the correlation sets.
fn rule_end(cursor: &Cursor<'_>) -> Span {
    let mut n = 0;
    let mut end = cursor.peek().span;
    while cursor.nth(n).kind != Token::End {
        if starts_correlation(cursor, n) {
            break;
        }
        end = cursor.nth(n).span;
        n += 1;
    }
    end
}

/// Returns true if correlation sets begin `n` places on.
fn starts_correlation(cursor: &Cursor<'_>, n: usize) -> bool {
    cursor.nth_is(n, "/") && matches!(cursor.nth(n + 1).kind, Token::Symbol("{" | "("))
}

/// Reads the alternatives left of the bar.
fn supposition(cursor: &mut Cursor<'_>) -> Option<Vec<ActionSyntax>> {
    let Some(read) = context(cursor, RuleSide::Supposition) else {
        skip_to_bar(cursor);
        return None;
    };
    let mut actions = Vec::new();
    alternatives(read, &mut actions);
    Some(actions)
}

/// Collects the actions of a supposition. A connective other than `||` has been reported.
fn alternatives(context: ContextSyntax, actions: &mut Vec<ActionSyntax>) {
    match context {
        ContextSyntax::Action(action) => actions.push(action),
        ContextSyntax::And(left, right) | ContextSyntax::Or(left, right) => {
            alternatives(*left, actions);
            alternatives(*right, actions);
        }
    }
}

/// Takes the bar between supposition and context.
fn bar(cursor: &mut Cursor<'_>) -> bool {
    if cursor.eat("|").is_some() {
        return true;
    }
    let token = cursor.peek();
    if let Token::Symbol("||" | "->" | "=>" | ":" | "," | ";" | "/") = token.kind
        && (starts_window(cursor, 1) || starts_action(cursor, 1))
    {
        cursor.respell("|");
        return true;
    }
    let diagnostic = Diagnostic::error("G0120", token.span, "the rule has no `|`")
        .label("`|` and the context are expected before this");
    if starts_window(cursor, 0) {
        let span = Span { end: token.span.start, ..token.span };
        cursor.report_once(diagnostic.edit("write `|` between supposition and context", span, "| "));
        return true;
    }
    cursor.report_once(diagnostic.help("write what the messages require: `P(start(a) | O[0,10] done(b))`"));
    skip_to_bar(cursor);
    cursor.eat("|").is_some()
}

/// Skips to the bar, or to the end of the rule.
fn skip_to_bar(cursor: &mut Cursor<'_>) {
    cursor.skip_until(&["|", ")", "]", "}"], &["(", "[", "{"], &[")", "]", "}"]);
    cursor.suppress();
}

/// Skips to the correlation sets, or to the end.
fn skip_rule(cursor: &mut Cursor<'_>) {
    while !cursor.at_end() && !starts_correlation(cursor, 0) {
        cursor.bump();
    }
    cursor.suppress();
}

/// Reports a token after a whole rule.
fn after_rule(cursor: &mut Cursor<'_>) {
    if cursor.is_closing_bracket() {
        return cursor.closes_nothing();
    }
    let help = "a block holds one rule: `P(...)` or `F(...)`, then `/` and the correlation sets";
    cursor.expected_hint("the end of the rule", help);
}

/// Reads the correlation sets, if there are any. Returns `None` after reporting an error.
pub(super) fn correlation(cursor: &mut Cursor<'_>) -> Option<Vec<CorrelationSyntax>> {
    if let Some(slash) = cursor.eat("/") {
        if opening(cursor, 0).is_none() {
            cursor.expected_hint("`{` and the correlation sets", "write fields that are equal: `/ {{a.id, b.id}}`");
            cursor.skip_to(usize::MAX);
            return None;
        }
        return sets(cursor, slash);
    }
    if cursor.is("{") {
        let span = cursor.peek().span;
        cursor.report(cursor.mismatch("`/`", "correlation sets follow a `/`").edit("write `/`", span, "/ {"));
        return sets(cursor, span);
    }
    Some(vec![])
}

/// Returns the bracket that closes the opening one `n` places on, if there is one.
fn opening(cursor: &Cursor<'_>, n: usize) -> Option<&'static str> {
    match cursor.nth(n).kind {
        Token::Symbol("{") => Some("}"),
        Token::Symbol("(") => Some(")"),
        _ => None,
    }
}

fn sets(cursor: &mut Cursor<'_>, start: Span) -> Option<Vec<CorrelationSyntax>> {
    let levels = if opening(cursor, 1).is_some() { 2 } else { 1 };
    if (levels..2 * levels).all(|n| matches!(cursor.nth(n).kind, Token::Symbol("}" | ")"))) {
        let span = cursor.peek().span.to(cursor.nth(2 * levels - 1).span);
        cursor.skip_to(cursor.index() + 2 * levels);
        cursor.report(empty(span, start.to(span)));
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
    cursor.suppress();
    None
}

fn empty(span: Span, edited: Span) -> Diagnostic {
    Diagnostic::error("G0122", span, "the correlation set is empty")
        .label("fields of different messages are expected here")
        .edit("leave it out, or name a field of each message: `{a.id, b.id}`", edited, "")
}

/// Reads `{a.id, b.id}`.
fn set(cursor: &mut Cursor<'_>) -> Option<CorrelationSyntax> {
    let closing = opening(cursor, 0)?;
    let opening = cursor.bump().span;
    let mut members = Vec::new();
    if let Some(end) = cursor.eat(closing) {
        let span = opening.to(end);
        // The edit removes the comma after it too.
        let after = cursor.peek().span;
        cursor.report(empty(span, if cursor.is(",") { span.to(after) } else { span }));
        return Some(CorrelationSyntax { members, span });
    }
    loop {
        members.push(member(cursor)?);
        match cursor.peek().kind {
            Token::Symbol(",") => cursor.bump().span,
            Token::Symbol("=" | "==" | ";" | "&&") => cursor.respell(","),
            _ => break,
        };
    }
    let end = cursor.close(opening, closing)?;
    Some(CorrelationSyntax { members, span: opening.to(end) })
}

/// Reads `message.field/step`.
fn member(cursor: &mut Cursor<'_>) -> Option<MemberSyntax> {
    cursor.count_node();
    let quoted = cursor.peek().kind != Token::Word;
    let Some(name) = try_name(cursor) else {
        let help = "write the message, a dot and the field: `loginRes.sessionId`";
        return cursor.expected_hint("a field of a message", help).none();
    };
    let mut field = None;
    if cursor.eat(".").is_some() {
        field = try_field(cursor);
        if field.is_none() {
            return cursor.expected("the field after the dot").none();
        }
    }
    let path = steps(cursor, String::new())?;
    let span = cursor.since(name.span);
    Some(MemberSyntax { name: name.name, quoted, field, steps: path.steps, span })
}
