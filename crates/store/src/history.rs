// SPDX-License-Identifier: MIT OR Apache-2.0
//! The history: violations and statistics, and the settings for notifications. A SQLite file.
//!
//! Three types access it. [`History`] belongs to the one thread that writes findings. [`HistoryReader`] answers
//! queries from any number of threads and never waits for the writer. [`NotificationSettings`] stores what users
//! decide: mutes, webhooks, and the deliveries that follow.
//!
//! Violations and statistics follow from the journal: the evaluator numbers violations, and replaying the journal
//! gives the same violation the same number. So writing them twice is harmless, and a damaged file can be rebuilt.
//! Settings are in no journal; they are durable when the call returns, and are copied from a damaged file as far as
//! it can be read.

mod database;
mod deliveries;
mod open;
mod query;
mod record;
mod retain;
mod rows;
mod settings;

use std::path::{Path, PathBuf};

use rusqlite::Connection;

pub use deliveries::{Delivery, DeliveryOutcome, DeliveryState};
pub use query::HistoryReader;
pub use record::{HistoryUpdate, NewDelivery};
pub use retain::{HistoryRetention, RemovedRows};
pub use rows::{GroupRow, StatisticsRow, ViolationQuery, ViolationRow};
pub use settings::{Mute, NewMute, NewWebhook, NotificationSettings, Webhook};

use crate::error::StoreError;
use database::{Purpose, SqliteResultExt};

/// Condition of a history when it was opened.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct HistoryState {
    /// True if the file was damaged and is empty now: findings of the whole journal should be written again.
    pub rebuilt: bool,
    /// A message for the operator.
    pub note: Option<String>,
}

/// Writes findings to the history.
#[derive(Debug)]
pub struct History {
    path: PathBuf,
    connection: Connection,
}

impl History {
    /// Opens or creates the history in this file. A damaged file is renamed to `….damaged-1` and replaced by an empty
    /// one.
    pub fn open(path: &Path) -> Result<(History, HistoryState), StoreError> {
        let (connection, state) = open::open(path)?;
        Ok((History { path: path.to_owned(), connection }, state))
    }

    /// Returns the sequence number of the last journal record whose findings are all written.
    pub fn through(&self) -> Result<u64, StoreError> {
        record::mark(&self.connection, record::THROUGH).at_path(&self.path)
    }

    /// Notes that the journal has lost the records after this one. Their findings stay, and new records may get the same numbers.
    pub fn forget_after(&mut self, sequence: u64) -> Result<(), StoreError> {
        record::forget_after(&self.connection, sequence).at_path(&self.path)
    }

    /// Returns a reader that can be cloned and used by many threads.
    pub fn reader(&self) -> HistoryReader {
        HistoryReader::new(&self.path)
    }

    /// Returns access to the settings that can be cloned and used by many threads.
    pub fn settings(&self) -> Result<NotificationSettings, StoreError> {
        Ok(NotificationSettings::new(&self.path, database::connect(&self.path, Purpose::Settings).at_path(&self.path)?))
    }
}

#[cfg(test)]
mod tests;
