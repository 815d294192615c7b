// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writing down what the judge says: all of it or nothing, and once however often it is said.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::History;
use super::database::Guarded;
use super::rows::{StatisticsRow, ViolationRow, signed};
use crate::error::StoreError;

/// What is written down together.
#[derive(Clone, Copy, Default, Debug)]
pub struct Told<'a> {
    /// Violations, in order of their numbers.
    pub violations: &'a [ViolationRow],
    /// How properties were doing.
    pub statistics: &'a [StatisticsRow],
    /// Who is to be told of these violations.
    pub deliveries: &'a [NewDelivery],
    /// The record of the journal up to which everything is told with this.
    pub through: u64,
}

/// That a webhook is to be told of a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewDelivery {
    /// Which webhook.
    pub webhook: i64,
    /// The number of the violation.
    pub violation: u64,
    /// Not before this time, in milliseconds since 1970.
    pub at: i64,
}

impl History {
    /// Writes this down in one transaction; after an error nothing of it, and the same may be tried again.
    pub fn record(
        &mut self,
        violations: &[ViolationRow],
        statistics: &[StatisticsRow],
        through: u64,
    ) -> Result<(), StoreError> {
        self.tell(&Told { violations, statistics, deliveries: &[], through })
    }

    /// Writes this down in one transaction; after an error nothing of it, and the same may be tried again.
    ///
    /// A violation whose number was forgotten is passed over; of one whose number is there already the `json` is replaced, because it
    /// may have grown. Neither is delivered again: a violation that is told
    /// twice is delivered no more often than one that is told once.
    pub fn tell(&mut self, told: &Told<'_>) -> Result<(), StoreError> {
        write(&mut self.connection, told).guarded(&self.path)
    }
}

/// The record of the journal up to which everything is written down.
pub(super) fn through(connection: &Connection) -> rusqlite::Result<u64> {
    mark(connection, THROUGH)
}

pub(super) const THROUGH: &str = "through";
/// The number up to which violations were removed.
pub(super) const FORGOTTEN: &str = "forgotten";

pub(super) fn mark(connection: &Connection, name: &str) -> rusqlite::Result<u64> {
    let mut statement = connection.prepare_cached("SELECT value FROM marks WHERE name = ?1")?;
    let value = statement.query_row([name], |row| super::rows::unsigned(row, 0)).optional()?;
    Ok(value.unwrap_or(0))
}

/// Marks only ever move on.
pub(super) fn raise_mark(connection: &Connection, name: &str, value: u64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO marks (name, value) VALUES (?1, ?2)
        ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)";
    connection.prepare_cached(sql)?.execute(params![name, signed(value)])?;
    Ok(())
}

fn write(connection: &mut Connection, told: &Told<'_>) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let forgotten = mark(&transaction, FORGOTTEN)?;
    let mut new = BTreeSet::new();
    for row in told.violations.iter().filter(|row| row.number > forgotten) {
        if insert(&transaction, row)? {
            count(&transaction, row)?;
            new.insert(row.number);
        }
    }
    for delivery in told.deliveries.iter().filter(|delivery| new.contains(&delivery.violation)) {
        enqueue(&transaction, delivery)?;
    }
    for row in told.statistics {
        insert_statistics(&transaction, row)?;
    }
    raise_mark(&transaction, THROUGH, told.through)?;
    transaction.commit()
}

/// Whether it was not there yet.
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
        // One that went on is told again, with the number it had.
        let sql = "UPDATE violations SET json = ?2 WHERE number = ?1 AND json <> ?2";
        transaction.prepare_cached(sql)?.execute(params![signed(row.number), row.json])?;
    }
    Ok(inserted > 0)
}

/// One more in its group.
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

/// Whether it was not there yet. One to a webhook that is gone, or switched off, is none.
pub(super) fn enqueue(connection: &Connection, delivery: &NewDelivery) -> rusqlite::Result<bool> {
    let sql = "INSERT OR IGNORE INTO deliveries (webhook, violation, attempts, next_attempt, state)
        SELECT id, ?2, 0, ?3, 0 FROM webhooks WHERE id = ?1 AND enabled";
    let number = signed(delivery.violation);
    let inserted = connection.prepare_cached(sql)?.execute(params![delivery.webhook, number, delivery.at])?;
    Ok(inserted > 0)
}
