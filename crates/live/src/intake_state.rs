// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of the state that intake needs, read from a store without evaluating anything.
//!
//! It follows from the newest snapshot and the heads of the records behind it, so it is there in a moment, while restoring the monitors
//! may take minutes.

use std::collections::BTreeMap;
use std::sync::Arc;

use gnomon_core::time::Duration;
use gnomon_run::compile::CompiledSpec;
use gnomon_store::{Journal, Snapshots};

use crate::evaluator::{Evaluator, Settings, compile};
use crate::options::{Options, SpecFrom};
use crate::record::{self, CONTROL, ControlRecord, EVENTS, Policy};
use crate::recovery::OpenError;
use crate::shared::CurrentSpec;
use crate::wire::Block;

/// The part of the state that intake needs.
#[derive(Debug, Default)]
pub(crate) struct IntakeState {
    /// Name and text of the current spec; `None` if the store is new, or has lost it.
    pub(crate) spec: Option<(String, String)>,
    pub(crate) revision: u64,
    pub(crate) policy: Option<Policy>,
    pub(crate) case_expiry: Option<Duration>,
    /// Next event number of each sender that numbers its events.
    pub(crate) producers: BTreeMap<String, u64>,
    pub(crate) last_arrival: i128,
    pub(crate) date_times: Option<bool>,
    /// The blocks of the snapshot. Those of later records are known when the state is restored.
    pub(crate) blocks: BTreeMap<u64, Block>,
}

/// Reads the state after record `last`. Fails if the store was created with other settings.
pub(crate) fn read(
    journal: &Journal,
    snapshots: &Snapshots,
    settings: &Settings,
    last: u64,
) -> Result<IntakeState, OpenError> {
    let mut intake = IntakeState::default();
    let mut from = journal.first();
    for sequence in snapshots.numbers()?.into_iter().rev().filter(|sequence| *sequence <= last) {
        // A damaged snapshot is reported when the state is restored.
        let Some(bytes) = snapshots.read(sequence)? else { continue };
        let Some((state, then, text)) = Evaluator::read_head(&bytes) else { continue };
        settings.check_same(&then)?;
        intake = IntakeState {
            spec: Some((state.spec_name, text)),
            revision: state.revision,
            policy: Some(state.policy),
            case_expiry: state.case_expiry,
            producers: state.producers,
            last_arrival: state.last_arrival,
            date_times: state.date_times,
            blocks: state.blocks,
        };
        from = from.max(sequence + 1);
        break;
    }
    for record in journal.read(from)? {
        let record = record?;
        if record.sequence > last {
            break;
        }
        intake.apply(record.kind, &record.payload, settings)?;
    }
    Ok(intake)
}

impl IntakeState {
    fn apply(&mut self, kind: u8, payload: &[u8], settings: &Settings) -> Result<(), OpenError> {
        if kind == EVENTS
            && let Some((header, _)) = record::open_batch(payload)
        {
            self.last_arrival = header.arrival + i128::from(header.count);
            self.date_times = self.date_times.or(header.kind_of_times(settings.time));
            if let Some(numbering) = header.numbering {
                let next = numbering.first.saturating_add(u64::from(header.count));
                self.producers.insert(numbering.producer, next);
            }
        } else if kind == CONTROL {
            match postcard::from_bytes::<ControlRecord>(payload) {
                Ok(ControlRecord::Begin { settings: then, name, text }) => {
                    settings.check_same(&then)?;
                    (self.spec, self.revision) = (Some((name, text)), 1);
                    self.policy = Some(Policy::initial(&then));
                }
                Ok(ControlRecord::Spec { name, text }) => {
                    self.spec = Some((name, text));
                    self.revision += 1;
                }
                Ok(ControlRecord::Policy(policy)) => self.policy = Some(policy),
                Ok(ControlRecord::CaseExpiry(expiry)) => self.case_expiry = expiry,
                Ok(ControlRecord::Release { id }) => drop(self.blocks.remove(&id)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Chooses between the spec of the options, compiled, and the last revision in the store.
    pub(crate) fn choose_spec(
        &self,
        options: &Options,
        compiled: &Arc<CompiledSpec>,
    ) -> Result<CurrentSpec, OpenError> {
        let file = |revision| CurrentSpec { name: options.spec_name.clone(), revision, compiled: compiled.clone() };
        let Some((name, text)) = &self.spec else { return Ok(file(1)) };
        if (name, text) == (&options.spec_name, &options.spec_text) {
            return Ok(file(self.revision));
        }
        if options.spec_from == Some(SpecFrom::File) {
            return Ok(file(self.revision + 1));
        }
        let stored = compile(name, text);
        match (options.spec_from, stored) {
            (Some(SpecFrom::Store), Some(stored)) => {
                Ok(CurrentSpec { name: name.clone(), revision: self.revision, compiled: Arc::new(stored) })
            }
            (Some(SpecFrom::Store), None) => Err(OpenError::State(
                "the spec in the store is no longer understood; start with `--spec-from file`".to_owned(),
            )),
            (_, stored) => {
                let differs = stored.map_or_else(String::new, |stored| differences(compiled, &stored));
                Err(OpenError::SpecDiffers { file: options.spec_name.clone(), revision: self.revision, differs })
            }
        }
    }
}

/// Describes what the properties of a file have in common with those in the store.
fn differences(file: &CompiledSpec, stored: &CompiledSpec) -> String {
    let meanings = |spec: &CompiledSpec| -> BTreeMap<String, u64> {
        let names = spec.properties().map(|property| property.name.clone());
        names.enumerate().map(|(index, name)| (name, spec.plan.fingerprint(index))).collect()
    };
    let (file, stored) = (meanings(file), meanings(stored));
    let list = |names: Vec<&String>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let only = |one: &BTreeMap<String, u64>, other: &BTreeMap<String, u64>| {
        list(one.keys().filter(|name| !other.contains_key(*name)).collect())
    };
    let changed = file.iter().filter(|(name, meaning)| stored.get(*name).is_some_and(|other| other != *meaning));
    let parts = [
        ("only in the file", only(&file, &stored)),
        ("only in the store", only(&stored, &file)),
        ("changed", list(changed.map(|(name, _)| name).collect())),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what}: {names}"))
        .collect();
    if parts.is_empty() { "no property has another meaning".to_owned() } else { parts.join("; ") }
}
