// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be chosen: the events of descriptions of services, of sample traces, and of the spec that is there.

use std::io::{self, Read};

use gnomon::assist::{Known, KnownEvent, KnownField};
use gnomon::catalogue::{Event, sniff};
use gnomon::time::{Clock, TimeKind};
use gnomon::trace::{EventSummary, Setup, survey};

use super::args::Ask;
use super::target::Target;
use crate::catalogue;
use crate::convert::start;
use crate::events::HEAD;
use crate::failure::Failure;
use crate::files;

/// Gathers what is known. What a catalogue says first of an event counts.
pub(super) fn gather(arguments: &Ask, target: &Target) -> Result<Known, Failure> {
    let mut known = Known::default();
    let mut setup = Setup::everything();
    if let Some((_, compiled)) = &target.there {
        known.spec = compiled.spec.clone();
        setup.time_field.clone_from(&compiled.spec.time.field);
        setup.clock = Clock::new(compiled.spec.time.unit);
        setup.text.clone_from(&compiled.log);
    }
    // A log to try the property on is also a sample of what happens.
    for path in arguments.catalogues.iter().chain(&arguments.log) {
        if arguments.format.is_none() && is_description(path)? {
            add(&mut known, catalogue::read(path)?.events.into_iter().map(described));
            continue;
        }
        let mut reader = start(path, arguments.format, setup.clone())?;
        let sample = survey(&mut reader).map_err(|error| Failure::of_trace(&error))?;
        known.has_dates |= sample.time_kind == TimeKind::DateTime;
        let time = sample.time_field.as_deref();
        add(&mut known, sample.names.iter().map(|event| sampled(event, time)));
    }
    Ok(known)
}

fn add(known: &mut Known, events: impl Iterator<Item = KnownEvent>) {
    for event in events {
        if known.event(&event.name).is_none() {
            known.events.push(event);
        }
    }
}

/// Whether a file describes a service; otherwise it is taken for a trace.
fn is_description(path: &str) -> Result<bool, Failure> {
    let (input, _) = files::open(path)?;
    let mut head = Vec::new();
    input.take(HEAD).read_to_end(&mut head).map_err(|error: io::Error| files::cannot_read(path, &error))?;
    Ok(sniff(&head).is_some())
}

fn described(event: Event) -> KnownEvent {
    let fields = event.fields.into_iter();
    let fields = fields.map(|field| KnownField { name: field.name, path: field.path, required: field.required });
    KnownEvent { name: event.name, fields: fields.collect(), participants: event.participants, about: event.text }
}

fn sampled(event: &EventSummary, time: Option<&str>) -> KnownEvent {
    let fields = event.fields.iter().filter(|field| Some(field.name.as_str()) != time);
    let fields = fields.map(|field| KnownField {
        name: field.name.clone(),
        path: vec![field.name.clone()],
        required: field.count == event.count,
    });
    KnownEvent { name: event.name.clone(), fields: fields.collect(), participants: None, about: None }
}
