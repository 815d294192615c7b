// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tells what was found, once the records that it was found by are on disk for good: first the history, then those who listen.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use gnomon_store::History;
use gnomon_store::history::{HistoryKeep, NewDelivery, NewWebhook, StatisticsRow, Told as Kept, ViolationRow};

use crate::judge::milliseconds;
use crate::live::Inner;
use crate::render::Row;
use crate::shared::{lock, now};
use crate::wire::{State, Told};

/// What a record led to.
#[derive(Debug)]
pub(crate) struct Out {
    pub(crate) sequence: u64,
    pub(crate) rows: Vec<Row>,
    pub(crate) statistics: Vec<StatisticsRow>,
}

/// How many rows are written at once.
const AT_ONCE: usize = 4096;
/// How many violations, and how many rows of statistics, the history keeps; the oldest are forgotten.
const KEPT_ROWS: u64 = 1_000_000;
/// How often it is looked at whether there are more.
const RETAIN_EVERY: Duration = Duration::from_secs(60);

pub(crate) fn run(inner: &Weak<Inner>, outs: &Receiver<Out>, mut history: History) {
    let mut retained = Instant::now();
    while let Ok(first) = outs.recv() {
        let Some(inner) = inner.upgrade() else { return };
        let Out { mut sequence, mut rows, mut statistics } = first;
        while rows.len() < AT_ONCE
            && let Ok(next) = outs.try_recv()
        {
            sequence = sequence.max(next.sequence);
            rows.extend(next.rows);
            statistics.extend(next.statistics);
        }
        if !inner.shared.wait_durable(sequence) {
            return;
        }
        write(&inner, &mut history, sequence, &rows, &statistics);
        if retained.elapsed() >= RETAIN_EVERY {
            // If that fails there is more than there should be, and it is tried again.
            let _ = history.retain(&HistoryKeep { rows: Some(KEPT_ROWS), age: None }, milliseconds(now()));
            retained = Instant::now();
        }
        for row in rows {
            let _ = inner.shared.told.send(Told::Violation(Arc::new(row.wire)));
        }
    }
}

/// Writes to the history; waits while the disk is full.
fn write(inner: &Inner, history: &mut History, sequence: u64, rows: &[Row], statistics: &[StatisticsRow]) {
    let violations: Vec<ViolationRow> = rows.iter().map(|row| kept(row, sequence)).collect();
    let deliveries = if rows.is_empty() { vec![] } else { deliveries(inner, &violations) };
    let told = Kept { violations: &violations, statistics, deliveries: &deliveries, through: sequence };
    while let Err(error) = history.tell(&told) {
        if error.is_damaged() {
            let note = format!("the history cannot be written: {error}; start again, and it is made anew");
            inner.shared.set_state(State::Failed, Some(note));
            return;
        }
        inner.shared.set_state(State::Full, Some(format!("the history cannot be written: {error}")));
        std::thread::sleep(Duration::from_millis(500));
        if lock(&inner.shared.state).0 == State::Failed {
            return;
        }
    }
}

/// Which hooks hear of which violations. What is muted is kept, and told to none.
fn deliveries(inner: &Inner, violations: &[ViolationRow]) -> Vec<NewDelivery> {
    let (Ok(hooks), Ok(mutes)) = (inner.history.webhooks(), inner.history.mutes()) else { return vec![] };
    let at = milliseconds(now());
    let is_muted = |row: &&ViolationRow| mutes.iter().any(|mute| mute.mute.covers(&row.property, &row.group, at));
    let mut deliveries = Vec::new();
    for row in violations.iter().filter(|row| !is_muted(row)) {
        for hook in hooks.iter().filter(|hook| wants(&hook.webhook, row)) {
            deliveries.push(NewDelivery { webhook: hook.id, violation: row.number, at });
        }
    }
    deliveries
}

fn wants(hook: &NewWebhook, row: &ViolationRow) -> bool {
    hook.property.as_ref().is_none_or(|property| *property == row.property)
        && rank(row.severity.as_deref()) >= hook.severity.as_deref().map_or(0, |least| rank(Some(least)))
}

/// What is not said to matter little or much matters somewhat.
fn rank(severity: Option<&str>) -> u8 {
    match severity {
        Some("low") => 1,
        Some("high") => 3,
        _ => 2,
    }
}

/// A violation as the history keeps it.
pub(crate) fn kept(row: &Row, sequence: u64) -> ViolationRow {
    let wire = &row.wire;
    ViolationRow {
        number: wire.number,
        sequence,
        property: wire.property.clone(),
        severity: wire.severity.map(str::to_owned),
        case: wire.case.clone(),
        group: wire.group.clone(),
        time: row.time.clone(),
        sort_time: row.sort_time,
        noted_at: wire.noted_at,
        json: row.json.clone(),
    }
}
