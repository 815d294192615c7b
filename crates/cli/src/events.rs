// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon events`: lists the events of a trace, or declares the messages that a service description defines.

use std::fmt::Write as _;
use std::io::{self, Cursor, Read};

use gnomon::catalogue::detect;
use gnomon::declare::declarations;
use gnomon::trace::{EventSummary, FieldSummary, TraceSummary, open, summarise};
use gnomon::value::Value;

use crate::args::{EventsArguments, ListFormat};
use crate::catalogue;
use crate::console::Console;
use crate::convert::{open_trace, setup_of};
use crate::failure::Failure;
use crate::files::{self, display_name, file_name};
use crate::outcome::{CommandResult, ExitStatus};
use crate::render::human;
use crate::render::json::time_text;
use crate::render::json_line;
use crate::render::line::{sanitised, text_width};
use crate::render::numbers::{TimeFormat, counted};
use crate::spec::SpecFile;

/// Number of bytes that decide between a trace and a service description.
pub(crate) const SNIFF_BYTES: u64 = 64 << 10;
/// Largest service description in bytes.
const MAX_DESCRIPTION: u64 = 64 << 20;

pub(crate) fn run(arguments: &EventsArguments, console: &Console) -> CommandResult {
    files::at_most_one_stdin(arguments.spec.iter().chain([&arguments.trace]))?;
    let (mut input, position) = files::open(&arguments.trace)?;
    let mut head = Vec::new();
    if arguments.format.is_none() {
        let cannot_read = |error: io::Error| files::cannot_read(&arguments.trace, &error);
        (&mut input).take(SNIFF_BYTES).read_to_end(&mut head).map_err(cannot_read)?;
        if detect(&head).is_some() {
            input.take(MAX_DESCRIPTION).read_to_end(&mut head).map_err(cannot_read)?;
            return catalogue::list(arguments, head, console);
        }
    }
    let compiled = match &arguments.spec {
        Some(spec) => Some(SpecFile::read(spec)?.compile_any(console)?),
        None => None,
    };
    let setup = setup_of(compiled.as_ref(), &arguments.fields);
    // A file is opened again, because some formats are not read from front to back.
    let catalogue = match position {
        Some(_) => summarise(&mut open_trace(&arguments.trace, arguments.format, setup)?),
        None => open(Cursor::new(head).chain(input), &arguments.trace, arguments.format, setup)
            .and_then(|mut reader| summarise(&mut reader)),
    };
    let catalogue = catalogue.map_err(|error| Failure::of_trace(&error))?;
    if arguments.declare {
        let read_as = compiled.map(|compiled| compiled.spec).unwrap_or_default();
        console.print(&declarations(&catalogue, &read_as, arguments.fields.event.as_deref()))?;
        return Ok(ExitStatus::Success);
    }
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
    let digits = catalogue.names.iter().map(|event| event.count.to_string().len()).max().unwrap_or(0);
    for event in &catalogue.names {
        let _ = writeln!(out, "  {:>digits$}  {}", event.count, sanitised(&event.name));
        // Maps are shown by their parts.
        let fields: Vec<&FieldSummary> = event.fields.iter().filter(|field| field.kinds.map < field.count).collect();
        let columns = fields
            .iter()
            .map(|field| [sanitised(&field.name()), kinds(field), sanitised(&values(field)), presence(field, event)]);
        let columns: Vec<[String; 4]> = columns.collect();
        let width = |column: usize| columns.iter().map(|cells| text_width(&cells[column])).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2), 0];
        for cells in &columns {
            let mut line = " ".repeat(digits + 6);
            for (cell, width) in cells.iter().zip(widths) {
                let _ = write!(line, "{cell}{}  ", " ".repeat(width.saturating_sub(text_width(cell))));
            }
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    if catalogue.unlisted_events > 0 {
        let _ = writeln!(out, "\n… and {} with other names", counted(catalogue.unlisted_events, "event"));
    }
    for (number, note) in catalogue.notes.iter().enumerate() {
        let _ = writeln!(out, "{}note: {}", if number == 0 { "\n" } else { "" }, sanitised(note));
    }
    out
}

fn extent(catalogue: &TraceSummary) -> String {
    let time_format =
        TimeFormat { utc_offset: catalogue.utc_offset, ..TimeFormat::new(catalogue.clock, catalogue.time_kind) };
    let text = human::extent_of(catalogue.cases, catalogue.events, catalogue.span, time_format);
    match &catalogue.time_field {
        Some(field) if catalogue.span.is_some() => format!("{text} (field `{}`)", sanitised(field)),
        _ => text,
    }
}

/// Returns the types of a field's values: `number`, `text 3, null 1`, `time`.
fn kinds(field: &FieldSummary) -> String {
    let kinds: Vec<(&str, u64)> = field.kinds.iter().collect();
    match kinds.as_slice() {
        [("text", count)] if field.dates == *count => "time".to_owned(),
        [(kind, _)] => (*kind).to_owned(),
        several => several.iter().map(|(kind, count)| format!("{kind} {count}")).collect::<Vec<_>>().join(", "),
    }
}

/// Returns the range of a field's numbers or date-times, or samples of its values: `1..9`, `ann, bob (2 values)`.
fn values(field: &FieldSummary) -> String {
    let only = |count: u64| count + field.kinds.null == field.count;
    match (&field.numbers, &field.times) {
        (Some((least, greatest)), _) if only(field.kinds.number) => range(&least.to_string(), &greatest.to_string()),
        (_, Some((first, last))) if only(field.dates) => range(&first.written, &last.written),
        _ => {
            let (count, has_more) = field.distinct();
            let samples = field.samples.join(", ");
            match count {
                count if has_more => format!("{samples}, … (more than {count} values)"),
                count if count > field.samples.len() => format!("{samples}, … ({count} values)"),
                _ => samples,
            }
        }
    }
}

fn range(first: &str, last: &str) -> String {
    if first == last { first.to_owned() } else { format!("{first}..{last}") }
}

/// Returns the number of events that have a field, unless all of them have it.
fn presence(field: &FieldSummary, event: &EventSummary) -> String {
    if field.count == event.count { String::new() } else { format!("in {} of {}", field.count, event.count) }
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
                fields.field("name", &field.name());
                fields.field("count", field.count);
                fields.object("types", |types| field.kinds.iter().for_each(|(kind, count)| types.field(kind, count)));
                fields.optional("dates", Some(field.dates).filter(|dates| *dates > 0));
                if let Some((least, greatest)) = field.numbers {
                    fields.field("least", &Value::Number(least));
                    fields.field("greatest", &Value::Number(greatest));
                }
                if let Some((first, last)) = &field.times {
                    fields.field("earliest", &first.written);
                    fields.field("latest", &last.written);
                }
                let (distinct, has_more) = field.distinct();
                if distinct > 0 {
                    fields.field("distinct", distinct as u64);
                    fields.optional("more_values", has_more.then_some(true));
                    fields.field("samples", &field.samples[..]);
                }
            });
        });
        fields.optional("unlisted_events", Some(catalogue.unlisted_events).filter(|unlisted| *unlisted > 0));
    })
}
