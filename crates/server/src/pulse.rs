// SPDX-License-Identifier: MIT OR Apache-2.0
//! Once a second, the state and the counts as text, made once for all streams that want them.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;
use crate::net::accept::stopped;
use crate::routes::all_properties;

/// The state and the counts, as JSON.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Beat {
    pub(crate) status: Arc<str>,
    pub(crate) statistics: Arc<str>,
}

/// The last beat, for all who watch it.
#[derive(Debug)]
pub(crate) struct Pulse(watch::Sender<Option<Beat>>);

impl Pulse {
    pub(crate) fn new() -> Pulse {
        Pulse(watch::Sender::new(None))
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Option<Beat>> {
        self.0.subscribe()
    }
}

/// The present state, whether or not it changed.
pub(crate) async fn beat(app: &App) -> Beat {
    let text = |json: serde_json::Result<String>| Arc::from(json.unwrap_or_else(|_| "null".to_owned()));
    Beat {
        status: text(serde_json::to_string(&app.live.status())),
        statistics: text(serde_json::to_string(&all_properties(app).await)),
    }
}

/// Beats while somebody watches and something changed, until the server stops.
pub(crate) async fn run(app: App) {
    let mut told = app.live.subscribe();
    let mut stopping = app.stopping.clone();
    let mut second = interval(Duration::from_secs(1));
    second.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut changed = false;
    loop {
        tokio::select! {
            () = stopped(&mut stopping) => return,
            news = told.recv() => match news {
                Ok(_) | Err(RecvError::Lagged(_)) => changed = true,
                Err(RecvError::Closed) => return,
            },
            _ = second.tick() => {
                if changed && app.pulse.0.receiver_count() > 0 {
                    changed = false;
                    let beat = beat(&app).await;
                    app.pulse.0.send_replace(Some(beat));
                }
            }
        }
    }
}
