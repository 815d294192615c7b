// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages through a proxy: each becomes an event and is evaluated before it is forwarded. Messages of a session
//! that a critical violation has blocked are refused with 409.
//!
//! The services have priority: a message that cannot be evaluated is forwarded and counted. A watch that is busy,
//! full or starting must not disturb the system that it watches.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use bytes::Bytes;
use gnomon_live::wire::Block;
use gnomon_live::{NewEvent, Origin};
use gnomon_proxy::adapt::{Adapters, MessageEvent};
use gnomon_proxy::{Ruling, Tap, TappedMessage};
use tokio::task::JoinError;
use tokio::time::timeout;

use crate::app::App;
use crate::ingest;
use crate::log::events::{MessageRefused, MessageUnjudged};
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

    fn unjudged(&self, proxy: &str, reason: &str, detail: String) {
        self.app.metrics.message(proxy, "unjudged");
        self.app.metrics.refused("proxy", reason);
        self.app.log.write(&MessageUnjudged { proxy, reason, detail });
    }
}

impl Tap for WatchTap {
    async fn tap(&self, message: TappedMessage) -> Ruling {
        let proxy = message.proxy.clone();
        let MessageEvent { name, fields } = match self.event(message).await {
            Ok(Some(message)) => message,
            Ok(None) => {
                self.app.metrics.message(&proxy, "ignored");
                return Ruling::Pass;
            }
            Err(error) => {
                self.unjudged(&proxy, "internal", error.to_string());
                return Ruling::Pass;
            }
        };
        let tapped = timeout(PATIENCE, self.app.live.tap(NewEvent { name, time: None, fields })).await;
        if let Ok(Ok((Some(receipt), _))) = &tapped {
            self.app.metrics.accepted(Origin::Proxy, receipt);
        }
        match tapped {
            Ok(Ok((_, None))) => self.app.metrics.message(&proxy, "judged"),
            Ok(Ok((_, Some(block)))) => {
                self.app.metrics.message(&proxy, "refused");
                let Block { id, property, number, .. } = &block;
                self.app.log.write(&MessageRefused { proxy: &proxy, property, violation: *number, block: *id });
                return refuse(&block);
            }
            Ok(Err(refusal)) => {
                let problem = ingest::problem(&refusal);
                self.unjudged(&proxy, problem.kind, problem.detail);
            }
            Err(_) => self.unjudged(&proxy, "busy", "no verdict in time".to_owned()),
        }
        Ruling::Pass
    }
}

/// Returns the response to a message of a blocked session.
fn refuse(block: &Block) -> Ruling {
    let Block { id, property, key, number, .. } = block;
    let session = match key {
        Some(key) => format!("the session `{key}` is stopped"),
        None => "everything is stopped".to_owned(),
    };
    let detail = format!(
        "{session}: the critical property `{property}` was violated (violation {number}); \
         it goes on when somebody releases it with DELETE /api/v1/blocks/{id}"
    );
    let problem = Problem::new(StatusCode::CONFLICT, "stopped", "the session is stopped", detail)
        .with("property", property.as_str())
        .with("violation", *number)
        .with("key", key.clone())
        .with("release", format!("DELETE /api/v1/blocks/{id}"));
    Ruling::Refuse {
        status: StatusCode::CONFLICT.as_u16(),
        content_type: "application/problem+json".to_owned(),
        body: Bytes::from(problem.document().to_string()),
    }
}
