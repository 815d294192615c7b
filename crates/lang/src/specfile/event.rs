// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event declarations: which events of the trace a name of the spec stands for.

use std::collections::BTreeMap;

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::pattern::{Condition, Path};
use gnomon_ir::spec::{Alternative, EventDeclaration, Participant};

use super::condition::{after_condition, condition, path, skip_bracket};
use super::cursor::Cursor;
use super::lexer::Kind;
use super::literal::{Named, name};
use super::parse::{File, own_name};
use super::similar::nearest;

/// `event name(parameters) = alternative | ... from A to B`
pub(super) fn event(cursor: &mut Cursor<'_>, file: &mut File<'_>) -> Option<()> {
    cursor.bump();
    let declared = own_name(cursor, file.readers, "the event's name")?;
    let parameters = parameters(cursor)?;
    let mut alternatives = Vec::new();
    if cursor.eat("=").is_some() {
        loop {
            alternatives.push(alternative(cursor, parameters.as_deref().unwrap_or_default())?);
            if cursor.eat("|").is_none() {
                break;
            }
        }
    } else {
        let alternative =
            Alternative { event: declared.name.clone(), condition: None, renames: vec![], span: declared.span };
        alternatives.push(alternative);
    }
    let participants = participants(cursor)?;
    file.spec.events.push(EventDeclaration {
        name: declared.name,
        name_span: declared.span,
        parameters: parameters.map(|parameters| parameters.into_iter().map(|parameter| parameter.name).collect()),
        alternatives,
        participants,
    });
    Some(())
}

/// `(a, b)`; the outer `None`: something else stands there.
#[expect(clippy::option_option, reason = "absent and wrong are two things")]
fn parameters(cursor: &mut Cursor<'_>) -> Option<Option<Vec<Named>>> {
    let Some(opening) = cursor.eat("(") else { return Some(None) };
    let mut parameters: Vec<Named> = Vec::new();
    let mut first: BTreeMap<String, Span> = BTreeMap::new();
    while !cursor.is(")") {
        let parameter = name(cursor, "a parameter's name")?;
        if let Some(before) = first.insert(parameter.name.clone(), parameter.span) {
            let name = &parameter.name;
            cursor.report(
                Diagnostic::error("G0202", parameter.span, format!("the parameter `{name}` is there twice"))
                    .label("named again here")
                    .also(before, "named here first")
                    .help("give each parameter a name of its own"),
            );
        }
        parameters.push(parameter);
        if cursor.eat(",").is_none() {
            break;
        }
    }
    cursor.close(opening, ")")?;
    Some(Some(parameters))
}

/// `name[items]`
fn alternative(cursor: &mut Cursor<'_>, parameters: &[Named]) -> Option<Alternative> {
    let event = name(cursor, "the name of an event of the trace")?;
    let mut alternative = Alternative { event: event.name, condition: None, renames: vec![], span: event.span };
    if cursor.is("(") {
        let span = cursor.peek().span;
        cursor.blame(
            Diagnostic::error("G0101", span, "expected `[`, found `(`")
                .label("events of the trace are told apart by their fields")
                .help("name the fields behind the parameters: `[field as parameter]`"),
        );
        return None;
    }
    let Some(opening) = cursor.eat("[") else { return Some(alternative) };
    let mut conditions: Vec<Condition> = Vec::new();
    let mut renamed: BTreeMap<String, Span> = BTreeMap::new();
    let understood = loop {
        match item(cursor) {
            Some(Item::Condition(condition)) => conditions.push(condition),
            Some(Item::Rename(field, parameter)) => {
                let before = renamed.insert(parameter.name.clone(), parameter.span);
                known_parameter(cursor, &parameter, parameters, before);
                alternative.renames.push((field, parameter.name));
            }
            None => break false,
        }
        if cursor.eat(",").is_none() {
            break true;
        }
    };
    alternative.condition = Condition::all(conditions);
    let end = if understood && cursor.is("]") {
        cursor.bump().span
    } else {
        if understood {
            after_condition(cursor, opening);
        }
        skip_bracket(cursor)
    };
    alternative.span = alternative.span.to(end);
    Some(alternative)
}

enum Item {
    Condition(Condition),
    Rename(Path, Named),
}

/// `field as parameter`, or a condition.
fn item(cursor: &mut Cursor<'_>) -> Option<Item> {
    if !is_rename(cursor) {
        return condition(cursor).map(Item::Condition);
    }
    let field = path(cursor)?;
    cursor.bump();
    name(cursor, "a parameter's name").map(|parameter| Item::Rename(field, parameter))
}

/// Whether a path and `as` come next.
fn is_rename(cursor: &Cursor<'_>) -> bool {
    let mut at = 0;
    loop {
        at += usize::from(cursor.nth_is(at, "@"));
        match cursor.nth(at).kind {
            Kind::Word | Kind::Text | Kind::OpenText | Kind::Number => {}
            _ => return false,
        }
        if !cursor.nth_is(at + 1, "/") {
            return cursor.nth_word(at + 1) == Some("as");
        }
        at += 2;
    }
}

fn known_parameter(cursor: &mut Cursor<'_>, parameter: &Named, parameters: &[Named], before: Option<Span>) {
    let Named { name, span } = parameter;
    if let Some(before) = before {
        cursor.report(
            Diagnostic::error("G0202", *span, format!("the parameter `{name}` is taken from two fields"))
                .label("taken again here")
                .also(before, "taken here first")
                .help("take each parameter from one field"),
        );
    }
    if parameters.iter().any(|known| known.name == *name) {
        return;
    }
    let diagnostic = Diagnostic::error("G0205", *span, format!("`{name}` is no parameter of this event"))
        .label("not among the parameters in parentheses");
    cursor.report(match nearest(name, parameters.iter().map(|known| known.name.as_str())) {
        Some(meant) => diagnostic.edit(format!("a parameter `{meant}` exists"), *span, meant),
        None => diagnostic.help(format!("declare it after the event's name: `({name})`")),
    });
}

/// `from A to B`; the outer `None`: only half of it is there.
#[expect(clippy::option_option, reason = "absent and wrong are two things")]
fn participants(cursor: &mut Cursor<'_>) -> Option<Option<(Participant, Participant)>> {
    if cursor.eat_word("from").is_none() {
        return Some(None);
    }
    let sender = participant(cursor)?;
    if cursor.eat_word("to").is_none() {
        cursor.expected("`to` and the receiver");
        return None;
    }
    Some(Some((sender, participant(cursor)?)))
}

fn participant(cursor: &mut Cursor<'_>) -> Option<Participant> {
    if cursor.eat("$").is_some() {
        return name(cursor, "the field that names the participant").map(|field| Participant::Field(field.name));
    }
    name(cursor, "a participant: a name, or `$` and a field").map(|named| Participant::Named(named.name))
}
