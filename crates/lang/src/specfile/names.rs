// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names across a whole file: said twice, never declared, or nearly right.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::time::{Clock, Duration, Quantity};
use gnomon_ir::spec::{EventDeclaration, Example, ExampleArguments, ExampleEvent, ExampleTrace, Spec};

use super::cursor::Cursor;
use super::mentions::atoms_of;
use super::parse::File;
use super::similar::{extended, misspelt, nearest};

/// How many pairs of names are compared letter by letter: a file with more is generated, not misspelt.
const MAX_COMPARISONS: usize = 100_000;

/// Reports what is wrong with the names of a file.
pub(super) fn check(cursor: &mut Cursor<'_>, file: &File<'_>) {
    let spec = &file.spec;
    duplicates(cursor, "event", spec.events.iter().map(|event| (event.name.as_str(), event.name_span)));
    let externs = spec.externs.iter().map(|external| (external.name.as_str(), external.name_span));
    duplicates(cursor, "external variable", externs);
    let whole = spec.properties.iter().map(|property| (property.name.as_str(), property.name_span));
    let broken = file.broken.iter().map(|(name, span)| (name.as_str(), *span));
    let mut properties: Vec<(&str, Span)> = whole.chain(broken).collect();
    properties.sort_by_key(|(_, span)| span.start);
    duplicates(cursor, "property", properties.iter().copied());
    let properties: BTreeSet<&str> = properties.iter().map(|(name, _)| *name).collect();
    let events = Events::of(spec);
    for example in &spec.examples {
        known_property(cursor, example, &properties);
        if let ExampleTrace::Events(trace) = &example.trace {
            example_events(cursor, Clock::new(spec.time.unit), &events, trace);
        }
    }
    misspelt_atoms(cursor, &events);
}

/// The events that a file speaks of.
struct Events<'s> {
    declared: BTreeMap<&'s str, &'s EventDeclaration>,
    /// Events of the trace that declarations mention.
    concrete: BTreeSet<&'s str>,
    /// Events that formulae mention, with the first place of each.
    atoms: BTreeMap<&'s str, Span>,
}

impl<'s> Events<'s> {
    fn of(spec: &'s Spec) -> Self {
        let alternatives = spec.events.iter().flat_map(|event| &event.alternatives);
        let declared: BTreeMap<&str, &EventDeclaration> =
            spec.events.iter().map(|event| (event.name.as_str(), event)).collect();
        let concrete: BTreeSet<&str> = alternatives.map(|alternative| alternative.event.as_str()).collect();
        let is_known = |name: &str| declared.contains_key(name) || concrete.contains(name);
        let mut atoms: BTreeMap<&str, Span> = BTreeMap::new();
        for property in &spec.properties {
            for atom in atoms_of(&property.body, &is_known) {
                let first = atoms.entry(&atom.name).or_insert(atom.name_span);
                *first = (*first).min(atom.name_span);
            }
        }
        Events { declared, concrete, atoms }
    }

    fn knows(&self, name: &str) -> bool {
        self.declared.contains_key(name) || self.concrete.contains(name) || self.atoms.contains_key(name)
    }
}

fn duplicates<'a>(cursor: &mut Cursor<'_>, what: &str, names: impl Iterator<Item = (&'a str, Span)>) {
    let mut first: BTreeMap<&str, Span> = BTreeMap::new();
    for (name, span) in names {
        if let Some(before) = first.get(name) {
            cursor.report(
                Diagnostic::error("G0201", span, format!("there are two {} of the name `{name}`", plural(what)))
                    .label("named again here")
                    .also(*before, "named here first")
                    .help(format!("give each {what} a name of its own")),
            );
        } else {
            first.insert(name, span);
        }
    }
}

fn plural(what: &str) -> &str {
    match what {
        "property" => "properties",
        "event" => "events",
        _ => "external variables",
    }
}

fn known_property(cursor: &mut Cursor<'_>, example: &Example, properties: &BTreeSet<&str>) {
    let (name, span) = (example.property.as_str(), example.property_span);
    if properties.contains(name) || cursor.is_full() {
        return;
    }
    let diagnostic = Diagnostic::error("G0601", span, format!("there is no property `{name}`"))
        .label("this example is about no property of the file");
    cursor.report(match nearest(name, properties.iter().copied().take(MAX_COMPARISONS / 100)) {
        Some(meant) => diagnostic.edit(format!("a property `{meant}` exists"), span, meant),
        None if properties.is_empty() => {
            diagnostic.help("the file has no properties: write one, or leave the example out")
        }
        None => {
            let some: Vec<String> = properties.iter().take(5).map(|known| format!("`{known}`")).collect();
            diagnostic.help(format!("name one of the file's properties: {}", some.join(", ")))
        }
    });
}

fn example_events(cursor: &mut Cursor<'_>, clock: Clock, events: &Events<'_>, trace: &[ExampleEvent]) {
    let mut latest: Option<(Duration, &ExampleEvent)> = None;
    for event in trace {
        let before = latest.map_or(Duration::ZERO, |(time, _)| time);
        let follows = clock.duration(Quantity::whole(1)).map_or(before, |unit| plus(before, unit));
        let time = event.time.map_or(Some(follows), |time| clock.duration(time));
        let Some(time) = time else {
            too_fine(cursor, event);
            continue;
        };
        if let Some((latest, earlier)) = latest
            && time < latest
        {
            cursor.report(
                Diagnostic::error("G0603", event.span, "the time goes back")
                    .label(format!("at {}", clock.print_duration(time)))
                    .also(earlier.span, format!("before this, at {}", clock.print_duration(latest)))
                    .help("put the events in the order of their times"),
            );
        }
        latest = Some((time, event));
        if let Some(declaration) = events.declared.get(event.name.as_str()) {
            parameters(cursor, declaration, event);
        }
        run_together(cursor, events, event);
    }
}

fn plus(time: Duration, unit: Duration) -> Duration {
    Duration::from_ticks(time.ticks().saturating_add(unit.ticks()))
}

fn too_fine(cursor: &mut Cursor<'_>, event: &ExampleEvent) {
    cursor.report(
        Diagnostic::error("G0402", event.span, "the time is no whole number of nanoseconds")
            .label("time is exact down to the nanosecond")
            .help("round the time, or write it in a finer unit"),
    );
}

/// Data by position must be as many as the declaration has parameters.
fn parameters(cursor: &mut Cursor<'_>, declaration: &EventDeclaration, event: &ExampleEvent) {
    let want = declaration.parameters.as_ref().map_or(0, Vec::len);
    let ExampleArguments::Positional(values) = &event.arguments else { return };
    if values.is_empty() || values.len() == want {
        return;
    }
    let (name, got) = (&event.name, values.len());
    let parameters = declaration.parameters.as_deref().unwrap_or_default().join(", ");
    cursor.report(
        Diagnostic::error("G0605", event.span, format!("`{name}` has {want} parameters, not {got}"))
            .also(declaration.name_span, "declared here")
            .help(format!("write a value for each of its parameters ({parameters}), or name the fields")),
    );
}

/// Warns of `a.b`, one name to the lexer, where `a` and `b` are events.
fn run_together(cursor: &mut Cursor<'_>, events: &Events<'_>, event: &ExampleEvent) {
    let name = event.name.as_str();
    let unquoted = cursor.slice(event.span).starts_with(name);
    if !unquoted || !name.contains('.') || events.knows(name) || !name.split('.').all(|part| events.knows(part)) {
        return;
    }
    let span = Span { end: event.span.start + name.len() as u32, ..event.span };
    cursor.report(
        Diagnostic::warning("G0606", span, format!("`{name}` is read as the name of one event"))
            .label("a `.` inside a word is part of it")
            .edit("write a space after each `.` to separate events", span, name.replace('.', ". ")),
    );
}

/// Warns of an atom that is declared nowhere but looks like a declared event.
fn misspelt_atoms(cursor: &mut Cursor<'_>, events: &Events<'_>) {
    let known = |name: &str| events.declared.contains_key(name) || events.concrete.contains(name);
    let undeclared: Vec<(&str, Span)> =
        events.atoms.iter().map(|(name, span)| (*name, *span)).filter(|(name, _)| !known(name)).collect();
    if undeclared.len().saturating_mul(events.declared.len()) > MAX_COMPARISONS {
        return;
    }
    for (name, span) in undeclared {
        let declared = || events.declared.keys().copied();
        let Some(meant) = misspelt(name, declared()).or_else(|| extended(name, declared())) else { continue };
        cursor.report(
            Diagnostic::warning("G0203", span, format!("`{name}` is not declared, but `{meant}` is"))
                .label("read as an event of the trace")
                .edit("an event with a similar name is declared", span, meant),
        );
    }
}
