// SPDX-License-Identifier: MIT OR Apache-2.0
//! The saved state of an online monitor.
//!
//! The layout is the order of the fields below. A group stores the text of the spec with which it started, the places of its
//! properties in it, and a snapshot of the monitor of each case; the plan is compiled again when the state is restored.

use std::sync::Arc;

use gnomon_core::symbols::{Name, Symbols};
use gnomon_core::time::{Duration, Timestamp};
use serde::{Deserialize, Serialize};

use super::live_cases::LiveCases;
use super::property_group::{CaseRun, LastViolation, PropertyGroup};
use super::{CaseEndCounts, LISTED_VIOLATIONS, OnlineMonitor, ResumeError};
use crate::compile::CompiledSpec;
use crate::offline::{OutcomeSum, SavedSum};

/// First bytes of every saved state: a mark and the version of the layouts here and in `push.rs`. Increase the version with any
/// change to them; state of another version is refused, never read in part. The monitors inside have a version of their own.
const HEADER: [u8; 6] = *b"GNRU\x03\x00";

/// Writes a state behind the header.
pub(crate) fn encode(saved: &impl Serialize) -> Vec<u8> {
    postcard::to_extend(saved, HEADER.to_vec()).expect("it has only types that postcard writes, into memory")
}

/// Reads a state that [`encode`] of this version wrote.
pub(crate) fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, ResumeError> {
    let body = bytes.strip_prefix(&HEADER).ok_or(ResumeError::Version)?;
    postcard::from_bytes(body).map_err(|_| ResumeError::Damaged)
}

#[derive(Serialize, Deserialize)]
struct OnlineSnapshot {
    spec: String,
    groups: Vec<GroupSnapshot>,
    field: Option<String>,
    /// The open cases in the order of their last events: name and time. Without a field there is one case, which is not listed.
    cases: Vec<(String, Timestamp)>,
    ended: SavedSum,
    end_counts: CaseEndCounts,
    default_expiry: Option<Duration>,
    without: u64,
    events: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    last_number: u64,
}

#[derive(Serialize, Deserialize)]
struct GroupSnapshot {
    spec: String,
    /// Indices in the spec of the properties of the plan.
    properties: Vec<usize>,
    alive: Vec<Option<usize>>,
    /// Names of events beyond those of the plan.
    names: Vec<String>,
    now: Option<Timestamp>,
    externs: Vec<u8>,
    /// In the order of the cases.
    runs: Vec<Option<CaseSnapshot>>,
}

#[derive(Serialize, Deserialize)]
struct CaseSnapshot {
    monitor: Vec<u8>,
    last: Vec<Vec<LastViolation>>,
}

/// Saves a monitor, with the text of its spec or without.
pub(super) fn save(online: &OnlineMonitor, with_spec: bool) -> Vec<u8> {
    let text = |compiled: &CompiledSpec| if with_spec { compiled.source.clone() } else { String::new() };
    let cases: Vec<usize> = online.case_numbers().collect();
    encode(&OnlineSnapshot {
        spec: text(&online.compiled),
        groups: online.groups.iter().map(|group| save_group(group, &cases, text(&group.compiled))).collect(),
        field: online.cases.field.clone(),
        cases: online.cases.save(),
        ended: online.ended.save(),
        end_counts: online.end_counts,
        default_expiry: online.default_expiry,
        without: online.cases.without,
        events: online.events,
        first: online.first,
        last: online.last,
        last_number: online.last_number,
    })
}

fn save_group(group: &PropertyGroup, cases: &[usize], spec: String) -> GroupSnapshot {
    let known = group.compiled.plan.symbols().name_count();
    let names = known..group.symbols.name_count();
    let run = |run: &CaseRun| CaseSnapshot { monitor: run.monitor.save(), last: run.last.clone() };
    GroupSnapshot {
        spec,
        properties: group.compiled.properties.clone(),
        alive: group.alive.clone(),
        names: names.map(|name| group.symbols.name_text(Name(name as u32)).to_owned()).collect(),
        now: group.now,
        externs: group.externs.save(),
        runs: cases.iter().map(|case| group.run(*case).map(run)).collect(),
    }
}

/// Restores a saved monitor. `compile` compiles the text of a spec.
pub(super) fn restore(
    bytes: &[u8],
    compile: impl Fn(&str) -> Option<Arc<CompiledSpec>>,
) -> Result<OnlineMonitor, ResumeError> {
    let saved: OnlineSnapshot = decode(bytes)?;
    let compiled = compile(&saved.spec).ok_or(ResumeError::Spec)?;
    let groups = saved.groups.into_iter().map(|group| restore_group(group, &compiled, &compile));
    let ended = OutcomeSum::restore(saved.ended, LISTED_VIOLATIONS);
    if ended.property_count() != compiled.properties.len() {
        return Err(ResumeError::Damaged);
    }
    Ok(OnlineMonitor {
        groups: groups.collect::<Result<_, _>>()?,
        compiled,
        cases: LiveCases::restore(saved.field, saved.without, saved.cases),
        ended,
        end_counts: saved.end_counts,
        default_expiry: saved.default_expiry,
        events: saved.events,
        first: saved.first,
        last: saved.last,
        found: Vec::new(),
        last_number: saved.last_number,
    })
}

fn restore_group(
    saved: GroupSnapshot,
    current: &Arc<CompiledSpec>,
    compile: impl Fn(&str) -> Option<Arc<CompiledSpec>>,
) -> Result<PropertyGroup, ResumeError> {
    let whole =
        if saved.spec == current.source { current.clone() } else { compile(&saved.spec).ok_or(ResumeError::Spec)? };
    let places: Option<Vec<usize>> =
        saved.properties.iter().map(|wanted| whole.properties.iter().position(|property| property == wanted)).collect();
    let places = places.ok_or(ResumeError::Spec)?;
    let compiled = if places.len() == whole.properties.len() { whole } else { Arc::new(whole.only(&places)) };
    let mut symbols: Symbols = compiled.plan.symbols().clone();
    for name in &saved.names {
        symbols.name(name);
    }
    let restore_run = |run: CaseSnapshot| {
        let monitor = compiled.plan.restore(&run.monitor).map_err(ResumeError::Monitor)?;
        let fits = run.last.len() == saved.alive.len();
        fits.then(|| Box::new(CaseRun::new(monitor, run.last))).ok_or(ResumeError::Damaged)
    };
    let runs = saved.runs.into_iter().map(|run| run.map(restore_run).transpose()).collect::<Result<_, _>>()?;
    let fits = saved.alive.len() == compiled.properties.len()
        && saved.alive.iter().flatten().all(|place| *place < current.properties.len());
    if !fits {
        return Err(ResumeError::Damaged);
    }
    let mut group = PropertyGroup::restore(compiled, saved.alive, symbols, runs, saved.now);
    group.externs.restore(&saved.externs).map_err(|_| ResumeError::Damaged)?;
    Ok(group)
}
