// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks names across a whole file: duplicates, names that do not exist, and names that are probably misspelt.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use gnomon_core::{Clock, Diagnostic, Duration, Quantity, Span};
use gnomon_ir::walk::{Walk, walk};
use gnomon_ir::{Atom, EventDeclaration, Example, ExampleArguments, ExampleEvent, ExampleTrace, Occurrence, Spec};

use super::parse::SpecBuilder;
use crate::syntax::similar::meant;
use crate::syntax::{Cursor, duplicate, extended, misspelt, nearest, print};

/// Limit on the pairs of names that are compared letter by letter. A file with more is generated, not misspelt.
const MAX_COMPARISONS: usize = 100_000;

/// Reports all errors about the names of a file.
pub(super) fn check(cursor: &mut Cursor<'_>, file: &SpecBuilder<'_>) {
    let spec = &file.spec;
    duplicates(cursor, ("event", "events"), spec.events.iter().map(|event| (event.name.as_str(), event.name_span)));
    let externs = spec.externs.iter().map(|external| (external.name.as_str(), external.name_span));
    duplicates(cursor, ("external variable", "external variables"), externs);
    let whole = spec.properties.iter().map(|property| (property.name.as_str(), property.name_span));
    let invalid = file.invalid_properties.iter().map(|(name, span)| (name.as_str(), *span));
    let mut properties: Vec<(&str, Span)> = whole.chain(invalid).collect();
    properties.sort_by_key(|(_, span)| span.start);
    duplicates(cursor, ("property", "properties"), properties.iter().copied());
    let properties: BTreeSet<&str> = properties.iter().map(|(name, _)| *name).collect();
    let events = EventNames::of(spec);
    for example in &spec.examples {
        known_property(cursor, example, &properties);
        if let ExampleTrace::Events(trace) = &example.trace {
            example_events(cursor, Clock::new(spec.time.unit), &events, trace);
        }
    }
    misspelt_atoms(cursor, &events);
}

/// The names of events in a file.
struct EventNames<'s> {
    declared: BTreeMap<&'s str, &'s EventDeclaration>,
    /// Events of the trace that declarations mention.
    concrete: BTreeSet<&'s str>,
    /// Events that formulae mention, with the first position of each.
    atoms: BTreeMap<&'s str, Span>,
}

impl<'s> EventNames<'s> {
    fn of(spec: &'s Spec) -> Self {
        let alternatives = spec.events.iter().flat_map(|event| &event.alternatives);
        let declared: BTreeMap<&str, &EventDeclaration> =
            spec.events.iter().map(|event| (event.name.as_str(), event)).collect();
        let concrete: BTreeSet<&str> = alternatives.map(|alternative| alternative.event.as_str()).collect();
        let is_known = |name: &str| declared.contains_key(name) || concrete.contains(name);
        let atoms = first_mentions(spec, &is_known);
        EventNames { declared, concrete, atoms }
    }

    fn knows(&self, name: &str) -> bool {
        self.declared.contains_key(name) || self.concrete.contains(name) || self.atoms.contains_key(name)
    }
}

/// Reports names that are declared twice; `what` is the noun for them, singular and plural.
fn duplicates<'a>(cursor: &mut Cursor<'_>, (what, plural): (&str, &str), names: impl Iterator<Item = (&'a str, Span)>) {
    let mut first: BTreeMap<&str, Span> = BTreeMap::new();
    for (name, span) in names {
        if let Some(before) = first.get(name) {
            let message = format!("there are two {plural} of the name `{name}`");
            let diagnostic = duplicate("G0201", span, *before, message, "named");
            cursor.report(diagnostic.help(format!("give each {what} a different name")));
        } else {
            first.insert(name, span);
        }
    }
}

fn known_property(cursor: &mut Cursor<'_>, example: &Example, properties: &BTreeSet<&str>) {
    let (name, span) = (example.property.as_str(), example.property_span);
    if properties.contains(name) || cursor.is_full() {
        return;
    }
    let diagnostic = Diagnostic::error("G0601", span, format!("there is no property `{name}`"))
        .label("the file has no property of this name");
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

fn example_events(cursor: &mut Cursor<'_>, clock: Clock, events: &EventNames<'_>, trace: &[ExampleEvent]) {
    let mut latest: Option<(Duration, &ExampleEvent)> = None;
    for event in trace {
        let before = latest.map_or(Duration::ZERO, |(time, _)| time);
        let follows = clock.duration(Quantity::whole(1)).map_or(before, |unit| plus(before, unit));
        let time = event.time.map_or(Some(follows), |time| clock.duration(time));
        let Some(time) = time else {
            cursor.report(too_fine(event));
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

fn too_fine(event: &ExampleEvent) -> Diagnostic {
    Diagnostic::error("G0402", event.span, "the time is not a whole number of nanoseconds")
        .label("time is exact down to the nanosecond")
        .help("round the time, or write it in a finer unit")
}

/// Reports data by position that are not as many as the declaration has parameters.
fn parameters(cursor: &mut Cursor<'_>, declaration: &EventDeclaration, event: &ExampleEvent) {
    let want = declaration.parameters.as_ref().map_or(0, Vec::len);
    let ExampleArguments::Positional(values) = &event.arguments else { return };
    if values.is_empty() || values.len() == want {
        return;
    }
    let (name, got) = (&event.name, values.len());
    let plural = if want == 1 { "" } else { "s" };
    let parameters = declaration.parameters.as_deref().unwrap_or_default().join(", ");
    cursor.report(
        Diagnostic::error("G0605", event.span, format!("`{name}` has {want} parameter{plural}, not {got}"))
            .also(declaration.name_span, "declared here")
            .help(format!("write a value for each of its parameters ({parameters}), or name the fields")),
    );
}

/// Warns about `a.b`, which the lexer reads as one name, where `a` and `b` are events.
fn run_together(cursor: &mut Cursor<'_>, events: &EventNames<'_>, event: &ExampleEvent) {
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

/// Warns about an atom that is not declared but looks like a declared event.
fn misspelt_atoms(cursor: &mut Cursor<'_>, events: &EventNames<'_>) {
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

/// Returns the events that properties mention, with the first position of each.
pub(super) fn first_mentions<'s>(spec: &'s Spec, is_known: &dyn Fn(&str) -> bool) -> BTreeMap<&'s str, Span> {
    let mut first: BTreeMap<&str, Span> = BTreeMap::new();
    let mut mentions = Mentions { atoms: vec![], is_known };
    spec.properties.iter().for_each(|property| walk::body(&mut mentions, &property.body));
    mentions.atoms.extend(&spec.cases.ends);
    for atom in mentions.atoms {
        let span = first.entry(&atom.name).or_insert(atom.name_span);
        *span = (*span).min(atom.name_span);
    }
    first
}

/// Collects the atoms of properties. `start_X` and `end_X` are atoms of X, unless the whole name is known.
struct Mentions<'b, 'k> {
    atoms: Vec<&'b Atom>,
    is_known: &'k dyn Fn(&str) -> bool,
}

impl<'b> Walk<'b> for Mentions<'b, '_> {
    fn atom(&mut self, atom: &'b Atom) {
        self.atoms.push(atom);
    }

    fn occurrence(&mut self, occurrence: &'b Occurrence) {
        self.atoms.push(match &occurrence.activity {
            Some((_, activity)) if !(self.is_known)(&occurrence.event.name) => activity,
            _ => &occurrence.event,
        });
    }
}

/// Limit on the names for which a similar message is searched. The others are reported without a suggestion.
const MAX_SUGGESTIONS: usize = 100;

/// Warns about every event that properties mention and that is neither declared nor a message, once, at its first
/// position.
pub fn unknown_events(spec: &Spec, messages: &[&str]) -> Vec<Diagnostic> {
    let alternatives = spec.events.iter().flat_map(|event| &event.alternatives);
    let declared = spec.events.iter().map(|event| event.name.as_str());
    let concrete = alternatives.map(|alternative| alternative.event.as_str());
    let known: HashSet<&str> = declared.clone().chain(concrete).chain(messages.iter().copied()).collect();
    let mentioned = first_mentions(spec, &|name| known.contains(name)).into_iter();
    let unknown: BTreeMap<Span, &str> =
        mentioned.filter(|(name, _)| !known.contains(name)).map(|(name, span)| (span, name)).collect();
    let candidates: Vec<&str> = messages.iter().copied().chain(declared).collect();
    let warning = |(index, (span, name)): (usize, (Span, &str))| {
        let near = if index < MAX_SUGGESTIONS { meant(name, &candidates) } else { None };
        let question = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let warning = Diagnostic::warning("G0730", span, format!("no message `{name}`{question}"))
            .label("neither declared nor in the catalogue");
        match near {
            Some(near) => {
                let written = print::text(|out| print::name(near, &|_| false, out));
                warning.edit("a message with a similar name is known", span, written)
            }
            None => warning.help("check the name, or declare it: `event NAME = MESSAGE`"),
        }
    };
    unknown.into_iter().enumerate().map(warning).collect()
}

#[cfg(test)]
mod tests {
    fn warnings(source: &str, messages: &[&str]) -> Vec<String> {
        let (spec, diagnostics) = crate::parse(source);
        assert_eq!(diagnostics, [], "{source}");
        let warnings = super::unknown_events(&spec, messages).into_iter();
        warnings.map(|warning| format!("{} {}", warning.primary.span.start, warning.message)).collect()
    }

    #[test]
    fn every_unknown_name_once_where_it_first_stands() {
        let source =
            "event a = raw\nmtl p { G(logout -> F(a && raw && zzz)) }\nmtl q { G(zzz -> sum[3](logout.n) <= 2) }\n";
        assert_eq!(
            warnings(source, &["logoutReq", "other"]),
            ["24 no message `logout`; did you mean `logoutReq`?", "48 no message `zzz`"]
        );
        assert_eq!(warnings(source, &["logout", "zzz"]), [""; 0]);
    }

    #[test]
    fn a_suggestion_is_spelt_as_it_must_be() {
        let (spec, _) = crate::parse("mtl p { G(getstatus) }");
        let warnings = super::unknown_events(&spec, &["get status"]);
        let edit = warnings[0].help.as_ref().and_then(|help| help.edit.as_ref()).map(|(_, text)| text.as_str());
        assert_eq!(edit, Some("\"get status\""));
    }
}
