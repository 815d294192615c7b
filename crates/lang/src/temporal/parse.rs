// SPDX-License-Identifier: MIT OR Apache-2.0
//! From tokens to [`Syntax`], one function per level of binding. What is missing is reported and stands as
//! [`Kind::Missing`], so that one run finds all there is to find.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::formula::Connective;

use super::Dialect;
use super::interval::{Tail, tail};
use super::operator::{between, binary, binary_letter, letter, letter_at, spelt, unary};
use super::slip::{self, Infix};
use super::syntax::{Kind, Syntax};
use crate::specfile::atom::{atom, is_argument_list};
use crate::specfile::chain::join;
use crate::specfile::cursor::{Cursor, MAX_DEPTH};
use crate::specfile::lexer::{Kind as Token, is_word};
use crate::specfile::rest::{Thread, leftovers};

/// Reads all there is as one formula.
pub(super) fn parse(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Option<Syntax> {
    if cursor.at_end() {
        let span = cursor.peek().span;
        cursor.blame(
            Diagnostic::error("G0109", span, "there is no formula")
                .label("a formula is expected here")
                .help("write what must be true, for example `G(request -> F[0,10] reply)`"),
        );
        return None;
    }
    let syntax = formula(cursor, dialect);
    leftovers(cursor, dialect, &[]);
    Some(syntax)
}

/// Reads a formula.
pub(crate) fn formula(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    climb(cursor, dialect, Infix::Iff)
}

/// Reads operands and the operators between them that bind at least as tightly as `loosest`. One function for all
/// levels, so that a pair of parentheses costs one frame of the stack and not five.
fn climb(cursor: &mut Cursor<'_>, dialect: &Dialect, loosest: Infix) -> Syntax {
    if !cursor.enter() {
        cursor.leave();
        return Syntax::missing(cursor.peek().span);
    }
    let mut left = operand(cursor, dialect);
    while let Some(operator) = slip::infix(cursor, dialect).filter(|operator| *operator >= loosest) {
        left = match operator {
            Infix::Iff => {
                slip::take(cursor, dialect, operator);
                let right = climb(cursor, dialect, Infix::Implies);
                connective(cursor, Connective::Iff, left, right)
            }
            Infix::Implies => {
                slip::take(cursor, dialect, operator);
                let right = climb(cursor, dialect, Infix::Implies);
                connective(cursor, Connective::Implies, left, right)
            }
            Infix::Or => chain(cursor, dialect, left, operator, Infix::And, Connective::Or),
            Infix::And => chain(cursor, dialect, left, operator, Infix::Temporal, Connective::And),
            Infix::Temporal => until(cursor, dialect, left),
        };
    }
    cursor.leave();
    left
}

/// `f || g || ...` or `f && g && ...`
fn chain(
    cursor: &mut Cursor<'_>,
    dialect: &Dialect,
    first: Syntax,
    operator: Infix,
    tighter: Infix,
    connective_of: Connective,
) -> Syntax {
    let span = first.span;
    let mut operands = vec![first];
    while slip::take(cursor, dialect, operator) {
        operands.push(climb(cursor, dialect, tighter));
    }
    join(operands, &mut |left, right| connective(cursor, connective_of, left, right))
        .unwrap_or_else(|| Syntax::missing(span))
}

fn connective(cursor: &mut Cursor<'_>, connective: Connective, left: Syntax, right: Syntax) -> Syntax {
    let span = left.outer.to(right.outer);
    node(cursor, Kind::Connective(connective, left, right), span)
}

fn until(cursor: &mut Cursor<'_>, dialect: &Dialect, left: Syntax) -> Syntax {
    let Some(operator) = slip::take_temporal(cursor, dialect) else { return left };
    let Tail { interval, .. } = tail(cursor, dialect, binary_letter(operator));
    let right = climb(cursor, dialect, Infix::Temporal);
    let span = left.outer.to(right.outer);
    let interval = interval.unwrap_or(dialect.omitted());
    node(cursor, Kind::Binary { operator, interval, left, right }, span)
}

/// Reads one level further down, if that is allowed.
fn deeper(cursor: &mut Cursor<'_>, dialect: &Dialect, read: fn(&mut Cursor<'_>, &Dialect) -> Syntax) -> Syntax {
    let syntax = if cursor.enter() { read(cursor, dialect) } else { Syntax::missing(cursor.peek().span) };
    cursor.leave();
    syntax
}

/// A new node, counted and measured.
pub(crate) fn node(cursor: &mut Cursor<'_>, kind: Kind, span: Span) -> Syntax {
    cursor.grow();
    let syntax = Syntax::new(kind, span);
    if syntax.depth <= MAX_DEPTH {
        return syntax;
    }
    cursor.too_deep();
    Syntax::missing(span)
}

/// A formula that binds as tightly as can be.
fn operand(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let token = cursor.peek();
    match token.kind {
        Token::Symbol("!") => not(cursor, dialect),
        Token::Symbol("~") => {
            slip::report(cursor, "!");
            not(cursor, dialect)
        }
        Token::Symbol("(") => parenthesised(cursor, dialect),
        Token::Symbol(constant @ ("true" | "false")) => {
            cursor.bump();
            node(cursor, Kind::Constant(constant == "true"), token.span)
        }
        Token::Symbol("[") if cursor.nth_is(1, "]") => drawn(cursor, dialect, 'G'),
        Token::Symbol("<") if cursor.nth_is(1, ">") => drawn(cursor, dialect, 'F'),
        Token::Word => word(cursor, dialect),
        Token::Unknown => sign(cursor, dialect),
        Token::Text | Token::OpenText => event(cursor),
        _ => missing(cursor),
    }
}

fn not(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let start = cursor.bump().span;
    let of = deeper(cursor, dialect, operand);
    let span = start.to(of.outer);
    node(cursor, Kind::Not(of), span)
}

fn parenthesised(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let opening = cursor.bump().span;
    let mut inner = formula(cursor, dialect);
    leftovers(cursor, dialect, &[")", "}"]);
    let end = cursor.close(opening, ")").unwrap_or(inner.outer);
    inner.outer = opening.to(end);
    inner
}

/// A word in the place of a formula: a constant, an operator, an event, or something that only this language has.
fn word(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let token = cursor.peek();
    let text = cursor.text(token);
    if let "true" | "false" = text {
        cursor.bump();
        return node(cursor, Kind::Constant(text == "true"), token.span);
    }
    if let Some(own) = (dialect.own)(cursor, dialect) {
        return own;
    }
    if let Some(letter) = spelt(dialect, text) {
        return match unary(letter) {
            _ if slip::is_event(cursor, dialect, 0) => event(cursor),
            Some(_) => temporal(cursor, dialect, letter),
            None => keyword(cursor, dialect),
        };
    }
    if let Some(meant) = slip::prefix(cursor, dialect) {
        slip::report(cursor, meant);
        return match letter(dialect, meant) {
            Some(letter) => temporal(cursor, dialect, letter),
            None => not(cursor, dialect),
        };
    }
    match letter_at(cursor, dialect, 0) {
        Some(letter) if unary(letter).is_some() => temporal(cursor, dialect, letter),
        Some(_) => keyword(cursor, dialect),
        None if text == "_" => keyword(cursor, dialect),
        None => event(cursor),
    }
}

/// A character that may be an operator in this language.
fn sign(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    if let Some(own) = (dialect.own)(cursor, dialect) {
        return own;
    }
    match letter_at(cursor, dialect, 0) {
        Some(letter) => temporal(cursor, dialect, letter),
        None => missing(cursor),
    }
}

/// `[]` and `<>`, as other notations draw `G` and `F`.
fn drawn(cursor: &mut Cursor<'_>, dialect: &Dialect, letter: char) -> Syntax {
    let span = cursor.bump().span.to(cursor.peek().span);
    slip::report_at(cursor, span, &letter.to_string());
    temporal(cursor, dialect, letter)
}

/// `G I f` and the like; the operator is the current token.
fn temporal(cursor: &mut Cursor<'_>, dialect: &Dialect, letter: char) -> Syntax {
    let token = cursor.peek();
    let condition_follows =
        cursor.nth_is(1, "[") && cursor.nth_word(2).is_some_and(|word| word != "inf") && !cursor.nth_is(3, ",");
    let strange = cursor.nth(1).kind == Token::Unknown && letter_at(cursor, dialect, 1).is_none();
    if condition_follows || !(strange || slip::starts_tail(cursor, 1) || slip::starts_operand(cursor, dialect, 1)) {
        return keyword(cursor, dialect);
    }
    cursor.bump();
    if strange {
        cursor.expected("a formula");
        cursor.bump();
    }
    let Tail { exponent, interval } = tail(cursor, dialect, letter);
    if !slip::starts_operand(cursor, dialect, 0) {
        let written = cursor.slice(token.span);
        let diagnostic = cursor.unexpected("a formula");
        let diagnostic = if diagnostic.help.is_none() {
            diagnostic.help(format!(
                "write what `{written}` is about; an event of that name stands in quotes: `\"{written}\"`"
            ))
        } else {
            diagnostic
        };
        cursor.blame(diagnostic);
        return Syntax::missing(token.span);
    }
    let of = deeper(cursor, dialect, operand);
    let span = token.span.to(of.outer);
    let Some(operator) = unary(letter) else { return of };
    let interval = interval.unwrap_or(dialect.omitted());
    node(cursor, Kind::Unary { operator, exponent, interval, of }, span)
}

fn event(cursor: &mut Cursor<'_>) -> Syntax {
    let start = cursor.peek().span;
    match atom(cursor) {
        Some(atom) => {
            let span = atom.span;
            node(cursor, Kind::Atom(atom), span)
        }
        None => Syntax::missing(start),
    }
}

/// An operator where an event's name seems to be meant.
#[inline(never)]
fn keyword(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let token = cursor.peek();
    let word = cursor.text(token);
    let message = match letter(dialect, word).or_else(|| spelt(dialect, word)) {
        None => format!("`{word}` stands for a parameter only"),
        Some(letter) if binary(letter).is_some() => {
            format!("`{word}` is an operator, and no formula stands before it")
        }
        Some(_) => format!("`{word}` is an operator, and nothing for it to work on follows"),
    };
    let diagnostic = Diagnostic::error("G0107", token.span, message).label("not an event's name").edit(
        "an event of that name stands in quotes",
        token.span,
        format!("\"{word}\""),
    );
    no_event(cursor, dialect, diagnostic)
}

/// Blames the current token for being no event's name. Whatever belongs to the event goes with it.
pub(crate) fn no_event(cursor: &mut Cursor<'_>, dialect: &Dialect, diagnostic: Diagnostic) -> Syntax {
    let span = cursor.peek().span;
    cursor.blame(diagnostic);
    if cursor.nth_is(1, "(") && !is_argument_list(cursor, 1) {
        cursor.bump();
        parenthesised(cursor, dialect);
    } else if atom(cursor).is_none() {
        cursor.bump();
    }
    cursor.hush();
    Syntax::missing(span)
}

/// Blames the current token for not beginning a formula; takes it if it can be of no use to anyone.
#[inline(never)]
fn missing(cursor: &mut Cursor<'_>) -> Syntax {
    let token = cursor.peek();
    let diagnostic = cursor.unexpected("a formula");
    cursor.blame(match token.kind {
        Token::Symbol("&&" | "||" | "->" | "<->" | "=>" | "&" | "|") => {
            diagnostic.help(format!("write a formula on both sides of `{}`", cursor.text(token)))
        }
        Token::Number => diagnostic.help("a number stands in intervals, windows, bounds and conditions only"),
        Token::Symbol("{") => diagnostic.help("group formulae with `(` and `)`"),
        _ => diagnostic,
    });
    if matches!(token.kind, Token::Number | Token::Unknown) {
        cursor.bump();
    }
    Syntax::missing(token.span)
}

impl Thread for Dialect {
    fn starts_operand(&self, cursor: &Cursor<'_>) -> bool {
        slip::starts_operand(cursor, self, 0)
    }

    fn is_infix(&self, cursor: &Cursor<'_>) -> bool {
        slip::infix(cursor, self).is_some()
    }

    fn read(&self, cursor: &mut Cursor<'_>) {
        formula(cursor, self);
    }

    fn no_operator(&self, cursor: &mut Cursor<'_>) {
        no_operator(cursor);
    }

    fn stray(&self, cursor: &mut Cursor<'_>) {
        stray(cursor, self);
    }
}

/// Two formulae in a row.
#[inline(never)]
fn no_operator(cursor: &mut Cursor<'_>) {
    let token = cursor.peek();
    let text = cursor.text(token);
    let diagnostic =
        Diagnostic::error("G0106", token.span, format!("no operator stands before {}", cursor.describe(token)))
            .label("the formula before this is complete");
    // `(a)Sb` is how papers set it.
    let glued = text.starts_with(['U', 'S']) && is_word(&text[1..]) && token.kind == Token::Word;
    let subscript = text.strip_prefix(['U', 'S']).and_then(|rest| rest.strip_prefix('_'));
    let touching = cursor.previous().is_some_and(|before| before.span.end == token.span.start);
    cursor.blame(if let Some(subscript) = subscript {
        let operator = &text[..1];
        diagnostic
            .help(format!("write the interval instead of `{subscript}`: `{operator}_{{[0,10]}}` or `{operator}[0,10]`"))
    } else if glued && touching {
        diagnostic.edit("part the operator from the event", token.span, format!("{} {}", &text[..1], &text[1..]))
    } else {
        diagnostic.edit("join the two, for example with `&&`", token.span, format!("&& {text}"))
    });
}

/// A token that belongs to no formula.
#[inline(never)]
fn stray(cursor: &mut Cursor<'_>, dialect: &Dialect) {
    let token = cursor.peek();
    let text = cursor.text(token);
    let diagnostic = match token.kind {
        Token::Symbol(")" | "]" | "}") => return cursor.closes_nothing(),
        Token::Symbol("!=") => {
            cursor.unexpected("an operator").help("write `!(f <-> g)` where just one of two formulae is to be true")
        }
        Token::Symbol("=" | "<" | "<=" | ">" | ">=" | "=<") => cursor
            .unexpected("an operator")
            .help("fields are compared in brackets, `pay[amount > 5]`, and counts as `count[600](f) <= 3`"),
        Token::Unknown => cursor.unexpected("an operator"),
        Token::Symbol(";" | ".") => cursor.unexpected("an operator").edit(
            format!("leave out `{text}`: a property is one formula"),
            token.span,
            "",
        ),
        _ => cursor.unexpected("an operator").help(format!("join formulae with `{}`", between(dialect))),
    };
    cursor.blame(diagnostic);
}
