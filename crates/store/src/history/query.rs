// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queries of the history. They have their own connections: in SQLite's write-ahead mode readers and the writer do
//! not block each other.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::database::{Purpose, SqliteResultExt, connect, rows};
use super::deliveries::{self, Delivery};
use super::rows::{
    GroupRow, STATISTICS, StatisticsRow, VIOLATION, ViolationQuery, ViolationRow, signed, statistics, unsigned,
    violation,
};
use super::settings::{self, Mute, Webhook};
use crate::error::StoreError;

/// Maximum number of rows of any query.
const MAX_ROWS: usize = 10_000;
/// Maximum number of idle connections.
const IDLE: usize = 8;

/// Answers queries. Clones share a pool of connections.
#[derive(Clone, Debug)]
pub struct HistoryReader(Arc<ConnectionPool>);

#[derive(Debug)]
struct ConnectionPool {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl HistoryReader {
    pub(super) fn new(path: &Path) -> HistoryReader {
        HistoryReader(Arc::new(ConnectionPool { path: path.to_owned(), idle: Mutex::default() }))
    }

    /// Returns the violations that match the query, newest first.
    pub fn violations(&self, query: &ViolationQuery) -> Result<Vec<ViolationRow>, StoreError> {
        let text = |text: &Option<String>| text.clone().map(Value::Text);
        let conditions = [
            ("property = ?", text(&query.property)),
            ("case_name = ?", text(&query.case)),
            ("group_name = ?", text(&query.group)),
            ("severity = ?", text(&query.severity)),
            ("noted_at >= ?", query.from_noted.map(Value::Integer)),
            ("noted_at < ?", query.to_noted.map(Value::Integer)),
            ("number < ?", query.before_number.map(|number| Value::Integer(signed(number)))),
        ];
        let (conditions, mut values): (Vec<&str>, Vec<Value>) =
            conditions.into_iter().filter_map(|(condition, value)| Some((condition, value?))).unzip();
        let chosen = if conditions.is_empty() { "true".to_owned() } else { conditions.join(" AND ") };
        values.push(Value::Integer(at_most(query.limit)));
        let sql = format!("SELECT {VIOLATION} FROM violations WHERE {chosen} ORDER BY number DESC LIMIT ?");
        self.ask(|connection| rows(connection, &sql, params_from_iter(values), violation))
    }

    /// Returns the violation with this number.
    pub fn violation(&self, number: u64) -> Result<Option<ViolationRow>, StoreError> {
        let sql = format!("SELECT {VIOLATION} FROM violations WHERE number = ?1");
        self.ask(|connection| connection.prepare_cached(&sql)?.query_row([signed(number)], violation).optional())
    }

    /// Returns the groups with the latest violations, latest first. `now`, in milliseconds since 1970, determines
    /// which mutes apply.
    pub fn groups(&self, limit: usize, now: i64) -> Result<Vec<GroupRow>, StoreError> {
        let sql = "SELECT name, property, severity, count, first_noted, last_noted, last_number,
            EXISTS (SELECT 1 FROM mutes WHERE coalesce(mutes.property = violation_groups.property, true)
                AND coalesce(mutes.group_name = violation_groups.name, true) AND coalesce(until > ?2, true))
            FROM violation_groups ORDER BY last_number DESC LIMIT ?1";
        self.ask(|connection| rows(connection, sql, params![at_most(limit), now], group))
    }

    /// Returns the statistics of a property from `from` until before `to`, in milliseconds since 1970, in order. If
    /// there are more than `limit`, that many are selected evenly, including the first and the last.
    pub fn statistics(
        &self,
        property: &str,
        from: i64,
        to: i64,
        limit: usize,
    ) -> Result<Vec<StatisticsRow>, StoreError> {
        // Selects the rows at which `place * (limit - 1) / (total - 1)` increases: exactly `limit` rows.
        let sql = format!(
            "WITH placed AS (
                SELECT {STATISTICS}, row_number() OVER (ORDER BY at) - 1 AS place, count(*) OVER () AS total
                FROM statistics WHERE property = ?1 AND at >= ?2 AND at < ?3)
            SELECT {STATISTICS} FROM placed
            WHERE total <= ?4 OR (?4 = 1 AND place = total - 1)
                OR (?4 > 1 AND (place = 0
                    OR place * (?4 - 1) / (total - 1) <> (place - 1) * (?4 - 1) / (total - 1)))
            ORDER BY at"
        );
        self.ask(|connection| rows(connection, &sql, params![property, from, to, at_most(limit)], statistics))
    }

    /// Returns all mutes, including expired ones, by id.
    pub fn mutes(&self) -> Result<Vec<Mute>, StoreError> {
        self.ask(settings::mutes)
    }

    /// Returns all webhooks by id.
    pub fn webhooks(&self) -> Result<Vec<Webhook>, StoreError> {
        self.ask(settings::webhooks)
    }

    /// Returns the deliveries to a webhook, of the newest violations first.
    pub fn deliveries(&self, webhook: i64, limit: usize) -> Result<Vec<Delivery>, StoreError> {
        self.ask(|connection| deliveries::of_webhook(connection, webhook, at_most(limit)))
    }

    fn ask<T>(&self, question: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let ConnectionPool { path, idle } = &*self.0;
        let waiting = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = waiting.map_or_else(|| connect(path, Purpose::Queries), Ok).at_path(path)?;
        // A connection with an error is not reused.
        let answer = question(&connection).at_path(path)?;
        let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.push(connection);
        }
        Ok(answer)
    }
}

fn at_most(limit: usize) -> i64 {
    limit.min(MAX_ROWS) as i64
}

fn group(row: &Row<'_>) -> rusqlite::Result<GroupRow> {
    Ok(GroupRow {
        group: row.get(0)?,
        property: row.get(1)?,
        severity: row.get(2)?,
        count: unsigned(row, 3)?,
        first_noted: row.get(4)?,
        last_noted: row.get(5)?,
        last_number: unsigned(row, 6)?,
        muted: row.get(7)?,
    })
}
