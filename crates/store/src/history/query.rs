// SPDX-License-Identifier: MIT OR Apache-2.0
//! Questions to the history, by connections of their own: in SQLite's write-ahead mode who reads and who writes do not wait for
//! one another.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::database::{Guarded, Purpose, connect};
use super::deliveries::{self, Delivery};
use super::record;
use super::rows::{
    GroupRow, STATISTICS, StatisticsRow, VIOLATION, ViolationQuery, ViolationRow, signed, statistics, unsigned,
    violation,
};
use super::settings::{self, Mute, Settings, Webhook};
use crate::error::StoreError;

/// How many rows an answer has at most, whatever is asked for.
const MOST: usize = 10_000;
/// How many connections are kept for the next question.
const IDLE: usize = 8;

/// One that answers questions. Clones share their connections.
#[derive(Clone, Debug)]
pub struct HistoryReader(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl HistoryReader {
    pub(super) fn new(path: &Path) -> HistoryReader {
        HistoryReader(Arc::new(Pool { path: path.to_owned(), idle: Mutex::default() }))
    }

    /// The violations that the query describes, newest first.
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
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params_from_iter(values), violation)?;
            rows.collect()
        })
    }

    /// The violation with this number.
    pub fn violation(&self, number: u64) -> Result<Option<ViolationRow>, StoreError> {
        let sql = format!("SELECT {VIOLATION} FROM violations WHERE number = ?1");
        self.ask(|connection| connection.prepare_cached(&sql)?.query_row([signed(number)], violation).optional())
    }

    /// The groups with the latest violations, latest first. Whether they are muted is said of this moment, in milliseconds since 1970.
    pub fn groups(&self, limit: usize, now: i64) -> Result<Vec<GroupRow>, StoreError> {
        let sql = "SELECT name, property, severity, count, first_noted, last_noted, last_number,
            EXISTS (SELECT 1 FROM mutes WHERE coalesce(mutes.property = violation_groups.property, true)
                AND coalesce(mutes.group_name = violation_groups.name, true) AND coalesce(until > ?2, true))
            FROM violation_groups ORDER BY last_number DESC LIMIT ?1";
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![at_most(limit), now], group)?;
            rows.collect()
        })
    }

    /// How a property was doing from one time until before another, in milliseconds since 1970, in order. If there is more than
    /// `limit`, that many are chosen evenly, the first and the last among them.
    pub fn statistics(
        &self,
        property: &str,
        from: i64,
        to: i64,
        limit: usize,
    ) -> Result<Vec<StatisticsRow>, StoreError> {
        // The rows at which `place * (limit - 1) / (total - 1)` moves on: as many as the limit.
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
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params![property, from, to, at_most(limit)], statistics)?;
            rows.collect()
        })
    }

    /// The number of the last record of the journal of which everything is written down.
    pub fn through(&self) -> Result<u64, StoreError> {
        self.ask(record::through)
    }

    /// All mutes, also those that have passed, in order of their ids.
    pub fn mutes(&self) -> Result<Vec<Mute>, StoreError> {
        self.ask(settings::mutes)
    }

    /// All webhooks, in order of their ids.
    pub fn webhooks(&self) -> Result<Vec<Webhook>, StoreError> {
        self.ask(settings::webhooks)
    }

    /// The deliveries to a webhook, of the newest violations first.
    pub fn deliveries(&self, webhook: i64, limit: usize) -> Result<Vec<Delivery>, StoreError> {
        self.ask(|connection| deliveries::of_webhook(connection, webhook, at_most(limit)))
    }

    /// One that writes down what people decide.
    pub fn settings(&self) -> Result<Settings, StoreError> {
        let path = &self.0.path;
        Ok(Settings::new(path, connect(path, Purpose::Decisions).guarded(path)?))
    }

    fn ask<T>(&self, question: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let Pool { path, idle } = &*self.0;
        let waiting = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = waiting.map_or_else(|| connect(path, Purpose::Questions), Ok).guarded(path)?;
        // One that met an error is not used again.
        let answer = question(&connection).guarded(path)?;
        let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.push(connection);
        }
        Ok(answer)
    }
}

fn at_most(limit: usize) -> i64 {
    limit.min(MOST) as i64
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
