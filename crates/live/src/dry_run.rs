// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dry runs of another spec on recent events, and the catalogue of events.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::verdict::End;
use gnomon_report::json;
use gnomon_report::json::write::{list, object};
use gnomon_report::numbers::TimeFormat;
use gnomon_run::compile::{CompileLimits, CompiledSpec, compile_within};
use gnomon_run::externs::ExternReport;
use gnomon_run::online::OnlineMonitor;

use crate::live::{DryRun, EventSummary};
use crate::ring::{EventRing, JudgedEvent};
use crate::shared::lock;

/// Limits of a dry run: anyone who may read can start one.
const LONGEST_RUN: Duration = Duration::from_secs(3);
const MOST_BYTES: usize = 256 << 20;
/// Time between two looks at the memory, which take longer than most events.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Evaluates recent events with another spec.
pub(crate) fn try_out(
    name: &str,
    text: &str,
    ring: &Mutex<EventRing>,
    time_format: TimeFormat,
    by: Option<&str>,
    externs: &[ExternReport],
) -> DryRun {
    let (compiled, mut diagnostics) = compile_within(name, text, &CompileLimits::CLIENT);
    let Some(compiled) = compiled else { return DryRun { diagnostics, properties: None, events: 0 } };
    // Copied, so that the evaluator does not wait for the lock.
    let entries: Vec<JudgedEvent> = lock(ring).oldest().cloned().collect();
    let mut online = OnlineMonitor::new(Arc::new(compiled), by);
    // External variables keep their current values: no source is queried.
    for (name, value) in externs.iter().filter_map(|known| Some((&known.name, known.value.as_ref()?))) {
        online.read(name, &Ok(value.clone()));
    }
    let begun = Instant::now();
    let mut looked = begun;
    let mut tried = 0;
    for entry in &entries {
        if let Some(view) = entry.view() {
            online.step(view.name, entry.time, &view);
        }
        tried += 1;
        let has_time = begun.elapsed() < LONGEST_RUN;
        let is_due = looked.elapsed() >= LOOK_EVERY;
        let has_memory = !is_due || online.memory_use().bytes < MOST_BYTES;
        if is_due {
            looked = Instant::now();
        }
        if !has_time || !has_memory {
            let (what, limit) = if has_time { ("memory", "256 MiB") } else { ("time", "3 s") };
            let message =
                format!("the dry run needs too much {what} (the limit is {limit}); it ended after {tried} events");
            diagnostics.push(
                Diagnostic::warning("G0718", Span::default(), message).help("restrict the variables of its properties"),
            );
            break;
        }
    }
    let (outcomes, _) = online.outcomes(End::Prefix);
    let mut properties = String::new();
    list(&mut properties, outcomes.iter().zip(online.compiled().properties()), |out, (outcome, property)| {
        object(out, |fields| {
            fields.field("name", &property.name);
            json::outcome(fields, property, outcome, time_format);
        });
    });
    DryRun { diagnostics, properties: Some(properties), events: tried }
}

/// Lists the events that a spec mentions and those that occurred recently.
pub(crate) fn catalogue(compiled: &CompiledSpec, ring: &EventRing) -> Vec<EventSummary> {
    let symbols = compiled.plan.symbols();
    let mut known: BTreeMap<String, (BTreeSet<String>, u64, bool)> = BTreeMap::new();
    for name in 0..symbols.name_count() {
        let name = symbols.name_text(gnomon_core::symbols::Name(name as u32));
        known.entry(name.to_owned()).or_default().2 = true;
    }
    for view in ring.oldest().filter_map(JudgedEvent::view) {
        let (fields, count, _) = known.entry(view.name.to_owned()).or_default();
        *count += 1;
        for (key, _) in view.entries() {
            if !fields.contains(key) {
                fields.insert(key.to_owned());
            }
        }
    }
    let row = |(name, (fields, count, declared)): (String, (BTreeSet<String>, u64, bool))| EventSummary {
        name,
        fields: fields.into_iter().collect(),
        count,
        declared,
    };
    known.into_iter().map(row).collect()
}
