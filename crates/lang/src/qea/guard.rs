// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conditions over variables, `[ s1 != s2 and n < 9 ]`, and assignments, `[ n = n + 1; m = s2 ]`.
//!
//! Parentheses may hold a value or a condition, so both are read by one function and told apart afterwards.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::number::Number;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::automaton::{Arithmetic, Assignment, Expression, Guard};

use crate::specfile::chain::join;
use crate::specfile::condition::{comparison, respelt, skip_bracket};
use crate::specfile::cursor::{Cursor, MAX_DEPTH};
use crate::specfile::lexer::Kind;
use crate::specfile::literal::{Literal, literal, variable};

/// Reads `[ condition ]`. `None` if it could not be understood, which has been reported; reading goes on behind it.
pub(super) fn bracketed(cursor: &mut Cursor<'_>) -> Option<Guard> {
    let opening = open(cursor, "a condition in brackets, as in `[ n < 9 ]`")?;
    let part = climb(cursor, Level::Or);
    let guard = part.and_then(|part| part.truth(cursor));
    close(cursor, opening, guard)
}

/// Reads `[ variable = value; ... ]`, likewise.
pub(super) fn assignments(cursor: &mut Cursor<'_>) -> Option<Vec<Assignment>> {
    let opening = open(cursor, "assignments in brackets, as in `[ n = n + 1 ]`")?;
    let mut assignments = Vec::new();
    let mut understood = true;
    while understood && !cursor.is("]") && !cursor.at_end() {
        let read = assignment(cursor);
        understood = read.is_some();
        assignments.extend(read);
        if cursor.eat(";").is_none() && cursor.eat(",").is_none() {
            break;
        }
    }
    close(cursor, opening, understood.then_some(assignments))
}

/// Takes the opening bracket; a parenthesis is reported and taken for it.
fn open(cursor: &mut Cursor<'_>, what: &str) -> Option<Span> {
    if let Some(opening) = cursor.eat("[") {
        return Some(opening);
    }
    if !cursor.is("(") {
        cursor.expected(what);
        return None;
    }
    let token = cursor.peek();
    cursor.report(
        Diagnostic::error("G0101", token.span, "expected `[`, found `(`")
            .label("brackets stand around this")
            .help("write `[` and `]` instead of `(` and `)`"),
    );
    Some(cursor.bump().span)
}

/// Takes the closing bracket, or skips to it.
fn close<T>(cursor: &mut Cursor<'_>, opening: Span, read: Option<T>) -> Option<T> {
    let closing = if cursor.slice(opening) == "(" { ")" } else { "]" };
    if read.is_some() && cursor.eat(closing).is_some() {
        return read;
    }
    if read.is_some() {
        cursor.unclosed(opening, closing);
    }
    skip_bracket(cursor);
    None
}

/// `variable = value`
fn assignment(cursor: &mut Cursor<'_>) -> Option<Assignment> {
    let Some(word) = cursor.word() else {
        cursor.expected("a variable that gets a value");
        return None;
    };
    // `n-1` is one word to the lexer, but no variable is called so.
    let span = cursor.bump().span;
    let variable = variable(cursor, span)?;
    let (first, second) = (cursor.peek(), cursor.nth(1));
    let both = first.span.to(second.span);
    match (first.kind, second.kind) {
        (Kind::Symbol("="), _) => {
            cursor.bump();
        }
        (Kind::Symbol("=="), _) => {
            cursor.report(respelt("==", first.span, "="));
            cursor.bump();
        }
        (Kind::Symbol(":"), Kind::Symbol("=")) => {
            cursor.report(respelt(":=", both, "="));
            cursor.bump();
            cursor.bump();
        }
        (Kind::Symbol(sign @ ("+" | "-" | "*")), Kind::Symbol("=")) => {
            let meant = format!("= {word} {sign}");
            cursor.report(respelt(cursor.slice(both), both, &meant));
            cursor.bump();
            cursor.bump();
        }
        _ => {
            let diagnostic = cursor.unexpected("`=` and a value");
            cursor.blame(diagnostic.help(format!("give the variable a value: `{word} = {word} + 1`")));
            return None;
        }
    }
    let value = climb(cursor, Level::Sum)?.value(cursor)?;
    Some(Assignment { variable, value })
}

/// How tightly operators bind, loosest first. `not` stands between `and` and comparisons.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Compare,
    Sum,
    Product,
    Operand,
}

/// A value or a condition, where it stands, and how high its tree is.
struct Part {
    kind: PartKind,
    span: Span,
    depth: u32,
}

enum PartKind {
    Value(Expression),
    Truth(Guard),
}

impl Part {
    fn value(self, cursor: &mut Cursor<'_>) -> Option<Expression> {
        match self.kind {
            PartKind::Value(value) => Some(value),
            PartKind::Truth(_) => {
                let diagnostic = Diagnostic::error("G0101", self.span, "expected a value, found a condition")
                    .label("true or false, and no value")
                    .help("only variables, literals and `+ - *` have values");
                cursor.report(diagnostic);
                None
            }
        }
    }

    fn truth(self, cursor: &mut Cursor<'_>) -> Option<Guard> {
        match self.kind {
            PartKind::Truth(guard) => Some(guard),
            PartKind::Value(_) => {
                let written = cursor.slice(self.span);
                let diagnostic = Diagnostic::error("G0101", self.span, "expected a condition, found a value")
                    .label("compared with nothing")
                    .help(format!("compare it: `{written} = true`, or with one of `= != < <= > >=`"));
                cursor.report(diagnostic);
                None
            }
        }
    }
}

/// Reads operands and the operators between them that bind at least as tightly as `loosest`.
fn climb(cursor: &mut Cursor<'_>, loosest: Level) -> Option<Part> {
    cursor.grow();
    let mut left = if cursor.enter() { operand(cursor) } else { None };
    cursor.leave();
    while let Some(level) = infix(cursor).filter(|level| *level >= loosest) {
        let first = left?;
        left = match level {
            Level::Or => chain(cursor, first, Level::Or, Level::And, Guard::Or),
            Level::And => chain(cursor, first, Level::And, Level::Compare, Guard::And),
            Level::Compare => compare(cursor, first),
            _ => arithmetic(cursor, first, level),
        };
    }
    left
}

/// How tightly the operator at the current token binds.
fn infix(cursor: &Cursor<'_>) -> Option<Level> {
    let token = cursor.peek();
    Some(match token.kind {
        Kind::Symbol("||" | "|") => Level::Or,
        Kind::Symbol("&&" | "&") => Level::And,
        Kind::Symbol("=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "=<" | "=>") => Level::Compare,
        Kind::Symbol("+" | "-") => Level::Sum,
        Kind::Symbol("*" | "/" | "%") => Level::Product,
        Kind::Word => match cursor.text(token) {
            "or" | "OR" => Level::Or,
            "and" | "AND" => Level::And,
            // What is left of `n-1`.
            rest if rest.starts_with('-') => Level::Sum,
            _ => return None,
        },
        _ => return None,
    })
}

/// `g or h or ...`, `g and h and ...`
fn chain(
    cursor: &mut Cursor<'_>,
    first: Part,
    level: Level,
    tighter: Level,
    both: fn(Box<Guard>, Box<Guard>) -> Guard,
) -> Option<Part> {
    let word = if level == Level::Or { "or" } else { "and" };
    let (mut span, mut depth) = (first.span, first.depth);
    let mut guards = vec![first.truth(cursor)?];
    while infix(cursor) == Some(level) {
        let token = cursor.bump();
        if cursor.text(token) != word {
            cursor.report(respelt(cursor.text(token), token.span, word));
        }
        let part = climb(cursor, tighter)?;
        span = span.to(part.span);
        depth = depth.max(part.depth);
        guards.push(part.truth(cursor)?);
    }
    let height = u32::try_from(guards.len()).unwrap_or(u32::MAX).min(16);
    let guard = join(guards, &mut |left, right| both(Box::new(left), Box::new(right)))?;
    measured(cursor, Part { kind: PartKind::Truth(guard), span, depth: depth + height })
}

fn compare(cursor: &mut Cursor<'_>, left: Part) -> Option<Part> {
    let (start, depth) = (left.span, left.depth);
    let comparison: Comparison = comparison(cursor)?;
    let right = climb(cursor, Level::Sum)?;
    let (span, depth) = (start.to(right.span), depth.max(right.depth) + 1);
    let (left, right) = (left.value(cursor), right.value(cursor));
    if infix(cursor) == Some(Level::Compare) {
        let diagnostic = cursor.unexpected("`and`, `or` or `]`");
        cursor.blame(diagnostic.help("compare two values at a time: `1 < n and n < 9`"));
        return None;
    }
    measured(cursor, Part { kind: PartKind::Truth(Guard::Compare(left?, comparison, right?)), span, depth })
}

fn arithmetic(cursor: &mut Cursor<'_>, left: Part, level: Level) -> Option<Part> {
    let token = cursor.peek();
    let (operator, tighter) = match token.kind {
        Kind::Symbol("+") => (Arithmetic::Add, Level::Product),
        Kind::Symbol("*") => (Arithmetic::Multiply, Level::Operand),
        _ if level == Level::Sum => (Arithmetic::Subtract, Level::Product),
        _ => {
            let diagnostic = cursor.unexpected("one of `+ - *`");
            cursor.blame(diagnostic.help("values are added, subtracted and multiplied only"));
            return None;
        }
    };
    if token.kind == Kind::Word {
        cursor.take_front(1);
    } else {
        cursor.bump();
    }
    let (start, depth) = (left.span, left.depth);
    let right = climb(cursor, tighter)?;
    let (span, depth) = (start.to(right.span), depth.max(right.depth) + 1);
    let (left, right) = (left.value(cursor), right.value(cursor));
    let value = Expression::Arithmetic(operator, Box::new(left?), Box::new(right?));
    measured(cursor, Part { kind: PartKind::Value(value), span, depth })
}

/// The part, unless its tree is too high.
fn measured(cursor: &mut Cursor<'_>, part: Part) -> Option<Part> {
    if part.depth <= MAX_DEPTH {
        return Some(part);
    }
    cursor.too_deep();
    None
}

fn operand(cursor: &mut Cursor<'_>) -> Option<Part> {
    let token = cursor.peek();
    match token.kind {
        Kind::Symbol("(") => {
            cursor.bump();
            let inner = climb(cursor, Level::Or)?;
            let end = cursor.close(token.span, ")")?;
            Some(Part { span: token.span.to(end), ..inner })
        }
        Kind::Symbol("!") => {
            cursor.report(respelt("!", token.span, "not").edit("write `not`", token.span, "not "));
            not(cursor)
        }
        Kind::Word if matches!(cursor.text(token), "not" | "NOT") => {
            if cursor.text(token) == "NOT" {
                cursor.report(respelt("NOT", token.span, "not"));
            }
            not(cursor)
        }
        Kind::Symbol("-") if cursor.nth(1).kind != Kind::Number => minus(cursor),
        Kind::Word => word(cursor),
        _ => value(cursor),
    }
}

fn not(cursor: &mut Cursor<'_>) -> Option<Part> {
    let start = cursor.bump().span;
    let of = climb(cursor, Level::Compare)?;
    let (span, depth) = (start.to(of.span), of.depth + 1);
    let guard = of.truth(cursor)?;
    measured(cursor, Part { kind: PartKind::Truth(Guard::Not(Box::new(guard))), span, depth })
}

/// `-x` is `0 - x`.
fn minus(cursor: &mut Cursor<'_>) -> Option<Part> {
    let start = cursor.bump().span;
    let of = climb(cursor, Level::Operand)?;
    let (span, depth) = (start.to(of.span), of.depth + 1);
    let zero = Box::new(Expression::Literal(Value::Number(Number::Int(0))));
    let value = Expression::Arithmetic(Arithmetic::Subtract, zero, Box::new(of.value(cursor)?));
    measured(cursor, Part { kind: PartKind::Value(value), span, depth })
}

fn value(cursor: &mut Cursor<'_>) -> Option<Part> {
    if let Some((Literal::Value(value), span)) = literal(cursor) {
        Some(Part { kind: PartKind::Value(Expression::Literal(value)), span, depth: 1 })
    } else {
        cursor.expected("a variable or a literal");
        None
    }
}

/// A literal or a variable. The lexer takes `n-1` for one word; here it is `n`, and the rest is left.
fn word(cursor: &mut Cursor<'_>) -> Option<Part> {
    let text = cursor.word()?;
    if let "true" | "false" | "null" = text {
        return value(cursor);
    }
    let length = text.find('-').unwrap_or(text.len());
    if let "and" | "or" | "if" | "do" | "else" = &text[..length] {
        cursor.expected("a variable or a literal");
        return None;
    }
    let span = cursor.take_front(length);
    let number = text[..length].starts_with(|first: char| first.is_ascii_digit());
    let expression = match Number::parse(&text[..length]).filter(|_| number) {
        Some(number) => Expression::Literal(Value::Number(number)),
        None => Expression::Variable(variable(cursor, span)?),
    };
    Some(Part { kind: PartKind::Value(expression), span, depth: 1 })
}
