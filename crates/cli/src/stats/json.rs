// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics as JSON, for other programs and for the script of the page.

use gnomon::offline::stats::{PropertyCounts, Statistics};
use gnomon::verdict::Durations;

use super::{failure_percent, increases};
use crate::files::file_name;
use crate::render::json::write::{ObjectWriter, number};
use crate::render::json::{duration, extent, remarks, time_text};
use crate::render::numbers::TimeFormat;
use crate::render::{SpecContext, json_line};

/// Prints the statistics as one line of JSON.
pub(super) fn render(about: &SpecContext<'_>, statistics: &Statistics) -> String {
    let Statistics { report, every, .. } = statistics;
    let time_format = TimeFormat::new(report.clock, report.time_kind);
    json_line(|fields| {
        fields.field("gnomon", env!("CARGO_PKG_VERSION"));
        fields.field("spec", &file_name(about.spec_name));
        fields.field("source", &file_name(&report.source));
        extent(fields, report);
        fields.field("every", number(time_format.duration(*every)));
        fields.field("unit", Some(time_format.unit().trim()).filter(|unit| !unit.is_empty()));
        remarks(fields, about, report);
        fields.objects("properties", 0..report.outcomes.len(), |fields, index| {
            property(fields, about, statistics, index, time_format);
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
    fields.field("name", &property.name);
    fields.field("language", property.language.word());
    fields.optional("title", property.title.as_deref());
    fields.field("verdict", outcome.verdict.word());
    counts(fields, &PropertyCounts::of(outcome), time_format);
    let mut before = PropertyCounts::default();
    fields.objects("series", &statistics.rows, |fields, row| {
        let own = row.counts[index];
        fields.field("from", time_text(time_format, row.from));
        fields.field("to", time_text(time_format, row.to));
        fields.field("events", row.events);
        counts(fields, &own, time_format);
        fields.object("within", |fields| increase(fields, &before, &own, time_format));
        before = own;
    });
}

fn counts(fields: &mut ObjectWriter<'_>, counts: &PropertyCounts, time_format: TimeFormat) {
    for (name, count) in [
        ("activated", counts.activated),
        ("satisfied", counts.satisfied),
        ("violated", counts.violated),
        ("pending", counts.pending),
    ] {
        fields.field(name, count);
    }
    fields.field("failure_percent", failure_percent(counts).map(number));
    fields.with("duration", |out| duration(out, counts.durations.as_ref(), time_format));
}

/// Writes the increase within one interval.
fn increase(fields: &mut ObjectWriter<'_>, before: &PropertyCounts, own: &PropertyCounts, time_format: TimeFormat) {
    for (name, increase) in increases(before, own) {
        fields.field(name, increase);
    }
    let mean = added(before.durations, own.durations).map(|added| number(time_format.mean(&added)));
    fields.field("mean", mean);
}

/// Returns sum and number of the durations that one interval added.
fn added(before: Option<Durations>, own: Option<Durations>) -> Option<Durations> {
    let own = own?;
    let (sum, count) = before.map_or((0, 0), |before| (before.sum, before.count));
    let added = Durations { sum: own.sum - sum, count: own.count.saturating_sub(count), ..own };
    (added.count > 0 && added.sum >= 0).then_some(added)
}
