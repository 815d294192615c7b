// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dry runs of another spec on recent events, and the catalogue of events.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use gnomon_core::verdict::End;
use gnomon_report::json;
use gnomon_report::json::write::{list, object};
use gnomon_report::numbers::TimeFormat;
use gnomon_run::compile::{CompiledSpec, compile_file};
use gnomon_run::externs::ExternReport;
use gnomon_run::online::OnlineMonitor;

use crate::live::{DryRun, EventSummary};
use crate::ring::{EventRing, JudgedEvent};
use crate::shared::lock;

/// Evaluates recent events with another spec.
pub(crate) fn try_out(
    name: &str,
    text: &str,
    ring: &Mutex<EventRing>,
    time_format: TimeFormat,
    by: Option<&str>,
    externs: &[ExternReport],
) -> DryRun {
    let (compiled, diagnostics) = compile_file(name, text, &[]);
    let Some(compiled) = compiled else { return DryRun { diagnostics, properties: None, events: 0 } };
    // Copied, so that the evaluator does not wait for the lock.
    let entries: Vec<JudgedEvent> = lock(ring).oldest().cloned().collect();
    let mut online = OnlineMonitor::new(Arc::new(compiled), by);
    // External variables keep their current values: no source is queried.
    for (name, value) in externs.iter().filter_map(|known| Some((&known.name, known.value.as_ref()?))) {
        online.read(name, &Ok(value.clone()));
    }
    for entry in &entries {
        if let Some(view) = entry.view() {
            online.step(view.name, entry.time, &view);
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
    DryRun { diagnostics, properties: Some(properties), events: entries.len() }
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
