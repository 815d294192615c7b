// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run as data.

use std::sync::Arc;

use gnomon_core::symbols::{Name, Symbols};
use gnomon_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::cases::CaseNumbers;
use super::ensemble::{Ensemble, Last, Run};
use super::{Online, ResumeError};
use crate::compile::Compiled;

#[derive(Serialize, Deserialize)]
struct Saved {
    spec: String,
    ensembles: Vec<SavedEnsemble>,
    field: Option<String>,
    labels: Vec<String>,
    without: u64,
    events: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    numbered: u64,
}

#[derive(Serialize, Deserialize)]
struct SavedEnsemble {
    spec: String,
    /// The properties of the plan, by their places in the spec.
    properties: Vec<usize>,
    alive: Vec<Option<usize>>,
    /// The names of events beyond those of the plan.
    names: Vec<String>,
    now: Option<Timestamp>,
    externs: Vec<u8>,
    runs: Vec<Option<SavedRun>>,
}

#[derive(Serialize, Deserialize)]
struct SavedRun {
    monitor: Vec<u8>,
    last: Vec<Option<Last>>,
}

/// With the text of the spec or, for someone who has it, without.
pub(super) fn save(online: &Online, with_spec: bool) -> Vec<u8> {
    let text = |compiled: &Compiled| if with_spec { compiled.source.clone() } else { String::new() };
    let saved = Saved {
        spec: text(&online.compiled),
        ensembles: online.ensembles.iter().map(|one| ensemble(one, text(&one.compiled))).collect(),
        field: online.cases.field().map(str::to_owned),
        labels: online.cases.labels().iter().map(ToString::to_string).collect(),
        without: online.cases.without,
        events: online.events,
        first: online.first,
        last: online.last,
        numbered: online.numbered,
    };
    postcard::to_stdvec(&saved).expect("it has only types that postcard writes, into memory")
}

fn ensemble(ensemble: &Ensemble, spec: String) -> SavedEnsemble {
    let known = ensemble.compiled.plan.symbols().name_count();
    let names = known..ensemble.symbols.name_count();
    let run = |run: &Run| SavedRun { monitor: run.monitor.save(), last: run.last.clone() };
    SavedEnsemble {
        spec,
        properties: ensemble.compiled.properties.clone(),
        alive: ensemble.alive.clone(),
        names: names.map(|name| ensemble.symbols.name_text(Name(name as u32)).to_owned()).collect(),
        now: ensemble.now(),
        externs: ensemble.externs.save(),
        runs: ensemble.runs.iter().map(|one| one.as_ref().map(run)).collect(),
    }
}

pub(super) fn restore(bytes: &[u8], compile: impl Fn(&str) -> Option<Arc<Compiled>>) -> Result<Online, ResumeError> {
    let saved: Saved = postcard::from_bytes(bytes).map_err(|_| ResumeError::Damaged)?;
    let compiled = compile(&saved.spec).ok_or(ResumeError::Spec)?;
    let mut ensembles = Vec::new();
    for one in saved.ensembles {
        ensembles.push(resume(one, &compiled, &compile)?);
    }
    let labels = saved.labels.into_iter().map(Into::into).collect();
    Ok(Online {
        ensembles,
        compiled,
        cases: CaseNumbers::restore(saved.field, labels, saved.without),
        events: saved.events,
        first: saved.first,
        last: saved.last,
        found: Vec::new(),
        numbered: saved.numbered,
    })
}

fn resume(
    saved: SavedEnsemble,
    present: &Arc<Compiled>,
    compile: impl Fn(&str) -> Option<Arc<Compiled>>,
) -> Result<Ensemble, ResumeError> {
    let whole =
        if saved.spec == present.source { present.clone() } else { compile(&saved.spec).ok_or(ResumeError::Spec)? };
    let places: Option<Vec<usize>> =
        saved.properties.iter().map(|wanted| whole.properties.iter().position(|property| property == wanted)).collect();
    let places = places.ok_or(ResumeError::Spec)?;
    let compiled = if places.len() == whole.properties.len() { whole } else { Arc::new(whole.only(&places)) };
    let mut symbols: Symbols = compiled.plan.symbols().clone();
    for name in &saved.names {
        symbols.name(name);
    }
    let mut runs = Vec::new();
    for run in saved.runs {
        runs.push(match run {
            None => None,
            Some(run) => {
                let monitor = compiled.plan.restore(&run.monitor).map_err(ResumeError::Monitor)?;
                if run.last.len() != saved.alive.len() {
                    return Err(ResumeError::Damaged);
                }
                Some(Run::new(monitor, run.last))
            }
        });
    }
    let fits = saved.alive.len() == compiled.properties.len()
        && saved.alive.iter().flatten().all(|place| *place < present.properties.len());
    if !fits {
        return Err(ResumeError::Damaged);
    }
    let mut ensemble = Ensemble::restore(compiled, saved.alive, symbols, runs, saved.now);
    ensemble.externs.restore(&saved.externs).map_err(|_| ResumeError::Damaged)?;
    Ok(ensemble)
}
