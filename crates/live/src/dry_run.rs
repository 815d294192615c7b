// SPDX-License-Identifier: MIT OR Apache-2.0
//! What another spec would say of the last events, and which events there are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use gnomon_core::verdict::End;
use gnomon_report::json;
use gnomon_report::numbers::Dial;
use gnomon_run::compile::{Compiled, compile_file};
use gnomon_run::externs::ExternReport;
use gnomon_run::online::Online;

use crate::live::{DryRun, KnownEvent};
use crate::ring::{Entry, Ring};
use crate::shared::lock;

/// Judges the last events by a text.
pub(crate) fn try_out(
    name: &str,
    text: &str,
    ring: &Mutex<Ring>,
    dial: Dial,
    by: Option<&str>,
    externs: &[ExternReport],
) -> DryRun {
    let (compiled, diagnostics) = compile_file(name, text, &[]);
    let Some(compiled) = compiled else { return DryRun { diagnostics, properties: None, events: 0 } };
    // Whoever judges meanwhile must not wait.
    let entries: Vec<Entry> = lock(ring).oldest().cloned().collect();
    let mut online = Online::new(Arc::new(compiled), by);
    // Nobody is asked: what external variables are now stands for what they were.
    for (name, value) in externs.iter().filter_map(|known| Some((&known.name, known.value.as_ref()?))) {
        online.read(name, &Ok(value.clone()));
    }
    for entry in &entries {
        if let Some(seen) = entry.seen() {
            online.step(seen.name, entry.time, &seen);
        }
    }
    let (outcomes, _) = online.outcomes(End::Prefix);
    let mut list = String::from("[");
    for (index, (outcome, property)) in outcomes.iter().zip(online.compiled().properties()).enumerate() {
        list.push_str(if index == 0 { "" } else { "," });
        json::write::object(&mut list, |fields| {
            fields.text("name", &property.name);
            fields.text("language", property.language.word());
            fields.text("verdict", outcome.verdict.word());
            fields.raw("presumably", outcome.presumably.map_or("null", |value| if value { "true" } else { "false" }));
            json::counts(fields, outcome);
            fields.with("duration", |out| json::duration(out, outcome.durations.as_ref(), dial));
        });
    }
    list.push(']');
    DryRun { diagnostics, properties: Some(list), events: entries.len() }
}

/// The events that a spec speaks of, and those among the last ones.
pub(crate) fn catalogue(compiled: &Compiled, ring: &Ring) -> Vec<KnownEvent> {
    let symbols = compiled.plan.symbols();
    let mut known: BTreeMap<String, (BTreeSet<String>, u64, bool)> = BTreeMap::new();
    for name in 0..symbols.name_count() {
        let name = symbols.name_text(gnomon_core::symbols::Name(name as u32));
        known.entry(name.to_owned()).or_default().2 = true;
    }
    for seen in ring.oldest().filter_map(Entry::seen) {
        let (fields, count, _) = known.entry(seen.name.to_owned()).or_default();
        *count += 1;
        for (key, _) in seen.entries() {
            if !fields.contains(key) {
                fields.insert(key.to_owned());
            }
        }
    }
    let row = |(name, (fields, count, declared)): (String, (BTreeSet<String>, u64, bool))| KnownEvent {
        name,
        fields: fields.into_iter().collect(),
        count,
        declared,
    };
    known.into_iter().map(row).collect()
}
