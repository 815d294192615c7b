// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon events`: lists the events of a trace, or declares the messages that a service description defines.

use std::fmt::Write as _;
use std::io::{self, Cursor, Read};

use gnomon::catalogue::detect;
use gnomon::trace::{EventSummary, FieldSummary, TraceSummary, open, summarise};

use crate::args::{EventsArguments, ListFormat};
use crate::catalogue;
use crate::console::Console;
use crate::convert::{open_trace, setup};
use crate::failure::Failure;
use crate::files::{self, display_name, file_name};
use crate::outcome::{CommandResult, ExitStatus};
use crate::render::human;
use crate::render::json::time_text;
use crate::render::json_line;
use crate::render::line::{sanitised, text_width};
use crate::render::numbers::{TimeFormat, counted};

/// Number of bytes that decide between a trace and a service description.
pub(crate) const SNIFF_BYTES: u64 = 64 << 10;
/// Largest service description in bytes.
const MAX_DESCRIPTION: u64 = 64 << 20;

pub(crate) fn run(arguments: &EventsArguments, console: &Console) -> CommandResult {
    files::at_most_one_stdin(arguments.spec.iter().chain([&arguments.trace]))?;
    let (mut input, size) = files::open(&arguments.trace)?;
    let mut head = Vec::new();
    if arguments.format.is_none() {
        let cannot_read = |error: io::Error| files::cannot_read(&arguments.trace, &error);
        (&mut input).take(SNIFF_BYTES).read_to_end(&mut head).map_err(cannot_read)?;
        if detect(&head).is_some() {
            input.take(MAX_DESCRIPTION).read_to_end(&mut head).map_err(cannot_read)?;
            return catalogue::list(arguments, head, console);
        }
    }
    let setup = setup(arguments.spec.as_deref(), &arguments.fields, console)?;
    // A file is opened again, because some formats are not read from front to back.
    let catalogue = match size {
        Some(_) => summarise(&mut open_trace(&arguments.trace, arguments.format, setup)?),
        None => open(Cursor::new(head).chain(input), &arguments.trace, arguments.format, setup)
            .and_then(|mut reader| summarise(&mut reader)),
    };
    let catalogue = catalogue.map_err(|error| Failure::of_trace(&error))?;
    console.print(&match arguments.report {
        ListFormat::Human => human(&arguments.trace, &catalogue),
        ListFormat::Json => json(&arguments.trace, &catalogue),
    })?;
    Ok(ExitStatus::Success)
}

fn human(trace: &str, catalogue: &TraceSummary) -> String {
    let mut out = format!("{}: {}\n", sanitised(display_name(trace)), extent(catalogue));
    if catalogue.names.is_empty() {
        return out;
    }
    out.push('\n');
    let names: Vec<String> = catalogue.names.iter().map(|event| sanitised(&event.name)).collect();
    let width = names.iter().map(|name| text_width(name)).max().unwrap_or(0);
    let digits = catalogue.names.iter().map(|event| event.count.to_string().len()).max().unwrap_or(0);
    for (event, name) in catalogue.names.iter().zip(&names) {
        let pad = " ".repeat(width - text_width(name));
        let fields: Vec<String> = event.fields.iter().map(|field| describe(field, event)).collect();
        let line = format!("  {:>digits$}  {name}{pad}  {}", event.count, fields.join(", "));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    if catalogue.unlisted_events > 0 {
        let _ = writeln!(out, "\n… and {} with other names", counted(catalogue.unlisted_events, "event"));
    }
    out
}

fn extent(catalogue: &TraceSummary) -> String {
    let time_format = TimeFormat::new(catalogue.clock, catalogue.time_kind);
    let text = human::extent_of(catalogue.cases, catalogue.events, catalogue.span, time_format);
    match &catalogue.time_field {
        Some(field) if catalogue.span.is_some() => format!("{text} (field `{}`)", sanitised(field)),
        _ => text,
    }
}

/// `amount: number`, `user: text 3, null 1`, `note: text (in 7 of 12)`
fn describe(field: &FieldSummary, event: &EventSummary) -> String {
    let kinds: Vec<(&str, u64)> = field.kinds.iter().collect();
    let kinds = match kinds.as_slice() {
        [(kind, _)] => (*kind).to_owned(),
        several => several.iter().map(|(kind, count)| format!("{kind} {count}")).collect::<Vec<_>>().join(" or "),
    };
    let seldom = if field.count == event.count { String::new() } else { format!(" (in {})", field.count) };
    format!("{}: {kinds}{seldom}", sanitised(&field.name))
}

fn json(trace: &str, catalogue: &TraceSummary) -> String {
    let time_format = TimeFormat::new(catalogue.clock, catalogue.time_kind);
    json_line(|fields| {
        fields.field("source", &file_name(trace));
        fields.field("events", catalogue.events);
        let (first, last) = catalogue.span.unzip();
        fields.field("first_time", first.map(|first| time_text(time_format, first)));
        fields.field("last_time", last.map(|last| time_text(time_format, last)));
        fields.field("time_field", catalogue.time_field.as_deref());
        fields.optional("cases", catalogue.cases);
        fields.objects("names", &catalogue.names, |fields, event| {
            fields.field("name", &event.name);
            fields.field("count", event.count);
            fields.objects("fields", &event.fields, |fields, field| {
                fields.field("name", &field.name);
                fields.field("count", field.count);
                fields.object("types", |types| field.kinds.iter().for_each(|(kind, count)| types.field(kind, count)));
            });
        });
        fields.optional("unlisted_events", Some(catalogue.unlisted_events).filter(|unlisted| *unlisted > 0));
    })
}
