// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every request and every connection shares.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use gnomon_live::Live;
use gnomon_store::{HistoryReader, StoreError};
use tokio::sync::{Semaphore, watch};

use crate::hooks::Hooks;
use crate::ingest::budget::{Budget, Rate};
use crate::log::Log;
use crate::metrics::Metrics;
use crate::options::NetLimits;
use crate::problem::Problem;
use crate::pulse::Pulse;
use crate::tokens::Tokens;
use crate::words::WordsOfSpec;

/// What every request and every connection shares.
#[derive(Clone)]
pub(crate) struct App(Arc<Shared>);

/// The parts of it.
pub(crate) struct Shared {
    pub(crate) live: Live,
    pub(crate) tokens: Tokens,
    pub(crate) limits: NetLimits,
    /// The names that a request may be meant for; `None`: any.
    pub(crate) hosts: Option<Vec<String>>,
    pub(crate) budget: Budget,
    pub(crate) rate: Rate,
    pub(crate) metrics: Metrics,
    pub(crate) log: Log,
    pub(crate) hooks: Hooks,
    /// How long a hook may take to answer.
    pub(crate) hook_timeout: Duration,
    pub(crate) words: WordsOfSpec,
    pub(crate) pulse: Pulse,
    /// Places for streams of server-sent events.
    pub(crate) streams: Arc<Semaphore>,
    /// True when the server stops.
    pub(crate) stopping: watch::Receiver<bool>,
}

impl App {
    pub(crate) fn new(shared: Shared) -> App {
        App(Arc::new(shared))
    }

    /// Asks the history, where it may block.
    pub(crate) async fn ask_history<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&HistoryReader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Problem> {
        let history = self.live.history();
        let unreadable =
            |error: &dyn std::fmt::Display| Problem::internal(format!("the history cannot be read: {error}"));
        let answer = tokio::task::spawn_blocking(move || ask(&history)).await;
        answer.map_err(|error| unreadable(&error))?.map_err(|error| unreadable(&error))
    }
}

impl Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}
