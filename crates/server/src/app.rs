// SPDX-License-Identifier: MIT OR Apache-2.0
//! State that all requests and connections share.

use std::sync::Arc;
use std::time::Duration;

use gnomon_live::Live;
use gnomon_store::{HistoryReader, StoreError};
use tokio::sync::{Semaphore, broadcast, watch};

use crate::english::EnglishCache;
use crate::ingest::budget::{MemoryBudget, RateLimiter};
use crate::log::Log;
use crate::metrics::Metrics;
use crate::options::NetLimits;
use crate::problem::{Problem, run_blocking};
use crate::status_ticker::StatusFrame;
use crate::stream_encoder::EncodedChunk;
use crate::tap::TapCounts;
use crate::tokens::Tokens;

/// Handle of the shared state.
pub(crate) type App = Arc<AppState>;

/// State that all requests and connections share.
pub(crate) struct AppState {
    pub(crate) live: Live,
    pub(crate) tokens: Tokens,
    pub(crate) limits: NetLimits,
    /// Accepted host names of requests; `None`: any.
    pub(crate) hosts: Option<Vec<String>>,
    pub(crate) budget: MemoryBudget,
    pub(crate) rate: RateLimiter,
    pub(crate) metrics: Metrics,
    pub(crate) tap_counts: TapCounts,
    pub(crate) has_proxies: bool,
    pub(crate) log: Log,
    /// Time limit for a response of a hook.
    pub(crate) hook_timeout: Duration,
    pub(crate) words: EnglishCache,
    /// Publishes status and statistics while streams are open.
    pub(crate) status_frames: watch::Sender<Option<StatusFrame>>,
    /// Server-sent events, encoded once for all streams.
    pub(crate) chunks: broadcast::Sender<EncodedChunk>,
    /// Permits for streams that read the history.
    pub(crate) catch_ups: Semaphore,
    /// Permit for a dry run: its limits on time and memory hold for those of all clients together.
    pub(crate) dry_runs: Semaphore,
    /// Permits for streams of server-sent events.
    pub(crate) streams: Arc<Semaphore>,
    /// True when the server is stopping.
    pub(crate) stopping: watch::Receiver<bool>,
}

impl AppState {
    /// Queries the history on a thread that may block.
    pub(crate) async fn ask_history<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&HistoryReader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Problem> {
        const FAILURE: &str = "the history cannot be read";
        let history = self.live.history();
        let answer = run_blocking(FAILURE, move || ask(&history)).await?;
        answer.map_err(|error| Problem::internal(format!("{FAILURE}: {error}")))
    }
}
