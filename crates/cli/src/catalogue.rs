// SPDX-License-Identifier: MIT OR Apache-2.0
//! Service descriptions: reading, and listing for people and for programs.

use gnomon::catalogue::{
    self, Catalogue, CatalogueError, CatalogueEvent, CatalogueField, CatalogueNote, declaration, declarations,
};
use gnomon::escape;

use crate::args::{EventsArguments, ListFormat};
use crate::console::Console;
use crate::failure::Failure;
use crate::files::{self, display_name, file_name};
use crate::outcome::{CommandResult, ExitStatus};
use crate::render::json::write::object;
use crate::render::json_line;

/// The kind of file, for messages.
const KIND: &str = "description";

/// Reads the description of a service.
pub(crate) fn read(path: &str) -> Result<Catalogue, Failure> {
    of_text(path, &files::read_text(path, KIND)?)
}

fn of_text(path: &str, text: &str) -> Result<Catalogue, Failure> {
    catalogue::read(&file_name(path), text).map_err(|error| failure(path, &error))
}

fn failure(path: &str, error: &CatalogueError) -> Failure {
    let place = format!("{}:{}", display_name(path), error.location());
    Failure::new(error.code(), error.message()).at(place).maybe_help(error.advice())
}

/// Lists the messages of a description, and reports the parts that were skipped.
pub(crate) fn list(arguments: &EventsArguments, bytes: Vec<u8>, console: &Console) -> CommandResult {
    let path = &arguments.trace;
    let catalogue = of_text(path, &files::text_of(path, KIND, bytes)?)?;
    for CatalogueNote { location: place, text } in &catalogue.notes {
        console.note(&format!("{}:{place}: {text}", display_name(path)));
    }
    if catalogue.events.is_empty() {
        console.note(&format!("{}: no message is described", display_name(path)));
    }
    console.print(&match arguments.report {
        ListFormat::Human => declarations(&catalogue),
        ListFormat::Json => json(&catalogue),
    })?;
    Ok(ExitStatus::Success)
}

fn json(catalogue: &Catalogue) -> String {
    json_line(|fields| {
        fields.text("source", &catalogue.source_name);
        fields.text("kind", catalogue.kind.title());
        fields.list("events", &catalogue.events, event);
        fields.list("notes", &catalogue.notes, |out, note: &CatalogueNote| {
            object(out, |fields| {
                fields.raw("line", &note.location.line.to_string());
                fields.raw("column", &note.location.column.to_string());
                fields.text("text", &note.text);
            });
        });
    })
}

fn event(out: &mut String, event: &CatalogueEvent) {
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
        fields.raw("text", &event.text.as_deref().map_or_else(|| "null".to_owned(), escape::json));
        fields.raw("line", &event.location.line.to_string());
        fields.list("fields", &event.fields, |out, field: &CatalogueField| {
            object(out, |fields| {
                fields.text("name", &field.name);
                fields.list("path", &field.path, |out, step: &String| escape::write_json(out, step));
                fields.text("type", field.data.word());
                fields.raw("required", if field.required { "true" } else { "false" });
            });
        });
    });
}
