// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes findings: in one transaction, and idempotently.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::History;
use super::database::SqliteResultExt;
use super::rows::{StatisticsRow, ViolationRow, signed};
use crate::error::StoreError;

/// Findings that are written together.
#[derive(Clone, Copy, Default, Debug)]
pub struct HistoryUpdate<'a> {
    /// Violations, ordered by number.
    pub violations: &'a [ViolationRow],
    /// Statistics of properties.
    pub statistics: &'a [StatisticsRow],
    /// Deliveries of these violations.
    pub deliveries: &'a [NewDelivery],
    /// Sequence number of the journal record up to which all findings are written with this.
    pub through: u64,
}

/// A delivery to be queued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewDelivery {
    /// Id of the webhook.
    pub webhook: i64,
    /// Number of the violation.
    pub violation: u64,
    /// Earliest time, in milliseconds since 1970.
    pub at: i64,
}

impl History {
    /// Writes an update in one transaction. After an error nothing is written, and the call can be repeated.
    ///
    /// Violations that retention removed are skipped. If a violation exists, its `json` is replaced, because it may
    /// have been extended. In both cases no delivery is queued: a violation is delivered once however often it is
    /// written.
    pub fn write(&mut self, update: &HistoryUpdate<'_>) -> Result<(), StoreError> {
        write(&mut self.connection, update).at_path(&self.path)
    }
}

/// Lowers the mark for the journal record up to which all findings are written.
pub(super) fn forget_after(connection: &Connection, sequence: u64) -> rusqlite::Result<()> {
    let sql = "UPDATE marks SET value = min(value, ?2) WHERE name = ?1";
    connection.prepare_cached(sql)?.execute(params![THROUGH, signed(sequence)])?;
    Ok(())
}

/// Name of the mark for the journal record up to which all findings are written.
pub(super) const THROUGH: &str = "through";
/// Name of the mark for the number up to which violations were removed.
pub(super) const FORGOTTEN: &str = "forgotten";

pub(super) fn mark(connection: &Connection, name: &str) -> rusqlite::Result<u64> {
    let mut statement = connection.prepare_cached("SELECT value FROM marks WHERE name = ?1")?;
    let value = statement.query_row([name], |row| super::rows::unsigned(row, 0)).optional()?;
    Ok(value.unwrap_or(0))
}

/// Raises a mark.
pub(super) fn raise_mark(connection: &Connection, name: &str, value: u64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO marks (name, value) VALUES (?1, ?2)
        ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)";
    connection.prepare_cached(sql)?.execute(params![name, signed(value)])?;
    Ok(())
}

fn write(connection: &mut Connection, update: &HistoryUpdate<'_>) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let forgotten = mark(&transaction, FORGOTTEN)?;
    let mut new = BTreeSet::new();
    for row in update.violations.iter().filter(|row| row.number > forgotten) {
        if insert(&transaction, row)? {
            count(&transaction, row)?;
            new.insert(row.number);
        }
    }
    for delivery in update.deliveries.iter().filter(|delivery| new.contains(&delivery.violation)) {
        enqueue(&transaction, delivery)?;
    }
    for row in update.statistics {
        insert_statistics(&transaction, row)?;
    }
    raise_mark(&transaction, THROUGH, update.through)?;
    transaction.commit()
}

/// Inserts a violation. Returns true if it is new.
fn insert(transaction: &Transaction<'_>, row: &ViolationRow) -> rusqlite::Result<bool> {
    let sql = "INSERT OR IGNORE INTO violations
        (number, sequence, property, severity, case_name, group_name, time, sort_time, noted_at, json)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let inserted = transaction.prepare_cached(sql)?.execute(params![
        signed(row.number),
        signed(row.sequence),
        row.property,
        row.severity,
        row.case,
        row.group,
        row.time,
        row.sort_time,
        row.noted_at,
        row.json
    ])?;
    if inserted == 0 {
        // An extended violation is written again under its number.
        let sql = "UPDATE violations SET json = ?2 WHERE number = ?1 AND json <> ?2";
        transaction.prepare_cached(sql)?.execute(params![signed(row.number), row.json])?;
    }
    Ok(inserted > 0)
}

/// Counts a violation in its group.
fn count(transaction: &Transaction<'_>, row: &ViolationRow) -> rusqlite::Result<()> {
    let sql = "INSERT INTO violation_groups (name, property, severity, count, first_noted, last_noted, last_number)
        VALUES (?1, ?2, ?3, 1, ?4, ?4, ?5)
        ON CONFLICT (name) DO UPDATE SET
            count = count + 1, severity = excluded.severity,
            last_noted = max(last_noted, excluded.last_noted), last_number = max(last_number, excluded.last_number)";
    let number = signed(row.number);
    transaction.prepare_cached(sql)?.execute(params![row.group, row.property, row.severity, row.noted_at, number])?;
    Ok(())
}

fn insert_statistics(transaction: &Transaction<'_>, row: &StatisticsRow) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO statistics
        (property, at, activated, satisfied, violated, pending, min, max, mean)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    transaction.prepare_cached(sql)?.execute(params![
        row.property,
        row.at,
        signed(row.activated),
        signed(row.satisfied),
        signed(row.violated),
        signed(row.pending),
        row.min,
        row.max,
        row.mean
    ])?;
    Ok(())
}

/// Queues a delivery, unless it exists or its webhook was removed or disabled.
fn enqueue(transaction: &Transaction<'_>, delivery: &NewDelivery) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO deliveries (webhook, violation, attempts, next_attempt, state)
        SELECT id, ?2, 0, ?3, 0 FROM webhooks WHERE id = ?1 AND enabled";
    let number = signed(delivery.violation);
    transaction.prepare_cached(sql)?.execute(params![delivery.webhook, number, delivery.at])?;
    Ok(())
}
