// SPDX-License-Identifier: MIT OR Apache-2.0
//! The JSON report. Its fields and their order are a contract: fields may be added, but never changed.
//!
//! It is written by hand because numbers must keep all their digits: a time may be larger, or finer, than a float.
//!
//! # Assembly
//!
//! `render` writes one object for each trace: extent, overall verdict, one object for each property, and remarks that are
//! present only if they apply (late events, unmatched lines, cases, external variables, a critical stop). The parts are
//! public functions, because the live API and the line-by-line report of the command write them in other frames:
//!
//! | Report | Parts |
//! |---|---|
//! | `gnomon check --report json` | [`render`]: all of them, in one object |
//! | `gnomon check --report ndjson` | [`violation`], [`event`], [`end`], [`summary`]: one line each, as soon as it is known |
//! | live API | [`render_run`], [`violation`], [`outcome`], [`duration`] |

pub mod plan;
pub mod value;
pub mod write;

use gnomon_core::escape::json;
use gnomon_core::symbols::Symbols;
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::verdict::{Binding, Cause, DecisionPoint, Durations, Origin, Outcome, Violation};
use gnomon_ir::spec::{Property, PropertySeverity};
use gnomon_run::compile::CompiledSpec;
use gnomon_run::offline::{
    CaseSummary, EndVerdict, EventLocations, EventVerdict, FieldMismatch, PartValue, Report, TraceContext, Truth,
    UnmetExpectation,
};
use gnomon_trace::SkippedEvents;

use crate::numbers::TimeFormat;
use crate::text::failure::Failure;
use crate::{RELAXED_NOTE, SpecContext, VISITS_ALL_NOTE, externs, overall};

use crate::file_name;
use write::{ObjectWriter, RawJson, list, number, object, object_text};

/// Verdicts of events, rendered as items of a list or as lines, for a report that is written at the end.
#[derive(Clone, Debug, Default)]
pub struct RenderedVerdicts {
    /// Verdicts at each event.
    pub at_events: String,
    /// Verdicts that the end decided, if they are listed separately.
    pub at_end: String,
}

/// The spec with which a property started, and its names of events, if the spec was replaced since.
pub type OriginalSpec<'a> = &'a dyn Fn(usize) -> Option<(&'a CompiledSpec, &'a Symbols)>;

/// Renders the whole report on one line. `events` has the verdicts at the events of each trace, if requested; `errors` the
/// names of traces that could not be checked, or were refused, with the reasons.
pub fn render(
    spec: &SpecContext<'_>,
    reports: &[Report],
    events: &[Option<RenderedVerdicts>],
    errors: &[(&str, &Failure)],
) -> String {
    let each = |fields: &mut ObjectWriter<'_>, (report, events): (&Report, &Option<RenderedVerdicts>)| {
        trace(fields, spec, report, events.as_ref(), &|_| None);
    };
    whole(spec, reports.iter().zip(events), each, |fields| {
        fields.objects("errors", errors, |fields, (source, failure)| {
            fields.field("source", &file_name(source));
            failure.json(fields);
        });
    })
}

/// Renders the report of a run whose spec may have been replaced.
pub fn render_run(spec: &SpecContext<'_>, report: &Report, original: OriginalSpec<'_>) -> String {
    whole(spec, [report], |fields, report| trace(fields, spec, report, None, original), |_| ())
}

fn whole<T>(
    spec: &SpecContext<'_>,
    traces: impl IntoIterator<Item = T>,
    each: impl FnMut(&mut ObjectWriter<'_>, T),
    rest: impl FnOnce(&mut ObjectWriter<'_>),
) -> String {
    object_text(|fields| {
        fields.field("gnomon", env!("CARGO_PKG_VERSION"));
        fields.field("spec", &file_name(spec.spec_name));
        fields.objects("traces", traces, each);
        rest(fields);
    }) + "\n"
}

fn trace(
    fields: &mut ObjectWriter<'_>,
    spec: &SpecContext<'_>,
    report: &Report,
    events: Option<&RenderedVerdicts>,
    original: OriginalSpec<'_>,
) {
    fields.field("source", &file_name(&report.source));
    extent(fields, report);
    fields.field("verdict", overall(&report.outcomes).word());
    fields.objects("properties", 0..report.outcomes.len(), |fields, index| {
        fields.field("name", spec.property_name(index));
        property(fields, spec, index, report, Some(original));
    });
    remarks(fields, spec, report);
    if let Some(events) = events {
        fields.field("event_verdicts", RawJson(format!("[{}]", events.at_events)));
        if !events.at_end.is_empty() {
            fields.field("end_verdicts", RawJson(format!("[{}]", events.at_end)));
        }
    }
}

/// Writes the number of events and their times.
pub fn extent(fields: &mut ObjectWriter<'_>, report: &Report) {
    let time = |time: Option<_>| time.map(|time| time_text(TimeFormat::of(report), time));
    fields.field("events", report.events);
    fields.field("first_time", time(report.first_time));
    fields.field("last_time", time(report.last_time));
}

/// Writes the remarks that apply to the trace as a whole.
pub fn remarks(fields: &mut ObjectWriter<'_>, spec: &SpecContext<'_>, report: &Report) {
    let positive = |count: u64| (count > 0).then_some(count);
    fields.optional("late", positive(report.late.count));
    if report.skipped != SkippedEvents::default() {
        fields.object("skipped", |fields| {
            fields.field("unnamed", report.skipped.unnamed);
            fields.field("untimed", report.skipped.untimed);
        });
    }
    if report.unmatched.count > 0 {
        fields.object("unmatched", |fields| {
            fields.field("count", report.unmatched.count);
            fields.objects("first", &report.unmatched.first, |fields, sample| {
                fields.field("line", sample.line);
                fields.field("text", &sample.text);
                fields.field("reason", &sample.reason);
            });
        });
    }
    if let Some(cases) = &report.cases {
        fields.object("cases", |fields| {
            fields.field("total", cases.total);
            fields.field("violating", cases.violating);
            fields.optional("empty", positive(report.empty_cases));
            fields.optional("events_without", positive(cases.without));
        });
    }
    if !report.externs.is_empty() {
        fields.objects("externs", &report.externs, externs::json);
    }
    if let Some(stopped) = &report.stopped {
        fields.object("stopped", |fields| {
            fields.field("property", spec.property_name(stopped.property));
            if let Some(when) = stopped.decided {
                decided(fields, when, TimeFormat::of(report), &report.symbols);
            }
            fields.optional("case", stopped.case.as_deref());
        });
    }
    if !report.unseen.is_empty() {
        fields.field("unseen", &report.unseen[..]);
    }
    if !report.unmet.is_empty() {
        fields.objects("unmet", &report.unmet, unmet);
    }
    if !report.empty_ranges.is_empty() {
        fields.objects("empty_ranges", &report.empty_ranges, |fields, range| {
            fields.field("property", spec.property_name(range.property));
            fields.field("variable", &range.variable);
            fields.field("atoms", &range.atoms[..]);
        });
    }
}

fn unmet(fields: &mut ObjectWriter<'_>, unmet: &UnmetExpectation) {
    fields.field("event", unmet.event.as_ref());
    match &unmet.mismatch {
        FieldMismatch::Absent { field, fields: known } => {
            fields.field("field", field);
            fields.field("fields", &known[..]);
        }
        FieldMismatch::Kind { field, found, compared } => {
            fields.field("field", field);
            fields.field("found", found.word());
            fields.field("compared", compared.word());
        }
        FieldMismatch::Arity { expected, found } => {
            fields.field("parameters", *expected);
            fields.field("found", *found);
        }
    }
}

/// Writes the fields of a property except its name. Violations are listed if `original` is given.
fn property(
    fields: &mut ObjectWriter<'_>,
    spec: &SpecContext<'_>,
    index: usize,
    report: &Report,
    original: Option<OriginalSpec<'_>>,
) {
    let (property, outcome) = (spec.property(index), &report.outcomes[index]);
    self::outcome(fields, property, outcome, TimeFormat::of(report));
    if let Some(original) = original {
        let (compiled, symbols) = original(index).unwrap_or((spec.compiled, &report.symbols));
        let (spec, context) =
            (&SpecContext { compiled, ..*spec }, TraceContext { symbols, time_kind: report.time_kind });
        fields.objects("violations", outcome.violations.iter().enumerate(), |fields, (number, found)| {
            let case = report.cases.as_ref().and_then(|cases| cases.label(index, number));
            located_violation(fields, found, case, spec, context, Some(&report.locations));
            if let Some(values) = report.parts.get(&(index, number)) {
                fields.objects("parts", values, |fields, part| parts(fields, part, spec));
            }
        });
    }
    fields.optional("title", property.title.as_deref());
    fields.optional("severity", property.options.severity.map(PropertySeverity::word));
    fields.optional("error", outcome.fault.as_deref());
    fields.optional("merged_simultaneous", outcome.merged_simultaneous.then_some(true));
    fields.optional("note", spec.compiled.plan.visits_all_bindings(index).then_some(VISITS_ALL_NOTE));
    fields.optional("note", report.relaxed.contains(&index).then_some(RELAXED_NOTE));
    let violating = |cases: &CaseSummary| cases.violating_each.get(index).copied().unwrap_or_default();
    fields.optional("violating_cases", report.cases.as_ref().map(violating));
}

/// Writes the language of a property, its verdict, its counts, and the times from activation to satisfaction.
pub fn outcome(fields: &mut ObjectWriter<'_>, property: &Property, outcome: &Outcome, time_format: TimeFormat) {
    fields.field("language", property.language.word());
    fields.field("verdict", outcome.verdict.word());
    fields.field("presumably", outcome.presumably);
    for (name, count) in [
        ("positions", outcome.positions),
        ("activated", outcome.activated),
        ("satisfied", outcome.satisfied),
        ("violated", outcome.violated),
        ("pending", outcome.pending),
    ] {
        fields.field(name, count);
    }
    fields.field("exercised", outcome.activated > 0);
    fields.optional("open_at_end", (outcome.open_at_end > 0).then_some(outcome.open_at_end));
    fields.with("duration", |out| duration(out, outcome.durations.as_ref(), time_format));
}

/// Writes the summary of a property over a trace, as the fields of a line.
pub fn summary(fields: &mut ObjectWriter<'_>, spec: &SpecContext<'_>, index: usize, report: &Report) {
    property(fields, spec, index, report, None);
    extent(fields, report);
    remarks(fields, spec, report);
}

/// Writes an event and the violations that it decided.
pub fn event(fields: &mut ObjectWriter<'_>, verdict: &EventVerdict<'_>, spec: &SpecContext<'_>) {
    let time_format = TimeFormat::new(spec.clock(), verdict.context.time_kind);
    origin(fields, &verdict.origin, time_format, verdict.context.symbols);
    decided_violations(fields, verdict.violated, verdict.bindings, verdict.case, spec);
}

/// Writes the violations that the end decided.
pub fn end(fields: &mut ObjectWriter<'_>, ended: &EndVerdict<'_>, spec: &SpecContext<'_>) {
    let time_format = TimeFormat::new(spec.clock(), ended.context.time_kind);
    fields.field("time", ended.last.map(|last| time_text(time_format, last)));
    decided_violations(fields, ended.violated, ended.bindings, ended.case, spec);
}

/// Writes the violations that were decided at one moment.
fn decided_violations(
    fields: &mut ObjectWriter<'_>,
    violated: &[usize],
    bindings: &[(usize, Binding)],
    case: Option<&str>,
    spec: &SpecContext<'_>,
) {
    fields.field("verdict", violated.is_empty());
    let violated: Vec<&str> = violated.iter().map(|index| spec.property_name(*index)).collect();
    fields.field("violated", &violated[..]);
    if !bindings.is_empty() {
        fields.objects("bindings", bindings, |fields, (index, binding)| {
            fields.field("property", spec.property_name(*index));
            fields.object("binding", |fields| value::binding(fields, binding));
        });
    }
    fields.optional("case", case);
}

/// Writes the times from activation to satisfaction.
pub fn duration(out: &mut String, durations: Option<&Durations>, time_format: TimeFormat) {
    let Some(durations) = durations else {
        out.push_str("null");
        return;
    };
    object(out, |fields| {
        fields.field("min", number(time_format.duration(durations.min)));
        fields.field("max", number(time_format.duration(durations.max)));
        fields.field("mean", number(time_format.mean(durations)));
    });
}

/// Writes the fields of a violation.
pub fn violation(
    fields: &mut ObjectWriter<'_>,
    violation: &Violation,
    case: Option<&str>,
    spec: &SpecContext<'_>,
    context: TraceContext<'_>,
) {
    located_violation(fields, violation, case, spec, context, None);
}

/// Writes the fields of a violation, with the places of its events as far as they are known.
fn located_violation(
    fields: &mut ObjectWriter<'_>,
    violation: &Violation,
    case: Option<&str>,
    spec: &SpecContext<'_>,
    context: TraceContext<'_>,
    locations: Option<&EventLocations>,
) {
    let place = |fields: &mut ObjectWriter<'_>, event_index: u64| {
        if let Some(location) = locations.and_then(|locations| locations.get(event_index)) {
            fields.field("line", location.line);
            fields.optional("offset", location.offset);
            fields.optional("raw", location.raw.as_deref());
        }
    };
    let (time_format, symbols) = (TimeFormat::new(spec.clock(), context.time_kind), context.symbols);
    fields.object("at", |fields| {
        fields.field("event_index", violation.at.origin.event_index);
        fields.field("position", violation.at.position);
        time_and_event(fields, &violation.at.origin, time_format, symbols);
        place(fields, violation.at.origin.event_index);
    });
    fields.field("until_position", violation.until_position);
    fields.object("decided", |fields| {
        decided(fields, violation.decided, time_format, symbols);
        if let DecisionPoint::Event(origin) = violation.decided {
            place(fields, origin.event_index);
        }
    });
    fields.object("binding", |fields| value::binding(fields, &violation.binding));
    fields.field("failed", violation.failed.text(&spec.compiled.source));
    fields.objects("because", &violation.because, |fields, cause| {
        because(fields, cause, time_format, symbols);
        place(fields, cause.origin.event_index);
    });
    fields.field("summary", &violation.summary);
    fields.optional("case", case);
}

/// Writes a part of a formula with its value at the violation.
fn parts(fields: &mut ObjectWriter<'_>, part: &PartValue, spec: &SpecContext<'_>) {
    fields.field("depth", part.depth as u64);
    fields.field("text", part.span.text(&spec.compiled.source));
    fields.field(
        "value",
        match part.value {
            Truth::True => Some(true),
            Truth::False => Some(false),
            Truth::Unknown => None,
        },
    );
    fields.objects("true_at", &part.true_at, |fields, origin| fields.field("event_index", origin.event_index));
}

fn decided(fields: &mut ObjectWriter<'_>, decided: DecisionPoint, time_format: TimeFormat, symbols: &Symbols) {
    match decided {
        DecisionPoint::Event(at) => origin(fields, &at, time_format, symbols),
        DecisionPoint::Deadline(time) | DecisionPoint::End(time) => {
            fields.field("event_index", None::<u64>);
            fields.field("time", time_text(time_format, time));
            fields.field("event", None::<&str>);
        }
    }
}

/// Renders the list of events that explain a violation.
pub fn because_list(causes: &[Cause], time_format: TimeFormat, symbols: &Symbols) -> String {
    let mut out = String::new();
    list(&mut out, causes, |out, cause| object(out, |fields| because(fields, cause, time_format, symbols)));
    out
}

fn because(fields: &mut ObjectWriter<'_>, cause: &Cause, time_format: TimeFormat, symbols: &Symbols) {
    origin(fields, &cause.origin, time_format, symbols);
    fields.field("note", &cause.note);
}

/// Writes the index, the time and the name of an event.
fn origin(fields: &mut ObjectWriter<'_>, origin: &Origin, time_format: TimeFormat, symbols: &Symbols) {
    fields.field("event_index", origin.event_index);
    time_and_event(fields, origin, time_format, symbols);
}

/// Writes the time and the name of an event.
pub fn time_and_event(fields: &mut ObjectWriter<'_>, origin: &Origin, time_format: TimeFormat, symbols: &Symbols) {
    fields.field("time", time_text(time_format, origin.time));
    fields.field("event", symbols.name_text(origin.event));
}

/// Renders a time in the notation of the trace.
pub fn time_text(time_format: TimeFormat, time: Timestamp) -> RawJson {
    let text = time_format.time(time);
    if time_format.kind == TimeKind::DateTime { RawJson(json(&text)) } else { number(text) }
}
