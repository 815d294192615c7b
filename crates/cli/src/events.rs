// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon events`: what a trace consists of, or which messages a description of a service tells of.

use std::fmt::Write as _;
use std::io::{self, Cursor, Read};

use gnomon::catalogue::sniff;
use gnomon::time::TimeKind;
use gnomon::trace::{Catalogue, EventSummary, FieldSummary, survey};

use crate::args::{Events, ListKind};
use crate::catalogue;
use crate::console::Console;
use crate::convert::{setup, start, start_with};
use crate::failure::Failure;
use crate::files::{self, display_name, file_name};
use crate::render::json::time_text;
use crate::render::json::write::object;
use crate::render::line::{sanitised, text_width};
use crate::render::numbers::{Dial, counted};
use crate::status::Status;

/// How much of a file is looked at to tell a trace from a description.
pub(crate) const HEAD: u64 = 64 << 10;
/// More than any description that is read.
const LARGEST: u64 = 64 << 20;

pub(crate) fn run(arguments: &Events, console: &Console) -> Result<Status, Failure> {
    files::at_most_one_stdin(arguments.spec.iter().chain([&arguments.trace]))?;
    let (mut input, size) = files::open(&arguments.trace)?;
    let mut head = Vec::new();
    if arguments.format.is_none() {
        let cannot_read = |error: io::Error| files::cannot_read(&arguments.trace, &error);
        (&mut input).take(HEAD).read_to_end(&mut head).map_err(cannot_read)?;
        if sniff(&head).is_some() {
            input.take(LARGEST).read_to_end(&mut head).map_err(cannot_read)?;
            return catalogue::list(arguments, head, console);
        }
    }
    let Some(setup) = setup(arguments.spec.as_deref(), &arguments.fields, console)? else {
        return Ok(Status::CouldNotJudge);
    };
    // What can be read again is: some formats are not read from front to back.
    let catalogue = match size {
        Some(_) => survey(&mut start(&arguments.trace, arguments.format, setup)?),
        None => survey(&mut start_with(Cursor::new(head).chain(input), &arguments.trace, arguments.format, setup)?),
    };
    let catalogue = catalogue.map_err(|error| Failure::of_trace(&error))?;
    console.report(&match arguments.report {
        ListKind::Human => human(&arguments.trace, &catalogue),
        ListKind::Json => json(&arguments.trace, &catalogue),
    })?;
    Ok(Status::Fine)
}

fn human(trace: &str, catalogue: &Catalogue) -> String {
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

fn extent(catalogue: &Catalogue) -> String {
    let dial = Dial { clock: catalogue.clock, kind: catalogue.time_kind };
    let cases = catalogue.cases.map_or(String::new(), |cases| counted(cases, "case") + ", ");
    let mut text = format!("{cases}{}", counted(catalogue.events, "event"));
    match catalogue.span {
        Some(_) if catalogue.time_kind == TimeKind::Position => text += ", without times",
        Some((first, last)) => {
            let unit = if dial.kind == TimeKind::DateTime { String::new() } else { dial.unit() };
            let _ = write!(text, ", from {} to {}{unit}", dial.time(first), dial.time(last));
            if let Some(field) = &catalogue.time_field {
                let _ = write!(text, " (field `{}`)", sanitised(field));
            }
        }
        None => {}
    }
    text
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

fn json(trace: &str, catalogue: &Catalogue) -> String {
    let dial = Dial { clock: catalogue.clock, kind: catalogue.time_kind };
    let mut out = String::new();
    object(&mut out, |fields| {
        fields.text("source", &file_name(trace));
        fields.raw("events", &catalogue.events.to_string());
        let time = |time| time_text(dial, time);
        let null = || "null".to_owned();
        fields.raw("first_time", &catalogue.span.map_or_else(null, |(first, _)| time(first)));
        fields.raw("last_time", &catalogue.span.map_or_else(null, |(_, last)| time(last)));
        match &catalogue.time_field {
            Some(field) => fields.text("time_field", field),
            None => fields.raw("time_field", "null"),
        }
        if let Some(cases) = catalogue.cases {
            fields.raw("cases", &cases.to_string());
        }
        fields.list("names", &catalogue.names, event);
        if catalogue.unlisted_events > 0 {
            fields.raw("unlisted_events", &catalogue.unlisted_events.to_string());
        }
    });
    out.push('\n');
    out
}

fn event(out: &mut String, event: &EventSummary) {
    object(out, |fields| {
        fields.text("name", &event.name);
        fields.raw("count", &event.count.to_string());
        fields.list("fields", &event.fields, |out, field: &FieldSummary| {
            object(out, |fields| {
                fields.text("name", &field.name);
                fields.raw("count", &field.count.to_string());
                fields.with("types", |out| {
                    object(out, |types| {
                        for (kind, count) in field.kinds.iter() {
                            types.raw(kind, &count.to_string());
                        }
                    });
                });
            });
        });
    });
}
