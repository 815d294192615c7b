// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics for other programs, and for the script of the page.

use gnomon::offline::stats::{Row, Statistics, Tally};
use gnomon::verdict::Durations;

use super::failure_percent;
use crate::files::file_name;
use crate::render::About;
use crate::render::json::write::{Fields, number, object};
use crate::render::json::{duration, extent, remarks, time_text};
use crate::render::numbers::Dial;

/// Everything, on one line.
pub(super) fn render(about: &About<'_>, statistics: &Statistics) -> String {
    let Statistics { report, every, .. } = statistics;
    let dial = Dial { clock: report.clock, kind: report.time_kind };
    let mut out = String::new();
    object(&mut out, |fields| {
        fields.text("gnomon", env!("CARGO_PKG_VERSION"));
        fields.text("spec", &file_name(about.spec_name));
        fields.text("source", &file_name(&report.source));
        extent(fields, report);
        fields.raw("every", &number(&dial.duration(*every)));
        match dial.unit().trim() {
            "" => fields.raw("unit", "null"),
            unit => fields.text("unit", unit),
        }
        remarks(fields, about, report);
        let properties: Vec<usize> = (0..report.outcomes.len()).collect();
        fields.list("properties", &properties, |out, index| {
            object(out, |fields| property(fields, about, statistics, *index, dial));
        });
    });
    out.push('\n');
    out
}

fn property(fields: &mut Fields<'_>, about: &About<'_>, statistics: &Statistics, index: usize, dial: Dial) {
    let (property, outcome) = (about.property(index), &statistics.report.outcomes[index]);
    fields.text("name", &property.name);
    fields.text("language", property.language.word());
    if let Some(title) = &property.title {
        fields.text("title", title);
    }
    fields.text("verdict", outcome.verdict.word());
    tally(fields, &Tally::of(outcome), dial);
    let mut before = Tally::default();
    fields.list("series", &statistics.rows, |out, row: &Row| {
        let own = row.tallies[index];
        object(out, |fields| {
            fields.raw("from", &time_text(dial, row.from));
            fields.raw("to", &time_text(dial, row.to));
            fields.raw("events", &row.events.to_string());
            tally(fields, &own, dial);
            fields.with("within", |out| object(out, |fields| within(fields, &before, &own, dial)));
        });
        before = own;
    });
}

fn tally(fields: &mut Fields<'_>, tally: &Tally, dial: Dial) {
    for (name, count) in [
        ("activated", tally.activated),
        ("satisfied", tally.satisfied),
        ("violated", tally.violated),
        ("pending", tally.pending),
    ] {
        fields.raw(name, &count.to_string());
    }
    fields.raw("failure_percent", &failure_percent(tally).map_or("null".to_owned(), |percent| number(&percent)));
    fields.with("duration", |out| duration(out, tally.durations.as_ref(), dial));
}

/// What one interval added. An automaton may take back what it said of a binding, and then that is less than nothing.
fn within(fields: &mut Fields<'_>, before: &Tally, own: &Tally, dial: Dial) {
    for (name, before, own) in [
        ("activated", before.activated, own.activated),
        ("satisfied", before.satisfied, own.satisfied),
        ("violated", before.violated, own.violated),
    ] {
        fields.raw(name, &(i128::from(own) - i128::from(before)).to_string());
    }
    let mean = added(before.durations, own.durations).map(|added| number(&dial.mean(&added)));
    fields.raw("mean", &mean.unwrap_or_else(|| "null".to_owned()));
}

/// The durations that one interval added, as far as their sum and number go.
fn added(before: Option<Durations>, own: Option<Durations>) -> Option<Durations> {
    let own = own?;
    let (sum, count) = before.map_or((0, 0), |before| (before.sum, before.count));
    let added = Durations { sum: own.sum - sum, count: own.count.saturating_sub(count), ..own };
    (added.count > 0 && added.sum >= 0).then_some(added)
}
