// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses tokens to [`Syntax`]: quantifiers, `Forall(c, i)`, a condition on their values, `where [ c != i ]`, then
//! states with their transitions.
//!
//! A part that cannot be understood is reported and skipped, so that one run finds all errors. A transition is skipped
//! up to the next line that begins with a name, a state up to the next `word(name) {`.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::{Branch, DefaultMove, Guard, Quantifier, QuantifierKind, Variable};

use super::guard;
use super::syntax::{StateSyntax, Syntax, TransitionSyntax};
use crate::syntax::atom::atom;
use crate::syntax::quantifier::{self, kind_in_any_case};
use crate::syntax::{Cursor, Token, declared_variable, nearest, respelt, suggest, try_name};

/// Reads the whole text as one automaton.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Syntax {
    let prefix = prefix(cursor);
    let condition = condition(cursor);
    let mut syntax = Syntax { prefix, whole: condition.is_some(), condition: condition.flatten(), states: Vec::new() };
    while !cursor.at_end() {
        cursor.count_node();
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
        cursor.report_empty(
            "the automaton has no state",
            "a state is expected here",
            "write at least one, for example `accept skip(start) { error -> failed }`",
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

/// Returns true if a state begins here: `accept skip` or `next(s) {`, but not the event `next(s)`.
fn begins_state(cursor: &Cursor<'_>) -> bool {
    match cursor.word() {
        Some("accept") => matches!(cursor.nth_word(1), Some("skip" | "next")),
        Some("skip" | "next") => has_state_shape(cursor),
        _ => false,
    }
}

/// Returns true if `word(name) {` stands here.
fn has_state_shape(cursor: &Cursor<'_>) -> bool {
    cursor.word().is_some()
        && cursor.nth_is(1, "(")
        && matches!(cursor.nth(2).kind, Token::Word | Token::Text)
        && cursor.nth_is(3, ")")
        && cursor.nth_is(4, "{")
}

/// Reads `accept skip(name) { ... }`. The second value is true if all of it was understood.
fn state(cursor: &mut Cursor<'_>) -> Option<(StateSyntax, bool)> {
    let (accepting, otherwise) = keywords(cursor)?;
    let name = state_name(cursor)?;
    let Some(opening) = cursor.eat("{") else {
        let help = "the transitions of a state must be in braces, even if there are none: `{ }`";
        return cursor.expected_help("`{`", help).none();
    };
    let mut transitions = Vec::new();
    let mut whole = true;
    while !cursor.at_end() && !cursor.is("}") && !begins_state(cursor) {
        cursor.count_node();
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
    Some((StateSyntax { name, accepting, otherwise, transitions }, whole))
}

/// Reads the words in front of a state's name.
fn keywords(cursor: &mut Cursor<'_>) -> Option<(bool, DefaultMove)> {
    let mut accepting: Option<Span> = None;
    let mut otherwise: Option<(DefaultMove, Span)> = None;
    while let Some(word) = cursor.word() {
        let token = cursor.peek();
        match word {
            "accept" if accepting.is_none() => {
                if let Some((_, kind)) = otherwise {
                    let both = kind.to(token.span);
                    cursor.report(respelt(cursor.slice(both), both, &format!("accept {}", cursor.slice(kind))));
                }
                accepting = Some(token.span);
            }
            "skip" if otherwise.is_none() => otherwise = Some((DefaultMove::Stay, token.span)),
            "next" if otherwise.is_none() => otherwise = Some((DefaultMove::Die, token.span)),
            // The state's name, without its parentheses.
            _ if otherwise.is_some() => break,
            _ if kind_in_any_case(cursor).is_some() => return late_quantifier(cursor),
            _ => {
                wrong_keyword(cursor);
                if !cursor.nth_is(1, "(") {
                    return None;
                }
                otherwise = Some((DefaultMove::Stay, token.span));
            }
        }
        cursor.bump();
    }
    if let Some((otherwise, _)) = otherwise {
        return Some((accepting.is_some(), otherwise));
    }
    if kind_in_any_case(cursor).is_some() {
        return late_quantifier(cursor);
    }
    if let Some(span) = accepting {
        let advice = "state what other events do in this state: `skip` ignores them, `next` ends the run";
        cursor.report_once(cursor.unexpected("`skip` or `next`").edit(advice, span, "accept skip"));
        return Some((true, DefaultMove::Stay));
    } else if cursor.is_closing_bracket() {
        cursor.closes_nothing();
    } else {
        cursor.expected("a state: `skip(name) { ... }` or `next(name) { ... }`, with `accept` in front or not");
    }
    None
}

/// Reports and skips a quantifier among the states.
fn late_quantifier<T>(cursor: &mut Cursor<'_>) -> Option<T> {
    cursor.expected_help("a state", "write the quantifiers before the first state");
    prefix(cursor);
    cursor.suppress();
    None
}

/// Reports a word where `accept`, `skip` or `next` should be.
fn wrong_keyword(cursor: &mut Cursor<'_>) {
    let token = cursor.peek();
    let word = cursor.text(token);
    let diagnostic = cursor.mismatch("`accept`, `skip` or `next`", "a state begins with one of them");
    let meant = match word {
        "final" | "accepting" => Some("accept"),
        "state" | "State" => Some("skip"),
        _ => nearest(word, ["accept", "skip", "next"]),
    };
    let help = "write a state as in `accept skip(start) { error -> failed }`";
    cursor.report_once(suggest(diagnostic, token.span, meant, help));
}

/// Reads `(name)`.
fn state_name(cursor: &mut Cursor<'_>) -> Option<Variable> {
    let Some(opening) = cursor.eat("(") else {
        let token = cursor.peek();
        let edit = |word: &str| format!("({word})");
        cursor.expected_edit("`(` and the state's name", "write the name in parentheses", edit);
        let word = cursor.word()?;
        cursor.bump();
        return Some(Variable { name: word.to_owned(), span: token.span });
    };
    let Some(name) = try_name(cursor) else {
        return cursor.expected("the state's name").none();
    };
    cursor.close(opening, ")")?;
    Some(Variable { name: name.name, span: name.span })
}

/// Words between the parts of a transition.
pub(super) const INSIDE: [&str; 3] = ["if", "do", "else"];

fn is_inside(cursor: &Cursor<'_>) -> bool {
    cursor.word().is_some_and(|word| INSIDE.contains(&word))
}

/// Reads `event if [...] -> A do [...] else if [...] -> B else -> C`.
fn transition(cursor: &mut Cursor<'_>) -> Option<TransitionSyntax> {
    let start = cursor.peek().span;
    let event = if is_inside(cursor) { None } else { atom(cursor) };
    let Some(event) = event else {
        let diagnostic = cursor.unexpected("an event");
        let diagnostic = match cursor.word() {
            Some("else") => diagnostic.help("`else` follows the state that the branch before it leads to"),
            Some(word) => {
                let span = cursor.peek().span;
                diagnostic.edit("an event of that name must be in quotes", span, format!("\"{word}\""))
            }
            None => diagnostic.help("write a transition as in `open(f) -> opened`"),
        };
        return cursor.report_once(diagnostic).none();
    };
    let mut branches = vec![branch(cursor)?];
    while let Some(span) = cursor.eat_word("else") {
        if branches.last().is_some_and(|last| last.guard.is_none()) {
            cursor.report(unreachable_branch(span));
        }
        cursor.count_node();
        branches.push(branch(cursor)?);
    }
    Some(TransitionSyntax { event, branches, span: cursor.since(start) })
}

/// Returns the warning about a branch behind one without a condition.
fn unreachable_branch(span: Span) -> Diagnostic {
    Diagnostic::warning("G0316", span, "this branch is never taken")
        .label("the branch before it has no condition")
        .help("leave it out, or write `if [ ... ]` before the branch in front of it")
}

/// Reads `if [guard] -> state do [assignments]`.
fn branch(cursor: &mut Cursor<'_>) -> Option<Branch<Variable>> {
    let mut understood = true;
    let mut guard = None;
    if cursor.eat_word("if").is_some() {
        guard = guard::bracketed(cursor);
        understood = guard.is_some();
    }
    if cursor.eat("->").is_none() {
        let token = cursor.peek();
        if let Token::Symbol("=>" | ":") = token.kind {
            cursor.respell("->");
        } else if understood || cursor.follows_error() {
            let help = match (token.kind, guard.is_some()) {
                (Token::Symbol("["), _) => "write `if` before the condition",
                _ => "state where the transition leads: `-> state`",
            };
            return cursor.expected_hint("`->` and a state", help).none();
        }
    }
    // A name on a new line that an event's parts follow begins the next transition.
    let event =
        cursor.starts_line() && (cursor.nth_is(1, "(") || cursor.nth_is(1, "->") || cursor.nth_word(1) == Some("if"));
    let target = if event || is_inside(cursor) { None } else { try_name(cursor) };
    let Some(target) = target else {
        return cursor.expected("the state that the transition leads to").none();
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
    while !cursor.at_end() && !matches!(cursor.peek().kind, Token::Symbol("}" | ";")) {
        let named = matches!(cursor.peek().kind, Token::Word | Token::Text) && !is_inside(cursor);
        let moved = cursor.index() > start;
        if moved && ((named && cursor.starts_line()) || begins_state(cursor)) {
            break;
        }
        cursor.bump();
    }
    cursor.suppress();
}

/// Reads the quantifiers that stand here. Returns `None` after reporting one that could not be understood.
fn prefix(cursor: &mut Cursor<'_>) -> Option<Vec<Quantifier>> {
    quantifier::prefix(cursor, kind_in_any_case, quantifier)
}

fn quantifier(cursor: &mut Cursor<'_>, kind: QuantifierKind) -> Option<Quantifier> {
    let token = cursor.peek();
    let word = if kind == QuantifierKind::Forall { "Forall" } else { "Exists" };
    cursor.take(matches!(cursor.text(token), "FORALL" | "EXISTS").then_some(word));
    let opening = cursor.eat("(");
    if opening.is_none() && cursor.word().is_none() {
        return cursor.expected_help("`(`", format!("write the variables in parentheses: `{word}(x, y)`")).none();
    }
    let mut variables: Vec<Variable> = Vec::new();
    let mut understood = true;
    while cursor.word().is_some() {
        // In `Forall c, i.`, as other languages write it, the dot may be part of the word.
        let length = cursor.word().and_then(|word| word.find('.')).filter(|_| opening.is_none());
        let span = match length {
            Some(length) => cursor.take_front(length),
            None => cursor.bump().span,
        };
        let variable = declared_variable(cursor, span);
        understood &= variable.is_some();
        variables.extend(variable);
        if length.is_some() || cursor.eat(",").is_none() {
            break;
        }
    }
    if variables.is_empty() && understood {
        cursor.expected("a variable");
        understood = false;
    }
    match opening {
        Some(opening) if understood => understood = close(cursor, opening).is_some(),
        Some(_) => {
            cursor.eat(")");
        }
        None => bare(cursor, &variables),
    }
    for variable in &variables {
        cursor.bind(&variable.name);
    }
    understood.then_some(Quantifier { kind, threshold: None, variables, span: cursor.since(token.span) })
}

/// Reports variables without parentheses, and takes the dot that ends them in other languages.
fn bare(cursor: &mut Cursor<'_>, variables: &[Variable]) {
    let (Some(first), Some(last)) = (variables.first(), variables.last()) else { return };
    let glued = cursor.word().is_some_and(|word| word.starts_with('.'));
    let dot = if glued { Some(cursor.take_front(1)) } else { cursor.eat(".") };
    let names = quantifier::names(variables);
    let diagnostic = Diagnostic::error("G0101", first.span, format!("expected `(`, found `{}`", first.name));
    let (span, edit) = (first.span.to(dot.unwrap_or(last.span)), format!("({names})"));
    cursor.report(diagnostic.label("variables must be in parentheses").edit("write the parentheses", span, edit));
}

/// Takes the closing parenthesis of a quantifier. Two variables without a comma are reported as such.
fn close(cursor: &mut Cursor<'_>, opening: Span) -> Option<()> {
    if cursor.word().is_none_or(|word| matches!(word, "accept" | "skip" | "next" | "where")) {
        return cursor.close(opening, ")").map(|_| ());
    }
    cursor.expected_comma("variables are separated by commas");
    while cursor.word().is_some() || cursor.is(",") {
        cursor.bump();
    }
    cursor.eat(")");
    None
}

/// Reads `where [ ... ]`, if it is there. Returns `None` after reporting an error.
fn condition(cursor: &mut Cursor<'_>) -> Option<Option<Guard>> {
    if cursor.eat_word("where").is_none() {
        return Some(None);
    }
    guard::bracketed(cursor).map(Some)
}
