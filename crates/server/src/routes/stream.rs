// SPDX-License-Identifier: MIT OR Apache-2.0
//! Server-sent events: what happens, as it happens. A client that comes back says which violation it saw last and misses
//! none; one that reads too slowly is let go, and comes back.

use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use gnomon_live::wire::{EventRow, Told};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use super::extract::Asked;
use crate::app::App;
use crate::channel::ChannelBody;
use crate::net::accept::stopped;
use crate::problem::Problem;
use crate::pulse::{Beat, beat};
use crate::violation::{Namer, newest, page};

/// Events of the trace in a second, at most.
const EVENTS_A_SECOND: u64 = 50;
/// A line now and then, so that nobody between takes the connection for dead.
const HEARTBEAT: Duration = Duration::from_secs(15);

#[derive(Deserialize)]
pub(super) struct StreamQuery {
    types: Option<String>,
    /// For clients that cannot send `Last-Event-ID`.
    last: Option<u64>,
    // Looked at by the guard.
    #[serde(rename = "token")]
    _token: Option<String>,
}

/// What can be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Violation,
    Event,
    Statistics,
    Status,
}

impl Kind {
    const ALL: [(&str, Kind); 4] = [
        ("violation", Kind::Violation),
        ("event", Kind::Event),
        ("statistics", Kind::Statistics),
        ("status", Kind::Status),
    ];

    /// Those that are asked for; all, if nothing is said.
    fn wanted(types: Option<&str>) -> Result<Vec<Kind>, Problem> {
        let Some(types) = types else { return Ok(Kind::ALL.iter().map(|(_, kind)| *kind).collect()) };
        let kind = |word: &str| Kind::ALL.iter().find(|(known, _)| *known == word.trim()).map(|(_, kind)| *kind);
        let wanted: Option<Vec<Kind>> = types.split(',').map(kind).collect();
        wanted.ok_or_else(|| Problem::bad("`types` is a list of `violation`, `event`, `statistics` and `status`"))
    }
}

pub(super) async fn stream(
    State(app): State<App>,
    Asked(query): Asked<StreamQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let wanted = Kind::wanted(query.types.as_deref())?;
    let last = headers.get("last-event-id").map(|value| value.to_str().ok()?.trim().parse::<u64>().ok());
    let last = match last {
        Some(None) => return Err(Problem::bad("`Last-Event-ID` must be the number of a violation")),
        Some(last) => last,
        None => query.last,
    };
    let place = std::sync::Arc::clone(&app.streams).try_acquire_owned();
    let place = place.map_err(|_| Problem::busy(5000, "too many streams are open; close one"))?;
    let (sender, receiver) = mpsc::channel(64);
    let mut stopping = app.stopping.clone();
    let mut writer = Writer { app: app.clone(), wanted, sender, last: 0, second: Instant::now(), told: 0, skipped: 0 };
    tokio::spawn(async move {
        writer.app.metrics.streams.inc();
        tokio::select! {
            _ = writer.run(last) => {}
            () = stopped(&mut stopping) => {}
        }
        writer.app.metrics.streams.dec();
        drop(place);
    });
    let headers = [(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"))];
    Ok((headers, Body::new(ChannelBody(receiver))).into_response())
}

/// The reader is gone, or as good as gone.
struct Gone;

struct Writer {
    app: App,
    wanted: Vec<Kind>,
    sender: mpsc::Sender<io::Result<Bytes>>,
    /// The last violation that was told.
    last: u64,
    /// When the present second began, how many events were told in it, and how many were not.
    second: Instant,
    told: u64,
    skipped: u64,
}

#[derive(Serialize)]
struct EventAnswer<'a> {
    #[serde(flatten)]
    row: &'a EventRow,
    skipped: u64,
}

impl Writer {
    async fn run(&mut self, last: Option<u64>) -> Result<(), Gone> {
        let mut news = self.app.live.subscribe();
        let mut beats = self.app.pulse.watch();
        let heartbeat = HEARTBEAT.min(self.app.limits.idle_time / 3).max(Duration::from_millis(10));
        self.send("retry: 2000\n\n".to_owned()).await?;
        let newest = self.newest().await?;
        // A number that was never given was that of another history.
        self.last = last.filter(|last| *last <= newest).unwrap_or(if last.is_some() { 0 } else { newest });
        self.catch_up(newest).await?;
        let now = beat(&self.app).await;
        self.beat(&now).await?;
        loop {
            tokio::select! {
                news = news.recv() => match news {
                    Ok(Told::Violation(row)) => {
                        if row.number > self.last + 1 {
                            self.catch_up(row.number - 1).await?;
                        }
                        self.violation(row.number, &*row).await?;
                    }
                    Ok(Told::Events { rows, skipped }) => self.events(&rows, skipped).await?,
                    Ok(Told::Changed) => {}
                    Err(RecvError::Lagged(_)) => {
                        let newest = self.newest().await?;
                        self.catch_up(newest).await?;
                    }
                    Err(RecvError::Closed) => return Ok(()),
                },
                changed = beats.changed() => {
                    if changed.is_err() {
                        return Ok(());
                    }
                    let now = beats.borrow_and_update().clone();
                    if let Some(now) = now {
                        self.beat(&now).await?;
                    }
                }
                () = tokio::time::sleep(heartbeat) => self.send(": \n\n".to_owned()).await?,
                () = self.sender.closed() => return Ok(()),
            }
        }
    }

    async fn newest(&self) -> Result<u64, Gone> {
        self.app.ask_history(newest).await.map_err(|_| Gone)
    }

    /// Tells the violations from the last one told up to this one, from the history.
    async fn catch_up(&mut self, through: u64) -> Result<(), Gone> {
        while self.last < through {
            let last = self.last;
            let read = self.app.ask_history(move |history| page(history, last, through)).await;
            let (rows, end) = read.map_err(|_| Gone)?;
            let namer = Namer::of(&self.app.live);
            for row in &rows {
                self.violation(row.number, namer.listed(row)).await?;
            }
            self.last = end;
        }
        Ok(())
    }

    async fn violation(&mut self, number: u64, row: impl Serialize) -> Result<(), Gone> {
        if number <= self.last {
            return Ok(());
        }
        self.last = number;
        if !self.wanted.contains(&Kind::Violation) {
            return Ok(());
        }
        let Ok(data) = serde_json::to_string(&row) else { return Ok(()) };
        self.send(format!("id: {number}\nevent: violation\ndata: {data}\n\n")).await
    }

    async fn events(&mut self, rows: &[EventRow], skipped: u64) -> Result<(), Gone> {
        if !self.wanted.contains(&Kind::Event) {
            return Ok(());
        }
        self.skipped += skipped;
        for row in rows {
            if self.second.elapsed() >= Duration::from_secs(1) {
                (self.second, self.told) = (Instant::now(), 0);
            }
            if self.told >= EVENTS_A_SECOND {
                self.skipped += 1;
                continue;
            }
            self.told += 1;
            let answer = EventAnswer { row, skipped: std::mem::take(&mut self.skipped) };
            let Ok(data) = serde_json::to_string(&answer) else { continue };
            self.send(format!("event: event\ndata: {data}\n\n")).await?;
        }
        Ok(())
    }

    async fn beat(&self, beat: &Beat) -> Result<(), Gone> {
        if self.wanted.contains(&Kind::Status) {
            self.send(format!("event: status\ndata: {}\n\n", beat.status)).await?;
        }
        if self.wanted.contains(&Kind::Statistics) {
            self.send(format!("event: statistics\ndata: {}\n\n", beat.statistics)).await?;
        }
        Ok(())
    }

    async fn send(&self, text: String) -> Result<(), Gone> {
        match timeout(self.app.limits.idle_time, self.sender.send(Ok(text.into()))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Gone),
        }
    }
}
