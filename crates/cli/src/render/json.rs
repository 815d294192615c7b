// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report for other programs. Its fields and their order are a promise: additions are allowed, changes are not.
//!
//! It is written by hand because numbers must keep all their digits: a time may be larger, or finer, than a float.

use gnomon::ir::spec::Importance;
use gnomon::offline::Report;
use gnomon::symbols::Symbols;
use gnomon::time::TimeKind;
use gnomon::verdict::{At, Because, Decided, Durations, Origin, Outcome, Violation};

use super::numbers::Dial;
use super::{About, overall};
use crate::files::file_name;

/// The whole report, on one line.
pub(crate) fn render(about: &About<'_>, reports: &[Report]) -> String {
    let mut out = String::new();
    object(&mut out, |fields| {
        fields.text("gnomon", env!("CARGO_PKG_VERSION"));
        fields.text("spec", &file_name(about.spec_name));
        fields.list("traces", reports, |out, report| trace(out, about, report));
    });
    out.push('\n');
    out
}

fn trace(out: &mut String, about: &About<'_>, report: &Report) {
    let dial = Dial { clock: report.clock, kind: report.time_kind };
    let time = |time: Option<_>| time.map_or_else(|| "null".to_owned(), |time| time_text(dial, time));
    object(out, |fields| {
        fields.text("source", &file_name(&report.source));
        fields.raw("events", &report.events.to_string());
        fields.raw("first_time", &time(report.first_time));
        fields.raw("last_time", &time(report.last_time));
        fields.text("verdict", overall(&report.outcomes).word());
        let judged: Vec<(usize, &Outcome)> = about.compiled.properties.iter().copied().zip(&report.outcomes).collect();
        fields.list("properties", &judged, |out, (index, outcome)| {
            property(out, about, *index, outcome, dial, &report.symbols);
        });
        if report.late.count > 0 {
            fields.raw("late", &report.late.count.to_string());
        }
        if !report.unseen.is_empty() {
            fields.list("unseen", &report.unseen, |out, name| out.push_str(&quoted(name)));
        }
    });
}

fn property(out: &mut String, about: &About<'_>, index: usize, outcome: &Outcome, dial: Dial, symbols: &Symbols) {
    let property = &about.compiled.spec.properties[index];
    object(out, |fields| {
        fields.text("name", &property.name);
        fields.text("language", property.language.word());
        fields.text("verdict", outcome.verdict.word());
        fields.raw("presumably", outcome.presumably.map_or("null", |value| if value { "true" } else { "false" }));
        fields.raw("positions", &outcome.positions.to_string());
        fields.raw("activated", &outcome.activated.to_string());
        fields.raw("satisfied", &outcome.satisfied.to_string());
        fields.raw("violated", &outcome.violated.to_string());
        fields.raw("pending", &outcome.pending.to_string());
        fields.raw("exercised", if outcome.activated > 0 { "true" } else { "false" });
        fields.with("duration", |out| duration(out, outcome.durations.as_ref(), dial));
        fields.list("violations", &outcome.violations, |out, violation| {
            violation_object(out, violation, &about.compiled.source, dial, symbols);
        });
        if let Some(title) = &property.title {
            fields.text("title", title);
        }
        if let Some(severity) = property.options.severity {
            fields.text("severity", importance(severity));
        }
        if outcome.merged_simultaneous {
            fields.raw("merged_simultaneous", "true");
        }
    });
}

fn importance(importance: Importance) -> &'static str {
    match importance {
        Importance::Low => "low",
        Importance::Medium => "medium",
        Importance::High => "high",
    }
}

fn duration(out: &mut String, durations: Option<&Durations>, dial: Dial) {
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

fn violation_object(out: &mut String, violation: &Violation, source: &str, dial: Dial, symbols: &Symbols) {
    object(out, |fields| {
        fields.with("at", |out| at(out, &violation.at, dial, symbols));
        fields.raw("until_position", &violation.until_position.map_or("null".to_owned(), |last| last.to_string()));
        fields.with("decided", |out| decided(out, violation.decided, dial, symbols));
        fields.raw("binding", "{}");
        fields.text("failed", violation.failed.text(source));
        fields.list("because", &violation.because, |out, because| because_object(out, because, dial, symbols));
        fields.text("summary", &violation.summary);
    });
}

fn at(out: &mut String, at: &At, dial: Dial, symbols: &Symbols) {
    object(out, |fields| {
        fields.raw("event_index", &at.origin.event_index.to_string());
        fields.raw("position", &at.position.to_string());
        time_and_event(fields, &at.origin, dial, symbols);
    });
}

fn decided(out: &mut String, decided: Decided, dial: Dial, symbols: &Symbols) {
    object(out, |fields| match decided {
        Decided::Event(origin) => {
            fields.raw("event_index", &origin.event_index.to_string());
            time_and_event(fields, &origin, dial, symbols);
        }
        Decided::Deadline(time) | Decided::End(time) => {
            fields.raw("event_index", "null");
            fields.raw("time", &time_text(dial, time));
            fields.raw("event", "null");
        }
    });
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

fn time_text(dial: Dial, time: gnomon::time::Timestamp) -> String {
    let text = dial.time(time);
    if dial.kind == TimeKind::DateTime { quoted(&text) } else { number(&text) }
}

/// A whole number stays a number; anything else is a string with all its digits.
fn number(text: &str) -> String {
    let whole = text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit());
    if whole { text.to_owned() } else { quoted(text) }
}

/// The fields of an object under construction.
struct Fields<'a> {
    out: &'a mut String,
    first: bool,
}

impl Fields<'_> {
    fn with(&mut self, name: &str, value: impl FnOnce(&mut String)) {
        if !std::mem::take(&mut self.first) {
            self.out.push(',');
        }
        self.out.push_str(&quoted(name));
        self.out.push(':');
        value(self.out);
    }

    fn raw(&mut self, name: &str, json: &str) {
        self.with(name, |out| out.push_str(json));
    }

    fn text(&mut self, name: &str, text: &str) {
        self.raw(name, &quoted(text));
    }

    fn list<T>(&mut self, name: &str, items: &[T], mut each: impl FnMut(&mut String, &T)) {
        self.with(name, |out| {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                each(out, item);
            }
            out.push(']');
        });
    }
}

fn object(out: &mut String, fill: impl FnOnce(&mut Fields<'_>)) {
    out.push('{');
    fill(&mut Fields { out, first: true });
    out.push('}');
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => {
                let _ = std::fmt::Write::write_fmt(&mut out, format_args!("\\u{:04x}", control as u32));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_numbers_are_numbers() {
        assert_eq!(["0", "-7", "170141183460469231731"].map(number), ["0", "-7", "170141183460469231731"]);
        assert_eq!(["2.5", "-0.25"].map(number), ["\"2.5\"", "\"-0.25\""]);
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(quoted("a\"b\\\n\u{1}é"), "\"a\\\"b\\\\\\n\\u0001é\"");
    }
}
