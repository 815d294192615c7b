// SPDX-License-Identifier: MIT OR Apache-2.0
//! Service descriptions: reading, and listing for people and for programs.

use gnomon::catalogue::{self, Catalogue, CatalogueError, CatalogueEvent, CatalogueNote, declaration, declarations};

use crate::args::{EventsArguments, ListFormat};
use crate::console::Console;
use crate::failure::Failure;
use crate::files::{self, display_name, file_name};
use crate::outcome::{CommandResult, ExitStatus};
use crate::render::json::write::ObjectWriter;
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
        fields.field("source", &catalogue.source_name);
        fields.field("kind", catalogue.kind.title());
        fields.objects("events", &catalogue.events, event);
        fields.objects("notes", &catalogue.notes, |fields, note| {
            fields.field("line", note.location.line);
            fields.field("column", note.location.column);
            fields.field("text", &note.text);
        });
    })
}

fn event(fields: &mut ObjectWriter<'_>, event: &CatalogueEvent) {
    fields.field("name", &event.name);
    fields.field("declaration", &declaration(event));
    match &event.participants {
        Some((from, to)) => fields.object("participants", |ends| {
            ends.field("from", from);
            ends.field("to", to);
        }),
        None => fields.field("participants", None::<&str>),
    }
    fields.field("text", event.text.as_deref());
    fields.field("line", event.location.line);
    fields.objects("fields", &event.fields, |fields, field| {
        fields.field("name", &field.name);
        fields.field("path", &field.path[..]);
        fields.field("type", field.data.word());
        fields.field("required", field.required);
    });
}
