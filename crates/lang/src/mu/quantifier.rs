// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantified variables: `forall x,y:Nat, b:Bool.`

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::modal::{Sort, Sorted};
use gnomon_ir::spec::{QuantifierKind, Variable};

use super::KEYWORDS;
use crate::specfile::condition::respelt;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;
use crate::specfile::literal::declared_variable;

/// The quantifier at the current token.
pub(super) fn kind_at(cursor: &Cursor<'_>) -> Option<QuantifierKind> {
    let token = cursor.peek();
    match (token.kind, cursor.text(token)) {
        (Kind::Word, "forall") | (Kind::Unknown, "∀") => Some(QuantifierKind::Forall),
        (Kind::Word, "exists") | (Kind::Unknown, "∃") => Some(QuantifierKind::Exists),
        _ => None,
    }
}

/// Reads the variables of a quantifier, from its word to its dot; `None` if there are none that can be understood, which has
/// been reported.
pub(super) fn variables(cursor: &mut Cursor<'_>) -> Option<Vec<Sorted>> {
    cursor.bump();
    let mut variables = Vec::new();
    let mut understood = true;
    loop {
        let names = names(cursor)?;
        let Some((sort, sort_name)) = sort(cursor, &names) else {
            understood = false;
            if cursor.eat(".").is_some() {
                break;
            }
            return None;
        };
        for variable in names {
            cursor.grow();
            match variable {
                Some(variable) => {
                    cursor.bind(&variable.name);
                    variables.push(Sorted { variable, sort, sort_name: sort_name.clone() });
                }
                None => understood = false,
            }
        }
        if cursor.eat(",").is_none() {
            dot(cursor);
            break;
        }
    }
    understood.then_some(variables)
}

/// `x, y` before a sort; the inner `None`: it cannot be a variable.
fn names(cursor: &mut Cursor<'_>) -> Option<Vec<Option<Variable>>> {
    let mut names = Vec::new();
    loop {
        if cursor.peek().kind != Kind::Word {
            cursor.expected("a variable");
            return None;
        }
        let span = cursor.bump().span;
        let word = cursor.slice(span);
        names.push(if KEYWORDS.contains(&word) {
            let diagnostic = Diagnostic::error("G0116", span, format!("`{word}` cannot be a variable"));
            cursor.report(diagnostic.label("this word has a meaning of its own").help("choose another name"));
            None
        } else {
            declared_variable(cursor, span)
        });
        if cursor.eat(",").is_none() {
            return Some(names);
        }
    }
}

/// `: Nat`
fn sort(cursor: &mut Cursor<'_>, names: &[Option<Variable>]) -> Option<(Sort, String)> {
    if cursor.eat(":").is_none() {
        let last = cursor.previous().map_or(cursor.peek().span, |last| last.span);
        let name = names.iter().flatten().next_back().map_or("x", |variable| variable.name.as_str());
        cursor.blame(
            Diagnostic::error("G0157", last, format!("the variable `{name}` has no sort"))
                .label("what values may it have?")
                .edit(
                    "say which: `Int`, `Nat`, `Pos`, `Real`, `Bool`; any other name is any value",
                    last,
                    format!("{name}:Any"),
                ),
        );
        return None;
    }
    let Some(word) = cursor.word() else {
        cursor.expected("a sort, such as `Int` or `Bool`");
        return None;
    };
    let start = cursor.bump().span;
    let sort = match word {
        "Bool" => Sort::Boolean,
        "Pos" => Sort::Positive,
        "Nat" => Sort::Natural,
        "Int" => Sort::Integer,
        "Real" => Sort::Real,
        _ => Sort::Any,
    };
    let end = applied(cursor, start);
    Some((if end == start { sort } else { Sort::Any }, cursor.slice(start.to(end)).to_owned()))
}

/// The end of `List(Nat)`.
fn applied(cursor: &mut Cursor<'_>, start: Span) -> Span {
    let opening = cursor.peek().span;
    let mut depth = 0_u32;
    while cursor.is("(") || (depth > 0 && matches!(cursor.peek().kind, Kind::Word | Kind::Symbol(")" | ","))) {
        let token = cursor.bump();
        match token.kind {
            Kind::Symbol("(") => depth += 1,
            Kind::Symbol(")") => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return token.span;
        }
    }
    if depth > 0 {
        cursor.unclosed(opening, ")");
    }
    start
}

/// The dot after the variables.
fn dot(cursor: &mut Cursor<'_>) {
    if cursor.eat(".").is_some() {
        return;
    }
    let token = cursor.peek();
    if let Kind::Symbol(":" | "|") = token.kind {
        cursor.report(respelt(cursor.text(token), token.span, "."));
        cursor.bump();
        return;
    }
    let end = cursor.previous().map_or(token.span.start, |before| before.span.end);
    let found = cursor.describe(token);
    cursor.blame(
        Diagnostic::error("G0101", token.span, format!("expected `.`, found {found}"))
            .label("a dot ends the list of variables")
            .edit("write a dot after the variables", Span { start: end, end }, "."),
    );
}
