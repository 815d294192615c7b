// SPDX-License-Identifier: MIT OR Apache-2.0
//! The history: what was found out, for people to look through, and what they said about being told. A SQLite file.
//!
//! [`History`] is for the one thread that writes down what the judge says. [`HistoryReader`] answers questions, from any number of
//! threads, and never waits for the writer. [`Settings`] is for what people decide: mutes, webhooks, and the deliveries that follow.
//!
//! Violations and statistics follow from the journal: the judge numbers them, and gives the same number to the same violation when it goes
//! through the journal again. So writing them down twice is harmless, and a damaged file can be begun anew. What people
//! decided is in no journal; it is made durable at once, and carried over from a damaged file as far as it can be read.

mod database;
mod deliveries;
mod open;
mod query;
mod record;
mod retain;
mod rows;
mod settings;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use rusqlite::Connection;

pub use deliveries::{Delivery, DeliveryState, Outcome};
pub use query::HistoryReader;
pub use record::{NewDelivery, Told};
pub use retain::{Forgotten, HistoryKeep};
pub use rows::{GroupRow, StatisticsRow, ViolationQuery, ViolationRow};
pub use settings::{Mute, NewMute, NewWebhook, Settings, Webhook};

use crate::error::StoreError;
use database::{Guarded, Purpose};

/// What a history was found to be.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct HistoryState {
    /// Whether the file was damaged, and begun anew: everything that the journal still has should be told again.
    pub rebuilt: bool,
    /// What to tell people about it.
    pub note: Option<String>,
}

/// The one that writes down what the judge says.
#[derive(Debug)]
pub struct History {
    path: PathBuf,
    connection: Connection,
}

impl History {
    /// Opens the history in this file, or begins one. A damaged file is set aside, as `….damaged-1`, and begun anew.
    pub fn open(path: &Path) -> Result<(History, HistoryState), StoreError> {
        let (connection, state) = open::open(path)?;
        Ok((History { path: path.to_owned(), connection }, state))
    }

    /// The number of the last record of the journal of which everything is written down.
    pub fn through(&self) -> Result<u64, StoreError> {
        record::through(&self.connection).guarded(&self.path)
    }

    /// One that answers questions. It can be cloned and used by many threads.
    pub fn reader(&self) -> HistoryReader {
        HistoryReader::new(&self.path)
    }

    /// One that writes down what people decide. It can be cloned and used by many threads.
    pub fn settings(&self) -> Result<Settings, StoreError> {
        Ok(Settings::new(&self.path, database::connect(&self.path, Purpose::Decisions).guarded(&self.path)?))
    }
}
