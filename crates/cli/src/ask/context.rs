// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gathers the events that can be chosen: those of service descriptions, of sample traces, and of the existing spec.

use std::io::{self, Read};

use gnomon::assist::{KnownEvent, KnownField, SessionContext};
use gnomon::catalogue::{CatalogueEvent, detect};
use gnomon::time::TimeKind;
use gnomon::trace::{EventSummary, ReaderSetup, summarise};

use super::Destination;
use super::args::AskArguments;
use crate::catalogue;
use crate::convert::open_trace;
use crate::events::SNIFF_BYTES;
use crate::failure::Failure;
use crate::files;
use crate::spec::reader_setup;

/// Gathers the events of all files. The first description of an event counts.
pub(super) fn gather(arguments: &AskArguments, destination: &Destination) -> Result<SessionContext, Failure> {
    let mut context = SessionContext::default();
    let mut setup = ReaderSetup::everything();
    if let Some((_, compiled)) = &destination.existing {
        context.spec = compiled.spec.clone();
        setup = reader_setup(compiled);
    }
    add(
        &mut context,
        arguments.events.iter().map(|text| from_option(text)).collect::<Result<Vec<_>, _>>()?.into_iter(),
    );
    // The log on which the property is tried is also a sample of events.
    for path in arguments.catalogues.iter().chain(&arguments.log) {
        if arguments.format.is_none() && is_description(path)? {
            add(&mut context, catalogue::read(path)?.events.into_iter().map(from_catalogue));
            continue;
        }
        let mut reader = open_trace(path, arguments.format, setup.clone())?;
        let sample = summarise(&mut reader).map_err(|error| Failure::of_trace(&error))?;
        context.has_dates |= sample.time_kind == TimeKind::DateTime;
        let time = sample.time_field.as_deref();
        add(&mut context, sample.names.iter().map(|event| from_sample(event, time)));
    }
    Ok(context)
}

/// Reads `pay` or `pay(user, amount)`.
fn from_option(text: &str) -> Result<KnownEvent, Failure> {
    let text = text.trim();
    let (name, fields) = match text.split_once('(') {
        None => (text, Some("")),
        Some((name, rest)) => (name.trim_end(), rest.strip_suffix(')')),
    };
    let fields: Option<Vec<KnownField>> = fields.map(|fields| {
        let names = fields.split(',').map(str::trim).filter(|field| !field.is_empty());
        let path = |name: &str| name.split('/').map(str::to_owned).collect();
        names.map(|name| KnownField { name: name.to_owned(), path: path(name), required: true }).collect()
    });
    match fields {
        Some(fields) if !name.is_empty() => {
            Ok(KnownEvent { name: name.to_owned(), fields, participants: None, about: None })
        }
        _ => Err(Failure::new("G0933", format!("`{text}` is not an event"))
            .help("write its name, or its name and its fields, as in `--event \"pay(user, amount)\"`")),
    }
}

fn add(context: &mut SessionContext, events: impl Iterator<Item = KnownEvent>) {
    for event in events {
        if context.event(&event.name).is_none() {
            context.events.push(event);
        }
    }
}

/// Returns true if a file is a service description; otherwise it is a trace.
fn is_description(path: &str) -> Result<bool, Failure> {
    let (input, _) = files::open(path)?;
    let mut head = Vec::new();
    input.take(SNIFF_BYTES).read_to_end(&mut head).map_err(|error: io::Error| files::cannot_read(path, &error))?;
    Ok(detect(&head).is_some())
}

fn from_catalogue(event: CatalogueEvent) -> KnownEvent {
    let fields = event.fields.into_iter();
    let fields = fields.map(|field| KnownField { name: field.name, path: field.path, required: field.required });
    KnownEvent { name: event.name, fields: fields.collect(), participants: event.participants, about: event.text }
}

fn from_sample(event: &EventSummary, time: Option<&str>) -> KnownEvent {
    let fields = event.fields.iter().filter_map(|field| match field.path.as_slice() {
        [name] if Some(name.as_str()) != time => Some((name, field)),
        _ => None,
    });
    let fields = fields.map(|(name, field)| KnownField {
        name: name.clone(),
        path: vec![name.clone()],
        required: field.count == event.count,
    });
    KnownEvent { name: event.name.clone(), fields: fields.collect(), participants: None, about: None }
}
