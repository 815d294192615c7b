// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses examples: `accepts`, `rejects` and `expect`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gnomon_core::{Diagnostic, Quantity, Span, Value, Verdict};
use gnomon_ir::spec::{Example, ExampleArguments, ExampleEvent, ExampleTrace};

use super::block::braces;
use super::parse::{SpecBuilder, own_name};
use crate::syntax::literal::{constant, name, text, value};
use crate::syntax::{Cursor, Token, UnitPlace, duplicate, nearest, quantity, respelt, suggest, try_name};

/// Reads `accepts NAME { events }` or `rejects NAME { events }`.
pub(super) fn events(cursor: &mut Cursor<'_>, file: &mut SpecBuilder<'_>) -> Option<()> {
    let start = cursor.bump();
    let verdict = if cursor.text(start) == "accepts" { Verdict::Holds } else { Verdict::Violated };
    let property = own_name(cursor, file.frontends, "the name of a property")?;
    let Some(body) = braces(cursor, file.frontends) else {
        return cursor.expected("`{` and the events of the example").none();
    };
    let events = body.read(cursor, "the example", trace);
    let span = start.span.to(body.span);
    file.spec.examples.push(Example {
        property: property.name,
        property_span: property.span,
        verdict,
        trace: ExampleTrace::Events(events),
        span,
    });
    Some(())
}

/// Reads events separated by `.`. A part that cannot be understood is skipped up to the next event.
fn trace(cursor: &mut Cursor<'_>) -> Vec<ExampleEvent> {
    let mut events = Vec::new();
    while !cursor.at_end() {
        let read = event(cursor);
        let understood = read.is_some();
        events.extend(read);
        if cursor.eat(".").is_some() || cursor.at_end() {
            continue;
        }
        if understood && !separated_otherwise(cursor) {
            cursor.expected("`.` before the next event");
        }
        while !cursor.at_end() && cursor.eat(".").is_none() {
            if understood && matches!(cursor.peek().kind, Token::Word | Token::Text) {
                break;
            }
            cursor.bump();
        }
    }
    events
}

/// Reports another separator than `.`, or none, and takes it.
fn separated_otherwise(cursor: &mut Cursor<'_>) -> bool {
    let token = cursor.peek();
    let other = matches!(token.kind, Token::Symbol("," | ";" | "->"));
    if other || token.kind == Token::Word || token.kind == Token::Text {
        let span = if other { token.span } else { cursor.gap() };
        let diagnostic = cursor.mismatch("`.`", "events of an example are separated by `.`");
        cursor.report_once(diagnostic.edit("write `.` between the events", span, "."));
        if other {
            cursor.bump();
        }
        return true;
    }
    false
}

/// Reads `pay(user: "ann", amount: 5)@10`.
fn event(cursor: &mut Cursor<'_>) -> Option<ExampleEvent> {
    cursor.count_node();
    let name = name(cursor, "an event")?;
    let mut span = name.span;
    let mut arguments = ExampleArguments::Positional(vec![]);
    if cursor.is("(") {
        let opening = cursor.bump().span;
        arguments = self::arguments(cursor)?;
        let end = cursor.close(opening, ")")?;
        span = span.to(end);
    }
    let mut time: Option<Quantity> = None;
    if cursor.eat("@").is_some() {
        let (at, end) = quantity(cursor, UnitPlace::Sure, "a time")?;
        time = Some(at);
        span = span.to(end);
    }
    Some(ExampleEvent { name: name.name, arguments, time, span })
}

fn arguments(cursor: &mut Cursor<'_>) -> Option<ExampleArguments> {
    let mut positional = Vec::new();
    let mut named: Vec<(String, Value<'static>)> = Vec::new();
    let mut first: BTreeMap<String, Span> = BTreeMap::new();
    while !cursor.is(")") && !cursor.at_end() {
        cursor.count_node();
        let start = cursor.peek().span;
        match argument(cursor)? {
            (Some(field), value) => {
                if let Some(before) = first.insert(field.clone(), start) {
                    let message = format!("the field `{field}` occurs twice");
                    cursor
                        .report(duplicate("G0202", start, before, message, "given").help("give each field one value"));
                }
                named.push((field, value));
            }
            (None, value) => positional.push(value),
        }
        if !named.is_empty() && !positional.is_empty() {
            cursor.report_once(
                Diagnostic::error("G0604", start, "an event's data are given both by position and by name")
                    .label("the data before this are given the other way")
                    .help("name every field, `pay(user: \"ann\", amount: 5)`, or none, `pay(\"ann\", 5)`"),
            );
            // The data in the first form are kept, so that the rest of the file can still be read.
            if named.len() > positional.len() { positional.clear() } else { named.clear() }
        }
        if cursor.eat(",").is_none() {
            break;
        }
    }
    Some(if named.is_empty() { ExampleArguments::Positional(positional) } else { ExampleArguments::Named(named) })
}

/// Reads a value, or a field, `:` and a value.
fn argument(cursor: &mut Cursor<'_>) -> Option<(Option<String>, Value<'static>)> {
    let token = cursor.peek();
    let nameable = matches!(token.kind, Token::Word | Token::Text | Token::OpenText);
    if nameable && (cursor.nth_is(1, ":") || cursor.nth_is(1, "=")) {
        let field = try_name(cursor)?;
        let mark = cursor.bump();
        if cursor.text(mark) == "=" {
            cursor.report(respelt("=", mark.span, ":"));
        }
        return Some((Some(field.name), value(cursor)?));
    }
    if token.kind == Token::Word
        && let Some((field, word)) = cursor.text(token).rsplit_once(':')
    {
        cursor.bump();
        return Some((Some(field.to_owned()), glued(cursor, token.span, field, word)));
    }
    value(cursor).map(|value| (None, value))
}

/// Returns the value of `user:true` or `user:ann`, which the lexer reads as one word.
fn glued(cursor: &mut Cursor<'_>, span: Span, field: &str, word: &str) -> Value<'static> {
    constant(word).unwrap_or_else(|| {
        cursor.report(
            Diagnostic::error("G0108", span, format!("`{word}` is not a number, a text, `true`, `false` or `null`"))
                .label("a value is expected after the colon")
                .edit("write a text in quotes", span, format!("{field}: \"{word}\"")),
        );
        Value::Text(Cow::Owned(word.to_owned()))
    })
}

/// Reads `expect NAME VERDICT on "file"`.
pub(super) fn expect(cursor: &mut Cursor<'_>, file: &mut SpecBuilder<'_>) -> Option<()> {
    let start = cursor.bump().span;
    let property = own_name(cursor, file.frontends, "the name of a property")?;
    let verdict = verdict(cursor)?;
    if cursor.eat_word("on").is_none() {
        return cursor.expected("`on` and a file").none();
    }
    let token = cursor.peek();
    if !matches!(token.kind, Token::Text | Token::OpenText) {
        let edit = |word: &str| format!("\"{word}\"");
        return cursor.expected_edit("a file in quotes", "write the file's name in quotes", edit).none();
    }
    file.spec.examples.push(Example {
        property: property.name,
        property_span: property.span,
        verdict: verdict?,
        trace: ExampleTrace::File(text(cursor)),
        span: start.to(token.span),
    });
    Some(())
}

/// Reads a verdict. Returns `None` after reporting that there is no word; the verdict is `None` if the word is not one,
/// which has been reported.
fn verdict(cursor: &mut Cursor<'_>) -> Option<Option<Verdict>> {
    let token = cursor.peek();
    let Some(word) = cursor.word() else {
        return cursor.expected("a verdict: `holds`, `violated` or `inconclusive`").none();
    };
    cursor.bump();
    let found = Verdict::parse(word);
    if found.is_none() {
        let diagnostic = Diagnostic::error("G0602", token.span, format!("`{word}` is not a verdict"))
            .label("verdicts are `holds`, `violated` and `inconclusive`");
        let meant = match word {
            "true" | "ok" | "satisfied" | "passes" | "accepts" | "accepted" => Some("holds"),
            "false" | "fails" | "broken" | "rejects" | "rejected" => Some("violated"),
            "unknown" | "undecided" => Some("inconclusive"),
            _ => nearest(word, Verdict::ALL.map(Verdict::word)),
        };
        cursor.report(suggest(diagnostic, token.span, meant, "write one of them"));
    }
    Some(found)
}
