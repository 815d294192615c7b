// SPDX-License-Identifier: MIT OR Apache-2.0
//! Violations and events as JSON of the API.

use gnomon_core::diagnostic::Span;
use gnomon_core::symbols::Symbols;
use gnomon_core::verdict::{DecisionPoint, Origin};
use gnomon_ir::spec::Property;
use gnomon_report::SpecContext;
use gnomon_report::json::write::{ObjectWriter, list, object, object_text};
use gnomon_report::json::{self, time_text};
use gnomon_report::numbers::TimeFormat;
use gnomon_run::offline::TraceContext;
use gnomon_run::online::{NamedFields, NumberedViolation};
use gnomon_store::history::ViolationRow;
use serde_json::value::RawValue;

use crate::evaluator::MistimedEvent;
use crate::event::EventView;
use crate::ring::{EventRing, JudgedEvent};
use crate::wire::{self, AheadRow, EventRow, LateRow, RawJson, ViolationDetails, ViolationHead};

/// A violation for the history and for subscribers.
#[derive(Clone, Debug)]
pub(crate) struct ViolationRecord {
    pub(crate) stored: ViolationRow,
    pub(crate) wire: wire::ViolationRow,
}

/// Wraps JSON that was written by this program.
pub(crate) fn raw(json: String) -> RawJson {
    RawValue::from_string(json).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Renders a violation that the record `sequence` revealed.
pub(crate) fn row(
    found: &NumberedViolation,
    property: &Property,
    symbols: Option<&Symbols>,
    time_format: TimeFormat,
    (sequence, noted_at): (u64, i64),
    ring: &EventRing,
) -> ViolationRecord {
    let nothing = Symbols::default();
    let about = SpecContext { spec_name: "", compiled: &found.compiled };
    let context = TraceContext { symbols: symbols.unwrap_or(&nothing), time_kind: time_format.kind };
    let violation = &found.violation;
    let text = object_text(|fields| {
        json::violation(fields, violation, None, &about, context);
        fields.with("story", |out| explanation(out, found, time_format, context.symbols, ring));
        if let DecisionPoint::Deadline(time) = violation.decided {
            fields.field("deadline", time_text(time_format, time));
        }
        let whole = property_text(property.name_span, &found.compiled.source);
        fields.field("property_text", whole.text(&found.compiled.source));
        fields.object("failed_span", |fields| {
            fields.field("start", violation.failed.start.saturating_sub(whole.start));
            fields.field("end", violation.failed.end.saturating_sub(whole.start));
        });
    });
    let details: ViolationDetails = serde_json::from_str(&text).unwrap_or_default();
    let decided = violation.decided.time();
    let stored = ViolationRow {
        number: found.number,
        sequence,
        property: property.name.clone(),
        severity: property.options.severity.map(|severity| severity.word().to_owned()),
        case: found.case.as_ref().map(ToString::to_string),
        group: format!("{}/{}", property.name, violation.failed.text(&found.compiled.source)),
        time: time_format.time(decided),
        sort_time: i64::try_from(decided.ticks() / 1_000_000).unwrap_or(i64::MAX),
        noted_at,
        json: text,
    };
    ViolationRecord { wire: wire::ViolationRow { head: ViolationHead::new(&stored, Some(property)), details }, stored }
}

/// Returns the span of a property in the spec, from the start of its line to its closing brace.
pub(crate) fn property_text(name: Span, source: &str) -> Span {
    let start = source[..name.start as usize].rfind('\n').map_or(0, |newline| newline + 1);
    let (mut depth, mut in_text, mut in_comment) = (0_usize, false, false);
    for (at, byte) in source.bytes().enumerate().skip(name.end as usize) {
        match byte {
            b'\n' => in_comment = false,
            _ if in_comment => {}
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'#' => in_comment = true,
            b'{' => depth += 1,
            b'}' if depth <= 1 => return Span::new(start, at + 1),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    Span::new(start, source.len())
}

/// Writes the events that explain a violation, in order, as far as they are still in memory.
fn explanation(
    out: &mut String,
    found: &NumberedViolation,
    time_format: TimeFormat,
    symbols: &Symbols,
    ring: &EventRing,
) {
    let violation = &found.violation;
    let mut events: Vec<(Origin, &'static str, Option<&str>)> = vec![(violation.at.origin, "at", None)];
    events.extend(violation.because.iter().map(|because| (because.origin, "because", Some(&*because.note))));
    if let DecisionPoint::Event(origin) = violation.decided {
        events.push((origin, "decided", None));
    }
    events.sort_by_key(|(origin, ..)| origin.event_index);
    events.dedup_by(|later, earlier| {
        let is_same = later.0.event_index == earlier.0.event_index;
        if is_same {
            earlier.2 = earlier.2.or(later.2);
            if later.1 == "at" || earlier.1 == "because" && later.1 == "decided" {
                earlier.1 = later.1;
            }
        }
        is_same
    });
    list(out, events, |out, (origin, role, note)| {
        object(out, |fields| {
            fields.field("event_index", origin.event_index);
            json::time_and_event(fields, &origin, time_format, symbols);
            let view = ring.get(origin.event_index).and_then(JudgedEvent::view);
            fields.object("fields", |fields| view.iter().for_each(|view| add_fields(fields, view)));
            for participant in ["source", "destination"] {
                fields.optional(participant, view.as_ref().and_then(|view| view.named(participant)).as_ref());
            }
            fields.field("note", note);
            fields.field("role", role);
        });
    });
}

/// Writes the fields of an event.
fn add_fields(fields: &mut ObjectWriter<'_>, view: &EventView<'_>) {
    view.entries().for_each(|(key, value)| fields.field(key, &value));
}

/// Renders an evaluated event. `names` are the names of the properties.
pub(crate) fn event_row(entry: &JudgedEvent, time_format: TimeFormat, names: &[String]) -> Option<EventRow> {
    let view = entry.view()?;
    let violated = entry.violated.iter().filter_map(|property| names.get(*property as usize).cloned()).collect();
    Some(EventRow {
        event_index: entry.index,
        time: raw(time_text(time_format, entry.time).0),
        event: view.name.to_owned(),
        fields: raw(object_text(|fields| add_fields(fields, &view))),
        verdict: entry.violated.is_empty(),
        violated,
        case: entry.case.as_ref().map(ToString::to_string),
        noted_at: entry.noted_at,
    })
}

/// Renders a late event.
pub(crate) fn late_row(late: &MistimedEvent) -> LateRow {
    LateRow { event: late.event.clone(), time: raw(late.time.clone()), behind: late.by.clone() }
}

/// Renders an event from the future.
pub(crate) fn ahead_row(ahead: &MistimedEvent) -> AheadRow {
    AheadRow { event: ahead.event.clone(), time: raw(ahead.time.clone()), ahead: ahead.by.clone() }
}
