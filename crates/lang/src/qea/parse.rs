// SPDX-License-Identifier: MIT OR Apache-2.0
//! From tokens to [`Syntax`]: quantifiers, then states, and in each its transitions. What cannot be understood is reported
//! and skipped, so that one run finds all there is to find.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::automaton::Otherwise;
use gnomon_ir::spec::Variable;

use super::guard;
use super::prefix::{condition, kind_at, prefix};
use super::syntax::{Branch, State, Syntax, Transition};
use crate::specfile::atom::atom;
use crate::specfile::condition::respelt;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;
use crate::specfile::literal::try_name;
use crate::specfile::similar::nearest;

/// Reads all there is as one automaton.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Syntax {
    let prefix = prefix(cursor);
    let condition = condition(cursor);
    let mut syntax = Syntax { prefix, whole: condition.is_some(), condition: condition.flatten(), states: Vec::new() };
    while !cursor.at_end() {
        cursor.grow();
        let before = cursor.index();
        if let Some((state, whole)) = state(cursor) {
            syntax.whole &= whole;
            syntax.states.push(state);
        } else {
            syntax.whole = false;
            recover(cursor, before);
        }
    }
    if syntax.states.is_empty() && syntax.whole && syntax.prefix.is_some() {
        syntax.whole = false;
        let span = cursor.peek().span;
        cursor.blame(
            Diagnostic::error("G0109", span, "the automaton has no state")
                .label("a state is expected here")
                .help("write at least one, for example `accept skip(start) { error -> failed }`"),
        );
    }
    syntax
}

/// Skips to where a state seems to begin.
fn recover(cursor: &mut Cursor<'_>, start: usize) {
    if cursor.index() == start {
        cursor.bump();
    }
    while !cursor.at_end() && !begins_state(cursor) && !has_state_shape(cursor) {
        cursor.bump();
    }
}

/// Whether a state begins here: `accept skip` or `next(s) {`, but not the event `next(s)`.
fn begins_state(cursor: &Cursor<'_>) -> bool {
    match cursor.word() {
        Some("accept") => matches!(cursor.nth_word(1), Some("skip" | "next")),
        Some("skip" | "next") => has_state_shape(cursor),
        _ => false,
    }
}

/// `word(name) {`
fn has_state_shape(cursor: &Cursor<'_>) -> bool {
    cursor.word().is_some()
        && cursor.nth_is(1, "(")
        && matches!(cursor.nth(2).kind, Kind::Word | Kind::Text)
        && cursor.nth_is(3, ")")
        && cursor.nth_is(4, "{")
}

/// `accept skip(name) { ... }`, and whether all of it was understood.
fn state(cursor: &mut Cursor<'_>) -> Option<(State, bool)> {
    let (accepting, otherwise) = keywords(cursor)?;
    let name = state_name(cursor)?;
    let Some(opening) = cursor.eat("{") else {
        let diagnostic = cursor.unexpected("`{`");
        cursor.blame(diagnostic.help("the transitions of a state stand in braces, also if there are none: `{ }`"));
        return None;
    };
    let mut transitions = Vec::new();
    let mut whole = true;
    while !cursor.at_end() && !cursor.is("}") && !begins_state(cursor) {
        cursor.grow();
        let before = cursor.index();
        if let Some(read) = transition(cursor) {
            transitions.push(read);
        } else {
            whole = false;
            skip_transition(cursor, before);
        }
        if cursor.eat(";").is_none() {
            cursor.eat(",");
        }
    }
    cursor.close(opening, "}");
    Some((State { name, accepting, otherwise, transitions }, whole))
}

/// The words in front of a state's name.
fn keywords(cursor: &mut Cursor<'_>) -> Option<(bool, Otherwise)> {
    let mut accepting: Option<Span> = None;
    let mut otherwise: Option<(Otherwise, Span)> = None;
    while let Some(word) = cursor.word() {
        let token = cursor.peek();
        match word {
            "accept" if accepting.is_none() => {
                if let Some((_, kind)) = otherwise {
                    let written = cursor.slice(kind);
                    cursor.report(respelt(
                        cursor.slice(kind.to(token.span)),
                        kind.to(token.span),
                        &format!("accept {written}"),
                    ));
                }
                accepting = Some(token.span);
            }
            "skip" if otherwise.is_none() => otherwise = Some((Otherwise::Stay, token.span)),
            "next" if otherwise.is_none() => otherwise = Some((Otherwise::Die, token.span)),
            // The state's name, without its parentheses.
            _ if otherwise.is_some() => break,
            _ if kind_at(cursor).is_some() => return late_quantifier(cursor),
            _ => {
                wrong_keyword(cursor);
                if !cursor.nth_is(1, "(") {
                    return None;
                }
                otherwise = Some((Otherwise::Stay, token.span));
            }
        }
        cursor.bump();
    }
    if let Some((otherwise, _)) = otherwise {
        return Some((accepting.is_some(), otherwise));
    }
    if kind_at(cursor).is_some() {
        return late_quantifier(cursor);
    }
    if let Some(span) = accepting {
        let diagnostic = cursor.unexpected("`skip` or `next`");
        cursor.blame(diagnostic.edit(
            "say what other events do in this state: `skip`, nothing; `next`, they end the run",
            span,
            "accept skip",
        ));
        return Some((true, Otherwise::Stay));
    } else if let Kind::Symbol("}" | ")" | "]") = cursor.peek().kind {
        cursor.closes_nothing();
    } else {
        cursor.expected("a state: `skip(name) { ... }` or `next(name) { ... }`, with `accept` in front or not");
    }
    None
}

/// A quantifier among the states.
fn late_quantifier<T>(cursor: &mut Cursor<'_>) -> Option<T> {
    let diagnostic = cursor.unexpected("a state");
    cursor.blame(diagnostic.help("write the quantifiers before the first state"));
    prefix(cursor);
    cursor.hush();
    None
}

/// A word where `accept`, `skip` or `next` should be.
fn wrong_keyword(cursor: &mut Cursor<'_>) {
    let token = cursor.peek();
    let word = cursor.text(token);
    let diagnostic =
        Diagnostic::error("G0101", token.span, format!("expected `accept`, `skip` or `next`, found `{word}`"))
            .label("a state begins with one of them");
    let meant = match word {
        "final" | "accepting" => Some("accept"),
        "state" | "State" => Some("skip"),
        _ => nearest(word, ["accept", "skip", "next"]),
    };
    cursor.blame(match meant {
        Some(meant) => diagnostic.edit(format!("write `{meant}`"), token.span, meant),
        None => diagnostic.help("write a state as in `accept skip(start) { error -> failed }`"),
    });
}

/// `(name)`
fn state_name(cursor: &mut Cursor<'_>) -> Option<Variable> {
    let Some(opening) = cursor.eat("(") else {
        let token = cursor.peek();
        let diagnostic = cursor.unexpected("`(` and the state's name");
        let Some(word) = cursor.word() else {
            cursor.blame(diagnostic);
            return None;
        };
        cursor.blame(diagnostic.edit("write the name in parentheses", token.span, format!("({word})")));
        cursor.bump();
        return Some(Variable { name: word.to_owned(), span: token.span });
    };
    let Some(name) = try_name(cursor) else {
        cursor.expected("the state's name");
        return None;
    };
    cursor.close(opening, ")")?;
    Some(Variable { name: name.name, span: name.span })
}

/// Words that stand between the parts of a transition.
pub(super) const INSIDE: [&str; 3] = ["if", "do", "else"];

fn is_inside(cursor: &Cursor<'_>) -> bool {
    cursor.word().is_some_and(|word| INSIDE.contains(&word))
}

/// `event if [...] -> A do [...] else if [...] -> B else -> C`
fn transition(cursor: &mut Cursor<'_>) -> Option<Transition> {
    let start = cursor.peek().span;
    let event = if is_inside(cursor) { None } else { atom(cursor) };
    let Some(event) = event else {
        let diagnostic = cursor.unexpected("an event");
        cursor.blame(match cursor.word() {
            Some("else") => diagnostic.help("`else` follows the state that the branch before it leads to"),
            Some(word) => {
                let span = cursor.peek().span;
                diagnostic.edit("an event of that name stands in quotes", span, format!("\"{word}\""))
            }
            None => diagnostic.help("write a transition as in `open(f) -> opened`"),
        });
        return None;
    };
    let mut branches = vec![branch(cursor)?];
    while let Some(span) = cursor.eat_word("else") {
        if branches.last().is_some_and(|last| last.guard.is_none()) {
            never_taken(cursor, span);
        }
        cursor.grow();
        branches.push(branch(cursor)?);
    }
    let end = cursor.previous().map_or(start, |last| last.span);
    Some(Transition { event, branches, span: start.to(end) })
}

fn never_taken(cursor: &mut Cursor<'_>, span: Span) {
    cursor.report(
        Diagnostic::warning("G0316", span, "this branch is never taken")
            .label("the branch before it has no condition")
            .help("leave it out, or write `if [ ... ]` before the branch in front of it"),
    );
}

/// `if [guard] -> state do [assignments]`
fn branch(cursor: &mut Cursor<'_>) -> Option<Branch> {
    let mut understood = true;
    let mut guard = None;
    if cursor.eat_word("if").is_some() {
        guard = guard::bracketed(cursor);
        understood = guard.is_some();
    }
    if cursor.eat("->").is_none() {
        let token = cursor.peek();
        if let Kind::Symbol("=>" | ":") = token.kind {
            cursor.report(respelt(cursor.text(token), token.span, "->"));
            cursor.bump();
        } else if understood || cursor.is_echo() {
            let diagnostic = cursor.unexpected("`->` and a state");
            let help = match (token.kind, guard.is_some()) {
                (Kind::Symbol("["), _) => "write `if` before the condition",
                _ => "say where the transition leads: `-> state`",
            };
            cursor.blame(if diagnostic.help.is_none() { diagnostic.help(help) } else { diagnostic });
            return None;
        }
    }
    // A name on a new line that an event's parts follow begins the next transition.
    let event =
        cursor.starts_line() && (cursor.nth_is(1, "(") || cursor.nth_is(1, "->") || cursor.nth_word(1) == Some("if"));
    let target = if event || is_inside(cursor) { None } else { try_name(cursor) };
    let Some(target) = target else {
        cursor.expected("the state that the transition leads to");
        return None;
    };
    let mut assignments = Vec::new();
    if cursor.eat_word("do").is_some() {
        let read = guard::assignments(cursor);
        understood &= read.is_some();
        assignments = read.unwrap_or_default();
    }
    let target = Variable { name: target.name, span: target.span };
    understood.then_some(Branch { guard, target, assignments })
}

/// Skips to where the next transition seems to begin: on a new line, after a separator, or where the state ends.
fn skip_transition(cursor: &mut Cursor<'_>, start: usize) {
    while !cursor.at_end() && !matches!(cursor.peek().kind, Kind::Symbol("}" | ";")) {
        let named = matches!(cursor.peek().kind, Kind::Word | Kind::Text) && !is_inside(cursor);
        let moved = cursor.index() > start;
        if moved && ((named && cursor.starts_line()) || begins_state(cursor)) {
            break;
        }
        cursor.bump();
    }
    cursor.hush();
}
