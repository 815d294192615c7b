// SPDX-License-Identifier: MIT OR Apache-2.0
//! The delivery queue: violations on their way to webhooks, delivered at least once.
//!
//! A delivery is written in the same transaction as its violation. A worker leases due deliveries for a limited time;
//! if it does not settle one by then, the delivery is due again. So a crash at any point repeats a message and loses
//! none.

use rusqlite::{Connection, Row, params};

use super::database::rows;
use super::rows::{signed, unsigned};

/// A notification of a webhook about a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// Id of the webhook.
    pub webhook: i64,
    /// Number of the violation.
    pub violation: u64,
    /// Number of attempts, including the current one.
    pub attempts: u64,
    /// Time of the next attempt, in milliseconds since 1970.
    pub next_attempt: i64,
    /// Progress of the delivery.
    pub state: DeliveryState,
    /// Last error.
    pub error: Option<String>,
}

/// Progress of a delivery. The order of the states is their number in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeliveryState {
    /// To be sent.
    Waiting,
    /// Sent.
    Delivered,
    /// Abandoned.
    Abandoned,
}

/// Outcome of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeliveryOutcome {
    /// The message arrived.
    Delivered,
    /// The message did not arrive; try again.
    Retry {
        /// Time of the next attempt, in milliseconds since 1970.
        at: i64,
        /// Error.
        error: String,
    },
    /// The message did not arrive; do not try again.
    Abandoned {
        /// Error.
        error: String,
    },
}

const COLUMNS: &str = "webhook, violation, attempts, next_attempt, state, error";

pub(super) fn take_due(connection: &Connection, now: i64, lease: i64, limit: usize) -> rusqlite::Result<Vec<Delivery>> {
    let sql = format!(
        "UPDATE deliveries SET attempts = attempts + 1, next_attempt = ?2
        WHERE (webhook, violation) IN (
            SELECT webhook, violation FROM deliveries JOIN webhooks ON webhooks.id = webhook
            WHERE state = 0 AND next_attempt <= ?1 AND enabled ORDER BY next_attempt, violation LIMIT ?3)
        RETURNING {COLUMNS}"
    );
    let limit = signed(limit as u64);
    let mut leased = rows(connection, &sql, params![now, now.saturating_add(lease), limit], delivery)?;
    leased.sort_by_key(|delivery| (delivery.violation, delivery.webhook));
    Ok(leased)
}

pub(super) fn settle(
    connection: &Connection,
    webhook: i64,
    violation: u64,
    outcome: &DeliveryOutcome,
) -> rusqlite::Result<()> {
    let (state, at, error) = match outcome {
        DeliveryOutcome::Delivered => (DeliveryState::Delivered, None, None),
        DeliveryOutcome::Retry { at, error } => (DeliveryState::Waiting, Some(at), Some(error)),
        DeliveryOutcome::Abandoned { error } => (DeliveryState::Abandoned, None, Some(error)),
    };
    let sql = "UPDATE deliveries SET state = ?3, next_attempt = coalesce(?4, next_attempt), error = ?5
        WHERE webhook = ?1 AND violation = ?2";
    connection.prepare_cached(sql)?.execute(params![webhook, signed(violation), state as i64, at, error])?;
    Ok(())
}

pub(super) fn of_webhook(connection: &Connection, webhook: i64, limit: i64) -> rusqlite::Result<Vec<Delivery>> {
    let sql = format!("SELECT {COLUMNS} FROM deliveries WHERE webhook = ?1 ORDER BY violation DESC LIMIT ?2");
    rows(connection, &sql, params![webhook, limit], delivery)
}

fn delivery(row: &Row<'_>) -> rusqlite::Result<Delivery> {
    let states = [DeliveryState::Delivered, DeliveryState::Abandoned];
    let number: i64 = row.get(4)?;
    let state = states.into_iter().find(|state| *state as i64 == number).unwrap_or(DeliveryState::Waiting);
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
