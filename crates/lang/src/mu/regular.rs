// SPDX-License-Identifier: MIT OR Apache-2.0
//! Regular formulae and action formulae: `true* . (a(x) || !b) . (c + d)+`.
//!
//! An action formula is about one event, a regular formula about a sequence. Parentheses may hold either, so one
//! function reads both, and the operator that uses an operand checks which of the two it is. The operators of action
//! formulae bind more tightly than all of those that form sequences: `a || b*` is `(a || b)*`.

use gnomon_core::{Comparison, Diagnostic, Span};
use gnomon_ir::{
    ActionFormula, Argument, DataCondition, Expression, QuantifierKind, RegularFormula, Sort, SortedVariable,
};

use super::refusal::{HIDDEN, TIMED, TOGETHER};
use super::scope::{NameScope, is_wildcard, quantify};
use super::{KEYWORDS, data};
use crate::syntax::atom::atom_with;
use crate::syntax::quantifier::kind_at;
use crate::syntax::subtree::{both, chain, over};
use crate::syntax::{AtomSyntax, Cursor, Subtree, Token};

/// Reads the regular formula between brackets. Returns `None` after reporting an error.
pub(super) fn whole(cursor: &mut Cursor<'_>, scope: &mut NameScope) -> Option<Subtree<RegularFormula>> {
    if cursor.is("]") || cursor.is(">") {
        return cursor.expected_help("an event", "write `nil` for no event, `true` for any").none();
    }
    let part = climb(cursor, scope, RegularPrecedence::Choice)?;
    if !matches!(cursor.peek().kind, Token::Symbol("]" | ">") | Token::End) {
        after(cursor);
        return None;
    }
    Some(part.map(ActionOrRegular::into_regular))
}

/// Reports a token after a regular formula that does not end it.
fn after(cursor: &mut Cursor<'_>) {
    let token = cursor.peek();
    match token.kind {
        Token::Symbol("@") => cursor.report_once(TIMED.at(token.span)),
        Token::Symbol("|") => cursor.report_once(TOGETHER.at(token.span)),
        Token::Symbol("-" | ":") => cursor.report_once(marked(cursor)),
        Token::Symbol("*") => cursor.expected_help("`.` or `+`", "an iteration follows its operand: `a*`"),
        _ => cursor.expected_hint("`.`, `+`, `*` or `]`", "write `.` between what comes one after the other: `a . b`"),
    };
}

/// Returns the diagnostic about `late-reply`: three tokens here, one name elsewhere.
fn marked(cursor: &Cursor<'_>) -> Diagnostic {
    let token = cursor.peek();
    let (before, next) = (cursor.last_span(token.span), cursor.nth(1));
    let whole = before.to(next.span);
    let written = cursor.slice(whole);
    let diagnostic = cursor.unexpected("`.`, `+`, `*` or `]`");
    let glued = before.end == token.span.start && token.span.end == next.span.start && next.kind == Token::Word;
    if glued {
        diagnostic.edit("a name with such characters must be in quotes", whole, format!("\"{written}\""))
    } else {
        diagnostic
    }
}

/// Binding strength of operators, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RegularPrecedence {
    Choice,
    Then,
    Iterated,
    Implies,
    Or,
    And,
    Operand,
}

/// An operand; `None` if it could not be understood, which has been reported.
type ParsedOperand = Option<Subtree<ActionOrRegular>>;

/// An action formula, or a form that only a regular formula can be.
enum ActionOrRegular {
    Action(ActionFormula),
    Regular(RegularFormula),
}

impl ActionOrRegular {
    fn into_regular(self) -> RegularFormula {
        match self {
            ActionOrRegular::Action(action) => RegularFormula::Action(action),
            ActionOrRegular::Regular(regular) => regular,
        }
    }
}

/// Returns the operator at the current token, and its right spelling if it is spelt differently there.
fn infix(cursor: &Cursor<'_>) -> Option<(RegularPrecedence, Option<&'static str>)> {
    Some(match cursor.symbol_or_word()? {
        "+" if begins_operand(cursor, 1) => (RegularPrecedence::Choice, None),
        "+" => (RegularPrecedence::Iterated, None),
        "*" if !begins_operand(cursor, 1) => (RegularPrecedence::Iterated, None),
        "." => (RegularPrecedence::Then, None),
        ";" => (RegularPrecedence::Then, Some(".")),
        "=>" => (RegularPrecedence::Implies, None),
        "||" | "or" => (RegularPrecedence::Or, None),
        "&&" | "and" => (RegularPrecedence::And, None),
        "&" => (RegularPrecedence::And, Some("&&")),
        _ => return None,
    })
}

/// Returns true if an operand of a regular formula begins `n` tokens on. A `+` before it is a choice, else an
/// iteration.
fn begins_operand(cursor: &Cursor<'_>, n: usize) -> bool {
    match cursor.nth(n).kind {
        Token::Word => !matches!(cursor.nth_word(n), Some("and" | "or")),
        Token::Text | Token::OpenText | Token::Symbol("(" | "!" | "~" | "true" | "false") => true,
        Token::Unknown => matches!(cursor.text(cursor.nth(n)), "∀" | "∃"),
        _ => false,
    }
}

/// Reads operands and the operators between and behind them that bind at least as tightly as `loosest`.
fn climb(cursor: &mut Cursor<'_>, scope: &mut NameScope, loosest: RegularPrecedence) -> ParsedOperand {
    if !cursor.enter() {
        cursor.leave();
        return None;
    }
    let mut left = operand(cursor, scope);
    while let Some((level, _)) = infix(cursor).filter(|(level, _)| *level >= loosest) {
        let Some(first) = left else { break };
        left = match level {
            RegularPrecedence::Iterated => iterated(cursor, first),
            RegularPrecedence::Implies => {
                cursor.bump();
                let right = climb(cursor, scope, RegularPrecedence::Implies);
                right.and_then(|right| implies(cursor, first, right))
            }
            _ => operands(cursor, scope, first, level),
        };
    }
    cursor.leave();
    left
}

fn iterated(cursor: &mut Cursor<'_>, of: Subtree<ActionOrRegular>) -> ParsedOperand {
    cursor.count_node();
    let token = cursor.bump();
    let span = of.span.to(token.span);
    let make = if token.kind == Token::Symbol("*") { RegularFormula::Star } else { RegularFormula::Plus };
    over(cursor, of, span, |of| ActionOrRegular::Regular(make(Box::new(of.into_regular()))))
}

/// Builds `a => b` as `!a || b`.
fn implies(cursor: &mut Cursor<'_>, left: Subtree<ActionOrRegular>, right: Subtree<ActionOrRegular>) -> ParsedOperand {
    let (left, right) = (action(cursor, left)?, action(cursor, right)?);
    let span = left.span;
    let left = over(cursor, left, span, |left| ActionFormula::Not(Box::new(left)))?;
    both(cursor, left, right, |left, right| ActionOrRegular::Action(ActionFormula::Or(Box::new(left), Box::new(right))))
}

/// Reads the other operands of an associative operator.
fn operands(
    cursor: &mut Cursor<'_>,
    scope: &mut NameScope,
    first: Subtree<ActionOrRegular>,
    level: RegularPrecedence,
) -> ParsedOperand {
    let tighter = match level {
        RegularPrecedence::Choice => RegularPrecedence::Then,
        RegularPrecedence::Then => RegularPrecedence::Iterated,
        RegularPrecedence::Or => RegularPrecedence::And,
        _ => RegularPrecedence::Operand,
    };
    let mut parts = vec![first];
    while let Some((_, meant)) = infix(cursor).filter(|(found, _)| *found == level) {
        cursor.take(meant);
        parts.push(climb(cursor, scope, tighter)?);
    }
    if level >= RegularPrecedence::Or {
        let parts: Option<Vec<Subtree<ActionFormula>>> = parts.into_iter().map(|part| action(cursor, part)).collect();
        let make = if level == RegularPrecedence::Or { ActionFormula::Or } else { ActionFormula::And };
        return chain(cursor, parts?, make).map(|part| part.map(ActionOrRegular::Action));
    }
    let parts = parts.into_iter().map(|part| part.map(ActionOrRegular::into_regular)).collect();
    let make = if level == RegularPrecedence::Choice { RegularFormula::Or } else { RegularFormula::Then };
    chain(cursor, parts, make).map(|part| part.map(ActionOrRegular::Regular))
}

/// Returns the action formula that an operand is. Reports a sequence.
fn action(cursor: &mut Cursor<'_>, part: Subtree<ActionOrRegular>) -> Option<Subtree<ActionFormula>> {
    let Subtree { node, span, depth } = part;
    match node {
        ActionOrRegular::Action(node) => Some(Subtree { node, span, depth }),
        ActionOrRegular::Regular(regular) => {
            let help = match regular {
                RegularFormula::Or(..) => {
                    "write `||` for either of two events, and keep `+` for either of two sequences"
                }
                _ => "`!`, `&&`, `||` and `=>` are about one event; choose between sequences with `+`",
            };
            let diagnostic = Diagnostic::error("G0160", span, "one event is expected here, found a sequence");
            cursor.report(diagnostic.label("this is about several events, or none").help(help));
            None
        }
    }
}

fn operand(cursor: &mut Cursor<'_>, scope: &mut NameScope) -> ParsedOperand {
    cursor.count_node();
    let token = cursor.peek();
    match token.kind {
        Token::Symbol("(") => {
            cursor.bump();
            let inner = climb(cursor, scope, RegularPrecedence::Choice)?;
            if !matches!(cursor.peek().kind, Token::Symbol(")" | "]") | Token::End) {
                after(cursor);
                return None;
            }
            let end = cursor.close(token.span, ")")?;
            Some(Subtree { span: token.span.to(end), ..inner })
        }
        Token::Symbol("!" | "~") => not(cursor, scope),
        Token::Symbol("true" | "false") => word(cursor, scope),
        _ if kind_at(cursor, 0).is_some() => quantified(cursor, scope),
        Token::Text | Token::OpenText => event(cursor, scope),
        Token::Word => word(cursor, scope),
        _ => cursor.expected("an event").none(),
    }
}

fn word(cursor: &mut Cursor<'_>, scope: &mut NameScope) -> ParsedOperand {
    let token = cursor.peek();
    match cursor.symbol_or_word()? {
        value @ ("true" | "false") => {
            cursor.bump();
            Some(Subtree::leaf(
                ActionOrRegular::Action(ActionFormula::Data(DataCondition::Constant(value == "true"))),
                token.span,
            ))
        }
        "nil" => {
            cursor.bump();
            Some(Subtree::leaf(ActionOrRegular::Regular(RegularFormula::Nil), token.span))
        }
        "val" if cursor.nth_is(1, "(") => {
            data::val(cursor, scope).map(|part| part.map(|data| ActionOrRegular::Action(ActionFormula::Data(data))))
        }
        "not" => not(cursor, scope),
        "tau" => cursor.report_once(HIDDEN.at(token.span)).none(),
        word if KEYWORDS.contains(&word) => {
            let edit = |word: &str| format!("\"{word}\"");
            cursor.expected_edit("an event", "an event of that name must be in quotes", edit).none()
        }
        _ => event(cursor, scope),
    }
}

fn not(cursor: &mut Cursor<'_>, scope: &mut NameScope) -> ParsedOperand {
    let start = cursor.take(cursor.is("~").then_some("!"));
    let of = climb(cursor, scope, RegularPrecedence::Operand)?;
    let of = action(cursor, of)?;
    let span = start.to(of.span);
    over(cursor, of, span, |of| ActionOrRegular::Action(ActionFormula::Not(Box::new(of))))
}

/// Reads `exists d:D. alpha`.
fn quantified(cursor: &mut Cursor<'_>, scope: &mut NameScope) -> ParsedOperand {
    let (kind, start) = (kind_at(cursor, 0)?, cursor.peek().span);
    let read = |cursor: &mut Cursor<'_>, scope: &mut NameScope| climb(cursor, scope, RegularPrecedence::Implies);
    let (variables, of) = scope.quantified(cursor, read)?;
    let of = action(cursor, of)?;
    let part = quantify(cursor, start, (variables, of), |sorted, of| ActionFormula::Quantified(kind, sorted, of))?;
    Some(part.map(ActionOrRegular::Action))
}

/// A parameter of an event, as written.
enum Parameter {
    Plain(Argument),
    /// `t + 1`: the value of a new variable.
    Computed(Expression, Span),
}

/// Reads `push(t, *, t + 1)[size > 3]`. A computed parameter becomes a new variable that equals the value:
/// `exists arg1:Real. push(t, *, arg1) && val(arg1 == t + 1)`.
fn event(cursor: &mut Cursor<'_>, scope: &mut NameScope) -> ParsedOperand {
    let written: AtomSyntax<Parameter> = atom_with(cursor, &mut |cursor| parameter(cursor, scope))?;
    let mut computed: Vec<(SortedVariable, DataCondition)> = Vec::new();
    let atom = written.lower_with(|parameter| match parameter {
        Parameter::Plain(argument) => Some(argument.clone()),
        Parameter::Computed(value, span) => {
            let variable = scope.computed(*span);
            let name = Expression::Variable(variable.clone());
            let sorted = SortedVariable {
                variable: variable.clone(),
                sort: Sort::Real,
                sort_name: Sort::Real.word().to_owned(),
            };
            computed.push((sorted, DataCondition::Compare(name, Comparison::Equal, value.clone())));
            Some(Argument::Variable(variable))
        }
    })?;
    let span = atom.span;
    let mut part = Subtree::leaf(ActionFormula::Event(atom), span);
    for (_, data) in &computed {
        let data = Subtree::leaf(ActionFormula::Data(data.clone()), span);
        part = both(cursor, part, data, |left, right| ActionFormula::And(Box::new(left), Box::new(right)))?;
    }
    for (sorted, _) in computed.into_iter().rev() {
        part = over(cursor, part, span, |of| ActionFormula::Quantified(QuantifierKind::Exists, sorted, Box::new(of)))?;
    }
    Some(part.map(ActionOrRegular::Action))
}

fn parameter(cursor: &mut Cursor<'_>, scope: &mut NameScope) -> Option<Parameter> {
    let token = cursor.peek();
    if is_wildcard(cursor, 0) {
        cursor.bump();
        return Some(Parameter::Plain(Argument::Variable(scope.wildcard(token.span))));
    }
    if cursor.eat_word("_").is_some() {
        return Some(Parameter::Plain(Argument::Any));
    }
    let Some(value) = data::value(cursor, scope) else {
        cursor.suppress();
        return None;
    };
    Some(match value.node {
        Expression::Literal(literal) => Parameter::Plain(Argument::Literal(literal)),
        Expression::Variable(variable) => Parameter::Plain(Argument::Variable(variable)),
        computed @ Expression::Arithmetic(..) => Parameter::Computed(computed, value.span),
    })
}
