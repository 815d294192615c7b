// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages through a proxy: each becomes an event and is evaluated before it is forwarded. Messages of a session
//! that a critical violation has blocked are refused with 409.
//!
//! By default the services have priority: a message that cannot be read or evaluated is forwarded and counted. A watch
//! that is busy, full or starting must not disturb the system that it watches. With `fail = "closed"` in the adapters
//! such messages are refused.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use bytes::Bytes;
use gnomon::report::numbers::counted;
use gnomon_live::wire::Block;
use gnomon_live::{NewEvent, Origin};
use gnomon_proxy::adapt::{Adapters, FailurePolicy, MessageEvent, UnreadableReason};
use gnomon_proxy::{Ruling, Tap, TappedMessage};
use serde::Serialize;
use tokio::task::JoinError;
use tokio::time::timeout;

use crate::app::App;
use crate::ingest;
use crate::log::events::{MessageRefused, MessageUnjudged, MessageUnreadable};
use crate::problem::Problem;

/// Maximum time that a message waits for its verdict.
const PATIENCE: Duration = Duration::from_secs(1);
/// Size above which a body is parsed on a blocking thread.
const LONG: usize = 64 << 10;

/// Submits messages to the watch.
pub(crate) struct WatchTap {
    app: App,
    adapters: Arc<Adapters>,
}

/// Counts messages that were not evaluated, or only by their heads.
#[derive(Debug, Default)]
pub(crate) struct TapCounts {
    unreadable: AtomicU64,
    unjudged: AtomicU64,
    refused: AtomicU64,
    /// The proxy and the reason of the last such message.
    last: Mutex<Option<(String, &'static str)>>,
}

/// Messages of the proxies that were not evaluated, or only by their heads, in the status.
#[derive(Serialize)]
pub(crate) struct ProxyStatus {
    /// Messages that could not be read.
    unreadable: u64,
    /// Messages without a verdict.
    unjudged: u64,
    /// Messages of both kinds that were refused.
    refused: u64,
}

impl TapCounts {
    fn add(&self, kind: &AtomicU64, ruling: &Ruling, proxy: &str, reason: &'static str) {
        kind.fetch_add(1, Ordering::Relaxed);
        if *ruling != Ruling::Pass {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((proxy.to_owned(), reason));
    }

    /// Returns the counts, and a warning if there is something to see to.
    pub(crate) fn status(&self) -> (ProxyStatus, Option<String>) {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let status = ProxyStatus {
            unreadable: count(&self.unreadable),
            unjudged: count(&self.unjudged),
            refused: count(&self.refused),
        };
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let warning = last.map(|(proxy, reason)| {
            let ProxyStatus { unreadable, unjudged, refused } = status;
            format!(
                "{} through proxies could not be read and {unjudged} got no verdict in time, of which {refused} were refused and \
                 the others forwarded; the last one at `{proxy}`: {reason} (see `fail` in docs/proxy.md)",
                counted(unreadable, "message")
            )
        });
        (status, warning)
    }
}

impl WatchTap {
    pub(crate) fn new(app: App, adapters: Adapters) -> WatchTap {
        WatchTap { app, adapters: Arc::new(adapters) }
    }

    /// Converts a message to an event; `None` if no adapter applies.
    async fn event(&self, message: TappedMessage) -> Result<Option<MessageEvent>, JoinError> {
        if message.body.len() <= LONG {
            return Ok(self.adapters.event(&message));
        }
        let adapters = Arc::clone(&self.adapters);
        tokio::task::spawn_blocking(move || adapters.event(&message)).await
    }

    /// Rules on a message that cannot be read or evaluated.
    fn ruling(&self, refusal: impl FnOnce() -> Problem) -> Ruling {
        match self.adapters.on_failure {
            FailurePolicy::Open => Ruling::Pass,
            FailurePolicy::Closed => refuse(&refusal()),
        }
    }

    fn unjudged(&self, proxy: &str, reason: &'static str, detail: String) -> Ruling {
        let ruling = self.ruling(|| {
            Problem::unavailable("the message could not be checked, and such messages are refused here; send it again")
        });
        self.app.metrics.message(proxy, if ruling == Ruling::Pass { "unjudged" } else { "refused" });
        self.app.metrics.refused("proxy", reason);
        self.app.tap_counts.add(&self.app.tap_counts.unjudged, &ruling, proxy, "no verdict");
        self.app.log.write(&MessageUnjudged { proxy, reason, detail });
        ruling
    }

    fn unreadable(&self, proxy: &str, reason: UnreadableReason) -> Ruling {
        let ruling = self.ruling(|| {
            let detail = format!("{}, and messages that cannot be checked are refused here", reason.sentence());
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "unreadable", "the message cannot be read", detail)
                .with("reason", reason.word())
        });
        let refused = ruling != Ruling::Pass;
        self.app.metrics.unreadable(proxy, reason.word(), if refused { "refused" } else { "passed" });
        self.app.tap_counts.add(&self.app.tap_counts.unreadable, &ruling, proxy, reason.sentence());
        self.app.log.write(&MessageUnreadable { proxy, reason: reason.word(), refused });
        ruling
    }
}

impl Tap for WatchTap {
    async fn tap(&self, message: TappedMessage) -> Ruling {
        let proxy = message.proxy.clone();
        let MessageEvent { name, fields, unreadable } = match self.event(message).await {
            Ok(Some(message)) => message,
            Ok(None) => {
                self.app.metrics.message(&proxy, "ignored");
                return Ruling::Pass;
            }
            Err(error) => return self.unjudged(&proxy, "internal", error.to_string()),
        };
        let event = NewEvent { name, time: None, fields };
        let has_ambiguous_session = || self.app.live.has_ambiguous_session(&event);
        if let Some(reason) = unreadable.or_else(|| has_ambiguous_session().then_some(UnreadableReason::Session)) {
            let ruling = self.unreadable(&proxy, reason);
            if ruling != Ruling::Pass {
                self.app.metrics.message(&proxy, "refused");
                return ruling;
            }
        }
        let tapped = timeout(PATIENCE, self.app.live.tap(event)).await;
        if let Ok(Ok((Some(receipt), _))) = &tapped {
            self.app.metrics.accepted(Origin::Proxy, receipt);
        }
        match tapped {
            Ok(Ok((_, None))) => {
                self.app.metrics.message(&proxy, "judged");
                Ruling::Pass
            }
            Ok(Ok((_, Some(block)))) => {
                self.app.metrics.message(&proxy, "refused");
                let Block { id, property, number, .. } = &block;
                self.app.log.write(&MessageRefused { proxy: &proxy, property, violation: *number, block: *id });
                refuse(&stopped(&block))
            }
            Ok(Err(refusal)) => {
                let problem = ingest::problem(&refusal);
                self.unjudged(&proxy, problem.kind, problem.detail)
            }
            Err(_) => self.unjudged(&proxy, "busy", "no verdict in time".to_owned()),
        }
    }
}

/// Returns the problem of a message whose session is blocked.
fn stopped(block: &Block) -> Problem {
    let Block { id, property, key, number, .. } = block;
    let session = match key {
        Some(key) => format!("the session `{key}` is stopped"),
        None => "everything is stopped".to_owned(),
    };
    let detail = format!(
        "{session}: the critical property `{property}` was violated (violation {number}); \
         it continues when it is released with DELETE /api/v1/blocks/{id}"
    );
    Problem::new(StatusCode::CONFLICT, "stopped", "the session is stopped", detail)
        .with("property", property.as_str())
        .with("violation", *number)
        .with("key", key.clone())
        .with("release", format!("DELETE /api/v1/blocks/{id}"))
}

fn refuse(problem: &Problem) -> Ruling {
    Ruling::Refuse {
        status: problem.status.as_u16(),
        content_type: "application/problem+json".to_owned(),
        body: Bytes::from(problem.document().to_string()),
    }
}
