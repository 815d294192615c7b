// SPDX-License-Identifier: MIT OR Apache-2.0
//! Publishes violations and statistics once their records are durable: first to the history, then to subscribers.

use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use gnomon_store::history::{HistoryRetention, HistoryUpdate, StatisticsRow, ViolationRow};
use gnomon_store::{ErrorKind, History, StoreError};

use crate::evaluator::milliseconds;
use crate::hooks::HookRouter;
use crate::live::LiveInner;
use crate::render::ViolationRecord;
use crate::shared::{lock, now};
use crate::wire::{Notification, WatchState};

/// Findings of the evaluator up to a record.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) sequence: u64,
    pub(crate) rows: Vec<ViolationRecord>,
    pub(crate) statistics: Vec<StatisticsRow>,
}

/// Maximum number of rows in one transaction.
const AT_ONCE: usize = 4096;
/// Maximum number of violations, and of rows of statistics, in the history; the oldest are removed.
const KEPT_ROWS: u64 = 1_000_000;
/// Time between two attempts to write to the history.
pub(crate) const RETRY_AFTER: Duration = Duration::from_millis(500);
/// Interval between removals.
const RETAIN_EVERY: Duration = Duration::from_secs(60);

pub(crate) fn run(inner: &Weak<LiveInner>, findings: &Receiver<Findings>, history: History, router: HookRouter) {
    publish(inner, findings, history, router);
    if let Some(inner) = inner.upgrade() {
        inner.shared.is_publisher_over.store(true, Ordering::Release);
    }
}

fn publish(inner: &Weak<LiveInner>, findings: &Receiver<Findings>, mut history: History, mut router: HookRouter) {
    let mut retained = Instant::now();
    // Statistics of a replica come after those of later records.
    let mut through = 0;
    while let Ok(first) = findings.recv() {
        let Some(inner) = inner.upgrade() else { return };
        let Findings { sequence, mut rows, mut statistics } = first;
        through = sequence.max(through);
        while rows.len() < AT_ONCE
            && let Ok(next) = findings.try_recv()
        {
            through = next.sequence.max(through);
            rows.extend(next.rows);
            statistics.extend(next.statistics);
        }
        if !inner.shared.wait_durable(through) {
            return;
        }
        let (violations, rows): (Vec<_>, Vec<_>) = rows.into_iter().map(|row| (row.stored, row.wire)).unzip();
        if !write(&inner, &mut history, &mut router, through, &violations, &statistics) {
            return;
        }
        inner.shared.published.store(through, Ordering::Release);
        if retained.elapsed() >= RETAIN_EVERY {
            // If it fails, there are too many rows until the next attempt.
            let _ = history.retain(&HistoryRetention { rows: Some(KEPT_ROWS), age: None }, milliseconds(now()));
            retained = Instant::now();
        }
        for row in rows {
            let _ = inner.shared.notifications.send(Notification::Violation(Arc::new(row)));
        }
    }
}

/// Writes violations with their deliveries to the history. Waits while the disk is full. Returns false if the watch stops meanwhile:
/// the next start finds them again in the journal.
fn write(
    inner: &LiveInner,
    history: &mut History,
    router: &mut HookRouter,
    through: u64,
    violations: &[ViolationRow],
    statistics: &[StatisticsRow],
) -> bool {
    let is_full = &inner.shared.is_history_full;
    while let Err(error) = write_once(history, Some(router), through, violations, statistics) {
        // A removed file stays away, whatever is tried.
        if error.is(ErrorKind::Damaged) || !error.path().exists() {
            let fault = if error.path().exists() { "cannot be written" } else { "was removed or moved" };
            let note = format!("the history {fault}: {error}; it is rebuilt at the next start");
            inner.shared.set_state(WatchState::Failed, Some(note));
            return true;
        }
        is_full.store(true, Ordering::Relaxed);
        inner.shared.set_state(WatchState::Full, Some(format!("the history cannot be written: {error}")));
        std::thread::sleep(RETRY_AFTER);
        if lock(&inner.shared.state).0 == WatchState::Failed {
            return true;
        }
        if !lock(&inner.sequencer).is_open {
            return false;
        }
    }
    if is_full.swap(false, Ordering::Relaxed) {
        inner.shared.set_state(WatchState::Running, None);
    }
    true
}

/// Writes violations to the history, with their deliveries if there is a router.
pub(crate) fn write_once(
    history: &mut History,
    router: Option<&mut HookRouter>,
    through: u64,
    violations: &[ViolationRow],
    statistics: &[StatisticsRow],
) -> Result<(), StoreError> {
    let deliveries = match router {
        Some(router) => &router.route(violations, milliseconds(now()))?,
        None => &vec![],
    };
    history.write(&HistoryUpdate { violations, statistics, deliveries, through })
}
