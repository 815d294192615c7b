// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints a catalogue as declarations to paste into a spec.

use std::fmt::Write as _;

use gnomon_core::diagnostic::Span;
use gnomon_ir::{Alternative, EventDeclaration, Participant, Path};

use crate::{Catalogue, CatalogueEvent, CatalogueField};

/// The width of comments.
const WIDTH: usize = 110;
/// Limit on the length of a description that is repeated in a comment.
const MAX_TEXT_LENGTH: usize = 3 * WIDTH;

/// Prints the declarations of all events, each with the description in the document.
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

/// Prints the declaration of an event. Its parameters are the required fields: an atom with parameters would not match a message that
/// lacks one of them.
pub fn declaration(event: &CatalogueEvent) -> String {
    let span = Span::default();
    let parameters: Vec<&CatalogueField> = event.fields.iter().filter(|field| field.required).collect();
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

/// Prints the description of an event and its optional fields as comments.
fn comments(event: &CatalogueEvent, out: &mut String) {
    if let Some(text) = &event.text {
        let mut text = shown(text);
        if text.chars().count() > MAX_TEXT_LENGTH {
            text = text.chars().take(MAX_TEXT_LENGTH).collect::<String>() + " …";
        }
        comment("", &text, out);
    }
    let optional: Vec<String> =
        event.fields.iter().filter(|field| !field.required).map(|field| shown(&field.path.join("/"))).collect();
    if !optional.is_empty() {
        comment("sometimes: ", &optional.join(", "), out);
    }
}

/// Prints lines that begin with `#`, broken between words.
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

/// Returns a text without control characters, which would end the comment or disturb a terminal.
fn shown(text: &str) -> String {
    let plain = |letter: char| if letter.is_control() || letter == '\u{2028}' { ' ' } else { letter };
    text.chars().map(plain).collect()
}
