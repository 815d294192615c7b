// SPDX-License-Identifier: MIT OR Apache-2.0
//! Regular formulae and action formulae: `true* . (a(x) || !b) . (c + d)+`.
//!
//! Parentheses may hold either, so both are read by one function and told apart afterwards. The operators of action formulae
//! bind more tightly than all of those that make sequences: `a || b*` is `(a || b)*`.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::value::Comparison;
use gnomon_ir::automaton::Expression;
use gnomon_ir::modal::{Action, Data, Regular, Sort, Sorted};
use gnomon_ir::pattern::Argument;
use gnomon_ir::spec::QuantifierKind;

use super::refusal::{Outside, outside};
use super::syntax::{Context, Part, both, chain, is_wildcard, over};
use super::{KEYWORDS, data, quantifier};
use crate::specfile::atom::{AtomSyntax, atom_with};
use crate::specfile::condition::respelt;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;

/// Reads what stands between brackets; `None` if it could not be understood, which has been reported.
pub(super) fn whole(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Part<Regular>> {
    if cursor.is("]") || cursor.is(">") {
        let diagnostic = cursor.unexpected("an event");
        cursor.blame(diagnostic.help("write `nil` for no event, `true` for any"));
        return None;
    }
    let part = climb(cursor, context, Level::Choice)?;
    if !matches!(cursor.peek().kind, Kind::Symbol("]" | ">") | Kind::End) {
        after(cursor);
        return None;
    }
    Some(part.map(Mixed::regular))
}

/// Something after a regular formula that does not end it.
fn after(cursor: &mut Cursor<'_>) {
    let token = cursor.peek();
    match token.kind {
        Kind::Symbol("@") => cursor.blame(outside(Outside::Timed, token.span)),
        Kind::Symbol("|") => cursor.blame(outside(Outside::Together, token.span)),
        Kind::Symbol("-" | ":") => marked(cursor),
        Kind::Symbol("*") => {
            let diagnostic = cursor.unexpected("`.` or `+`");
            cursor.blame(diagnostic.help("an iteration is written behind what is iterated: `a*`"));
        }
        _ => {
            let diagnostic = cursor.unexpected("`.`, `+`, `*` or `]`");
            cursor.blame(if diagnostic.help.is_none() {
                diagnostic.help("write `.` between what comes one after the other: `a . b`")
            } else {
                diagnostic
            });
        }
    }
}

/// `late-reply`: three tokens here, one name elsewhere.
fn marked(cursor: &mut Cursor<'_>) {
    let token = cursor.peek();
    let (before, next) = (cursor.previous().map_or(token.span, |before| before.span), cursor.nth(1));
    let whole = before.to(next.span);
    let written = cursor.slice(whole);
    let diagnostic = cursor.unexpected("`.`, `+`, `*` or `]`");
    let glued = before.end == token.span.start && token.span.end == next.span.start && next.kind == Kind::Word;
    cursor.blame(if glued {
        diagnostic.edit("a name with such characters stands in quotes", whole, format!("\"{written}\""))
    } else {
        diagnostic
    });
}

/// How tightly operators bind, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choice,
    Then,
    Iterated,
    Implies,
    Or,
    And,
    Operand,
}

/// An action formula, or what only a regular formula can be.
enum Mixed {
    Action(Action),
    Regular(Regular),
}

impl Mixed {
    fn regular(self) -> Regular {
        match self {
            Mixed::Action(action) => Regular::Action(action),
            Mixed::Regular(regular) => regular,
        }
    }
}

/// The operator at the current token, and how it should be spelt if that is otherwise.
fn infix(cursor: &Cursor<'_>) -> Option<(Level, Option<&'static str>)> {
    Some(match cursor.peek().kind {
        Kind::Symbol("+") if begins_operand(cursor, 1) => (Level::Choice, None),
        Kind::Symbol("+") => (Level::Iterated, None),
        Kind::Symbol("*") if !begins_operand(cursor, 1) => (Level::Iterated, None),
        Kind::Symbol(".") => (Level::Then, None),
        Kind::Symbol(";") => (Level::Then, Some(".")),
        Kind::Symbol("=>") => (Level::Implies, None),
        Kind::Symbol("||") => (Level::Or, None),
        Kind::Symbol("&&") => (Level::And, None),
        Kind::Symbol("&") => (Level::And, Some("&&")),
        Kind::Word => match cursor.word()? {
            "or" => (Level::Or, None),
            "and" => (Level::And, None),
            _ => return None,
        },
        _ => return None,
    })
}

/// Whether what begins `n` tokens on is a part of a regular formula: then `+` is a choice, else an iteration.
fn begins_operand(cursor: &Cursor<'_>, n: usize) -> bool {
    match cursor.nth(n).kind {
        Kind::Word => !matches!(cursor.nth_word(n), Some("and" | "or")),
        Kind::Text | Kind::OpenText | Kind::Symbol("(" | "!" | "~" | "true" | "false") => true,
        Kind::Unknown => matches!(cursor.text(cursor.nth(n)), "∀" | "∃"),
        _ => false,
    }
}

/// Reads operands and the operators between and behind them that bind at least as tightly as `loosest`.
fn climb(cursor: &mut Cursor<'_>, context: &mut Context, loosest: Level) -> Option<Part<Mixed>> {
    if !cursor.enter() {
        cursor.leave();
        return None;
    }
    let mut left = operand(cursor, context);
    while let Some((level, meant)) = infix(cursor).filter(|(level, _)| *level >= loosest) {
        let Some(first) = left else { break };
        left = match level {
            Level::Iterated => iterated(cursor, first),
            Level::Implies => {
                cursor.bump();
                let right = climb(cursor, context, Level::Implies);
                right.and_then(|right| implies(cursor, first, right))
            }
            _ => operands(cursor, context, first, (level, meant)),
        };
    }
    cursor.leave();
    left
}

fn iterated(cursor: &mut Cursor<'_>, of: Part<Mixed>) -> Option<Part<Mixed>> {
    cursor.grow();
    let token = cursor.bump();
    let span = of.span.to(token.span);
    let make = if token.kind == Kind::Symbol("*") { Regular::Star } else { Regular::Plus };
    over(cursor, of, span, |of| Mixed::Regular(make(Box::new(of.regular()))))
}

/// `a => b` is `!a || b`.
fn implies(cursor: &mut Cursor<'_>, left: Part<Mixed>, right: Part<Mixed>) -> Option<Part<Mixed>> {
    let (left, right) = (action(cursor, left)?, action(cursor, right)?);
    let span = left.span;
    let left = over(cursor, left, span, |left| Action::Not(Box::new(left)))?;
    both(cursor, left, right, |left, right| Mixed::Action(Action::Or(Box::new(left), Box::new(right))))
}

/// The operands of an associative operator, the first of which is read.
fn operands(
    cursor: &mut Cursor<'_>,
    context: &mut Context,
    first: Part<Mixed>,
    operator: (Level, Option<&'static str>),
) -> Option<Part<Mixed>> {
    let (level, _) = operator;
    let tighter = match level {
        Level::Choice => Level::Then,
        Level::Then => Level::Iterated,
        Level::Or => Level::And,
        _ => Level::Operand,
    };
    let mut parts = vec![first];
    while let Some((_, meant)) = infix(cursor).filter(|(found, _)| *found == level) {
        let token = cursor.bump();
        if let Some(meant) = meant {
            cursor.report(respelt(cursor.text(token), token.span, meant));
        }
        parts.push(climb(cursor, context, tighter)?);
    }
    if level >= Level::Or {
        let parts: Option<Vec<Part<Action>>> = parts.into_iter().map(|part| action(cursor, part)).collect();
        let make = if level == Level::Or { Action::Or } else { Action::And };
        return chain(cursor, parts?, make).map(|part| part.map(Mixed::Action));
    }
    let parts = parts.into_iter().map(|part| part.map(Mixed::regular)).collect();
    let make = if level == Level::Choice { Regular::Or } else { Regular::Then };
    chain(cursor, parts, make).map(|part| part.map(Mixed::Regular))
}

/// The action formula that a part is; a sequence is reported.
fn action(cursor: &mut Cursor<'_>, part: Part<Mixed>) -> Option<Part<Action>> {
    let Part { node, span, depth } = part;
    match node {
        Mixed::Action(node) => Some(Part { node, span, depth }),
        Mixed::Regular(regular) => {
            let help = match regular {
                Regular::Or(..) => "write `||` for either of two events, and keep `+` for either of two sequences",
                _ => "`!`, `&&`, `||` and `=>` are about one event; choose between sequences with `+`",
            };
            cursor.report(
                Diagnostic::error("G0160", span, "one event is expected here, found a sequence")
                    .label("this is about several events, or none")
                    .help(help),
            );
            None
        }
    }
}

fn operand(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Part<Mixed>> {
    cursor.grow();
    let token = cursor.peek();
    match token.kind {
        Kind::Symbol("(") => {
            cursor.bump();
            let inner = climb(cursor, context, Level::Choice)?;
            if !matches!(cursor.peek().kind, Kind::Symbol(")" | "]") | Kind::End) {
                after(cursor);
                return None;
            }
            let end = cursor.close(token.span, ")")?;
            Some(Part { span: token.span.to(end), ..inner })
        }
        Kind::Symbol("!") => not(cursor, context),
        Kind::Symbol("~") => {
            cursor.report(respelt("~", token.span, "!"));
            not(cursor, context)
        }
        Kind::Symbol(constant @ ("true" | "false")) => {
            cursor.bump();
            Some(Part::leaf(Mixed::Action(Action::Data(Data::Constant(constant == "true"))), token.span))
        }
        _ if quantifier::kind_at(cursor).is_some() => quantified(cursor, context),
        Kind::Text | Kind::OpenText => event(cursor, context),
        Kind::Word => word(cursor, context),
        _ => {
            cursor.expected("an event");
            None
        }
    }
}

fn word(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Part<Mixed>> {
    let token = cursor.peek();
    match cursor.text(token) {
        value @ ("true" | "false") => {
            cursor.bump();
            Some(Part::leaf(Mixed::Action(Action::Data(Data::Constant(value == "true"))), token.span))
        }
        "nil" => {
            cursor.bump();
            Some(Part::leaf(Mixed::Regular(Regular::Nil), token.span))
        }
        "val" if cursor.nth_is(1, "(") => {
            data::val(cursor, context).map(|part| part.map(|data| Mixed::Action(Action::Data(data))))
        }
        "not" => not(cursor, context),
        "tau" => {
            cursor.blame(outside(Outside::Hidden, token.span));
            None
        }
        word if KEYWORDS.contains(&word) => {
            let diagnostic = cursor.unexpected("an event");
            cursor.blame(diagnostic.edit("an event of that name stands in quotes", token.span, format!("\"{word}\"")));
            None
        }
        _ => event(cursor, context),
    }
}

fn not(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Part<Mixed>> {
    let start = cursor.bump().span;
    let of = climb(cursor, context, Level::Operand)?;
    let of = action(cursor, of)?;
    let span = start.to(of.span);
    over(cursor, of, span, |of| Mixed::Action(Action::Not(Box::new(of))))
}

/// `exists d:D. alpha`
fn quantified(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Part<Mixed>> {
    let start = cursor.peek().span;
    let kind = quantifier::kind_at(cursor)?;
    let variables = quantifier::variables(cursor);
    let known = context.scope.len();
    context.scope.extend(variables.iter().flatten().map(|sorted| sorted.variable.name.clone()));
    let of = climb(cursor, context, Level::Implies);
    context.scope.truncate(known);
    let (variables, of) = (variables?, of?);
    let mut part = action(cursor, of)?;
    for sorted in variables.into_iter().rev() {
        let span = start.to(part.span);
        part = over(cursor, part, span, |of| Action::Quantified(kind, sorted, Box::new(of)))?;
    }
    Some(part.map(Mixed::Action))
}

/// A parameter of an event.
enum Parameter {
    Plain(Argument),
    /// `t + 1`: the value of a new variable.
    Computed(Expression, Span),
}

/// `push(t, *, t + 1)[size > 3]`
fn event(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Part<Mixed>> {
    let written: AtomSyntax<Parameter> = atom_with(cursor, &mut |cursor| parameter(cursor, context))?;
    let mut computed: Vec<(Sorted, Data)> = Vec::new();
    let atom = written.lower_with(|parameter| match parameter {
        Parameter::Plain(argument) => Some(argument.clone()),
        Parameter::Computed(value, span) => {
            let variable = context.computed(*span);
            let name = Expression::Variable(variable.clone());
            let sorted = Sorted { variable: variable.clone(), sort: Sort::Real, sort_name: "Real".to_owned() };
            computed.push((sorted, Data::Compare(name, Comparison::Equal, value.clone())));
            Some(Argument::Variable(variable))
        }
    })?;
    let span = atom.span;
    let mut part = Part::leaf(Action::Event(atom), span);
    for (_, data) in &computed {
        let data = Part::leaf(Action::Data(data.clone()), span);
        part = both(cursor, part, data, |left, right| Action::And(Box::new(left), Box::new(right)))?;
    }
    for (sorted, _) in computed.into_iter().rev() {
        part = over(cursor, part, span, |of| Action::Quantified(QuantifierKind::Exists, sorted, Box::new(of)))?;
    }
    Some(part.map(Mixed::Action))
}

fn parameter(cursor: &mut Cursor<'_>, context: &mut Context) -> Option<Parameter> {
    let token = cursor.peek();
    if is_wildcard(cursor, 0) {
        cursor.bump();
        return Some(Parameter::Plain(Argument::Variable(context.wildcard(token.span))));
    }
    if cursor.eat_word("_").is_some() {
        return Some(Parameter::Plain(Argument::Any));
    }
    let Some(value) = data::value(cursor, context) else {
        cursor.hush();
        return None;
    };
    Some(match value.node {
        Expression::Literal(literal) => Parameter::Plain(Argument::Literal(literal)),
        Expression::Variable(variable) => Parameter::Plain(Argument::Variable(variable)),
        computed @ Expression::Arithmetic(..) => Parameter::Computed(computed, value.span),
    })
}
