// SPDX-License-Identifier: MIT OR Apache-2.0
//! Declarations for a spec, generated from the summary of a trace.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use gnomon_core::diagnostic::Span;
use gnomon_core::time::TimeKind;
use gnomon_ir::atom::Path;
use gnomon_ir::spec::{Alternative, EventDeclaration, NameDeclaration, Spec};
use gnomon_trace::{EventSummary, FieldSummary, TraceSummary};

use crate::offline::likely_unit;

/// Writes the declarations of the time, the names and the events of a trace, as a spec that can be compiled. `read_as` has
/// the declarations by which the trace was read, and `event_field` the field with the names if it was given otherwise.
pub fn declarations(summary: &TraceSummary, read_as: &Spec, event_field: Option<&str>) -> String {
    let mut time = read_as.time.clone();
    if let Some(field) = &summary.time_field {
        time.field = Some(field.clone());
    }
    let is_bare = summary.time_kind == TimeKind::Number && time.unit.is_none();
    if is_bare {
        time.unit = summary.span.and_then(|(first, _)| likely_unit(first, summary.clock));
    }
    let is_usual = time.field.as_deref() == Some("time") && time.format.is_none() && time.zone.is_none();
    if is_usual && time.unit.is_none() {
        time.field = None;
    }
    let field = event_field.map(|field| {
        let mut steps = field.split('/').map(str::to_owned);
        let path = Path { field: steps.next().unwrap_or_default(), steps: steps.collect() };
        NameDeclaration::Field(path, Span::default())
    });
    let mut out: String = summary.declarations.iter().map(|declaration| format!("{declaration}\n")).collect();
    if is_bare && time.unit.is_none() {
        let field = summary.time_field.as_deref().unwrap_or("time");
        let _ = writeln!(
            out,
            "# The times are plain numbers. Declare their unit, as in `time {field} in s`, to write `10s` in a property."
        );
    }
    let events = summary.names.iter().map(|event| declaration(event, summary.time_field.as_deref())).collect();
    let name = field.or_else(|| read_as.name.clone());
    out + &gnomon_lang::print_plain_declarations(&Spec {
        time,
        name,
        log: read_as.log.clone(),
        events,
        ..Spec::default()
    })
}

/// Declares the events of one name. The parameters are the plain values that all of them have: an atom with parameters
/// does not match an event that lacks one of them.
fn declaration(event: &EventSummary, time_field: Option<&str>) -> EventDeclaration {
    let is_parameter = |field: &&FieldSummary| {
        let is_time = time_field == Some(field.path.join("/").as_str());
        let is_plain = field.kinds.list + field.kinds.map + field.kinds.null == 0;
        !is_time && is_plain && field.count == event.count
    };
    let (mut parameters, mut renames) = (Vec::new(), Vec::new());
    let mut taken = BTreeSet::new();
    for field in event.fields.iter().filter(is_parameter) {
        let Some((first, steps)) = field.path.split_first() else { continue };
        let plain = if steps.is_empty() { first.clone() } else { parameter_name(&field.path) };
        // A part may be called like another field.
        let mut name = plain.clone();
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        if !steps.is_empty() || name != plain {
            renames.push((Path { field: first.clone(), steps: steps.to_vec() }, name.clone()));
        }
        parameters.push(name);
    }
    let span = Span::default();
    EventDeclaration {
        name: event.name.clone(),
        name_span: span,
        parameters: (!parameters.is_empty()).then_some(parameters),
        alternatives: vec![Alternative { event: event.name.clone(), condition: None, renames, span }],
        participants: None,
    }
}

/// Returns the name of a parameter for a path: `user_name` for `user/name`.
fn parameter_name(path: &[String]) -> String {
    let joined = path.join("_");
    joined.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '_' }).collect()
}
