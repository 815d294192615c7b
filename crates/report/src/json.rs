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
//! | `gnomon check --report ndjson` | [`violation`], [`event`], [`end`], [`summary`]: one line each, as soon as it is known
//! |
//! | live API | [`render_run`], [`violation`], [`counts`], [`duration`] |

pub mod plan;
pub mod value;
pub mod write;

use gnomon_core::escape::{json, write_json};
use gnomon_core::symbols::Symbols;
use gnomon_core::time::TimeKind;
use gnomon_core::verdict::{Binding, Cause, DecisionPoint, Durations, Origin, Outcome, TracePosition, Violation};
use gnomon_ir::spec::PropertySeverity;
use gnomon_run::compile::CompiledSpec;
use gnomon_run::offline::{
    CaseSummary, CriticalStop, EmptyRange, EndVerdict, EventVerdict, FieldMismatch, Report, TraceContext,
    UnmetExpectation,
};
use gnomon_trace::{SkippedEvents, UnmatchedLines};

use crate::numbers::TimeFormat;
use crate::{RELAXED_NOTE, SpecContext, VISITS_ALL_NOTE, externs, overall};

use crate::file_name;
use write::{ObjectWriter, list, number, object};

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

/// Renders the whole report on one line. `events` has the verdicts at the events of each trace, if requested.
pub fn render(spec: &SpecContext<'_>, reports: &[Report], events: &[Option<RenderedVerdicts>]) -> String {
    let traces: Vec<(&Report, &Option<RenderedVerdicts>)> = reports.iter().zip(events).collect();
    whole(spec, &traces, |out, (report, events)| trace(out, spec, report, events.as_ref(), &|_| None))
}

/// Renders the report of a run whose spec may have been replaced.
pub fn render_run(spec: &SpecContext<'_>, report: &Report, original: OriginalSpec<'_>) -> String {
    whole(spec, &[report], |out, report| trace(out, spec, report, None, original))
}

fn whole<T>(spec: &SpecContext<'_>, traces: &[T], each: impl FnMut(&mut String, &T)) -> String {
    let mut out = String::new();
    object(&mut out, |fields| {
        fields.text("gnomon", env!("CARGO_PKG_VERSION"));
        fields.text("spec", &file_name(spec.spec_name));
        fields.list("traces", traces, each);
    });
    out.push('\n');
    out
}

fn trace(
    out: &mut String,
    spec: &SpecContext<'_>,
    report: &Report,
    events: Option<&RenderedVerdicts>,
    original: OriginalSpec<'_>,
) {
    object(out, |fields| {
        fields.text("source", &file_name(&report.source));
        extent(fields, report);
        fields.text("verdict", overall(&report.outcomes).word());
        let judged: Vec<usize> = (0..report.outcomes.len()).collect();
        fields.list("properties", &judged, |out, index| {
            object(out, |fields| {
                fields.text("name", spec.property_name(*index));
                property(fields, spec, *index, report, Some(original));
            });
        });
        remarks(fields, spec, report);
        if !report.unseen.is_empty() {
            fields.list("unseen", &report.unseen, |out, name| write_json(out, name));
        }
        if !report.unmet.is_empty() {
            fields.list("unmet", &report.unmet, unmet_object);
        }
        if !report.empty_ranges.is_empty() {
            fields.list("empty_ranges", &report.empty_ranges, |out, range| empty_range_object(out, range, spec));
        }
        if let Some(events) = events {
            fields.raw("event_verdicts", &format!("[{}]", events.at_events));
            if !events.at_end.is_empty() {
                fields.raw("end_verdicts", &format!("[{}]", events.at_end));
            }
        }
    });
}

/// Writes the number of events and their times.
pub fn extent(fields: &mut ObjectWriter<'_>, report: &Report) {
    let time_format = TimeFormat::of(report);
    let time = |time: Option<_>| time.map_or_else(|| "null".to_owned(), |time| time_text(time_format, time));
    fields.plain("events", report.events);
    fields.raw("first_time", &time(report.first_time));
    fields.raw("last_time", &time(report.last_time));
}

/// Writes the remarks that apply to the trace as a whole.
pub fn remarks(fields: &mut ObjectWriter<'_>, spec: &SpecContext<'_>, report: &Report) {
    if report.late.count > 0 {
        fields.plain("late", report.late.count);
    }
    if report.skipped != SkippedEvents::default() {
        fields.with("skipped", |out| skipped_object(out, report.skipped));
    }
    if report.unmatched.count > 0 {
        fields.with("unmatched", |out| unmatched(out, &report.unmatched));
    }
    if let Some(cases) = &report.cases {
        fields.with("cases", |out| cases_object(out, cases, report.empty_cases));
    }
    if !report.externs.is_empty() {
        fields.list("externs", &report.externs, externs::json);
    }
    if let Some(stopped) = &report.stopped {
        fields.with("stopped", |out| stopped_object(out, stopped, spec, report));
    }
}

fn unmatched(out: &mut String, unmatched: &UnmatchedLines) {
    object(out, |fields| {
        fields.plain("count", unmatched.count);
        fields.list("first", &unmatched.first, |out, (line, text)| {
            object(out, |fields| {
                fields.plain("line", line);
                fields.text("text", text);
            });
        });
    });
}

fn unmet_object(out: &mut String, unmet: &UnmetExpectation) {
    object(out, |fields| {
        fields.text("event", &unmet.event);
        match &unmet.mismatch {
            FieldMismatch::Absent { field, fields: known } => {
                fields.text("field", field);
                fields.list("fields", known, |out, name| write_json(out, name));
            }
            FieldMismatch::Kind { field, found, compared } => {
                fields.text("field", field);
                fields.text("found", found.word());
                fields.text("compared", compared.word());
            }
            FieldMismatch::Arity { expected, found } => {
                fields.plain("parameters", expected);
                fields.plain("found", found);
            }
        }
    });
}

fn empty_range_object(out: &mut String, range: &EmptyRange, spec: &SpecContext<'_>) {
    object(out, |fields| {
        fields.text("property", spec.property_name(range.property));
        fields.text("variable", &range.variable);
        fields.list("atoms", &range.atoms, |out, name| write_json(out, name));
    });
}

fn skipped_object(out: &mut String, skipped: SkippedEvents) {
    object(out, |fields| {
        fields.plain("unnamed", skipped.unnamed);
        fields.plain("untimed", skipped.untimed);
    });
}

fn cases_object(out: &mut String, cases: &CaseSummary, empty: u64) {
    object(out, |fields| {
        fields.plain("total", cases.total);
        fields.plain("violating", cases.violating);
        if empty > 0 {
            fields.plain("empty", empty);
        }
        if cases.without > 0 {
            fields.plain("events_without", cases.without);
        }
    });
}

fn stopped_object(out: &mut String, stopped: &CriticalStop, spec: &SpecContext<'_>, report: &Report) {
    let time_format = TimeFormat::of(report);
    object(out, |fields| {
        fields.text("property", spec.property_name(stopped.property));
        if let Some(when) = stopped.decided {
            decided(fields, when, time_format, &report.symbols);
        }
        fields.optional_text("case", stopped.case.as_deref());
    });
}

/// Writes the fields of a property except its name. Violations are listed if `original` is given.
fn property(
    fields: &mut ObjectWriter<'_>,
    spec: &SpecContext<'_>,
    index: usize,
    report: &Report,
    original: Option<OriginalSpec<'_>>,
) {
    let time_format = TimeFormat::of(report);
    let (property, outcome) = (spec.property(index), &report.outcomes[index]);
    fields.text("language", property.language.word());
    fields.text("verdict", outcome.verdict.word());
    fields.raw("presumably", outcome.presumably.map_or("null", |value| if value { "true" } else { "false" }));
    counts(fields, outcome);
    fields.with("duration", |out| duration(out, outcome.durations.as_ref(), time_format));
    if let Some(original) = original {
        let numbered: Vec<(usize, &Violation)> = outcome.violations.iter().enumerate().collect();
        let (compiled, symbols) = original(index).unwrap_or((spec.compiled, &report.symbols));
        let (spec, context) =
            (&SpecContext { compiled, ..*spec }, TraceContext { symbols, time_kind: report.time_kind });
        fields.list("violations", &numbered, |out, (number, found)| {
            let case = report.cases.as_ref().and_then(|cases| cases.label(index, *number));
            object(out, |fields| violation(fields, found, case, spec, context));
        });
    }
    fields.optional_text("title", property.title.as_deref());
    fields.optional_text("severity", property.options.severity.map(PropertySeverity::word));
    fields.optional_text("error", outcome.fault.as_deref());
    if outcome.merged_simultaneous {
        fields.plain("merged_simultaneous", true);
    }
    if spec.compiled.plan.visits_all_bindings(index) {
        fields.text("note", VISITS_ALL_NOTE);
    }
    if report.relaxed.contains(&index) {
        fields.text("note", RELAXED_NOTE);
    }
    if let Some(cases) = &report.cases {
        let violating = cases.violating_each.get(index).copied().unwrap_or_default();
        fields.plain("violating_cases", violating);
    }
}

/// Writes the counts of an outcome.
pub fn counts(fields: &mut ObjectWriter<'_>, outcome: &Outcome) {
    for (name, count) in [
        ("positions", outcome.positions),
        ("activated", outcome.activated),
        ("satisfied", outcome.satisfied),
        ("violated", outcome.violated),
        ("pending", outcome.pending),
    ] {
        fields.plain(name, count);
    }
    fields.plain("exercised", outcome.activated > 0);
}

/// Writes the summary of a property over a trace, as the fields of a line.
pub fn summary(fields: &mut ObjectWriter<'_>, spec: &SpecContext<'_>, index: usize, report: &Report) {
    property(fields, spec, index, report, None);
    extent(fields, report);
    remarks(fields, spec, report);
}

/// Writes an event and the violations that it decided.
pub fn event(fields: &mut ObjectWriter<'_>, judged: &EventVerdict<'_>, spec: &SpecContext<'_>) {
    let time_format = TimeFormat { clock: spec.clock(), kind: judged.context.time_kind };
    fields.plain("event_index", judged.origin.event_index);
    time_and_event(fields, &judged.origin, time_format, judged.context.symbols);
    verdict_here(fields, judged.violated, judged.bindings, judged.case, spec);
}

/// Writes the violations that the end decided.
pub fn end(fields: &mut ObjectWriter<'_>, ended: &EndVerdict<'_>, spec: &SpecContext<'_>) {
    let time_format = TimeFormat { clock: spec.clock(), kind: ended.context.time_kind };
    fields.raw("time", &ended.last.map_or_else(|| "null".to_owned(), |last| time_text(time_format, last)));
    verdict_here(fields, ended.violated, ended.bindings, ended.case, spec);
}

/// Writes the violations that were decided at one moment.
fn verdict_here(
    fields: &mut ObjectWriter<'_>,
    violated: &[usize],
    bindings: &[(usize, Binding)],
    case: Option<&str>,
    spec: &SpecContext<'_>,
) {
    fields.plain("verdict", violated.is_empty());
    fields.list("violated", violated, |out, index| write_json(out, spec.property_name(*index)));
    if !bindings.is_empty() {
        fields.list("bindings", bindings, |out, (index, binding)| {
            object(out, |fields| {
                fields.text("property", spec.property_name(*index));
                fields.with("binding", |out| object(out, |fields| value::binding(fields, binding)));
            });
        });
    }
    fields.optional_text("case", case);
}

/// Writes the times from activation to satisfaction.
pub fn duration(out: &mut String, durations: Option<&Durations>, time_format: TimeFormat) {
    let Some(durations) = durations else {
        out.push_str("null");
        return;
    };
    object(out, |fields| {
        fields.raw("min", &number(&time_format.duration(durations.min)));
        fields.raw("max", &number(&time_format.duration(durations.max)));
        fields.raw("mean", &number(&time_format.mean(durations)));
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
    let (time_format, symbols) = (TimeFormat { clock: spec.clock(), kind: context.time_kind }, context.symbols);
    fields.with("at", |out| at(out, &violation.at, time_format, symbols));
    fields.raw("until_position", &violation.until_position.map_or("null".to_owned(), |last| last.to_string()));
    fields.with("decided", |out| object(out, |fields| decided(fields, violation.decided, time_format, symbols)));
    fields.with("binding", |out| object(out, |fields| value::binding(fields, &violation.binding)));
    fields.text("failed", violation.failed.text(&spec.compiled.source));
    fields.list("because", &violation.because, |out, because| because_object(out, because, time_format, symbols));
    fields.text("summary", &violation.summary);
    fields.optional_text("case", case);
}

fn at(out: &mut String, at: &TracePosition, time_format: TimeFormat, symbols: &Symbols) {
    object(out, |fields| {
        fields.plain("event_index", at.origin.event_index);
        fields.plain("position", at.position);
        time_and_event(fields, &at.origin, time_format, symbols);
    });
}

fn decided(fields: &mut ObjectWriter<'_>, decided: DecisionPoint, time_format: TimeFormat, symbols: &Symbols) {
    match decided {
        DecisionPoint::Event(origin) => {
            fields.plain("event_index", origin.event_index);
            time_and_event(fields, &origin, time_format, symbols);
        }
        DecisionPoint::Deadline(time) | DecisionPoint::End(time) => {
            fields.raw("event_index", "null");
            fields.raw("time", &time_text(time_format, time));
            fields.raw("event", "null");
        }
    }
}

/// Renders the list of events that explain a violation.
pub fn because_list(because: &[Cause], time_format: TimeFormat, symbols: &Symbols) -> String {
    let mut out = String::new();
    list(&mut out, because, |out, because| because_object(out, because, time_format, symbols));
    out
}

fn because_object(out: &mut String, because: &Cause, time_format: TimeFormat, symbols: &Symbols) {
    object(out, |fields| {
        fields.plain("event_index", because.origin.event_index);
        time_and_event(fields, &because.origin, time_format, symbols);
        fields.text("note", &because.note);
    });
}

fn time_and_event(fields: &mut ObjectWriter<'_>, origin: &Origin, time_format: TimeFormat, symbols: &Symbols) {
    fields.raw("time", &time_text(time_format, origin.time));
    fields.text("event", symbols.name_text(origin.event));
}

/// Renders a time in the notation of the trace.
pub fn time_text(time_format: TimeFormat, time: gnomon_core::time::Timestamp) -> String {
    let text = time_format.time(time);
    if time_format.kind == TimeKind::DateTime { json(&text) } else { number(&text) }
}
