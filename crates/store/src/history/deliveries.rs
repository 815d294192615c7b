// SPDX-License-Identifier: MIT OR Apache-2.0
//! Deliveries: a violation on its way to a webhook, at least once.
//!
//! A delivery is written down together with its violation. Whoever takes it has it for a while; if nothing is heard of it until then,
//! it is taken again. So a crash at any point repeats a message and loses none.

use rusqlite::{Connection, Row, params};

use super::rows::{signed, unsigned};

/// A violation that a webhook is, or was, to be told of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// Whom to tell.
    pub webhook: i64,
    /// The number of the violation.
    pub violation: u64,
    /// How often it was taken, this time included.
    pub attempts: u64,
    /// When it is due again, in milliseconds since 1970.
    pub next_attempt: i64,
    /// What has become of it.
    pub state: DeliveryState,
    /// What went wrong last.
    pub error: Option<String>,
}

/// What has become of a delivery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeliveryState {
    /// It is still to be made.
    Waiting,
    /// It was made.
    Delivered,
    /// It is not tried any more.
    GivenUp,
}

/// What came of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It arrived.
    Delivered,
    /// It did not, and is to be tried again.
    Retry {
        /// When, in milliseconds since 1970.
        at: i64,
        /// What went wrong.
        error: String,
    },
    /// It did not, and will not.
    GivenUp {
        /// What went wrong.
        error: String,
    },
}

const COLUMNS: &str = "webhook, violation, attempts, next_attempt, state, error";
const WAITING: i64 = 0;
const DELIVERED: i64 = 1;
const GIVEN_UP: i64 = 2;

pub(super) fn take_due(connection: &Connection, now: i64, lease: i64, limit: usize) -> rusqlite::Result<Vec<Delivery>> {
    let sql = format!(
        "UPDATE deliveries SET attempts = attempts + 1, next_attempt = ?2
        WHERE (webhook, violation) IN (
            SELECT webhook, violation FROM deliveries JOIN webhooks ON webhooks.id = webhook
            WHERE state = 0 AND next_attempt <= ?1 AND enabled ORDER BY next_attempt, violation LIMIT ?3)
        RETURNING {COLUMNS}"
    );
    let limit = signed(limit as u64);
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![now, now.saturating_add(lease), limit], delivery)?;
    let mut taken = rows.collect::<rusqlite::Result<Vec<Delivery>>>()?;
    taken.sort_by_key(|delivery| (delivery.violation, delivery.webhook));
    Ok(taken)
}

pub(super) fn settle(connection: &Connection, webhook: i64, violation: u64, outcome: &Outcome) -> rusqlite::Result<()> {
    let (state, at, error) = match outcome {
        Outcome::Delivered => (DELIVERED, None, None),
        Outcome::Retry { at, error } => (WAITING, Some(at), Some(error)),
        Outcome::GivenUp { error } => (GIVEN_UP, None, Some(error)),
    };
    let sql = "UPDATE deliveries SET state = ?3, next_attempt = coalesce(?4, next_attempt), error = ?5
        WHERE webhook = ?1 AND violation = ?2";
    connection.prepare_cached(sql)?.execute(params![webhook, signed(violation), state, at, error])?;
    Ok(())
}

pub(super) fn of_webhook(connection: &Connection, webhook: i64, limit: i64) -> rusqlite::Result<Vec<Delivery>> {
    let sql = format!("SELECT {COLUMNS} FROM deliveries WHERE webhook = ?1 ORDER BY violation DESC LIMIT ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![webhook, limit], delivery)?;
    rows.collect()
}

fn delivery(row: &Row<'_>) -> rusqlite::Result<Delivery> {
    let state = match row.get(4)? {
        DELIVERED => DeliveryState::Delivered,
        GIVEN_UP => DeliveryState::GivenUp,
        _ => DeliveryState::Waiting,
    };
    let (next_attempt, error) = (row.get(3)?, row.get(5)?);
    Ok(Delivery {
        webhook: row.get(0)?,
        violation: unsigned(row, 1)?,
        attempts: unsigned(row, 2)?,
        next_attempt,
        state,
        error,
    })
}
