// SPDX-License-Identifier: MIT OR Apache-2.0
//! From tokens to [`Syntax`]: `P(` or `F(`, the supposition, `|`, the window, the context, `)` and the correlation sets.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::rule::Modality;

use super::context::{Place, context, starts_action};
use super::correlation::correlation;
use super::syntax::{Action, Context, Syntax};
use super::window::{starts_window, window};
use crate::specfile::condition::respelt;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;

/// Reads all there is as one rule; `None` if a part of it could not be understood, which has been reported.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Option<Syntax> {
    if cursor.at_end() {
        let span = cursor.peek().span;
        cursor.blame(
            Diagnostic::error("G0109", span, "the property says nothing")
                .label("a rule is expected here")
                .help("write one, for example `P(start(ask) | O[0,3s] done(reply))`"),
        );
        return None;
    }
    let (modality, opening) = modality(cursor)?;
    let supposition = supposition(cursor);
    let bar = bar(cursor);
    let window = if bar { window(cursor) } else { None };
    let context = if bar { context(cursor, Place::Context) } else { None };
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

/// `P(` or `F(`. The outer `None`: nothing here looks like a rule. What is missing has been reported.
fn modality(cursor: &mut Cursor<'_>) -> Option<(Option<Modality>, Option<Span>)> {
    let token = cursor.peek();
    let (modality, slip) = match cursor.word() {
        Some("P" | "𝒫" | "𝓟" | "ℙ" | "𝖯") => (Modality::Permission, false),
        Some("F" | "ℱ" | "𝓕" | "𝔽" | "𝖥") => (Modality::Prohibition, false),
        Some("p" | "permission" | "Permission" | "PERMISSION" | "permitted" | "must") => (Modality::Permission, true),
        Some("f" | "prohibition" | "Prohibition" | "PROHIBITION" | "forbidden" | "prohibited") => {
            (Modality::Prohibition, true)
        }
        _ => return no_modality(cursor),
    };
    if slip {
        cursor.report(respelt(cursor.text(token), token.span, &modality.letter().to_string()));
    }
    cursor.bump();
    let opening = cursor.eat("(");
    if opening.is_none() {
        let letter = modality.letter();
        let diagnostic = cursor.unexpected("`(`");
        cursor.blame(if starts_action(cursor, 0) {
            let whole = cursor.peek().span.to(rule_end(cursor));
            let text = cursor.slice(whole);
            diagnostic.edit("write the rule in parentheses", whole, format!("({text})"))
        } else {
            diagnostic.help(format!("a rule stands in parentheses: `{letter}(start(a) | O[0,10] done(b))`"))
        });
    }
    Some((Some(modality), opening))
}

/// A rule without `P` or `F`, if what is here looks like one otherwise.
fn no_modality(cursor: &mut Cursor<'_>) -> Option<(Option<Modality>, Option<Span>)> {
    let token = cursor.peek();
    let parenthesis = cursor.is("(");
    if !parenthesis && !starts_action(cursor, 0) {
        let diagnostic = cursor.unexpected("`P(` or `F(`");
        cursor.blame(match diagnostic.help {
            Some(_) => diagnostic,
            None if matches!(cursor.word(), Some("forall" | "exists")) => {
                diagnostic.help("rules have no variables: fields tie messages together, `P(...) / {{a.id, b.id}}`")
            }
            None => diagnostic.help("`P(a | O[0,10] b)`: where a is, b must be; `F(a | O[0,10] b)`: b must not be"),
        });
        return None;
    }
    let diagnostic = Diagnostic::error("G0120", token.span, "the rule says neither `P` nor `F`")
        .label("`P` (must) or `F` (must not) is expected before this");
    let end = rule_end(cursor);
    let whole = token.span.to(end);
    let text = cursor.slice(whole);
    cursor.blame(if parenthesis {
        diagnostic.edit("write `P` for what must happen, `F` for what must not", token.span, "P(")
    } else {
        diagnostic.edit("write `P( )` for what must happen, `F( )` for what must not", whole, format!("P({text})"))
    });
    let opening = parenthesis.then(|| cursor.bump().span);
    Some((None, opening))
}

/// The last token of the rule proper, before the correlation sets.
fn rule_end(cursor: &Cursor<'_>) -> Span {
    let mut n = 0;
    let mut end = cursor.peek().span;
    while cursor.nth(n).kind != Kind::End {
        if cursor.nth_is(n, "/") && (cursor.nth_is(n + 1, "{") || cursor.nth_is(n + 1, "(")) {
            break;
        }
        end = cursor.nth(n).span;
        n += 1;
    }
    end
}

/// The alternatives left of the bar.
fn supposition(cursor: &mut Cursor<'_>) -> Option<Vec<Action>> {
    let Some(read) = context(cursor, Place::Supposition) else {
        skip_to_bar(cursor);
        return None;
    };
    let mut actions = Vec::new();
    alternatives(read, &mut actions);
    Some(actions)
}

/// What is joined by `||`; anything else has been reported.
fn alternatives(context: Context, actions: &mut Vec<Action>) {
    match context {
        Context::Action(action) => actions.push(action),
        Context::And(left, right) | Context::Or(left, right) => {
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
    if let Kind::Symbol("||" | "->" | "=>" | ":" | "," | ";" | "/") = token.kind
        && (starts_window(cursor, 1) || starts_action(cursor, 1))
    {
        cursor.report(respelt(cursor.text(token), token.span, "|"));
        cursor.bump();
        return true;
    }
    let diagnostic = Diagnostic::error("G0120", token.span, "the rule has no `|`")
        .label("`|` and the context are expected before this");
    if starts_window(cursor, 0) {
        let span = Span { end: token.span.start, ..token.span };
        cursor.blame(diagnostic.edit("write `|` between supposition and context", span, "| "));
        return true;
    }
    cursor.blame(diagnostic.help("write what the messages ask for: `P(start(a) | O[0,10] done(b))`"));
    skip_to_bar(cursor);
    cursor.eat("|").is_some()
}

/// Skips to the bar, or to the end of the rule.
fn skip_to_bar(cursor: &mut Cursor<'_>) {
    let mut depth = 0_u32;
    while !cursor.at_end() {
        match cursor.peek().kind {
            Kind::Symbol("(" | "[" | "{") => depth += 1,
            Kind::Symbol("|" | ")" | "]" | "}") if depth == 0 => break,
            Kind::Symbol(")" | "]" | "}") => depth -= 1,
            _ => {}
        }
        cursor.bump();
    }
    cursor.hush();
}

/// Skips to the correlation sets, or to the end.
fn skip_rule(cursor: &mut Cursor<'_>) {
    while !cursor.at_end() && !(cursor.is("/") && (cursor.nth_is(1, "{") || cursor.nth_is(1, "("))) {
        cursor.bump();
    }
    cursor.hush();
}

/// Blames what stands after a whole rule.
fn after_rule(cursor: &mut Cursor<'_>) {
    if let Kind::Symbol(")" | "]" | "}") = cursor.peek().kind {
        return cursor.closes_nothing();
    }
    let diagnostic = cursor.unexpected("the end of the rule");
    cursor.blame(match diagnostic.help {
        Some(_) => diagnostic,
        None => diagnostic.help("a block holds one rule: `P(...)` or `F(...)`, then `/` and the correlation sets"),
    });
}
