// SPDX-License-Identifier: MIT OR Apache-2.0
//! From tokens to [`Syntax`], one function for all levels of binding. What is missing is reported and stands as
//! [`Kind::Missing`], so that one run finds all there is to find.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::number::Number;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::formula::Connective;
use gnomon_ir::term::Operation;

use super::syntax::{Kind, Syntax};
use super::{call, each, foreign, mismatch, value};
use crate::specfile::chain::join;
use crate::specfile::condition::{comparison, respelt};
use crate::specfile::connective::connective;
use crate::specfile::cursor::{Cursor, MAX_DEPTH, MAX_NODES};
use crate::specfile::lexer::Kind as Token;
use crate::specfile::literal;
use crate::specfile::rest::{self, Thread};

/// Reads all there is as one formula.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Syntax {
    let syntax = climb(cursor, Level::Iff);
    leftovers(cursor, &[]);
    syntax
}

/// How tightly operators bind, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Iff,
    Implies,
    Or,
    And,
    /// `U` and the like, which stand between formulae in other languages.
    Foreign,
    Compare,
    Sum,
    Product,
    Operand,
}

/// Reads operands and the operators between them that bind at least as tightly as `loosest`. One function for all levels,
/// so that a pair of parentheses costs few frames of the stack.
pub(super) fn climb(cursor: &mut Cursor<'_>, loosest: Level) -> Syntax {
    if !cursor.enter() {
        cursor.leave();
        return Syntax::missing(cursor.peek().span);
    }
    let mut left = operand(cursor);
    while let Some(level) = infix(cursor, left.is_value()).filter(|level| *level >= loosest) {
        left = match level {
            Level::Iff => connected(cursor, left, "<->", Connective::Iff),
            Level::Implies => connected(cursor, left, "->", Connective::Implies),
            Level::Or => chain(cursor, left, level, Level::And, ("||", Connective::Or)),
            Level::And => chain(cursor, left, level, Level::Foreign, ("&&", Connective::And)),
            Level::Foreign => foreign::infix(cursor, &left),
            Level::Compare => compare(cursor, left),
            Level::Sum | Level::Product | Level::Operand => arithmetic(cursor, left),
        };
    }
    cursor.leave();
    left
}

/// How tightly the operator at the current token binds, if one stands there. After a value `=>` can only be meant to
/// compare.
pub(super) fn infix(cursor: &Cursor<'_>, after_value: bool) -> Option<Level> {
    let token = cursor.peek();
    if after_value && token.kind == Token::Symbol("=>") {
        return Some(Level::Compare);
    }
    if let Some((connective, _)) = connective(cursor) {
        return Some(match connective {
            Connective::Iff => Level::Iff,
            Connective::Implies => Level::Implies,
            Connective::Or => Level::Or,
            Connective::And => Level::And,
        });
    }
    Some(match token.kind {
        Token::Symbol("=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "=<") => Level::Compare,
        Token::Symbol("+" | "-") => Level::Sum,
        Token::Symbol("*" | "/" | "%") => Level::Product,
        // What is left of `$n-1`.
        Token::Word if cursor.text(token).starts_with('-') => Level::Sum,
        Token::Word if foreign::is_infix(cursor.text(token)) => Level::Foreign,
        _ => return None,
    })
}

/// Takes a connective; in another notation's spelling it is reported.
fn take(cursor: &mut Cursor<'_>, symbol: &str) {
    let token = cursor.bump();
    if !matches!(token.kind, Token::Symbol(found) if found == symbol) {
        cursor.report(respelt(cursor.text(token), token.span, symbol));
    }
}

/// `f -> g -> h` is grouped from the right, `f <-> g <-> h` from the left.
fn connected(cursor: &mut Cursor<'_>, left: Syntax, symbol: &str, connective: Connective) -> Syntax {
    take(cursor, symbol);
    let right = climb(cursor, Level::Implies);
    both(cursor, connective, left, right)
}

/// `f || g || ...` or `f && g && ...`
fn chain(
    cursor: &mut Cursor<'_>,
    first: Syntax,
    level: Level,
    tighter: Level,
    (symbol, connective): (&str, Connective),
) -> Syntax {
    let span = first.span;
    let mut operands = vec![first];
    while infix(cursor, false) == Some(level) {
        take(cursor, symbol);
        operands.push(climb(cursor, tighter));
    }
    join(operands, &mut |left, right| both(cursor, connective, left, right)).unwrap_or_else(|| Syntax::missing(span))
}

fn both(cursor: &mut Cursor<'_>, connective: Connective, left: Syntax, right: Syntax) -> Syntax {
    let span = left.outer.to(right.outer);
    node(cursor, Kind::Connective(connective, left, right), span)
}

fn compare(cursor: &mut Cursor<'_>, left: Syntax) -> Syntax {
    let token = cursor.peek();
    let Some(comparison) = comparison(cursor) else { return left };
    let before = cursor.count();
    let right = climb(cursor, Level::Sum);
    if infix(cursor, true) == Some(Level::Compare) {
        return chained(cursor, &left, &right);
    }
    let span = left.outer.to(right.outer);
    if comparison == Comparison::Equal && mismatch::is_formula(&left) && mismatch::is_formula(&right) {
        let sides = (cursor.count() == before).then_some((left.outer, right.outer));
        equivalent(cursor, token.span, sides);
        return Syntax::missing(span);
    }
    node(cursor, Kind::Compare(left, comparison, right), span)
}

/// `f = g` of two formulae.
#[inline(never)]
fn equivalent(cursor: &mut Cursor<'_>, sign: Span, sides: Option<(Span, Span)>) {
    let diagnostic = respelt(cursor.slice(sign), sign, "<->");
    cursor.report(match sides {
        Some((left, right)) => {
            let written = format!("({} <-> {})", cursor.slice(left), cursor.slice(right));
            diagnostic.edit(format!("write `{written}`"), left.to(right), written)
        }
        None => diagnostic,
    });
}

/// `1 < $x < 5`
#[inline(never)]
fn chained(cursor: &mut Cursor<'_>, left: &Syntax, right: &Syntax) -> Syntax {
    let token = cursor.peek();
    let middle = cursor.slice(right.outer);
    cursor.blame(
        Diagnostic::error("G0137", token.span, "two values are compared at a time")
            .label(format!("`{middle}` is compared already"))
            .also(left.outer.to(right.outer), "here")
            .edit("write two comparisons", token.span, format!("&& {middle} {}", cursor.text(token))),
    );
    while infix(cursor, true) == Some(Level::Compare) {
        cursor.bump();
        climb(cursor, Level::Sum);
    }
    Syntax::missing(left.outer)
}

fn arithmetic(cursor: &mut Cursor<'_>, left: Syntax) -> Syntax {
    let token = cursor.peek();
    let (operation, tighter) = match token.kind {
        Token::Symbol("+") => (Operation::Add, Level::Product),
        Token::Symbol("*") => (Operation::Multiply, Level::Operand),
        Token::Symbol("/") => {
            if !value::divides(cursor, &left) {
                return Syntax::missing(left.outer);
            }
            (Operation::Divide, Level::Operand)
        }
        Token::Symbol("%") => {
            let diagnostic = cursor.unexpected("one of `+ - * /`");
            cursor.blame(diagnostic.help("values are added, subtracted, multiplied and divided only"));
            (Operation::Divide, Level::Operand)
        }
        _ => (Operation::Subtract, Level::Product),
    };
    if token.kind == Token::Word {
        cursor.take_front(1);
    } else {
        cursor.bump();
    }
    let right = climb(cursor, tighter);
    let span = left.outer.to(right.outer);
    node(cursor, Kind::Operation(operation, left, right), span)
}

/// A new node, counted and measured.
pub(super) fn node(cursor: &mut Cursor<'_>, kind: Kind, span: Span) -> Syntax {
    cursor.grow();
    let syntax = Syntax::new(kind, span);
    if syntax.depth > MAX_DEPTH {
        cursor.too_deep();
    } else if syntax.size > MAX_NODES {
        cursor.too_large();
    } else {
        return syntax;
    }
    Syntax::missing(span)
}

fn operand(cursor: &mut Cursor<'_>) -> Syntax {
    let token = cursor.peek();
    match token.kind {
        Token::Symbol("(") => parenthesised(cursor),
        Token::Symbol("!" | "~") => not(cursor, "!"),
        Token::Symbol("true") => constant(cursor, true),
        Token::Symbol("false") => constant(cursor, false),
        Token::Symbol("-") => minus(cursor),
        Token::Symbol("$") => value::variable(cursor),
        Token::Number => value::number(cursor),
        Token::Text | Token::OpenText => value::text(cursor),
        Token::Word => word(cursor),
        Token::Unknown if each::kind_at(cursor, 0).is_some() => each::bare(cursor),
        _ => missing(cursor),
    }
}

fn parenthesised(cursor: &mut Cursor<'_>) -> Syntax {
    if each::kind_at(cursor, 1).is_some() {
        return each::each(cursor);
    }
    let opening = cursor.bump().span;
    let mut inner = climb(cursor, Level::Iff);
    leftovers(cursor, &[")"]);
    let closing = cursor.close(opening, ")");
    inner.outer = opening.to(closing.unwrap_or(inner.outer));
    inner
}

/// `!f`. No value can be negated, so that `!$x > 3` is `!($x > 3)`.
fn not(cursor: &mut Cursor<'_>, symbol: &str) -> Syntax {
    let token = cursor.peek();
    take(cursor, symbol);
    let of = climb(cursor, Level::Compare);
    let span = token.span.to(of.outer);
    node(cursor, Kind::Not(of), span)
}

fn constant(cursor: &mut Cursor<'_>, value: bool) -> Syntax {
    let span = cursor.bump().span;
    node(cursor, Kind::Constant(value), span)
}

/// A negative number, or `-x` for `0 - x`.
fn minus(cursor: &mut Cursor<'_>) -> Syntax {
    let minus = cursor.bump().span;
    let of = climb(cursor, Level::Operand);
    let span = minus.to(of.outer);
    let unsigned = cursor.slice(of.outer).starts_with(|first: char| first.is_ascii_digit());
    if unsigned && matches!(of.kind.as_ref(), Kind::Literal(Value::Number(_))) {
        let negative = literal::number(cursor, span);
        return node(cursor, Kind::Literal(negative), span);
    }
    let zero = Syntax::new(Kind::Literal(Value::Number(Number::Int(0))), minus);
    node(cursor, Kind::Operation(Operation::Subtract, zero, of), span)
}

fn word(cursor: &mut Cursor<'_>) -> Syntax {
    let token = cursor.peek();
    let text = cursor.text(token);
    match text {
        "true" => constant(cursor, true),
        "false" => constant(cursor, false),
        "null" => {
            cursor.bump();
            node(cursor, Kind::Literal(Value::Null), token.span)
        }
        "not" | "NOT" => not(cursor, "!"),
        "forall" | "exists" if each::follows(cursor) => each::bare(cursor),
        _ if text.starts_with(|first: char| first.is_ascii_digit()) => value::number(cursor),
        _ if foreign::is_prefix(cursor) => foreign::prefix(cursor),
        _ => call::call(cursor),
    }
}

/// Whether the current token begins a formula or a value.
pub(super) fn starts_operand(cursor: &Cursor<'_>) -> bool {
    match cursor.peek().kind {
        Token::Text | Token::OpenText | Token::Number | Token::Symbol("(" | "!" | "~" | "$" | "true" | "false") => true,
        Token::Word => infix(cursor, false).is_none(),
        Token::Unknown => each::kind_at(cursor, 0).is_some(),
        _ => false,
    }
}

/// Blames the current token for not beginning a formula; takes it if it can be of no use to anyone.
#[inline(never)]
fn missing(cursor: &mut Cursor<'_>) -> Syntax {
    let token = cursor.peek();
    let diagnostic = cursor.unexpected("a formula or a value");
    cursor.blame(match token.kind {
        Token::Symbol("&&" | "||" | "->" | "<->" | "=>" | "&" | "|") => {
            diagnostic.help(format!("write a formula on both sides of `{}`", cursor.text(token)))
        }
        Token::Symbol("=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "*" | "/") => {
            diagnostic.help(format!("write a value on both sides of `{}`", cursor.text(token)))
        }
        Token::Symbol("{") => diagnostic.help("group with `(` and `)`"),
        _ => diagnostic,
    });
    if token.kind == Token::Unknown {
        cursor.bump();
    }
    Syntax::missing(token.span)
}

/// Reads on to where a part should have ended, and says what is wrong with what stands there.
pub(super) fn leftovers(cursor: &mut Cursor<'_>, ends: &[&str]) {
    rest::leftovers(cursor, &Parts, ends);
}

/// What is read on is formulae and values.
struct Parts;

impl Thread for Parts {
    fn starts_operand(&self, cursor: &Cursor<'_>) -> bool {
        starts_operand(cursor)
    }

    fn is_infix(&self, cursor: &Cursor<'_>) -> bool {
        infix(cursor, false).is_some()
    }

    fn read(&self, cursor: &mut Cursor<'_>) {
        climb(cursor, Level::Iff);
    }

    fn no_operator(&self, cursor: &mut Cursor<'_>) {
        no_operator(cursor);
    }

    fn stray(&self, cursor: &mut Cursor<'_>) {
        stray(cursor);
    }
}

#[inline(never)]
fn no_operator(cursor: &mut Cursor<'_>) {
    let token = cursor.peek();
    let diagnostic =
        Diagnostic::error("G0106", token.span, format!("no operator stands before {}", cursor.describe(token)))
            .label("the formula before this is complete");
    cursor.blame(diagnostic.edit(
        "join the two, for example with `&&`",
        token.span,
        format!("&& {}", cursor.text(token)),
    ));
}

#[inline(never)]
fn stray(cursor: &mut Cursor<'_>) {
    let token = cursor.peek();
    let text = cursor.text(token);
    let diagnostic = cursor.unexpected("an operator");
    cursor.blame(match token.kind {
        Token::Symbol(")" | "]" | "}") => return cursor.closes_nothing(),
        Token::Unknown => diagnostic,
        Token::Symbol(";" | ".") => {
            diagnostic.edit(format!("leave out `{text}`: a property is one formula"), token.span, "")
        }
        Token::Symbol("[") => {
            diagnostic.help("conditions on an event's fields stand in `onEvent`: `onEvent(Pay[amount > 5])`")
        }
        _ => diagnostic.help("join formulae with `&& || -> <->`, values with `+ - * /`"),
    });
}
