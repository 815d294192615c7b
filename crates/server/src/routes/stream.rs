// SPDX-License-Identifier: MIT OR Apache-2.0
//! Server-sent events. A client that reconnects sends the last violation it received and misses none; a client that
//! reads too slowly is disconnected and can reconnect.

use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use gnomon_live::wire::{EventRow, Notification};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use super::extract::QueryParams;
use crate::app::App;
use crate::channel::ChannelBody;
use crate::net::accept::stopped;
use crate::problem::Problem;
use crate::status_ticker::{StatusFrame, render_frame};
use crate::violation::{ViolationRenderer, newest, page};

/// Maximum number of trace events per second.
const EVENTS_A_SECOND: u64 = 50;
/// Interval of comments that keep intermediaries from closing the connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

#[derive(Deserialize)]
pub(super) struct StreamQuery {
    types: Option<String>,
    /// For clients that cannot send `Last-Event-ID`.
    last: Option<u64>,
    // Checked by the guard.
    #[serde(rename = "token")]
    _token: Option<String>,
}

/// Types of events in the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StreamType {
    Violation,
    Event,
    Statistics,
    WatchStatus,
}

impl StreamType {
    const ALL: [(&str, StreamType); 4] = [
        ("violation", StreamType::Violation),
        ("event", StreamType::Event),
        ("statistics", StreamType::Statistics),
        ("status", StreamType::WatchStatus),
    ];

    /// Parses the requested types; all if there is no list.
    fn wanted(types: Option<&str>) -> Result<Vec<StreamType>, Problem> {
        let Some(types) = types else { return Ok(StreamType::ALL.iter().map(|(_, kind)| *kind).collect()) };
        let kind = |word: &str| StreamType::ALL.iter().find(|(known, _)| *known == word.trim()).map(|(_, kind)| *kind);
        let wanted: Option<Vec<StreamType>> = types.split(',').map(kind).collect();
        wanted.ok_or_else(|| Problem::bad("`types` is a list of `violation`, `event`, `statistics` and `status`"))
    }
}

pub(super) async fn stream(
    State(app): State<App>,
    QueryParams(query): QueryParams<StreamQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let wanted = StreamType::wanted(query.types.as_deref())?;
    let last = headers.get("last-event-id").map(|value| value.to_str().ok()?.trim().parse::<u64>().ok());
    let last = match last {
        Some(None) => return Err(Problem::bad("`Last-Event-ID` must be the number of a violation")),
        Some(last) => last,
        None => query.last,
    };
    let place = std::sync::Arc::clone(&app.streams).try_acquire_owned();
    let place = place.map_err(|_| Problem::busy(5000, "too many streams are open; close one"))?;
    // Subscribed before anything else, so that no notification is missed.
    let notifications = app.live.subscribe();
    let newest = app.ask_history(newest).await?;
    let (sender, receiver) = mpsc::channel(64);
    let mut stopping = app.stopping.clone();
    let mut writer =
        StreamWriter { app: app.clone(), wanted, sender, last: 0, second: Instant::now(), sent: 0, skipped: 0 };
    tokio::spawn(async move {
        writer.app.metrics.streams.inc();
        tokio::select! {
            _ = writer.run(notifications, newest, last) => {}
            () = stopped(&mut stopping) => {}
        }
        writer.app.metrics.streams.dec();
        drop(place);
    });
    let headers = [(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"))];
    Ok((headers, Body::new(ChannelBody(receiver))).into_response())
}

/// The client is gone or reads too slowly.
struct ClientGone;

struct StreamWriter {
    app: App,
    wanted: Vec<StreamType>,
    sender: mpsc::Sender<io::Result<Bytes>>,
    /// Number of the last violation sent.
    last: u64,
    /// Start of the current second, events sent in it, and events skipped.
    second: Instant,
    sent: u64,
    skipped: u64,
}

#[derive(Serialize)]
struct StreamedEvent<'a> {
    #[serde(flatten)]
    row: &'a EventRow,
    skipped: u64,
}

impl StreamWriter {
    async fn run(
        &mut self,
        mut notifications: Receiver<Notification>,
        newest: u64,
        last: Option<u64>,
    ) -> Result<(), ClientGone> {
        let mut status_frames = self.app.status_frames.subscribe();
        let heartbeat = HEARTBEAT.min(self.app.limits.idle_time / 3).max(Duration::from_millis(10));
        self.send("retry: 2000\n\n".to_owned()).await?;
        // A number beyond the newest belongs to another history.
        self.last = last.filter(|last| *last <= newest).unwrap_or(if last.is_some() { 0 } else { newest });
        self.catch_up(newest).await?;
        let now = render_frame(&self.app).await;
        self.send_frame(&now).await?;
        loop {
            tokio::select! {
                notifications = notifications.recv() => match notifications {
                    Ok(Notification::Violation(row)) => {
                        if row.head.number > self.last + 1 {
                            self.catch_up(row.head.number - 1).await?;
                        }
                        self.violation(row.head.number, &*row).await?;
                    }
                    Ok(Notification::Events { rows, skipped }) => self.events(&rows, skipped).await?,
                    Ok(Notification::Changed) => {}
                    Err(RecvError::Lagged(_)) => {
                        let newest = self.newest().await?;
                        self.catch_up(newest).await?;
                    }
                    Err(RecvError::Closed) => return Ok(()),
                },
                changed = status_frames.changed() => {
                    if changed.is_err() {
                        return Ok(());
                    }
                    let now = status_frames.borrow_and_update().clone();
                    if let Some(now) = now {
                        self.send_frame(&now).await?;
                    }
                }
                () = tokio::time::sleep(heartbeat) => self.send(": \n\n".to_owned()).await?,
                () = self.sender.closed() => return Ok(()),
            }
        }
    }

    async fn newest(&self) -> Result<u64, ClientGone> {
        self.app.ask_history(newest).await.map_err(|_| ClientGone)
    }

    /// Sends violations after the last one sent up to `through`, from the history.
    async fn catch_up(&mut self, through: u64) -> Result<(), ClientGone> {
        while self.last < through {
            let last = self.last;
            let read = self.app.ask_history(move |history| page(history, last, through)).await;
            let (rows, end) = read.map_err(|_| ClientGone)?;
            let namer = ViolationRenderer::of(&self.app.live);
            for row in &rows {
                self.violation(row.number, namer.listed(row)).await?;
            }
            self.last = end;
        }
        Ok(())
    }

    async fn violation(&mut self, number: u64, row: impl Serialize) -> Result<(), ClientGone> {
        if number <= self.last {
            return Ok(());
        }
        self.last = number;
        if !self.wanted.contains(&StreamType::Violation) {
            return Ok(());
        }
        let Ok(data) = serde_json::to_string(&row) else { return Ok(()) };
        self.send(format!("id: {number}\nevent: violation\ndata: {data}\n\n")).await
    }

    async fn events(&mut self, rows: &[EventRow], skipped: u64) -> Result<(), ClientGone> {
        if !self.wanted.contains(&StreamType::Event) {
            return Ok(());
        }
        self.skipped += skipped;
        for row in rows {
            if self.second.elapsed() >= Duration::from_secs(1) {
                (self.second, self.sent) = (Instant::now(), 0);
            }
            if self.sent >= EVENTS_A_SECOND {
                self.skipped += 1;
                continue;
            }
            self.sent += 1;
            let answer = StreamedEvent { row, skipped: std::mem::take(&mut self.skipped) };
            let Ok(data) = serde_json::to_string(&answer) else { continue };
            self.send(format!("event: event\ndata: {data}\n\n")).await?;
        }
        Ok(())
    }

    async fn send_frame(&self, frame: &StatusFrame) -> Result<(), ClientGone> {
        if self.wanted.contains(&StreamType::WatchStatus) {
            self.send(format!("event: status\ndata: {}\n\n", frame.status)).await?;
        }
        if self.wanted.contains(&StreamType::Statistics) {
            self.send(format!("event: statistics\ndata: {}\n\n", frame.statistics)).await?;
        }
        Ok(())
    }

    async fn send(&self, text: String) -> Result<(), ClientGone> {
        match timeout(self.app.limits.idle_time, self.sender.send(Ok(text.into()))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(ClientGone),
        }
    }
}
