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
use serde::Deserialize;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::extract::QueryParams;
use crate::app::App;
use crate::channel::ChannelBody;
use crate::net::accept::stopped;
use crate::problem::Problem;
use crate::status_ticker::{StatusFrame, recent_frame};
use crate::stream_encoder::{ChunkKind, EncodedChunk, encode};
use crate::violation::{ViolationRenderer, newest as newest_violation, page};

/// Interval of comments that keep intermediaries from closing the connection.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Longest time that a client may leave everything unread.
const PATIENCE: Duration = Duration::from_secs(10);

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
    let chunks = app.chunks.subscribe();
    let newest = app.ask_history(newest_violation).await?;
    let (sender, receiver) = mpsc::channel(64);
    let mut stopping = app.stopping.clone();
    let mut writer = StreamWriter { app: app.clone(), wanted, sender, last: 0 };
    tokio::spawn(async move {
        writer.app.metrics.streams.inc();
        tokio::select! {
            _ = writer.run(chunks, newest, last) => {}
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
}

impl StreamWriter {
    async fn run(
        &mut self,
        mut chunks: Receiver<EncodedChunk>,
        newest: u64,
        last: Option<u64>,
    ) -> Result<(), ClientGone> {
        let mut status_frames = self.app.status_frames.subscribe();
        let heartbeat = HEARTBEAT.min(self.app.limits.idle_time / 3).max(Duration::from_millis(10));
        self.send(Bytes::from_static(b"retry: 2000\n\n")).await?;
        // A number beyond the newest belongs to another history.
        self.last = last.filter(|last| *last <= newest).unwrap_or(if last.is_some() { 0 } else { newest });
        self.catch_up(newest).await?;
        let now = recent_frame(&self.app).await;
        self.send_frame(&now).await?;
        loop {
            tokio::select! {
                chunk = chunks.recv() => match chunk {
                    Ok(chunk) => self.chunk(chunk).await?,
                    // The client reads too slowly, unless the stream was busy with the history.
                    Err(RecvError::Lagged(_)) if self.sender.capacity() == 0 => return Err(ClientGone),
                    Err(RecvError::Lagged(_)) => {
                        let newest = self.app.ask_history(newest_violation).await.map_err(|_| ClientGone)?;
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
                () = tokio::time::sleep(heartbeat) => self.send(Bytes::from_static(b": \n\n")).await?,
                () = self.sender.closed() => return Ok(()),
            }
        }
    }

    /// Sends violations after the last one sent up to `through`, from the history.
    async fn catch_up(&mut self, through: u64) -> Result<(), ClientGone> {
        if !self.wanted.contains(&StreamType::Violation) {
            self.last = self.last.max(through);
        }
        while self.last < through {
            let last = self.last;
            let turn = self.app.catch_ups.acquire().await.map_err(|_| ClientGone)?;
            let read = self.app.ask_history(move |history| page(history, last, through)).await;
            drop(turn);
            let (rows, end) = read.map_err(|_| ClientGone)?;
            let namer = ViolationRenderer::of(&self.app.live);
            for row in &rows {
                let mut bytes = format!("id: {}\n", row.number).into_bytes();
                encode(&mut bytes, "violation", &namer.listed(row));
                self.send(bytes.into()).await?;
            }
            self.last = end;
        }
        Ok(())
    }

    async fn chunk(&mut self, EncodedChunk { kind, bytes }: EncodedChunk) -> Result<(), ClientGone> {
        match kind {
            ChunkKind::Violations { first, last } if last > self.last => {
                // Those before the chunk, or the rest of a chunk of which the history gave the beginning.
                self.catch_up(if first > self.last { first - 1 } else { last }).await?;
                if self.last < last {
                    self.last = last;
                    if self.wanted.contains(&StreamType::Violation) {
                        self.send(bytes).await?;
                    }
                }
            }
            ChunkKind::Events if self.wanted.contains(&StreamType::Event) => self.send(bytes).await?,
            ChunkKind::Violations { .. } | ChunkKind::Events => {}
        }
        Ok(())
    }

    async fn send_frame(&self, frame: &StatusFrame) -> Result<(), ClientGone> {
        if self.wanted.contains(&StreamType::WatchStatus) {
            self.send(frame.status.clone()).await?;
        }
        if self.wanted.contains(&StreamType::Statistics) {
            self.send(frame.statistics.clone()).await?;
        }
        Ok(())
    }

    async fn send(&self, bytes: Bytes) -> Result<(), ClientGone> {
        match timeout(PATIENCE.min(self.app.limits.idle_time), self.sender.send(Ok(bytes))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(ClientGone),
        }
    }
}
