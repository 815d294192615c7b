// SPDX-License-Identifier: MIT OR Apache-2.0
//! State formulae: `forall t:Int. [rho] phi && (val(t > 3) => psi)`.
//!
//! The parser builds [`ModalFormula`] directly, without a syntax tree in between. A part that is missing or cannot be
//! monitored is reported, and reading continues behind it.

use gnomon_core::{Diagnostic, Span};
use gnomon_ir::{DataCondition, ModalFormula, QuantifierKind};

use super::refusal::{DELAY, DIAMOND, DISJUNCTION, EXISTS, GREATEST, LEAST, NEGATION, PREMISE, Unmonitorable};
use super::scope::{NameScope, close, quantify, skip_to};
use super::{data, regular};
use crate::syntax::quantifier::kind_at;
use crate::syntax::subtree::{both, chain, over};
use crate::syntax::{Cursor, Infix, Precedence, Subtree, Token, respelt};

/// A state formula; `None` if it could not be understood, which has been reported.
type ParsedState = Option<Subtree<ModalFormula>>;

/// Reads the whole text as one formula.
pub(super) fn whole(cursor: &mut Cursor<'_>, scope: &mut NameScope) -> Option<ModalFormula> {
    let read = climb(cursor, scope, Precedence::Implies);
    if cursor.at_end() {
        return read.map(|part| part.node);
    }
    if read.is_some() || !cursor.follows_error() {
        report_leftover(cursor);
    }
    None
}

/// Returns the connective at the current token, and its right spelling if it is spelt differently there.
fn infix(cursor: &Cursor<'_>) -> Option<Infix> {
    Some(match cursor.symbol_or_word()? {
        "=>" => (Precedence::Implies, None),
        "->" | "implies" => (Precedence::Implies, Some("=>")),
        "||" | "or" => (Precedence::Or, None),
        "|" => (Precedence::Or, Some("||")),
        "&&" | "and" => (Precedence::And, None),
        "&" => (Precedence::And, Some("&&")),
        _ => return None,
    })
}

/// Takes a connective; another spelling is reported, unless an error was reported right before.
fn take(cursor: &mut Cursor<'_>, meant: Option<&str>) -> Span {
    let token = cursor.bump();
    if let Some(meant) = meant.filter(|_| !cursor.follows_error()) {
        cursor.report(respelt(cursor.text(token), token.span, meant));
    }
    token.span
}

/// Reads operands and the connectives between them that bind at least as tightly as `loosest`.
fn climb(cursor: &mut Cursor<'_>, scope: &mut NameScope, loosest: Precedence) -> ParsedState {
    if !cursor.enter() {
        cursor.leave();
        return None;
    }
    let mut left = operand(cursor, scope);
    while let Some((level, meant)) = infix(cursor).filter(|(level, _)| *level >= loosest) {
        left = match level {
            Precedence::Implies => {
                take(cursor, meant);
                let right = climb(cursor, scope, Precedence::Implies);
                left.and_then(|left| implies(cursor, left, right?))
            }
            Precedence::Or => disjunction(cursor, scope, left),
            _ => conjunction(cursor, scope, left),
        };
    }
    cursor.leave();
    left
}

fn implies(cursor: &mut Cursor<'_>, left: Subtree<ModalFormula>, right: Subtree<ModalFormula>) -> ParsedState {
    let premise = condition(cursor, left, &PREMISE)?;
    both(cursor, premise, right, |premise, then| ModalFormula::Implies(premise, Box::new(then)))
}

/// Reads the operands of an associative connective of this precedence. Returns them with the last connective; `None` if
/// one could not be understood, which has been reported.
fn operands(
    cursor: &mut Cursor<'_>,
    scope: &mut NameScope,
    first: ParsedState,
    (level, tighter): (Precedence, Precedence),
) -> Option<(Vec<Subtree<ModalFormula>>, Span)> {
    let mut operands = vec![first];
    let mut symbol = cursor.peek().span;
    while let Some((_, meant)) = infix(cursor).filter(|(found, _)| *found == level) {
        symbol = take(cursor, meant);
        operands.push(climb(cursor, scope, tighter));
    }
    let operands: Option<Vec<Subtree<ModalFormula>>> = operands.into_iter().collect();
    Some((operands?, symbol))
}

/// Reads `phi && psi && ...`.
fn conjunction(cursor: &mut Cursor<'_>, scope: &mut NameScope, first: ParsedState) -> ParsedState {
    let (operands, _) = operands(cursor, scope, first, (Precedence::And, Precedence::Operand))?;
    chain(cursor, operands, ModalFormula::And)
}

/// Reads `b || c || ...`, whose operands must be conditions.
fn disjunction(cursor: &mut Cursor<'_>, scope: &mut NameScope, first: ParsedState) -> ParsedState {
    let (operands, symbol) = operands(cursor, scope, first, (Precedence::Or, Precedence::And))?;
    let mut conditions = Vec::new();
    for Subtree { node, span, depth } in operands {
        let Ok(node) = as_data(node) else {
            cursor.report(DISJUNCTION.at(symbol));
            return None;
        };
        conditions.push(Subtree { node, span, depth });
    }
    chain(cursor, conditions, DataCondition::Or).map(as_modal)
}

fn as_modal(data: Subtree<DataCondition>) -> Subtree<ModalFormula> {
    let span = data.span;
    data.map(|data| ModalFormula::Data(data, span))
}

/// Returns the condition that a formula is. Reports any other formula.
fn condition(
    cursor: &mut Cursor<'_>,
    part: Subtree<ModalFormula>,
    otherwise: &Unmonitorable,
) -> Option<Subtree<DataCondition>> {
    let Subtree { node, span, depth } = part;
    let data = as_data(node).ok();
    if data.is_none() {
        cursor.report(otherwise.at(span));
    }
    Some(Subtree { node: data?, span, depth })
}

/// Converts a formula without brackets to a condition.
fn as_data(modal: ModalFormula) -> Result<DataCondition, ()> {
    match modal {
        ModalFormula::Data(data, _) => Ok(data),
        ModalFormula::And(left, right) => Ok(DataCondition::And(Box::new(as_data(*left)?), Box::new(as_data(*right)?))),
        ModalFormula::Implies(premise, then) => {
            Ok(DataCondition::Or(Box::new(DataCondition::Not(Box::new(premise))), Box::new(as_data(*then)?)))
        }
        ModalFormula::Forall(..) | ModalFormula::Box { .. } => Err(()),
    }
}

fn operand(cursor: &mut Cursor<'_>, scope: &mut NameScope) -> ParsedState {
    cursor.count_node();
    let token = cursor.peek();
    match token.kind {
        Token::Symbol("(") => parenthesised(cursor, scope),
        Token::Symbol("[") => modality(cursor, scope),
        Token::Symbol("<") => diamond(cursor, scope),
        Token::Symbol("!" | "~") => not(cursor, scope),
        Token::Symbol("true" | "false") => word(cursor, scope),
        _ if kind_at(cursor, 0).is_some() => quantified(cursor, scope),
        _ if data::begins_comparison(cursor) => data::bare(cursor, scope).map(as_modal),
        Token::Word => word(cursor, scope),
        Token::Text | Token::OpenText => bare_event(cursor),
        _ => missing(cursor),
    }
}

fn word(cursor: &mut Cursor<'_>, scope: &mut NameScope) -> ParsedState {
    match cursor.symbol_or_word()? {
        value @ ("true" | "false") => {
            let span = cursor.bump().span;
            Some(Subtree::leaf(ModalFormula::Data(DataCondition::Constant(value == "true"), span), span))
        }
        "val" if cursor.nth_is(1, "(") => data::val(cursor, scope).map(as_modal),
        "not" => not(cursor, scope),
        "mu" if cursor.nth(1).kind == Token::Word => fixpoint(cursor, &LEAST),
        "nu" if cursor.nth(1).kind == Token::Word => fixpoint(cursor, &GREATEST),
        "delay" | "yaled" => {
            let span = cursor.peek().span;
            cursor.report_once(DELAY.at(span));
            cursor.bump();
            if cursor.eat("@").is_some() {
                cursor.bump();
            }
            None
        }
        _ => bare_event(cursor),
    }
}

/// Reports a token where a formula should be.
fn missing<T>(cursor: &mut Cursor<'_>) -> Option<T> {
    let diagnostic = cursor.unexpected("a formula");
    let before = cursor.previous().filter(|before| before.kind == Token::Symbol("]"));
    let diagnostic = match before {
        Some(_) => diagnostic.edit("write `false` for what must never be seen", cursor.gap(), " false"),
        None => diagnostic,
    };
    cursor.report_once(diagnostic).none()
}

/// Reports an event where a formula should be, and skips it with its parameters.
fn bare_event<T>(cursor: &mut Cursor<'_>) -> Option<T> {
    let token = cursor.peek();
    let name = cursor.text(token);
    cursor.report_once(
        Diagnostic::error("G0159", token.span, format!("`{name}` is not a formula"))
            .label("events are written in brackets, conditions on data in `val(...)`")
            .help(format!("write `[true* . {name}] false` if it must never occur, `val({name})` if it is a condition")),
    );
    cursor.bump();
    if cursor.eat("(").is_some() {
        cursor.skip_until(&[")"], &["("], &[")"]);
        cursor.eat(")");
    }
    None
}

fn parenthesised(cursor: &mut Cursor<'_>, scope: &mut NameScope) -> ParsedState {
    let opening = cursor.bump().span;
    let inner = climb(cursor, scope, Precedence::Implies);
    let end = close(cursor, opening, inner.is_some())?;
    inner.map(|inner| Subtree { span: opening.to(end), ..inner })
}

/// Reads `[rho] phi`.
fn modality(cursor: &mut Cursor<'_>, scope: &mut NameScope) -> ParsedState {
    let opening = cursor.bump().span;
    let regular = regular::whole(cursor, scope);
    if regular.is_none() {
        skip_to(cursor, "]");
    }
    let end = if regular.is_some() { cursor.close(opening, "]")? } else { cursor.eat("]")? };
    let then = climb(cursor, scope, Precedence::Operand);
    let (regular, then) = (regular?, then?);
    let span = opening.to(end);
    let part = both(cursor, regular, then, |regular, then| ModalFormula::Box { regular, then: Box::new(then), span })?;
    Some(Subtree { span: opening.to(part.span), ..part })
}

/// Reads `<rho> phi`, which is reported.
fn diamond(cursor: &mut Cursor<'_>, scope: &mut NameScope) -> ParsedState {
    let opening = cursor.bump().span;
    let regular = regular::whole(cursor, scope);
    if regular.is_none() {
        skip_to(cursor, ">");
    }
    let end = cursor.eat(">").unwrap_or(opening);
    cursor.report(DIAMOND.at(opening.to(end)));
    if end == opening {
        cursor.suppress();
    } else {
        climb(cursor, scope, Precedence::Operand);
    }
    None
}

fn not(cursor: &mut Cursor<'_>, scope: &mut NameScope) -> ParsedState {
    let start = cursor.take(cursor.is("~").then_some("!"));
    let of = climb(cursor, scope, Precedence::Operand)?;
    let span = start.to(of.span);
    let data = condition(cursor, Subtree { span, ..of }, &NEGATION)?;
    over(cursor, data, span, |data| ModalFormula::Data(DataCondition::Not(Box::new(data)), span))
}

/// Reads `forall x:D. phi`.
fn quantified(cursor: &mut Cursor<'_>, scope: &mut NameScope) -> ParsedState {
    let start = cursor.peek().span;
    let refused = kind_at(cursor, 0) == Some(QuantifierKind::Exists);
    if refused {
        cursor.report(EXISTS.at(start));
    }
    let read = |cursor: &mut Cursor<'_>, scope: &mut NameScope| climb(cursor, scope, Precedence::Implies);
    let quantified = scope.quantified(cursor, read).filter(|_| !refused)?;
    quantify(cursor, start, quantified, ModalFormula::Forall)
}

/// Reports `mu X. phi` or `nu X. phi` and skips it, because `phi` names `X`.
fn fixpoint<T>(cursor: &mut Cursor<'_>, refusal: &Unmonitorable) -> Option<T> {
    let start = cursor.bump().span;
    let name = cursor.bump();
    cursor.report(refusal.at(start.to(name.span)));
    skip_to(cursor, ")");
    cursor.skip_until(&[")"], &[], &[]);
    cursor.suppress();
    None
}

/// Reports a token after the end of the formula.
fn report_leftover(cursor: &mut Cursor<'_>) {
    if cursor.is_closing_bracket() {
        return cursor.closes_nothing();
    }
    let help = "join formulae with `&&`; what happens in sequence stands in one pair of brackets: `[a . b] false`";
    cursor.expected_hint("`&&`, `=>` or the end of the formula", help);
}
