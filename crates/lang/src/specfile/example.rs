// SPDX-License-Identifier: MIT OR Apache-2.0
//! Examples: `accepts`, `rejects` and `expect`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::time::Quantity;
use gnomon_core::value::Value;
use gnomon_core::verdict::Verdict;
use gnomon_ir::spec::{Example, ExampleArguments, ExampleEvent, ExampleTrace};

use super::block::braces;
use super::cursor::Cursor;
use super::lexer::Kind;
use super::literal::{UnitPlace, name, quantity, text, try_name, value};
use super::parse::{File, own_name};
use super::similar::nearest;

/// `accepts NAME { events }` or `rejects NAME { events }`
pub(super) fn events(cursor: &mut Cursor<'_>, file: &mut File<'_>) -> Option<()> {
    let start = cursor.bump();
    let verdict = if cursor.text(start) == "accepts" { Verdict::Holds } else { Verdict::Violated };
    let property = own_name(cursor, file.readers, "the name of a property")?;
    let Some(body) = braces(cursor, file.readers) else {
        cursor.expected("`{` and the events of the example");
        return None;
    };
    let before = cursor.count();
    let events = cursor.within(body.end, "the example", trace);
    let span = start.span.to(body.span);
    if body.closed {
        cursor.bump();
    } else if cursor.count() == before {
        cursor.unclosed(body.opening, "}");
    }
    file.spec.examples.push(Example {
        property: property.name,
        property_span: property.span,
        verdict,
        trace: ExampleTrace::Events(events),
        span,
    });
    Some(())
}

/// Events separated by `.`; what cannot be understood is skipped up to the next one.
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
            if understood && matches!(cursor.peek().kind, Kind::Word | Kind::Text) {
                break;
            }
            cursor.bump();
        }
    }
    events
}

/// Takes another separator than `.`, and reports it.
fn separated_otherwise(cursor: &mut Cursor<'_>) -> bool {
    let token = cursor.peek();
    let other = matches!(token.kind, Kind::Symbol("," | ";" | "->"));
    if other || token.kind == Kind::Word || token.kind == Kind::Text {
        let end = cursor.previous().map_or(token.span.start, |before| before.span.end);
        let span = if other { token.span } else { Span { start: end, end } };
        cursor.blame(
            Diagnostic::error("G0101", token.span, format!("expected `.`, found {}", cursor.describe(token)))
                .label("events of an example are separated by `.`")
                .edit("write `.` between the events", span, "."),
        );
        if other {
            cursor.bump();
        }
        return true;
    }
    false
}

/// `pay(user: "ann", amount: 5)@10`
fn event(cursor: &mut Cursor<'_>) -> Option<ExampleEvent> {
    cursor.grow();
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
        cursor.grow();
        let start = cursor.peek().span;
        match argument(cursor)? {
            (Some(field), value) => {
                if let Some(before) = first.insert(field.clone(), start) {
                    field_twice(cursor, &field, start, before);
                }
                named.push((field, value));
            }
            (None, value) => positional.push(value),
        }
        if !named.is_empty() && !positional.is_empty() {
            cursor.blame(
                Diagnostic::error("G0604", start, "an event's data are given both by position and by name")
                    .label("the data before this are given the other way")
                    .help("name every field, `pay(user: \"ann\", amount: 5)`, or none, `pay(\"ann\", 5)`"),
            );
            // What was given first is kept, so that the rest of the file can still be read.
            if named.len() > positional.len() { positional.clear() } else { named.clear() }
        }
        if cursor.eat(",").is_none() {
            break;
        }
    }
    Some(if named.is_empty() { ExampleArguments::Positional(positional) } else { ExampleArguments::Named(named) })
}

fn field_twice(cursor: &mut Cursor<'_>, field: &str, span: Span, before: Span) {
    cursor.report(
        Diagnostic::error("G0202", span, format!("the field `{field}` is there twice"))
            .label("given again here")
            .also(before, "given here first")
            .help("give each field one value"),
    );
}

/// A value, or a field, `:` and a value.
fn argument(cursor: &mut Cursor<'_>) -> Option<(Option<String>, Value<'static>)> {
    let token = cursor.peek();
    let nameable = matches!(token.kind, Kind::Word | Kind::Text | Kind::OpenText);
    if nameable && (cursor.nth_is(1, ":") || cursor.nth_is(1, "=")) {
        let field = try_name(cursor)?;
        let mark = cursor.bump();
        if cursor.text(mark) == "=" {
            cursor.report(super::condition::respelt("=", mark.span, ":"));
        }
        return Some((Some(field.name), value(cursor)?));
    }
    if token.kind == Kind::Word
        && let Some((field, word)) = cursor.text(token).rsplit_once(':')
    {
        cursor.bump();
        return Some((Some(field.to_owned()), glued(cursor, token.span, field, word)));
    }
    value(cursor).map(|value| (None, value))
}

/// `user:true` and `user:ann` are one word to the lexer.
fn glued(cursor: &mut Cursor<'_>, span: Span, field: &str, word: &str) -> Value<'static> {
    match word {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "null" => Value::Null,
        _ => {
            cursor.report(
                Diagnostic::error("G0108", span, format!("`{word}` is no number, text, `true`, `false` or `null`"))
                    .label("a value is expected after the colon")
                    .edit("write a text in quotes", span, format!("{field}: \"{word}\"")),
            );
            Value::Text(Cow::Owned(word.to_owned()))
        }
    }
}

/// `expect NAME VERDICT on "file"`
pub(super) fn expect(cursor: &mut Cursor<'_>, file: &mut File<'_>) -> Option<()> {
    let start = cursor.bump().span;
    let property = own_name(cursor, file.readers, "the name of a property")?;
    let verdict = verdict(cursor)?;
    if cursor.eat_word("on").is_none() {
        cursor.expected("`on` and a file");
        return None;
    }
    let token = cursor.peek();
    if !matches!(token.kind, Kind::Text | Kind::OpenText) {
        let diagnostic = cursor.unexpected("a file in quotes");
        cursor.blame(if token.kind == Kind::Word {
            let word = cursor.text(token);
            diagnostic.edit("write the file's name in quotes", token.span, format!("\"{word}\""))
        } else {
            diagnostic
        });
        return None;
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

/// The outer `None`: no word at all; the inner: a wrong one.
#[expect(clippy::option_option, reason = "absent and wrong are two things")]
fn verdict(cursor: &mut Cursor<'_>) -> Option<Option<Verdict>> {
    const VERDICTS: [Verdict; 3] = [Verdict::Holds, Verdict::Violated, Verdict::Inconclusive];
    let token = cursor.peek();
    let Some(word) = cursor.word() else {
        cursor.expected("a verdict: `holds`, `violated` or `inconclusive`");
        return None;
    };
    cursor.bump();
    let found = VERDICTS.into_iter().find(|verdict| verdict.word() == word);
    if found.is_none() {
        let diagnostic = Diagnostic::error("G0602", token.span, format!("`{word}` is no verdict"))
            .label("verdicts are `holds`, `violated` and `inconclusive`");
        let meant = match word {
            "true" | "ok" | "satisfied" | "passes" | "accepts" | "accepted" => Some("holds"),
            "false" | "fails" | "broken" | "rejects" | "rejected" => Some("violated"),
            "unknown" | "undecided" => Some("inconclusive"),
            _ => nearest(word, VERDICTS.map(Verdict::word)),
        };
        cursor.report(match meant {
            Some(meant) => diagnostic.edit(format!("write `{meant}`"), token.span, meant),
            None => diagnostic.help("write one of them"),
        });
    }
    Some(found)
}
