// SPDX-License-Identifier: MIT OR Apache-2.0
//! A catalogue as text to paste into a spec.

use std::fmt::Write as _;

use gnomon_core::diagnostic::Span;
use gnomon_ir::pattern::Path;
use gnomon_ir::spec::{Alternative, EventDeclaration, Participant};

use crate::{Catalogue, Event, Field};

/// How wide comments are.
const WIDTH: usize = 110;
/// How much of a document's own words is repeated.
const LONGEST_TEXT: usize = 3 * WIDTH;

/// The declarations of all events, with what the document says about each.
pub fn declarations(catalogue: &Catalogue) -> String {
    let source = shown(&catalogue.source_name);
    let count = catalogue.events.len();
    let mut out =
        format!("# {source}: {count} {} ({})\n", if count == 1 { "message" } else { "messages" }, catalogue.kind);
    for event in &catalogue.events {
        out.push('\n');
        comments(event, &mut out);
        let _ = writeln!(out, "{}", declaration(event));
    }
    out
}

/// The declaration of an event. Data that every such message carries are its parameters: a message without one of them
/// would match no atom that has any.
pub fn declaration(event: &Event) -> String {
    let span = Span::default();
    let parameters: Vec<&Field> = event.fields.iter().filter(|field| field.required).collect();
    let moved = parameters.iter().filter(|field| field.path != [field.name.clone()]);
    let renames = moved.filter_map(|field| {
        let (first, steps) = field.path.split_first()?;
        Some((Path { field: first.clone(), steps: steps.to_vec() }, field.name.clone()))
    });
    let end = |name: &String| Participant::Named(name.clone());
    let names: Vec<String> = parameters.iter().map(|field| field.name.clone()).collect();
    gnomon_lang::print_event(&EventDeclaration {
        name: event.name.clone(),
        name_span: span,
        parameters: (!names.is_empty()).then_some(names),
        alternatives: vec![Alternative {
            event: event.name.clone(),
            condition: None,
            renames: renames.collect(),
            span,
        }],
        participants: event.participants.as_ref().map(|(from, to)| (end(from), end(to))),
    })
}

/// What the document says, and the data that is there only sometimes.
fn comments(event: &Event, out: &mut String) {
    if let Some(text) = &event.text {
        let mut text = shown(text);
        if text.chars().count() > LONGEST_TEXT {
            text = text.chars().take(LONGEST_TEXT).collect::<String>() + " …";
        }
        comment("", &text, out);
    }
    let optional: Vec<String> =
        event.fields.iter().filter(|field| !field.required).map(|field| shown(&field.path.join("/"))).collect();
    if !optional.is_empty() {
        comment("sometimes: ", &optional.join(", "), out);
    }
}

/// Lines that begin with `#`, broken between words.
fn comment(head: &str, text: &str, out: &mut String) {
    let mut line = format!("# {head}");
    let mut is_new = true;
    for word in text.split(' ') {
        if !is_new && line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(out, "{}", line.trim_end());
            (line, is_new) = ("# ".to_owned(), true);
        }
        if !is_new {
            line.push(' ');
        }
        line.push_str(word);
        is_new = false;
    }
    let _ = writeln!(out, "{}", line.trim_end());
}

/// A text without what would end a comment or turn a terminal's head.
fn shown(text: &str) -> String {
    let plain = |letter: char| if letter.is_control() || letter == '\u{2028}' { ' ' } else { letter };
    text.chars().map(plain).collect()
}
