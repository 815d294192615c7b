// SPDX-License-Identifier: MIT OR Apache-2.0
//! Descriptions of services: read, listed for people and for programs.

use gnomon::catalogue::{self, Catalogue, CatalogueError, Event, Field, Note, declaration, declarations};

use crate::args::{Events, ListKind};
use crate::console::Console;
use crate::failure::Failure;
use crate::files::{self, display_name, file_name};
use crate::paint::Ink;
use crate::render::diagnostic::header;
use crate::render::json::write::{object, quoted};
use crate::status::Status;

/// What a description is called where it is no text.
const WHAT: &str = "description";

/// Reads the description of a service.
pub(crate) fn read(path: &str) -> Result<Catalogue, Failure> {
    of_text(path, &files::read_text(path, WHAT)?)
}

fn of_text(path: &str, text: &str) -> Result<Catalogue, Failure> {
    catalogue::read(&file_name(path), text).map_err(|error| failure(path, &error))
}

fn failure(path: &str, error: &CatalogueError) -> Failure {
    let failure = Failure::new(error.code(), error.message()).at(format!("{}:{}", display_name(path), error.place()));
    match error.advice() {
        Some(advice) => failure.help(advice),
        None => failure,
    }
}

/// Lists the messages of a description that was read, and tells what was passed over.
pub(crate) fn list(arguments: &Events, bytes: Vec<u8>, console: &Console) -> Result<Status, Failure> {
    let path = &arguments.trace;
    let catalogue = of_text(path, &files::text_of(path, WHAT, bytes)?)?;
    for Note { place, text } in &catalogue.notes {
        let text = format!("{}:{place}: {text}", display_name(path));
        console.complain(&header("note", None, &text, Ink::Frame, console.err_paint));
    }
    if catalogue.events.is_empty() {
        let text = format!("{}: no message is described", display_name(path));
        console.complain(&header("note", None, &text, Ink::Frame, console.err_paint));
    }
    console.report(&match arguments.report {
        ListKind::Human => declarations(&catalogue),
        ListKind::Json => json(&catalogue),
    })?;
    Ok(Status::Fine)
}

fn json(catalogue: &Catalogue) -> String {
    let mut out = String::new();
    object(&mut out, |fields| {
        fields.text("source", &catalogue.source_name);
        fields.text("kind", catalogue.kind.title());
        fields.list("events", &catalogue.events, event);
        fields.list("notes", &catalogue.notes, |out, note: &Note| {
            object(out, |fields| {
                fields.raw("line", &note.place.line.to_string());
                fields.raw("column", &note.place.column.to_string());
                fields.text("text", &note.text);
            });
        });
    });
    out.push('\n');
    out
}

fn event(out: &mut String, event: &Event) {
    object(out, |fields| {
        fields.text("name", &event.name);
        fields.text("declaration", &declaration(event));
        fields.with("participants", |out| match &event.participants {
            Some((from, to)) => object(out, |ends| {
                ends.text("from", from);
                ends.text("to", to);
            }),
            None => out.push_str("null"),
        });
        fields.raw("text", &event.text.as_deref().map_or_else(|| "null".to_owned(), quoted));
        fields.raw("line", &event.place.line.to_string());
        fields.list("fields", &event.fields, |out, field: &Field| {
            object(out, |fields| {
                fields.text("name", &field.name);
                fields.list("path", &field.path, |out, step: &String| out.push_str(&quoted(step)));
                fields.text("type", field.data.word());
                fields.raw("required", if field.required { "true" } else { "false" });
            });
        });
    });
}
