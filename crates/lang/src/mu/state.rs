// SPDX-License-Identifier: MIT OR Apache-2.0
//! State formulae: `forall t:Int. [rho] phi && (val(t > 3) => psi)`. Tokens go to [`Modal`] at once; what is missing or lies
//! outside of what can be monitored is reported, and reading goes on behind it.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::modal::{Data, Modal};
use gnomon_ir::spec::QuantifierKind;

use super::refusal::{Outside, outside};
use super::syntax::{Context, Part, both, chain, over, skip_to};
use super::{data, quantifier, regular};
use crate::specfile::condition::respelt;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;

/// Reads all there is as one formula.
pub(super) fn whole(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Modal> {
    let read = climb(cursor, context, Level::Implies);
    if cursor.at_end() {
        return read.map(|part| part.node);
    }
    if read.is_some() || !cursor.is_echo() {
        leftover(cursor);
    }
    None
}

/// How tightly connectives bind, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implies,
    Or,
    And,
    Operand,
}

/// The connective at the current token, and how it should be spelt if that is otherwise.
fn infix(cursor: &Cursor<'_>) -> Option<(Level, Option<&'static str>)> {
    Some(match cursor.peek().kind {
        Kind::Symbol("=>") => (Level::Implies, None),
        Kind::Symbol("->") => (Level::Implies, Some("=>")),
        Kind::Symbol("||") => (Level::Or, None),
        Kind::Symbol("|") => (Level::Or, Some("||")),
        Kind::Symbol("&&") => (Level::And, None),
        Kind::Symbol("&") => (Level::And, Some("&&")),
        Kind::Word => match cursor.word()? {
            "or" => (Level::Or, None),
            "and" => (Level::And, None),
            "implies" => (Level::Implies, Some("=>")),
            _ => return None,
        },
        _ => return None,
    })
}

fn take(cursor: &mut Cursor<'_>, meant: Option<&str>) -> Span {
    let token = cursor.bump();
    if let Some(meant) = meant.filter(|_| !cursor.is_echo()) {
        cursor.report(respelt(cursor.text(token), token.span, meant));
    }
    token.span
}

/// Reads operands and the connectives between them that bind at least as tightly as `loosest`.
fn climb(cursor: &mut Cursor<'_>, context: &mut Context, loosest: Level) -> Option<Part<Modal>> {
    if !cursor.enter() {
        cursor.leave();
        return None;
    }
    let mut left = operand(cursor, context);
    while let Some((level, meant)) = infix(cursor).filter(|(level, _)| *level >= loosest) {
        left = match level {
            Level::Implies => {
                take(cursor, meant);
                let right = climb(cursor, context, Level::Implies);
                left.and_then(|left| implies(cursor, left, right?))
            }
            Level::Or => disjunction(cursor, context, left),
            _ => conjunction(cursor, context, left),
        };
    }
    cursor.leave();
    left
}

fn implies(cursor: &mut Cursor<'_>, left: Part<Modal>, right: Part<Modal>) -> Option<Part<Modal>> {
    let premise = condition(cursor, left, Outside::Premise)?;
    both(cursor, premise, right, |premise, then| Modal::Implies(premise, Box::new(then)))
}

/// `phi && psi && ...`
fn conjunction(cursor: &mut Cursor<'_>, context: &mut Context, first: Option<Part<Modal>>) -> Option<Part<Modal>> {
    let mut operands = vec![first];
    while let Some((Level::And, meant)) = infix(cursor) {
        take(cursor, meant);
        operands.push(climb(cursor, context, Level::Operand));
    }
    let operands: Option<Vec<Part<Modal>>> = operands.into_iter().collect();
    chain(cursor, operands?, Modal::And)
}

/// `b || c || ...`, of conditions only
fn disjunction(cursor: &mut Cursor<'_>, context: &mut Context, first: Option<Part<Modal>>) -> Option<Part<Modal>> {
    let mut operands = vec![first];
    let mut symbol = cursor.peek().span;
    while let Some((Level::Or, meant)) = infix(cursor) {
        symbol = take(cursor, meant);
        operands.push(climb(cursor, context, Level::And));
    }
    let operands: Option<Vec<Part<Modal>>> = operands.into_iter().collect();
    let mut conditions = Vec::new();
    for Part { node, span, depth } in operands? {
        let Ok(node) = as_data(node) else {
            cursor.report(outside(Outside::Disjunction, symbol));
            return None;
        };
        conditions.push(Part { node, span, depth });
    }
    chain(cursor, conditions, Data::Or).map(as_modal)
}

fn as_modal(data: Part<Data>) -> Part<Modal> {
    let span = data.span;
    data.map(|data| Modal::Data(data, span))
}

/// The condition that a formula is, where only a condition may stand.
fn condition(cursor: &mut Cursor<'_>, part: Part<Modal>, otherwise: Outside) -> Option<Part<Data>> {
    let Part { node, span, depth } = part;
    let data = as_data(node).ok();
    if data.is_none() {
        cursor.report(outside(otherwise, span));
    }
    Some(Part { node: data?, span, depth })
}

/// The condition that a formula without brackets is.
fn as_data(modal: Modal) -> Result<Data, ()> {
    match modal {
        Modal::Data(data, _) => Ok(data),
        Modal::And(left, right) => Ok(Data::And(Box::new(as_data(*left)?), Box::new(as_data(*right)?))),
        Modal::Implies(premise, then) => {
            Ok(Data::Or(Box::new(Data::Not(Box::new(premise))), Box::new(as_data(*then)?)))
        }
        Modal::Forall(..) | Modal::Box { .. } => Err(()),
    }
}

fn operand(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Part<Modal>> {
    cursor.grow();
    let token = cursor.peek();
    match token.kind {
        Kind::Symbol("(") => parenthesised(cursor, context),
        Kind::Symbol("[") => modality(cursor, context),
        Kind::Symbol("<") => diamond(cursor, context),
        Kind::Symbol("!") => not(cursor, context),
        Kind::Symbol("~") => {
            cursor.report(respelt("~", token.span, "!"));
            not(cursor, context)
        }
        Kind::Symbol(constant @ ("true" | "false")) => Some(self::constant(cursor, constant == "true")),
        _ if quantifier::kind_at(cursor).is_some() => quantified(cursor, context),
        _ if data::begins_comparison(cursor) => data::bare(cursor, context).map(as_modal),
        Kind::Word => word(cursor, context),
        Kind::Text | Kind::OpenText => {
            bare_event(cursor);
            None
        }
        _ => {
            missing(cursor);
            None
        }
    }
}

fn constant(cursor: &mut Cursor<'_>, value: bool) -> Part<Modal> {
    let span = cursor.bump().span;
    Part::leaf(Modal::Data(Data::Constant(value), span), span)
}

fn word(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Part<Modal>> {
    match cursor.word()? {
        value @ ("true" | "false") => Some(constant(cursor, value == "true")),
        "val" if cursor.nth_is(1, "(") => data::val(cursor, context).map(as_modal),
        "not" => not(cursor, context),
        fixpoint @ ("mu" | "nu") if cursor.nth(1).kind == Kind::Word => {
            self::fixpoint(cursor, fixpoint == "mu");
            None
        }
        "delay" | "yaled" => {
            let span = cursor.peek().span;
            cursor.blame(outside(Outside::Delay, span));
            cursor.bump();
            if cursor.eat("@").is_some() {
                cursor.bump();
            }
            None
        }
        _ => {
            bare_event(cursor);
            None
        }
    }
}

/// Something where a formula should be.
fn missing(cursor: &mut Cursor<'_>) {
    let diagnostic = cursor.unexpected("a formula");
    let before = cursor.previous().filter(|before| before.kind == Kind::Symbol("]"));
    cursor.blame(match before {
        Some(before) => {
            let end = Span { start: before.span.end, ..before.span };
            diagnostic.edit("write `false` for what must never be seen", end, " false")
        }
        None => diagnostic,
    });
}

/// An event where a formula should be: it and what belongs to it are skipped.
fn bare_event(cursor: &mut Cursor<'_>) {
    let token = cursor.peek();
    let name = cursor.text(token);
    cursor.blame(
        Diagnostic::error("G0159", token.span, format!("`{name}` is no formula"))
            .label("events stand in brackets, conditions on data in `val(...)`")
            .help(format!(
                "write `[true* . {name}] false` if it must never be seen, `val({name})` if it is a condition"
            )),
    );
    cursor.bump();
    if cursor.is("(") {
        let mut depth = 0_u32;
        while !cursor.at_end() {
            match cursor.bump().kind {
                Kind::Symbol("(") => depth += 1,
                Kind::Symbol(")") => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
}

fn parenthesised(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Part<Modal>> {
    let opening = cursor.bump().span;
    let inner = climb(cursor, context, Level::Implies);
    if inner.is_none() {
        skip_to(cursor, ")");
        cursor.eat(")");
        return None;
    }
    let end = cursor.close(opening, ")")?;
    inner.map(|inner| Part { span: opening.to(end), ..inner })
}

/// `[rho] phi`
fn modality(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Part<Modal>> {
    let opening = cursor.bump().span;
    let regular = regular::whole(cursor, context);
    if regular.is_none() {
        skip_to(cursor, "]");
    }
    let end = if regular.is_some() { cursor.close(opening, "]")? } else { cursor.eat("]")? };
    let then = deeper(cursor, context);
    let (regular, then) = (regular?, then?);
    let span = opening.to(end);
    let part = both(cursor, regular, then, |regular, then| Modal::Box { regular, then: Box::new(then), span })?;
    Some(Part { span: opening.to(part.span), ..part })
}

/// An operand one level further down.
fn deeper(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Part<Modal>> {
    climb(cursor, context, Level::Operand)
}

/// `<rho> phi`: refused, and read all the same.
fn diamond(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Part<Modal>> {
    let opening = cursor.bump().span;
    let regular = regular::whole(cursor, context);
    if regular.is_none() {
        skip_to(cursor, ">");
    }
    let end = cursor.eat(">").unwrap_or(opening);
    cursor.report(outside(Outside::Diamond, opening.to(end)));
    if end == opening {
        cursor.hush();
        return None;
    }
    deeper(cursor, context);
    None
}

fn not(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Part<Modal>> {
    let start = cursor.bump().span;
    let of = deeper(cursor, context)?;
    let span = start.to(of.span);
    let data = condition(cursor, Part { span, ..of }, Outside::Negation)?;
    over(cursor, data, span, |data| Modal::Data(Data::Not(Box::new(data)), span))
}

/// `forall x:D. phi`
fn quantified(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Part<Modal>> {
    let start = cursor.peek().span;
    let refused = quantifier::kind_at(cursor) == Some(QuantifierKind::Exists);
    if refused {
        cursor.report(outside(Outside::Exists, start));
    }
    let variables = quantifier::variables(cursor);
    let known = context.scope.len();
    context.scope.extend(variables.iter().flatten().map(|sorted| sorted.variable.name.clone()));
    // After a quantifier that was not understood its words would only be blamed for being constants.
    let of = climb(cursor, context, Level::Implies);
    context.scope.truncate(known);
    let (variables, mut part) = (variables?, of?);
    if refused {
        return None;
    }
    for sorted in variables.into_iter().rev() {
        let span = start.to(part.span);
        part = over(cursor, part, span, |of| Modal::Forall(sorted, Box::new(of)))?;
    }
    Some(part)
}

/// `mu X. phi`, `nu X. phi`: refused, and what is inside is passed over, because it names `X`.
fn fixpoint(cursor: &mut Cursor<'_>, least: bool) {
    let start = cursor.bump().span;
    let name = cursor.bump();
    cursor.report(outside(if least { Outside::Least } else { Outside::Greatest }, start.to(name.span)));
    skip_to(cursor, ")");
    while !cursor.at_end() && !cursor.is(")") {
        cursor.bump();
    }
    cursor.hush();
}

/// Something after the end of the formula.
fn leftover(cursor: &mut Cursor<'_>) {
    if let Kind::Symbol("}" | ")" | "]") = cursor.peek().kind {
        return cursor.closes_nothing();
    }
    let diagnostic = cursor.unexpected("`&&`, `=>` or the end of the formula");
    let help = "join formulae with `&&`; what happens in sequence stands in one pair of brackets: `[a . b] false`";
    cursor.blame(if diagnostic.help.is_none() { diagnostic.help(help) } else { diagnostic });
}
