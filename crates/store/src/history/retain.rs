// SPDX-License-Identifier: MIT OR Apache-2.0
//! Removes rows beyond limits on number and age, oldest first and in small transactions.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::History;
use super::database::SqliteResultExt;
use super::record::{FORGOTTEN, raise_mark};
use super::rows::{signed, unsigned};
use crate::error::StoreError;

/// Limits on the history; a limit that is not set does not apply.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct HistoryRetention {
    /// Maximum number of violations, and of rows of statistics.
    pub rows: Option<u64>,
    /// Maximum age in milliseconds.
    pub age: Option<i64>,
}

/// Numbers of removed rows.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RemovedRows {
    /// Number of violations.
    pub violations: u64,
    /// Number of rows of statistics.
    pub statistics: u64,
}

/// Number of rows removed in one transaction.
const STEP: i64 = 2_000;

impl History {
    /// Removes violations and statistics beyond these limits. Removed violations stay removed even if they are
    /// written again. Groups and pending deliveries are removed with the last of their violations.
    pub fn retain(&mut self, keep: &HistoryRetention, now: i64) -> Result<RemovedRows, StoreError> {
        retain(&mut self.connection, keep, now).at_path(&self.path)
    }
}

fn retain(connection: &mut Connection, keep: &HistoryRetention, now: i64) -> rusqlite::Result<RemovedRows> {
    let oldest = keep.age.map(|age| now.saturating_sub(age));
    let mut forgotten = RemovedRows::default();
    if let Some(through) = last_to_forget(connection, keep.rows, oldest)? {
        raise_mark(connection, FORGOTTEN, through)?;
        forgotten.violations = in_steps(connection, |transaction| forget(transaction, through))?;
    }
    if let Some(before) = statistics_before(connection, keep.rows, oldest)? {
        let sql = "DELETE FROM statistics WHERE (property, at) IN
            (SELECT property, at FROM statistics WHERE at < ?1 ORDER BY at LIMIT ?2)";
        forgotten.statistics =
            in_steps(connection, |transaction| transaction.prepare_cached(sql)?.execute(params![before, STEP]))?;
    }
    if forgotten != RemovedRows::default() {
        give_back(connection)?;
    }
    Ok(forgotten)
}

/// Returns the number up to which violations are removed. Only a prefix of all numbers is ever removed, so one mark
/// identifies it.
fn last_to_forget(connection: &Connection, rows: Option<u64>, oldest: Option<i64>) -> rusqlite::Result<Option<u64>> {
    let number = |sql: &str, value: i64| connection.query_row(sql, [value], |row| unsigned(row, 0)).optional();
    let newest = connection.query_row("SELECT coalesce(max(number), 0) FROM violations", [], |row| unsigned(row, 0))?;
    let too_many = match rows {
        Some(rows) => number("SELECT number FROM violations ORDER BY number DESC LIMIT 1 OFFSET ?1", signed(rows))?,
        None => None,
    };
    let too_old = match oldest {
        // Ordered by number, without the index: the scan ends at the first row that stays.
        Some(oldest) => {
            let sql = "SELECT number - 1 FROM violations WHERE +noted_at >= ?1 ORDER BY number LIMIT 1";
            Some(number(sql, oldest)?.unwrap_or(newest))
        }
        None => None,
    };
    Ok(too_many.max(too_old).filter(|through| *through > 0))
}

fn statistics_before(connection: &Connection, rows: Option<u64>, oldest: Option<i64>) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT at + 1 FROM statistics ORDER BY at DESC LIMIT 1 OFFSET ?1";
    let too_many = match rows {
        Some(rows) => connection.query_row(sql, [signed(rows)], |row| row.get(0)).optional()?,
        None => None,
    };
    Ok(too_many.max(oldest))
}

fn forget(transaction: &Transaction<'_>, through: u64) -> rusqlite::Result<usize> {
    let through = signed(through);
    let sql = "DELETE FROM violations WHERE number IN
        (SELECT number FROM violations WHERE number <= ?1 ORDER BY number LIMIT ?2)";
    let removed = transaction.prepare_cached(sql)?.execute(params![through, STEP])?;
    if removed < STEP as usize {
        transaction.prepare_cached("DELETE FROM violation_groups WHERE last_number <= ?1")?.execute([through])?;
        transaction.prepare_cached("DELETE FROM deliveries WHERE violation <= ?1")?.execute([through])?;
    }
    Ok(removed)
}

/// Repeats a step, each in its own transaction so that others can write in between, until nothing is left to do.
fn in_steps(
    connection: &mut Connection,
    mut step: impl FnMut(&Transaction<'_>) -> rusqlite::Result<usize>,
) -> rusqlite::Result<u64> {
    let mut total = 0;
    loop {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let removed = step(&transaction)?;
        transaction.commit()?;
        total += removed as u64;
        if removed < STEP as usize {
            return Ok(total);
        }
    }
}

/// Returns free pages of the file to the disk.
fn give_back(connection: &Connection) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}
