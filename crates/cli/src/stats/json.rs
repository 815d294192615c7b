// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics as JSON, for other programs and for the script of the page.

use gnomon::offline::stats::{IntervalRow, PropertyTally, Statistics};
use gnomon::verdict::Durations;

use super::{failure_percent, increases};
use crate::files::file_name;
use crate::render::json::write::{ObjectWriter, number, object};
use crate::render::json::{duration, extent, remarks, time_text};
use crate::render::numbers::TimeFormat;
use crate::render::{SpecContext, json_line};

/// Prints the statistics as one line of JSON.
pub(super) fn render(about: &SpecContext<'_>, statistics: &Statistics) -> String {
    let Statistics { report, every, .. } = statistics;
    let time_format = TimeFormat { clock: report.clock, kind: report.time_kind };
    json_line(|fields| {
        fields.text("gnomon", env!("CARGO_PKG_VERSION"));
        fields.text("spec", &file_name(about.spec_name));
        fields.text("source", &file_name(&report.source));
        extent(fields, report);
        fields.raw("every", &number(&time_format.duration(*every)));
        match time_format.unit().trim() {
            "" => fields.raw("unit", "null"),
            unit => fields.text("unit", unit),
        }
        remarks(fields, about, report);
        let properties: Vec<usize> = (0..report.outcomes.len()).collect();
        fields.list("properties", &properties, |out, index| {
            object(out, |fields| property(fields, about, statistics, *index, time_format));
        });
    })
}

fn property(
    fields: &mut ObjectWriter<'_>,
    about: &SpecContext<'_>,
    statistics: &Statistics,
    index: usize,
    time_format: TimeFormat,
) {
    let (property, outcome) = (about.property(index), &statistics.report.outcomes[index]);
    fields.text("name", &property.name);
    fields.text("language", property.language.word());
    if let Some(title) = &property.title {
        fields.text("title", title);
    }
    fields.text("verdict", outcome.verdict.word());
    tally(fields, &PropertyTally::of(outcome), time_format);
    let mut before = PropertyTally::default();
    fields.list("series", &statistics.rows, |out, row: &IntervalRow| {
        let own = row.tallies[index];
        object(out, |fields| {
            fields.raw("from", &time_text(time_format, row.from));
            fields.raw("to", &time_text(time_format, row.to));
            fields.raw("events", &row.events.to_string());
            tally(fields, &own, time_format);
            fields.with("within", |out| object(out, |fields| increase(fields, &before, &own, time_format)));
        });
        before = own;
    });
}

fn tally(fields: &mut ObjectWriter<'_>, tally: &PropertyTally, time_format: TimeFormat) {
    for (name, count) in [
        ("activated", tally.activated),
        ("satisfied", tally.satisfied),
        ("violated", tally.violated),
        ("pending", tally.pending),
    ] {
        fields.raw(name, &count.to_string());
    }
    fields.raw("failure_percent", &failure_percent(tally).map_or("null".to_owned(), |percent| number(&percent)));
    fields.with("duration", |out| duration(out, tally.durations.as_ref(), time_format));
}

/// Writes the increase within one interval.
fn increase(fields: &mut ObjectWriter<'_>, before: &PropertyTally, own: &PropertyTally, time_format: TimeFormat) {
    for (name, increase) in increases(before, own) {
        fields.raw(name, &increase.to_string());
    }
    let mean = added(before.durations, own.durations).map(|added| number(&time_format.mean(&added)));
    fields.raw("mean", &mean.unwrap_or_else(|| "null".to_owned()));
}

/// Returns sum and number of the durations that one interval added.
fn added(before: Option<Durations>, own: Option<Durations>) -> Option<Durations> {
    let own = own?;
    let (sum, count) = before.map_or((0, 0), |before| (before.sum, before.count));
    let added = Durations { sum: own.sum - sum, count: own.count.saturating_sub(count), ..own };
    (added.count > 0 && added.sum >= 0).then_some(added)
}
