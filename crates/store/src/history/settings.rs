// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings for notifications: webhooks, mutes, and the delivery queue.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, TransactionBehavior, params};
use serde::{Deserialize, Serialize, Serializer};

use super::database::{SqliteResultExt, rows};
use super::deliveries::{self, Delivery, DeliveryOutcome};
use crate::error::{ErrorKind, StoreError};

/// A mute: hooks are not notified of violations of this property and this group; without either, of any violation.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewMute {
    /// Only violations of this property.
    pub property: Option<String>,
    /// Only violations of this group.
    pub group: Option<String>,
    /// End of the mute, in milliseconds since 1970.
    pub until: Option<i64>,
    /// Reason.
    #[serde(default)]
    pub reason: String,
    /// Start of the mute, in milliseconds since 1970.
    #[serde(skip_deserializing)]
    pub created: i64,
}

/// A stored mute.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Mute {
    /// Id for removal.
    pub id: i64,
    /// The mute.
    #[serde(flatten)]
    pub mute: NewMute,
}

impl NewMute {
    /// Returns true if it applies to violations of this group of a property at the time `now`.
    pub fn covers(&self, property: &str, group: &str, now: i64) -> bool {
        self.property.as_ref().is_none_or(|muted| muted == property)
            && self.group.as_ref().is_none_or(|muted| muted == group)
            && self.until.is_none_or(|until| until > now)
    }
}

/// A webhook that is notified of violations.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// Address.
    pub url: String,
    /// Minimum severity; the caller defines the order of severities.
    pub severity: Option<String>,
    /// Only violations of this property.
    pub property: Option<String>,
    /// Key for signing messages. Serialised as `signed`: true if there is one.
    #[serde(rename(serialize = "signed"), serialize_with = "is_some")]
    pub secret: Option<String>,
    /// False if it is disabled: queued deliveries wait, and new violations are not queued for it.
    #[serde(skip_deserializing)]
    pub enabled: bool,
}

/// A stored webhook.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Webhook {
    /// Id for changes.
    pub id: i64,
    /// The webhook.
    #[serde(flatten)]
    pub webhook: NewWebhook,
}

/// Stores settings and outcomes of deliveries. Changes are durable when a call returns. Clones share a connection.
#[derive(Clone, Debug)]
pub struct NotificationSettings {
    path: Arc<PathBuf>,
    connection: Arc<Mutex<Connection>>,
}

impl NotificationSettings {
    pub(super) fn new(path: &Path, connection: Connection) -> NotificationSettings {
        NotificationSettings { path: Arc::new(path.to_owned()), connection: Arc::new(Mutex::new(connection)) }
    }

    /// Adds a mute and returns its id.
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

    /// Removes a webhook and its deliveries.
    pub fn remove_webhook(&self, id: i64) -> Result<(), StoreError> {
        let removed = self.write(|connection| {
            connection.execute("DELETE FROM deliveries WHERE webhook = ?1", [id])?;
            connection.execute("DELETE FROM webhooks WHERE id = ?1", [id])
        })?;
        self.one(removed, "webhook", id)
    }

    /// Leases up to `limit` due deliveries, the longest waiting first. A delivery that is not settled within `lease`
    /// milliseconds is due again: its worker is gone.
    pub fn take_due(&self, now: i64, lease: i64, limit: usize) -> Result<Vec<Delivery>, StoreError> {
        self.write(|connection| deliveries::take_due(connection, now, lease, limit))
    }

    /// Records the outcome of a delivery. Ignores a delivery that was removed in the meantime.
    pub fn settle(&self, webhook: i64, violation: u64, outcome: &DeliveryOutcome) -> Result<(), StoreError> {
        self.write(|connection| deliveries::settle(connection, webhook, violation, outcome))
    }

    fn write<T>(&self, change: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let written = connection.transaction_with_behavior(TransactionBehavior::Immediate).and_then(|transaction| {
            let value = change(&transaction)?;
            transaction.commit()?;
            Ok(value)
        });
        written.at_path(&self.path)
    }

    fn one(&self, changed: usize, what: &str, id: i64) -> Result<(), StoreError> {
        if changed > 0 {
            Ok(())
        } else {
            Err(StoreError::new(ErrorKind::Unknown, &self.path, format!("there is no {what} {id}")))
        }
    }
}

pub(super) fn mutes(connection: &Connection) -> rusqlite::Result<Vec<Mute>> {
    let sql = "SELECT id, property, group_name, until, reason, created FROM mutes ORDER BY id";
    rows(connection, sql, [], |row| {
        let (property, group, until) = (row.get(1)?, row.get(2)?, row.get(3)?);
        let mute = NewMute { property, group, until, reason: row.get(4)?, created: row.get(5)? };
        Ok(Mute { id: row.get(0)?, mute })
    })
}

/// Inserts a mute under the given id, or a new one.
pub(super) fn put_mute(connection: &Connection, id: Option<i64>, mute: &NewMute) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO mutes (id, property, group_name, until, reason, created) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let NewMute { property, group, until, reason, created } = mute;
    connection.prepare_cached(sql)?.insert(params![id, property, group, until, reason, created])
}

pub(super) fn webhooks(connection: &Connection) -> rusqlite::Result<Vec<Webhook>> {
    let sql = "SELECT id, url, severity, property, secret, enabled FROM webhooks ORDER BY id";
    rows(connection, sql, [], |row| {
        let (url, severity, property) = (row.get(1)?, row.get(2)?, row.get(3)?);
        let webhook = NewWebhook { url, severity, property, secret: row.get(4)?, enabled: row.get(5)? };
        Ok(Webhook { id: row.get(0)?, webhook })
    })
}

/// Inserts a webhook under the given id, or a new one.
pub(super) fn put_webhook(connection: &Connection, id: Option<i64>, webhook: &NewWebhook) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO webhooks (id, url, severity, property, secret, enabled) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let NewWebhook { url, severity, property, secret, enabled } = webhook;
    connection.prepare_cached(sql)?.insert(params![id, url, severity, property, secret, enabled])
}

#[allow(clippy::ref_option)] // serde hands the field over like this
fn is_some<S: Serializer>(secret: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(secret.is_some())
}

/// Without the secret, because debug output ends up in logs.
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
