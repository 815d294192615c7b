// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conditions on an event's fields: `amount > 1000 && !(order/items/0 = "x")`.

use gnomon_core::datetime::TimePart;
use gnomon_core::{Comparison, Diagnostic, Span};
use gnomon_ir::{Condition, Connective, Path, TimeComparison};

use super::connective::take_connective;
use super::cursor::Cursor;
use super::lexer::{SpannedToken, Token};
use super::literal::{try_name, value};
use super::subtree::join_boxed;
use super::table;

/// Reads a condition. Reports the current token if there is none.
pub(crate) fn condition(cursor: &mut Cursor<'_>) -> Option<Condition> {
    let conjunction = |cursor: &mut Cursor<'_>| operands(cursor, Connective::And, operand, Condition::And);
    operands(cursor, Connective::Or, conjunction, Condition::Or)
}

fn operands(
    cursor: &mut Cursor<'_>,
    connective: Connective,
    read: impl Fn(&mut Cursor<'_>) -> Option<Condition>,
    both: fn(Box<Condition>, Box<Condition>) -> Condition,
) -> Option<Condition> {
    let mut parts = vec![read(cursor)?];
    while take_connective(cursor, connective) {
        parts.push(read(cursor)?);
    }
    join_boxed(parts, both)
}

fn operand(cursor: &mut Cursor<'_>) -> Option<Condition> {
    cursor.count_node();
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
        return cursor.report_once(diagnostic).none();
    }
    if let Some(part) = time_part(cursor) {
        return compare_time(cursor, part);
    }
    let start = cursor.peek().span;
    let field = path(cursor)?;
    let written = cursor.slice(cursor.since(start));
    let Some(comparison) = comparison(cursor) else {
        if cursor.word() == Some("as") && cursor.nth_word(1).is_some_and(|word| cursor.is_bound(word)) {
            let variable = cursor.nth(1);
            return cursor.report_once(variable_in_condition(cursor, written, variable)).none();
        }
        let help = if cursor.word() == Some("as") {
            "in a declaration, put a comma before a parameter: `pay[amount > 5, details/card as card]`"
        } else {
            "compare the field with a value, as in `amount > 5` or `done = true`"
        };
        return cursor.expected_hint("one of `= != < <= > >=`", help).none();
    };
    let operand = cursor.peek();
    if operand.kind == Token::Word && cursor.is_bound(cursor.text(operand)) {
        return cursor.report_once(variable_in_condition(cursor, written, operand)).none();
    }
    Some(Condition::Compare(field, comparison, value(cursor)?))
}

/// Returns the diagnostic about a field that is compared with a variable.
fn variable_in_condition(cursor: &Cursor<'_>, field: &str, variable: SpannedToken) -> Diagnostic {
    let name = cursor.text(variable);
    Diagnostic::error(
        "G0108",
        variable.span,
        format!("`{name}` is a variable, and conditions compare fields with literals only"),
    )
    .label("a value is expected")
    .help(format!(
        "declare the field as a parameter, `event pay({name}) = pay[{field} as {name}]`, and write `pay({name})` here"
    ))
}

/// Returns the part of the event's time that comes next, if one does: `@time`, `@hour` or `@weekday` without quotes.
fn time_part(cursor: &Cursor<'_>) -> Option<TimePart> {
    let word = cursor.nth(1);
    let is_part = cursor.is("@") && word.kind == Token::Word && cursor.nth(2).kind != Token::Symbol("/");
    TimePart::parse(cursor.text(word)).filter(|_| is_part)
}

/// Reads `@hour >= 22`.
fn compare_time(cursor: &mut Cursor<'_>, part: TimePart) -> Option<Condition> {
    cursor.bump();
    cursor.bump();
    let Some(comparison) = comparison(cursor) else {
        return cursor.expected_hint("one of `= != < <= > >=`", part.example()).none();
    };
    let span = cursor.peek().span;
    let literal = value(cursor)?;
    let compared = TimeComparison::new(part, comparison, literal);
    if compared.is_none() {
        let message = format!("`@{}` is not compared with {}", part.word(), format_args!("`{}`", cursor.slice(span)));
        let diagnostic = Diagnostic::error("G0101", span, message).label("no time has this value");
        cursor.report_once(diagnostic.help(part.example()));
    }
    compared.map(|compared| Condition::Time(Box::new(compared)))
}

/// Comparisons with the comparison that means the same with its sides exchanged.
const TURNED: &[(&str, &str)] =
    &[("<", ">"), ("<=", ">="), (">", "<"), (">=", "<="), ("=", "="), ("==", "="), ("!=", "!=")];

/// Returns the diagnostic about `1000 < amount`, where the field should come first.
fn turned_round(cursor: &Cursor<'_>) -> Option<Diagnostic> {
    let (first, operator, last) = (cursor.peek(), cursor.nth(1), cursor.nth(2));
    let Token::Symbol(symbol) = operator.kind else { return None };
    let turned = table::lookup(TURNED, symbol)?;
    if first.kind != Token::Number || last.kind != Token::Word {
        return None;
    }
    let edit = format!("{} {turned} {}", cursor.text(last), cursor.text(first));
    let diagnostic = cursor.mismatch("a field", "the field comes first");
    Some(diagnostic.edit("reverse the comparison", first.span.to(last.span), edit))
}

/// Returns the meaning of a symbol that compares. `=<` and `=>` are spelt `<=` and `>=` here.
fn compared_by(symbol: &str) -> Option<Comparison> {
    match symbol {
        "==" => Some(Comparison::Equal),
        "=<" => Some(Comparison::AtMost),
        "=>" => Some(Comparison::AtLeast),
        _ => Comparison::parse(symbol),
    }
}

/// Takes a comparison, if there is one.
pub(crate) fn comparison(cursor: &mut Cursor<'_>) -> Option<Comparison> {
    let Token::Symbol(symbol) = cursor.peek().kind else { return None };
    let comparison = compared_by(symbol)?;
    cursor.take(matches!(symbol, "=<" | "=>").then_some(comparison.symbol()));
    Some(comparison)
}

/// Returns true if a token compares, be it as it should be spelt or not.
pub(crate) fn is_comparison(token: Token) -> bool {
    matches!(token, Token::Symbol(symbol) if compared_by(symbol).is_some())
}

/// Reads a field, or a path into one. Reports the current token if there is none.
pub(crate) fn path(cursor: &mut Cursor<'_>) -> Option<Path> {
    let Some(field) = try_field(cursor) else {
        return cursor.expected("a field").none();
    };
    steps(cursor, field)
}

/// Reads the name of a field, if there is one: a name, or `@` and a name, as attributes of XML are called.
pub(crate) fn try_field(cursor: &mut Cursor<'_>) -> Option<String> {
    if cursor.is("@") && matches!(cursor.nth(1).kind, Token::Word | Token::Text) {
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
    if token.kind == Token::Number && cursor.text(token).bytes().all(|byte| byte.is_ascii_digit()) {
        cursor.bump();
        return Some(cursor.text(token).to_owned());
    }
    try_field(cursor).or_else(|| cursor.expected("a step of the path: a name or an index").none())
}

/// Reads `[condition]`, if there is one. The condition is `None` if it could not be understood; reading continues after
/// the bracket.
pub(crate) fn bracketed(cursor: &mut Cursor<'_>) -> Option<(Option<Condition>, Span)> {
    let opening = cursor.eat("[")?;
    let read = condition(cursor);
    let end = close_bracket(cursor, opening, read.is_some());
    Some((read, opening.to(end)))
}

/// Takes the closing bracket of conditions, or skips to it. Returns the last token taken.
pub(crate) fn close_bracket(cursor: &mut Cursor<'_>, opening: Span, understood: bool) -> Span {
    if !understood {
        return skip_bracket(cursor);
    }
    if let Some(closing) = cursor.eat("]") {
        return closing;
    }
    if cursor.is(",") {
        let diagnostic = cursor.mismatch("`]`", "only declarations take several items");
        cursor.report_once(diagnostic.edit("join conditions with `&&`", cursor.peek().span, " &&"));
    } else {
        cursor.unclosed(opening, "]");
    }
    skip_bracket(cursor)
}

/// Skips to the end of a bracket that could not be understood, but not out of the statement.
pub(crate) fn skip_bracket(cursor: &mut Cursor<'_>) -> Span {
    let mut depth = 0_u32;
    loop {
        match cursor.peek().kind {
            Token::End | Token::Symbol("{" | "}") => break,
            Token::Symbol("[") => depth += 1,
            Token::Symbol("]") if depth == 0 => {
                cursor.bump();
                break;
            }
            Token::Symbol("]") => depth -= 1,
            _ if depth == 0 && cursor.starts_line() => break,
            _ => {}
        }
        cursor.bump();
    }
    cursor.suppress();
    cursor.last_span(Span::default())
}
