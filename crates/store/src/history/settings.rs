// SPDX-License-Identifier: MIT OR Apache-2.0
//! What people decide: whom to tell, and what not to be told of.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, TransactionBehavior, params};

use super::database::Guarded;
use super::deliveries::{self, Delivery, Outcome};
use super::record::{self, NewDelivery};
use crate::error::{Kind, StoreError};

/// That violations are not to be told of: those of the property and of the group, if either is given, otherwise all.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NewMute {
    /// Only those of this property.
    pub property: Option<String>,
    /// Only those of this group.
    pub group: Option<String>,
    /// Only before this time, in milliseconds since 1970.
    pub until: Option<i64>,
    /// Why.
    pub reason: String,
    /// Since when, in milliseconds since 1970.
    pub created: i64,
}

/// A mute that has been decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mute {
    /// What it is called when it is to be removed.
    pub id: i64,
    /// What it says.
    pub mute: NewMute,
}

impl NewMute {
    /// Whether it keeps violations of this group of a property quiet now.
    pub fn covers(&self, property: &str, group: &str, now: i64) -> bool {
        self.property.as_ref().is_none_or(|muted| muted == property)
            && self.group.as_ref().is_none_or(|muted| muted == group)
            && self.until.is_none_or(|until| until > now)
    }
}

/// Someone who is told of violations.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct NewWebhook {
    /// Where.
    pub url: String,
    /// Only of those at least as bad; what is worse than what is for the caller to know.
    pub severity: Option<String>,
    /// Only of those of this property.
    pub property: Option<String>,
    /// What messages are signed with.
    pub secret: Option<String>,
    /// Whether at all. What was due waits until it is again; what comes in between is not for it.
    pub enabled: bool,
}

/// A webhook that has been decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Webhook {
    /// What it is called when it is to be changed.
    pub id: i64,
    /// What it says.
    pub webhook: NewWebhook,
}

/// One that writes down what people decide, and what came of the deliveries. What it returned from is durable. Clones share a
/// connection.
#[derive(Clone, Debug)]
pub struct Settings {
    path: Arc<PathBuf>,
    connection: Arc<Mutex<Connection>>,
}

impl Settings {
    pub(super) fn new(path: &Path, connection: Connection) -> Settings {
        Settings { path: Arc::new(path.to_owned()), connection: Arc::new(Mutex::new(connection)) }
    }

    /// Mutes violations and returns the id of the mute.
    pub fn add_mute(&self, mute: &NewMute) -> Result<i64, StoreError> {
        self.write(|connection| put_mute(connection, None, mute))
    }

    /// Removes a mute.
    pub fn remove_mute(&self, id: i64) -> Result<(), StoreError> {
        let removed = self.write(|connection| connection.execute("DELETE FROM mutes WHERE id = ?1", [id]))?;
        self.one(removed, "mute", id)
    }

    /// Adds a webhook and returns its id.
    pub fn add_webhook(&self, webhook: &NewWebhook) -> Result<i64, StoreError> {
        self.write(|connection| put_webhook(connection, None, webhook))
    }

    /// Changes a webhook.
    pub fn change_webhook(&self, webhook: &Webhook) -> Result<(), StoreError> {
        let sql = "UPDATE webhooks SET url = ?2, severity = ?3, property = ?4, secret = ?5, enabled = ?6 WHERE id = ?1";
        let NewWebhook { url, severity, property, secret, enabled } = &webhook.webhook;
        let values = params![webhook.id, url, severity, property, secret, enabled];
        let changed = self.write(|connection| connection.execute(sql, values))?;
        self.one(changed, "webhook", webhook.id)
    }

    /// Removes a webhook, and what is still to be delivered to it.
    pub fn remove_webhook(&self, id: i64) -> Result<(), StoreError> {
        let removed = self.write(|connection| {
            connection.execute("DELETE FROM deliveries WHERE webhook = ?1", [id])?;
            connection.execute("DELETE FROM webhooks WHERE id = ?1", [id])
        })?;
        self.one(removed, "webhook", id)
    }

    /// Has a violation delivered that was written down before; false if that was so already, or there is no such webhook that is
    /// switched on.
    pub fn enqueue(&self, delivery: &NewDelivery) -> Result<bool, StoreError> {
        self.write(|connection| record::enqueue(connection, delivery))
    }

    /// Takes up to `limit` deliveries that are due, those that have waited longest first. If none of them is settled until `lease`
    /// milliseconds from now, they are due again: whoever took them is gone.
    pub fn take_due(&self, now: i64, lease: i64, limit: usize) -> Result<Vec<Delivery>, StoreError> {
        self.write(|connection| deliveries::take_due(connection, now, lease, limit))
    }

    /// Says what came of a delivery. One that is gone in the meantime is passed over.
    pub fn settle(&self, webhook: i64, violation: u64, outcome: &Outcome) -> Result<(), StoreError> {
        self.write(|connection| deliveries::settle(connection, webhook, violation, outcome))
    }

    fn write<T>(&self, change: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let written = connection.transaction_with_behavior(TransactionBehavior::Immediate).and_then(|transaction| {
            let value = change(&transaction)?;
            transaction.commit()?;
            Ok(value)
        });
        written.guarded(&self.path)
    }

    fn one(&self, changed: usize, what: &str, id: i64) -> Result<(), StoreError> {
        if changed > 0 {
            Ok(())
        } else {
            Err(StoreError::new(Kind::Unknown, &self.path, format!("there is no {what} {id}")))
        }
    }
}

pub(super) fn mutes(connection: &Connection) -> rusqlite::Result<Vec<Mute>> {
    let sql = "SELECT id, property, group_name, until, reason, created FROM mutes ORDER BY id";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        let (property, group, until) = (row.get(1)?, row.get(2)?, row.get(3)?);
        Ok(Mute {
            id: row.get(0)?,
            mute: NewMute { property, group, until, reason: row.get(4)?, created: row.get(5)? },
        })
    })?;
    rows.collect()
}

/// With an id of SQLite's choice, or with the one it had before.
pub(super) fn put_mute(connection: &Connection, id: Option<i64>, mute: &NewMute) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO mutes (id, property, group_name, until, reason, created) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let NewMute { property, group, until, reason, created } = mute;
    connection.prepare_cached(sql)?.insert(params![id, property, group, until, reason, created])
}

pub(super) fn webhooks(connection: &Connection) -> rusqlite::Result<Vec<Webhook>> {
    let sql = "SELECT id, url, severity, property, secret, enabled FROM webhooks ORDER BY id";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        let (url, severity, property) = (row.get(1)?, row.get(2)?, row.get(3)?);
        let webhook = NewWebhook { url, severity, property, secret: row.get(4)?, enabled: row.get(5)? };
        Ok(Webhook { id: row.get(0)?, webhook })
    })?;
    rows.collect()
}

/// With an id of SQLite's choice, or with the one it had before.
pub(super) fn put_webhook(connection: &Connection, id: Option<i64>, webhook: &NewWebhook) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO webhooks (id, url, severity, property, secret, enabled) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let NewWebhook { url, severity, property, secret, enabled } = webhook;
    connection.prepare_cached(sql)?.insert(params![id, url, severity, property, secret, enabled])
}

/// Without the secret: what is printed ends up in logs.
impl fmt::Debug for NewWebhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NewWebhook { url, severity, property, secret, enabled } = self;
        f.debug_struct("NewWebhook")
            .field("url", url)
            .field("severity", severity)
            .field("property", property)
            .field("secret", &secret.as_ref().map(|_| "…"))
            .field("enabled", enabled)
            .finish()
    }
}
