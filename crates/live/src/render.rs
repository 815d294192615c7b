// SPDX-License-Identifier: MIT OR Apache-2.0
//! Violations and events as the API has them.

use gnomon_core::diagnostic::Span;
use gnomon_core::symbols::Symbols;
use gnomon_core::verdict::Decided;
use gnomon_ir::spec::Property;
use gnomon_report::About;
use gnomon_report::json::write::{Fields, object, quoted};
use gnomon_report::json::{self, importance, time_text, value};
use gnomon_report::numbers::Dial;
use gnomon_run::offline::Legend;
use gnomon_run::online::Found;
use serde_json::value::RawValue;

use crate::event::Seen;
use crate::ring::{Entry, Ring};
use crate::wire::{Details, EventRow, Json, ViolationRow};

/// A violation, ready to be kept and told.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) wire: ViolationRow,
    /// When it was decided, as the events tell the time.
    pub(crate) time: String,
    /// The same in milliseconds.
    pub(crate) sort_time: i64,
    /// Its details and its story, as JSON.
    pub(crate) json: String,
}

/// JSON that was written here.
pub(crate) fn raw(json: String) -> Json {
    RawValue::from_string(json).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// A violation as it is kept.
pub(crate) fn row(
    found: &Found,
    property: &Property,
    symbols: Option<&Symbols>,
    dial: Dial,
    noted_at: i64,
    ring: &Ring,
) -> Row {
    let nothing = Symbols::default();
    let about = About { spec_name: "", compiled: &found.compiled };
    let legend = Legend { symbols: symbols.unwrap_or(&nothing), time_kind: dial.kind };
    let violation = &found.violation;
    let mut text = String::new();
    object(&mut text, |fields| {
        json::violation(fields, violation, None, &about, legend);
        fields.with("story", |out| story(out, found, dial, legend.symbols, ring));
        if let Decided::Deadline(time) = violation.decided {
            fields.raw("deadline", &time_text(dial, time));
        }
        let whole = property_text(property.name_span, &found.compiled.source);
        fields.text("property_text", whole.text(&found.compiled.source));
        let (start, end) = (violation.failed.start, violation.failed.end);
        let base = whole.start;
        fields.with("failed_span", |out| {
            object(out, |fields| {
                fields.raw("start", &start.saturating_sub(base).to_string());
                fields.raw("end", &end.saturating_sub(base).to_string());
            });
        });
    });
    let details: Details = serde_json::from_str(&text).unwrap_or_else(|_| Details::empty());
    let decided = violation.decided.time();
    Row {
        wire: ViolationRow {
            number: found.number,
            property: property.name.clone(),
            title: property.title.clone(),
            severity: property.options.severity.map(importance),
            critical: property.options.critical,
            case: found.case.as_ref().map(ToString::to_string),
            group: format!("{}/{}", property.name, violation.failed.text(&found.compiled.source)),
            noted_at,
            details,
        },
        time: dial.time(decided),
        sort_time: i64::try_from(decided.ticks() / 1_000_000).unwrap_or(i64::MAX),
        json: text,
    }
}

/// Where the property with this name stands in a text, from the start of its line to its closing brace.
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

/// The events that a violation speaks of, as far as they are still known, in their order.
fn story(out: &mut String, found: &Found, dial: Dial, symbols: &Symbols, ring: &Ring) {
    let violation = &found.violation;
    let mut told: Vec<(u64, &'static str, Option<&str>)> = vec![(violation.at.origin.event_index, "at", None)];
    for because in &violation.because {
        told.push((because.origin.event_index, "because", Some(&because.note)));
    }
    if let Decided::Event(origin) = violation.decided {
        told.push((origin.event_index, "decided", None));
    }
    told.sort_by_key(|(index, ..)| *index);
    told.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.2 = earlier.2.or(later.2);
            if later.1 == "at" || earlier.1 == "because" && later.1 == "decided" {
                earlier.1 = later.1;
            }
        }
        same
    });
    let origins: Vec<_> = std::iter::once(violation.at.origin)
        .chain(violation.because.iter().map(|because| because.origin))
        .chain(match violation.decided {
            Decided::Event(origin) => Some(origin),
            Decided::Deadline(_) | Decided::End(_) => None,
        })
        .collect();
    out.push('[');
    for (number, (index, role, note)) in told.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        let Some(origin) = origins.iter().find(|origin| origin.event_index == *index) else { continue };
        object(out, |fields| {
            fields.raw("event_index", &index.to_string());
            fields.raw("time", &time_text(dial, origin.time));
            fields.text("event", symbols.name_text(origin.event));
            let seen = ring.get(*index).and_then(Entry::seen);
            fields.with("fields", |out| match &seen {
                Some(seen) => fields_object(out, seen),
                None => out.push_str("{}"),
            });
            for participant in ["source", "destination"] {
                if let Some(seen) = &seen {
                    participant_field(fields, seen, participant);
                }
            }
            match note {
                Some(note) => fields.text("note", note),
                None => fields.raw("note", "null"),
            }
            fields.text("role", role);
        });
    }
    out.push(']');
}

fn participant_field(fields: &mut Fields<'_>, seen: &Seen<'_>, name: &str) {
    if let Some((_, of)) = seen.entries().find(|(key, _)| *key == name) {
        fields.with(name, |out| value::value(out, &of));
    }
}

/// The fields of an event.
pub(crate) fn fields_object(out: &mut String, seen: &Seen<'_>) {
    object(out, |fields| {
        for (key, of) in seen.entries() {
            fields.with(key, |out| value::value(out, &of));
        }
    });
}

/// An event that was judged. `names` are those of the properties.
pub(crate) fn event_row(entry: &Entry, dial: Dial, names: &[String]) -> Option<EventRow> {
    let seen = entry.seen()?;
    let mut fields = String::new();
    fields_object(&mut fields, &seen);
    let violated = entry.violated.iter().filter_map(|property| names.get(*property as usize).cloned()).collect();
    Some(EventRow {
        event_index: entry.index,
        time: raw(time_text(dial, entry.time)),
        event: seen.name.to_owned(),
        fields: raw(fields),
        verdict: entry.violated.is_empty(),
        violated,
        case: entry.case.as_ref().map(ToString::to_string),
        noted_at: entry.noted_at,
    })
}

impl Details {
    fn empty() -> Self {
        let null = || RawValue::NULL.to_owned();
        Details {
            at: null(),
            until_position: None,
            decided: null(),
            binding: null(),
            failed: String::new(),
            because: null(),
            summary: quoted(""),
        }
    }
}
