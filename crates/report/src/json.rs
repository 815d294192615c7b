// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report for other programs. Its fields and their order are a promise: additions are allowed, changes are not.
//!
//! It is written by hand because numbers must keep all their digits: a time may be larger, or finer, than a float.

pub mod plan;
pub mod value;
pub mod write;

use gnomon_core::symbols::Symbols;
use gnomon_core::time::TimeKind;
use gnomon_core::verdict::{At, Because, Binding, Decided, Durations, Origin, Outcome, Violation};
use gnomon_ir::spec::Importance;
use gnomon_run::compile::Compiled;
use gnomon_run::offline::{Cases, Ended, Judged, Legend, Report, Stopped};
use gnomon_trace::Unmatched;

use crate::numbers::Dial;
use crate::{About, FREER, VISITS_ALL, externs, overall};

use crate::file_name;
use write::{Fields, number, object, quoted};

/// The verdicts at events for a report that is written at the end: items of a list, or lines.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// Those at each event.
    pub at_events: String,
    /// Those that the end decided, where they stand apart.
    pub at_end: String,
}

/// The spec that a property began with, and the names of its events: where it was judged before the present spec came.
pub type Began<'a> = &'a dyn Fn(usize) -> Option<(&'a Compiled, &'a Symbols)>;

/// The whole report, on one line. `events` are the verdicts at the events of each trace, where they were asked for.
pub fn render(about: &About<'_>, reports: &[Report], events: &[Option<Events>]) -> String {
    let traces: Vec<(&Report, &Option<Events>)> = reports.iter().zip(events).collect();
    whole(about, &traces, |out, (report, events)| trace(out, about, report, events.as_ref(), &|_| None))
}

/// The same of a run whose spec may have changed on the way.
pub fn render_run(about: &About<'_>, report: &Report, began: Began<'_>) -> String {
    whole(about, &[report], |out, report| trace(out, about, report, None, began))
}

fn whole<T>(about: &About<'_>, traces: &[T], each: impl FnMut(&mut String, &T)) -> String {
    let mut out = String::new();
    object(&mut out, |fields| {
        fields.text("gnomon", env!("CARGO_PKG_VERSION"));
        fields.text("spec", &file_name(about.spec_name));
        fields.list("traces", traces, each);
    });
    out.push('\n');
    out
}

fn trace(out: &mut String, about: &About<'_>, report: &Report, events: Option<&Events>, began: Began<'_>) {
    object(out, |fields| {
        fields.text("source", &file_name(&report.source));
        extent(fields, report);
        fields.text("verdict", overall(&report.outcomes).word());
        let judged: Vec<usize> = (0..report.outcomes.len()).collect();
        fields.list("properties", &judged, |out, index| {
            object(out, |fields| {
                fields.text("name", about.property_name(*index));
                property(fields, about, *index, report, Some(began));
            });
        });
        remarks(fields, about, report);
        if !report.unseen.is_empty() {
            fields.list("unseen", &report.unseen, |out, name| out.push_str(&quoted(name)));
        }
        if let Some(events) = events {
            fields.raw("event_verdicts", &format!("[{}]", events.at_events));
            if !events.at_end.is_empty() {
                fields.raw("end_verdicts", &format!("[{}]", events.at_end));
            }
        }
    });
}

/// How many events there are, and when.
pub fn extent(fields: &mut Fields<'_>, report: &Report) {
    let dial = Dial { clock: report.clock, kind: report.time_kind };
    let time = |time: Option<_>| time.map_or_else(|| "null".to_owned(), |time| time_text(dial, time));
    fields.raw("events", &report.events.to_string());
    fields.raw("first_time", &time(report.first_time));
    fields.raw("last_time", &time(report.last_time));
}

/// What is true of the trace as a whole, and seldom.
pub fn remarks(fields: &mut Fields<'_>, about: &About<'_>, report: &Report) {
    if report.late.count > 0 {
        fields.raw("late", &report.late.count.to_string());
    }
    if report.unmatched.count > 0 {
        fields.with("unmatched", |out| unmatched(out, &report.unmatched));
    }
    if let Some(cases) = &report.cases {
        fields.with("cases", |out| cases_object(out, cases.total, cases.violating, cases));
    }
    if !report.externs.is_empty() {
        fields.list("externs", &report.externs, externs::json);
    }
    if let Some(stopped) = &report.stopped {
        fields.with("stopped", |out| stopped_object(out, stopped, about, report));
    }
}

fn unmatched(out: &mut String, unmatched: &Unmatched) {
    object(out, |fields| {
        fields.raw("count", &unmatched.count.to_string());
        fields.list("first", &unmatched.first, |out, (line, text)| {
            object(out, |fields| {
                fields.raw("line", &line.to_string());
                fields.text("text", text);
            });
        });
    });
}

fn cases_object(out: &mut String, total: u64, violating: u64, cases: &Cases) {
    object(out, |fields| {
        fields.raw("total", &total.to_string());
        fields.raw("violating", &violating.to_string());
        if cases.without > 0 {
            fields.raw("events_without", &cases.without.to_string());
        }
    });
}

fn stopped_object(out: &mut String, stopped: &Stopped, about: &About<'_>, report: &Report) {
    let dial = Dial { clock: report.clock, kind: report.time_kind };
    object(out, |fields| {
        fields.text("property", about.property_name(stopped.property));
        if let Some(when) = stopped.decided {
            decided(fields, when, dial, &report.symbols);
        }
        if let Some(case) = &stopped.case {
            fields.text("case", case);
        }
    });
}

/// The fields of a property but for its name. Its violations are listed if it is known what they speak of.
fn property(fields: &mut Fields<'_>, about: &About<'_>, index: usize, report: &Report, began: Option<Began<'_>>) {
    let dial = Dial { clock: report.clock, kind: report.time_kind };
    let (property, outcome) = (about.property(index), &report.outcomes[index]);
    fields.text("language", property.language.word());
    fields.text("verdict", outcome.verdict.word());
    fields.raw("presumably", outcome.presumably.map_or("null", |value| if value { "true" } else { "false" }));
    counts(fields, outcome);
    fields.with("duration", |out| duration(out, outcome.durations.as_ref(), dial));
    if let Some(began) = began {
        let numbered: Vec<(usize, &Violation)> = outcome.violations.iter().enumerate().collect();
        let (compiled, symbols) = began(index).unwrap_or((about.compiled, &report.symbols));
        let (about, legend) = (&About { compiled, ..*about }, Legend { symbols, time_kind: report.time_kind });
        fields.list("violations", &numbered, |out, (number, found)| {
            let case = report.cases.as_ref().and_then(|cases| cases.label(index, *number));
            object(out, |fields| violation(fields, found, case, about, legend));
        });
    }
    if let Some(title) = &property.title {
        fields.text("title", title);
    }
    if let Some(severity) = property.options.severity {
        fields.text("severity", importance(severity));
    }
    if outcome.merged_simultaneous {
        fields.raw("merged_simultaneous", "true");
    }
    if about.compiled.plan.visits_all(index) {
        fields.text("note", VISITS_ALL);
    }
    if report.freer.contains(&index) {
        fields.text("note", FREER);
    }
    if let Some(cases) = &report.cases {
        let violating = cases.violating_each.get(index).copied().unwrap_or_default();
        fields.raw("violating_cases", &violating.to_string());
    }
}

/// Exact counts.
pub fn counts(fields: &mut Fields<'_>, outcome: &Outcome) {
    for (name, count) in [
        ("positions", outcome.positions),
        ("activated", outcome.activated),
        ("satisfied", outcome.satisfied),
        ("violated", outcome.violated),
        ("pending", outcome.pending),
    ] {
        fields.raw(name, &count.to_string());
    }
    fields.raw("exercised", if outcome.activated > 0 { "true" } else { "false" });
}

/// The summary of a property over a trace, as the fields of a line.
pub fn summary(fields: &mut Fields<'_>, about: &About<'_>, index: usize, report: &Report) {
    property(fields, about, index, report, None);
    extent(fields, report);
    remarks(fields, about, report);
}

/// An event and what it decided.
pub fn event(fields: &mut Fields<'_>, judged: &Judged<'_>, about: &About<'_>) {
    let dial = Dial { clock: about.clock(), kind: judged.legend.time_kind };
    fields.raw("event_index", &judged.origin.event_index.to_string());
    time_and_event(fields, &judged.origin, dial, judged.legend.symbols);
    verdict_here(fields, judged.violated, judged.bindings, judged.case, about);
}

/// What the end decided.
pub fn end(fields: &mut Fields<'_>, ended: &Ended<'_>, about: &About<'_>) {
    let dial = Dial { clock: about.clock(), kind: ended.legend.time_kind };
    fields.raw("time", &ended.last.map_or_else(|| "null".to_owned(), |last| time_text(dial, last)));
    verdict_here(fields, ended.violated, ended.bindings, ended.case, about);
}

/// What was decided at one moment.
fn verdict_here(
    fields: &mut Fields<'_>,
    violated: &[usize],
    bindings: &[(usize, Binding)],
    case: Option<&str>,
    about: &About<'_>,
) {
    fields.raw("verdict", if violated.is_empty() { "true" } else { "false" });
    fields.list("violated", violated, |out, index| out.push_str(&quoted(about.property_name(*index))));
    if !bindings.is_empty() {
        fields.list("bindings", bindings, |out, (index, binding)| {
            object(out, |fields| {
                fields.text("property", about.property_name(*index));
                fields.with("binding", |out| object(out, |fields| value::binding(fields, binding)));
            });
        });
    }
    if let Some(case) = case {
        fields.text("case", case);
    }
}

/// The word for an importance.
pub fn importance(importance: Importance) -> &'static str {
    match importance {
        Importance::Low => "low",
        Importance::Medium => "medium",
        Importance::High => "high",
    }
}

/// How long satisfaction took.
pub fn duration(out: &mut String, durations: Option<&Durations>, dial: Dial) {
    let Some(durations) = durations else {
        out.push_str("null");
        return;
    };
    object(out, |fields| {
        fields.raw("min", &number(&dial.duration(durations.min)));
        fields.raw("max", &number(&dial.duration(durations.max)));
        fields.raw("mean", &number(&dial.mean(durations)));
    });
}

/// The fields of a violation.
pub fn violation(
    fields: &mut Fields<'_>,
    violation: &Violation,
    case: Option<&str>,
    about: &About<'_>,
    legend: Legend<'_>,
) {
    let (dial, symbols) = (Dial { clock: about.clock(), kind: legend.time_kind }, legend.symbols);
    fields.with("at", |out| at(out, &violation.at, dial, symbols));
    fields.raw("until_position", &violation.until_position.map_or("null".to_owned(), |last| last.to_string()));
    fields.with("decided", |out| object(out, |fields| decided(fields, violation.decided, dial, symbols)));
    fields.with("binding", |out| object(out, |fields| value::binding(fields, &violation.binding)));
    fields.text("failed", violation.failed.text(&about.compiled.source));
    fields.list("because", &violation.because, |out, because| because_object(out, because, dial, symbols));
    fields.text("summary", &violation.summary);
    if let Some(case) = case {
        fields.text("case", case);
    }
}

fn at(out: &mut String, at: &At, dial: Dial, symbols: &Symbols) {
    object(out, |fields| {
        fields.raw("event_index", &at.origin.event_index.to_string());
        fields.raw("position", &at.position.to_string());
        time_and_event(fields, &at.origin, dial, symbols);
    });
}

fn decided(fields: &mut Fields<'_>, decided: Decided, dial: Dial, symbols: &Symbols) {
    match decided {
        Decided::Event(origin) => {
            fields.raw("event_index", &origin.event_index.to_string());
            time_and_event(fields, &origin, dial, symbols);
        }
        Decided::Deadline(time) | Decided::End(time) => {
            fields.raw("event_index", "null");
            fields.raw("time", &time_text(dial, time));
            fields.raw("event", "null");
        }
    }
}

/// The events that explain a violation, as a list.
pub fn because_list(because: &[Because], dial: Dial, symbols: &Symbols) -> String {
    let items: Vec<String> = because
        .iter()
        .map(|because| {
            let mut item = String::new();
            because_object(&mut item, because, dial, symbols);
            item
        })
        .collect();
    format!("[{}]", items.join(","))
}

fn because_object(out: &mut String, because: &Because, dial: Dial, symbols: &Symbols) {
    object(out, |fields| {
        fields.raw("event_index", &because.origin.event_index.to_string());
        time_and_event(fields, &because.origin, dial, symbols);
        fields.text("note", &because.note);
    });
}

fn time_and_event(fields: &mut Fields<'_>, origin: &Origin, dial: Dial, symbols: &Symbols) {
    fields.raw("time", &time_text(dial, origin.time));
    fields.text("event", symbols.name_text(origin.event));
}

/// A time as the trace has it.
pub fn time_text(dial: Dial, time: gnomon_core::time::Timestamp) -> String {
    let text = dial.time(time);
    if dial.kind == TimeKind::DateTime { quoted(&text) } else { number(&text) }
}
