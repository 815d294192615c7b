// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses declarations of events, which say what events of the trace a name of the spec stands for, and of external
//! variables, `extern $rate from "http://..." path "/eur" every 60s`, whose values are fetched from outside the trace.

use std::collections::BTreeMap;

use gnomon_core::{Diagnostic, Quantity, Span};
use gnomon_ir::{Alternative, Condition, EventDeclaration, ExternDeclaration, Participant, Path};

use super::parse::{SpecBuilder, own_name};
use crate::syntax::condition::{close_bracket, condition, path};
use crate::syntax::literal::{name, quoted};
use crate::syntax::{Cursor, Name, Token, UnitPlace, duplicate, nearest, print, quantity};

/// Reads `event name(parameters) = alternative | ... from A to B`.
pub(super) fn event(cursor: &mut Cursor<'_>, file: &mut SpecBuilder<'_>) -> Option<()> {
    cursor.bump();
    let declared = own_name(cursor, file.frontends, "the event's name")?;
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

/// Reads `(a, b)`, if it is there. Returns `None` after reporting an error.
fn parameters(cursor: &mut Cursor<'_>) -> Option<Option<Vec<Name>>> {
    let Some(opening) = cursor.eat("(") else { return Some(None) };
    let mut parameters: Vec<Name> = Vec::new();
    let mut first: BTreeMap<String, Span> = BTreeMap::new();
    while !cursor.is(")") {
        let parameter = name(cursor, "a parameter's name")?;
        if let Some(before) = first.insert(parameter.name.clone(), parameter.span) {
            let name = &parameter.name;
            let message = format!("the parameter `{name}` occurs twice");
            let diagnostic = duplicate("G0202", parameter.span, before, message, "named");
            cursor.report(diagnostic.help("give each parameter a different name"));
        }
        parameters.push(parameter);
        if cursor.eat(",").is_none() {
            break;
        }
    }
    cursor.close(opening, ")")?;
    Some(Some(parameters))
}

/// Reads `name[items]`.
fn alternative(cursor: &mut Cursor<'_>, parameters: &[Name]) -> Option<Alternative> {
    let event = name(cursor, "the name of an event of the trace")?;
    let mut alternative = Alternative { event: event.name, condition: None, renames: vec![], span: event.span };
    if cursor.is("(") {
        let diagnostic = cursor.mismatch("`[`", "a condition on the fields of events of the trace is expected");
        let help = "name the fields behind the parameters: `[field as parameter]`";
        return cursor.report_once(diagnostic.help(help)).none();
    }
    let Some(opening) = cursor.eat("[") else { return Some(alternative) };
    let mut conditions: Vec<Condition> = Vec::new();
    let mut renamed: BTreeMap<String, Span> = BTreeMap::new();
    let understood = loop {
        match item(cursor) {
            Some(AlternativeItem::Condition(condition)) => conditions.push(condition),
            Some(AlternativeItem::Rename(field, parameter)) => {
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
    let end = close_bracket(cursor, opening, understood);
    alternative.span = alternative.span.to(end);
    Some(alternative)
}

enum AlternativeItem {
    Condition(Condition),
    Rename(Path, Name),
}

/// Reads `field as parameter`, or a condition.
fn item(cursor: &mut Cursor<'_>) -> Option<AlternativeItem> {
    if !is_rename(cursor) {
        return condition(cursor).map(AlternativeItem::Condition);
    }
    let field = path(cursor)?;
    cursor.bump();
    name(cursor, "a parameter's name").map(|parameter| AlternativeItem::Rename(field, parameter))
}

/// Returns true if a path and `as` come next.
fn is_rename(cursor: &Cursor<'_>) -> bool {
    let mut at = 0;
    loop {
        at += usize::from(cursor.nth_is(at, "@"));
        match cursor.nth(at).kind {
            Token::Word | Token::Text | Token::OpenText | Token::Number => {}
            _ => return false,
        }
        if !cursor.nth_is(at + 1, "/") {
            return cursor.nth_word(at + 1) == Some("as");
        }
        at += 2;
    }
}

fn known_parameter(cursor: &mut Cursor<'_>, parameter: &Name, parameters: &[Name], before: Option<Span>) {
    let Name { name, span } = parameter;
    if let Some(before) = before {
        let message = format!("the parameter `{name}` is taken from two fields");
        cursor.report(duplicate("G0202", *span, before, message, "taken").help("take each parameter from one field"));
    }
    if parameters.iter().any(|known| known.name == *name) {
        return;
    }
    let diagnostic = Diagnostic::error("G0205", *span, format!("`{name}` is not a parameter of this event"))
        .label("not among the parameters in parentheses");
    cursor.report(match nearest(name, parameters.iter().map(|known| known.name.as_str())) {
        Some(meant) => diagnostic.edit(format!("a parameter `{meant}` exists"), *span, meant),
        None => diagnostic.help(format!("declare it after the event's name: `({name})`")),
    });
}

/// Reads `from A to B`, if it is there. Returns `None` after reporting that a part is missing.
fn participants(cursor: &mut Cursor<'_>) -> Option<Option<(Participant, Participant)>> {
    if cursor.eat_word("from").is_none() {
        return Some(None);
    }
    let sender = participant(cursor)?;
    if cursor.eat_word("to").is_none() {
        return cursor.expected("`to` and the receiver").none();
    }
    Some(Some((sender, participant(cursor)?)))
}

fn participant(cursor: &mut Cursor<'_>) -> Option<Participant> {
    if cursor.eat("$").is_some() {
        return name(cursor, "the field that names the participant").map(|field| Participant::Field(field.name));
    }
    name(cursor, "a participant: a name, or `$` and a field").map(|named| Participant::Named(named.name))
}

/// Fields that the event which records a read already has, beside the variable itself, and usual fields for names and
/// times.
const RESERVED_FIELDS: &[&str] =
    &["variable", "failed", "reason", "event", "name", "time", "timestamp", "ts", "time:timestamp"];

/// The schemes of addresses that can be fetched.
const SCHEMES: &[&str] = &["http", "https"];

/// Returns true if the statement begins here. An event may be called `extern` too.
pub(super) fn begins_extern(cursor: &Cursor<'_>) -> bool {
    cursor.word() == Some("extern") && cursor.nth_is(1, "$")
}

/// Reads `extern $NAME from "SOURCE" path "/PATH" every DURATION`; path and period are optional, in any order.
pub(super) fn external(cursor: &mut Cursor<'_>, file: &mut SpecBuilder<'_>) -> Option<()> {
    let start = cursor.bump().span;
    if cursor.eat("$").is_none() {
        let edit = |word: &str| format!("${word}");
        return cursor.expected_edit("`$` and the name of a variable", "write `$` before the name", edit).none();
    }
    let variable = name(cursor, "the name of a variable")?;
    if cursor.eat_word("from").is_none() {
        return cursor.expected("`from` and an address or a file").none();
    }
    let (source, source_span) = quoted(cursor, "an address or a file, in quotes")?;
    check_source(cursor, &source, source_span);
    let (mut path, mut every) = (None, None);
    loop {
        match cursor.word() {
            Some("path") if path.is_none() => {
                cursor.bump();
                path = Some(answer_path(cursor)?);
            }
            Some("every") if every.is_none() => {
                cursor.bump();
                every = Some(period(cursor)?);
            }
            _ => break,
        }
    }
    let span = cursor.since(start);
    check_field_name(cursor, &variable, file.spec.time.field.as_deref());
    file.spec.externs.push(ExternDeclaration {
        name: variable.name,
        name_span: variable.span,
        source,
        path,
        every,
        span,
    });
    Some(())
}

/// Reports an address that cannot be fetched. A source that is not an address is a file.
fn check_source(cursor: &mut Cursor<'_>, source: &str, span: Span) {
    let scheme = source.split_once("://").map(|(scheme, _)| scheme);
    let message = match scheme {
        None if source.is_empty() => "an external variable needs a source".to_owned(),
        Some(scheme) if !SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) => {
            format!("`{scheme}` addresses are not supported")
        }
        None | Some(_) => return,
    };
    cursor.report(
        Diagnostic::error("G0736", span, message)
            .label("an address, or a file beside the spec, is expected")
            .help("write `\"http://...\"`, `\"https://...\"`, or the name of a JSON or CSV file"),
    );
}

/// Reads `"/eur"`, the path to the value in the answer.
fn answer_path(cursor: &mut Cursor<'_>) -> Option<String> {
    let (path, span) = quoted(cursor, "the path to the value in the answer, in quotes: `\"/eur\"`")?;
    if path.is_empty() || path.starts_with('/') {
        return Some(path);
    }
    let edit = print::text(|out| print::quoted(&format!("/{path}"), out));
    let diagnostic = Diagnostic::error("G0737", span, "a path begins with `/`");
    let diagnostic = diagnostic.label("each `/` is a step into the answer");
    cursor.report(diagnostic.edit("write `/` before the first step", span, edit));
    Some(path)
}

/// Reads `60s`, the age at which a value is fetched again.
fn period(cursor: &mut Cursor<'_>) -> Option<Quantity> {
    let (every, span) = quantity(cursor, UnitPlace::Sure, "the greatest age of a value: `60s`")?;
    if every.billionths < 0 {
        cursor.report(
            Diagnostic::error("G0740", span, "a period cannot be negative")
                .label("the age after which a value is requested again")
                .help("write a period such as `60s`, or `0` to request it in every state"),
        );
    }
    Some(every)
}

/// Reports a variable whose name is reserved: a read is recorded as an event with a field of the variable's name.
fn check_field_name(cursor: &mut Cursor<'_>, variable: &Name, time: Option<&str>) {
    let Name { name, span } = variable;
    if !RESERVED_FIELDS.contains(&name.to_ascii_lowercase().as_str()) && time != Some(name) {
        return;
    }
    cursor.report(
        Diagnostic::error("G0738", *span, format!("`${name}` cannot be an external variable"))
            .label("the event that records a read has another field of this name")
            .help(format!("choose another name, such as `$external_{name}`")),
    );
}
