// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conditions on an event's fields: `amount > 1000 && !(order/items/0 = "x")`.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::value::Comparison;
use gnomon_ir::pattern::{Condition, Path};

use super::chain::join;
use super::cursor::Cursor;
use super::lexer::Kind;
use super::literal::{try_name, value};

/// Reads a condition. Blames the current token if there is none.
pub(crate) fn condition(cursor: &mut Cursor<'_>) -> Option<Condition> {
    operands(cursor, "||", |cursor| operands(cursor, "&&", operand, Condition::And), Condition::Or)
}

fn operands(
    cursor: &mut Cursor<'_>,
    operator: &'static str,
    read: impl Fn(&mut Cursor<'_>) -> Option<Condition>,
    both: fn(Box<Condition>, Box<Condition>) -> Condition,
) -> Option<Condition> {
    let mut parts = vec![read(cursor)?];
    while take_operator(cursor, operator) {
        parts.push(read(cursor)?);
    }
    join(parts, &mut |left, right| both(Box::new(left), Box::new(right)))
}

/// Takes `&&` or `||`, also in a spelling that is reported.
fn take_operator(cursor: &mut Cursor<'_>, operator: &'static str) -> bool {
    if cursor.eat(operator).is_some() {
        return true;
    }
    let token = cursor.peek();
    let slip = match (operator, token.kind) {
        ("&&", Kind::Symbol("&")) | ("||", Kind::Symbol("|")) => true,
        (_, Kind::Word) => matches!((operator, cursor.text(token)), ("&&", "and" | "AND") | ("||", "or" | "OR")),
        _ => false,
    };
    if slip {
        cursor.bump();
        cursor.report(respelt(cursor.text(token), token.span, operator));
    }
    slip
}

fn operand(cursor: &mut Cursor<'_>) -> Option<Condition> {
    cursor.grow();
    if !cursor.enter() {
        cursor.leave();
        return None;
    }
    let result = if cursor.eat("!").is_some() {
        operand(cursor).map(|of| Condition::Not(Box::new(of)))
    } else if let Some(opening) = cursor.eat("(") {
        condition(cursor).filter(|_| cursor.close(opening, ")").is_some())
    } else {
        compare(cursor)
    };
    cursor.leave();
    result
}

fn compare(cursor: &mut Cursor<'_>) -> Option<Condition> {
    if let Some(diagnostic) = turned_round(cursor) {
        cursor.blame(diagnostic);
        return None;
    }
    let field = path(cursor)?;
    let Some(comparison) = comparison(cursor) else {
        let diagnostic = cursor.unexpected("one of `= != < <= > >=`");
        cursor.blame(match diagnostic.help {
            Some(_) => diagnostic,
            None => diagnostic.help("compare the field with a value, as in `amount > 5` or `done = true`"),
        });
        return None;
    };
    Some(Condition::Compare(field, comparison, value(cursor)?))
}

/// `1000 < amount`: the field comes first.
fn turned_round(cursor: &Cursor<'_>) -> Option<Diagnostic> {
    let (first, operator, last) = (cursor.peek(), cursor.nth(1), cursor.nth(2));
    let turned = match operator.kind {
        Kind::Symbol("<") => ">",
        Kind::Symbol("<=") => ">=",
        Kind::Symbol(">") => "<",
        Kind::Symbol(">=") => "<=",
        Kind::Symbol("=" | "==") => "=",
        Kind::Symbol("!=") => "!=",
        _ => return None,
    };
    if first.kind != Kind::Number || last.kind != Kind::Word {
        return None;
    }
    let (number, field) = (cursor.text(first), cursor.text(last));
    Some(
        Diagnostic::error("G0101", first.span, format!("expected a field, found `{number}`"))
            .label("the field comes first")
            .edit("turn the comparison round", first.span.to(last.span), format!("{field} {turned} {number}")),
    )
}

/// Takes a comparison, if there is one.
pub(crate) fn comparison(cursor: &mut Cursor<'_>) -> Option<Comparison> {
    let token = cursor.peek();
    let (comparison, slip) = match token.kind {
        Kind::Symbol("=" | "==") => (Comparison::Equal, false),
        Kind::Symbol("!=") => (Comparison::NotEqual, false),
        Kind::Symbol("<") => (Comparison::Less, false),
        Kind::Symbol("<=") => (Comparison::AtMost, false),
        Kind::Symbol(">") => (Comparison::Greater, false),
        Kind::Symbol(">=") => (Comparison::AtLeast, false),
        Kind::Symbol("=<") => (Comparison::AtMost, true),
        Kind::Symbol("=>") => (Comparison::AtLeast, true),
        _ => return None,
    };
    cursor.bump();
    if slip {
        cursor.report(respelt(cursor.text(token), token.span, comparison.symbol()));
    }
    Some(comparison)
}

/// An operator in another notation's spelling.
pub(crate) fn respelt(written: &str, span: Span, meant: &str) -> Diagnostic {
    Diagnostic::error("G0105", span, format!("`{written}` is written `{meant}` here"))
        .label("the spelling of another notation")
        .edit(format!("write `{meant}`"), span, meant)
}

/// Reads a field, or a path into one. Blames the current token if there is none.
pub(crate) fn path(cursor: &mut Cursor<'_>) -> Option<Path> {
    let Some(field) = try_field(cursor) else {
        cursor.expected("a field");
        return None;
    };
    steps(cursor, field)
}

/// Reads the name of a field, if there is one: a name, or `@` and a name, as attributes of XML are called.
pub(crate) fn try_field(cursor: &mut Cursor<'_>) -> Option<String> {
    if cursor.is("@") && matches!(cursor.nth(1).kind, Kind::Word | Kind::Text) {
        cursor.bump();
        return try_name(cursor).map(|name| format!("@{}", name.name));
    }
    try_name(cursor).map(|name| name.name)
}

/// Reads the steps into a field, if there are any.
pub(crate) fn steps(cursor: &mut Cursor<'_>, field: String) -> Option<Path> {
    let mut steps = Vec::new();
    while cursor.eat("/").is_some() {
        steps.push(step(cursor)?);
    }
    Some(Path { field, steps })
}

fn step(cursor: &mut Cursor<'_>) -> Option<String> {
    let token = cursor.peek();
    if token.kind == Kind::Number && cursor.text(token).bytes().all(|byte| byte.is_ascii_digit()) {
        cursor.bump();
        return Some(cursor.text(token).to_owned());
    }
    let step = try_field(cursor);
    if step.is_none() {
        cursor.expected("a step of the path: a name or an index");
    }
    step
}

/// Reads `[condition]`, if there is one. `None` inside if it could not be understood; reading goes on after the bracket.
pub(crate) fn bracketed(cursor: &mut Cursor<'_>) -> Option<(Option<Condition>, Span)> {
    let opening = cursor.eat("[")?;
    let read = condition(cursor);
    let end = match read {
        Some(_) if cursor.is("]") => cursor.bump().span,
        Some(_) => {
            after_condition(cursor, opening);
            skip_bracket(cursor)
        }
        None => skip_bracket(cursor),
    };
    Some((read, opening.to(end)))
}

/// Blames what stands after a whole condition.
pub(crate) fn after_condition(cursor: &mut Cursor<'_>, opening: Span) {
    if cursor.is(",") {
        let span = cursor.peek().span;
        cursor.blame(
            Diagnostic::error("G0101", span, "expected `]`, found `,`")
                .label("only declarations take several items")
                .edit("join conditions with `&&`", span, " &&"),
        );
    } else {
        cursor.unclosed(opening, "]");
    }
}

/// Skips to the end of a bracket that could not be understood, but not out of the statement.
pub(crate) fn skip_bracket(cursor: &mut Cursor<'_>) -> Span {
    let mut depth = 0_u32;
    loop {
        match cursor.peek().kind {
            Kind::End | Kind::Symbol("{" | "}") => break,
            Kind::Symbol("[") => depth += 1,
            Kind::Symbol("]") if depth == 0 => {
                cursor.bump();
                break;
            }
            Kind::Symbol("]") => depth -= 1,
            _ if depth == 0 && cursor.starts_line() => break,
            _ => {}
        }
        cursor.bump();
    }
    cursor.hush();
    cursor.previous().map_or_else(Span::default, |token| token.span)
}
