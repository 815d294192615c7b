// SPDX-License-Identifier: MIT OR Apache-2.0
//! Renders status and statistics at most once a second, for all streams together, and logs events that were not evaluated because
//! of their timestamps.

use std::time::{Duration, Instant};

use bytes::Bytes;
use gnomon_live::wire::{EventCounts, Notification, WatchState, WatchStatus};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;
use crate::log::events::{CasesEvicted, EventsAhead, EventsLate, StateChanged};
use crate::net::accept::stopped;
use crate::routes::all_properties;
use crate::status::ServerStatus;
use crate::stream_encoder::encode;

/// Status and statistics as server-sent events, shared by all streams.
#[derive(Clone, Debug)]
pub(crate) struct StatusFrame {
    pub(crate) status: Bytes,
    pub(crate) statistics: Bytes,
    at: Instant,
}

/// Renders the current status.
async fn render_frame(app: &App) -> StatusFrame {
    let (mut status, mut statistics) = (Vec::new(), Vec::new());
    encode(&mut status, "status", &ServerStatus::of(app));
    encode(&mut statistics, "statistics", &all_properties(app).await);
    StatusFrame { status: status.into(), statistics: statistics.into(), at: Instant::now() }
}

/// Returns a frame that is less than a second old.
pub(crate) async fn recent_frame(app: &App) -> StatusFrame {
    let known = app.status_frames.borrow().clone();
    match known.filter(|frame| frame.at.elapsed() < Duration::from_secs(1)) {
        Some(frame) => frame,
        None => render_frame(app).await,
    }
}

/// Publishes a frame every second in which something changed and a stream is open, until the server stops. What happens from this call
/// on is logged, even before the future is polled.
pub(crate) fn run(app: App) -> impl Future<Output = ()> + Send {
    let notifications = app.live.subscribe();
    let notices = NoticeLog::new(&app.live.status());
    let state = app.live.state().0;
    tick(app, notifications, notices, state)
}

async fn tick(app: App, mut notifications: Receiver<Notification>, mut notices: NoticeLog, mut state: WatchState) {
    let mut stopping = app.stopping.clone();
    let mut second = interval(Duration::from_secs(1));
    second.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut changed = false;
    loop {
        tokio::select! {
            () = stopped(&mut stopping) => return,
            notification = notifications.recv() => match notification {
                Ok(_) | Err(RecvError::Lagged(_)) => {
                    changed = true;
                    state = log_state(&app, state);
                }
                Err(RecvError::Closed) => return,
            },
            _ = second.tick() => {
                notices.write(&app);
                app.log.report_suppressed();
                if changed && app.status_frames.receiver_count() > 0 {
                    changed = false;
                    let frame = render_frame(&app).await;
                    app.status_frames.send_replace(Some(frame));
                }
            }
        }
    }
}

/// Logs the state of the watch if it is not `before` any more. Returns it.
fn log_state(app: &App, before: WatchState) -> WatchState {
    let (state, note) = app.live.state();
    if state != before {
        app.log.write(&StateChanged { from: before, to: state, note: note.as_deref().unwrap_or_default() });
    }
    state
}

/// Logs new events with wrong timestamps and evicted cases, at most once in [`LOG_EVERY`].
struct NoticeLog {
    ahead: u64,
    late: u64,
    evicted: u64,
    written: Option<Instant>,
}

/// Interval between two lines of a kind.
const LOG_EVERY: Duration = Duration::from_secs(10);

impl NoticeLog {
    fn new(status: &WatchStatus) -> Self {
        let EventCounts { ahead, late, .. } = status.events;
        NoticeLog { ahead, late, evicted: evicted(status), written: None }
    }

    fn write(&mut self, app: &App) {
        if self.written.is_some_and(|written| written.elapsed() < LOG_EVERY) {
            return;
        }
        let status = app.live.status();
        let ahead = status.events.ahead.saturating_sub(self.ahead);
        if let Some(last) = status.ahead.last().filter(|_| ahead > 0) {
            let (name, time, by) = (&*last.event, last.time.get().trim_matches('"'), &*last.ahead);
            app.log.write(&EventsAhead { events: ahead, name, time, ahead: by });
            self.written = Some(Instant::now());
            self.ahead = status.events.ahead;
        }
        let late = status.events.late.saturating_sub(self.late);
        if let Some(last) = status.late.last().filter(|_| late > 0) {
            let (name, time, behind) = (&*last.event, last.time.get().trim_matches('"'), &*last.behind);
            app.log.write(&EventsLate { events: late, name, time, behind });
            self.written = Some(Instant::now());
            self.late = status.events.late;
        }
        let cases = evicted(&status).saturating_sub(self.evicted);
        if let Some(counts) = status.cases.as_ref().filter(|_| cases > 0) {
            app.log.write(&CasesEvicted { cases, live: counts.live });
            self.written = Some(Instant::now());
            self.evicted = counts.evicted;
        }
    }
}

fn evicted(status: &WatchStatus) -> u64 {
    status.cases.as_ref().map_or(0, |cases| cases.evicted)
}
