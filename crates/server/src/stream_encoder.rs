// SPDX-License-Identifier: MIT OR Apache-2.0
//! Encodes notifications for the streams of server-sent events: once for all streams, which share the bytes.
//!
//! Each piece of data costs a write to every stream. So notifications are collected for a moment that grows with the number
//! of streams, which bounds the writes per second whatever happens in the watch: one stream gets a violation immediately,
//! 250 streams get the violations of the last tenth of a second together.

use std::io::Write as _;
use std::time::Duration;

use bytes::Bytes;
use gnomon_live::wire::{EventRow, Notification};
use serde::Serialize;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{self, Sender};
use tokio::time::{Instant, sleep_until};

use crate::app::App;
use crate::net::accept::stopped;

/// Writes per second to all streams together.
const WRITES_PER_SECOND: u32 = 2_500;
/// Size at which collected data is sent without waiting longer.
const LONG: usize = 64 << 10;
/// Number of pieces that a stream may be behind.
const BEHIND: usize = 256;

/// Server-sent events as bytes that all streams share.
#[derive(Clone, Debug)]
pub(crate) struct EncodedChunk {
    pub(crate) kind: ChunkKind,
    pub(crate) bytes: Bytes,
}

/// The content of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ChunkKind {
    /// All violations from the first to the last of these numbers.
    Violations { first: u64, last: u64 },
    /// Events of the trace.
    Events,
}

/// Returns the sender of chunks.
pub(crate) fn channel() -> Sender<EncodedChunk> {
    broadcast::channel(BEHIND).0
}

/// Encodes notifications until the server stops.
pub(crate) async fn run(app: App) {
    let mut notifications = app.live.subscribe();
    let mut stopping = app.stopping.clone();
    let mut encoder = StreamEncoder::new(app.chunks.clone());
    loop {
        let due = encoder.due();
        tokio::select! {
            () = stopped(&mut stopping) => return,
            notification = notifications.recv() => match notification {
                Ok(notification) => encoder.add(&notification),
                // The streams read what is missing from the history.
                Err(RecvError::Lagged(_)) => encoder.flush(),
                Err(RecvError::Closed) => return,
            },
            () = sleep_until(due), if encoder.is_collecting() => encoder.flush(),
        }
    }
}

/// Collects notifications as bytes.
struct StreamEncoder {
    chunks: Sender<EncodedChunk>,
    violations: Vec<u8>,
    /// Number of the first collected violation.
    first: u64,
    /// Number of the last violation, collected or sent.
    last: u64,
    events: Vec<u8>,
    /// Events that were left out since the last one.
    skipped: u64,
    flushed: Instant,
}

#[derive(Serialize)]
struct StreamedEvent<'a> {
    #[serde(flatten)]
    row: &'a EventRow,
    skipped: u64,
}

impl StreamEncoder {
    fn new(chunks: Sender<EncodedChunk>) -> StreamEncoder {
        let flushed = Instant::now();
        StreamEncoder { chunks, violations: vec![], first: 0, last: 0, events: vec![], skipped: 0, flushed }
    }

    fn is_collecting(&self) -> bool {
        !self.violations.is_empty() || !self.events.is_empty()
    }

    /// Returns the time at which collected data is sent.
    fn due(&self) -> Instant {
        let streams = u32::try_from(self.chunks.receiver_count()).unwrap_or(u32::MAX);
        self.flushed + Duration::from_secs(1).saturating_mul(streams) / WRITES_PER_SECOND
    }

    fn add(&mut self, notification: &Notification) {
        let has_streams = self.chunks.receiver_count() > 0;
        match notification {
            Notification::Violation(row) => {
                let number = row.head.number;
                // An older violation that was extended was sent before.
                if number <= self.last {
                    return;
                }
                if number != self.last + 1 {
                    self.flush();
                }
                self.last = number;
                if has_streams {
                    if self.violations.is_empty() {
                        self.first = number;
                    }
                    let _ = writeln!(self.violations, "id: {number}");
                    encode(&mut self.violations, "violation", &**row);
                }
            }
            Notification::Events { rows, skipped } if has_streams => {
                self.skipped = self.skipped.saturating_add(*skipped);
                for row in rows.iter() {
                    encode(
                        &mut self.events,
                        "event",
                        &StreamedEvent { row, skipped: std::mem::take(&mut self.skipped) },
                    );
                }
            }
            Notification::Events { .. } => self.skipped = 0,
            Notification::Changed => {}
        }
        if self.violations.len() + self.events.len() >= LONG || self.due() <= Instant::now() {
            self.flush();
        }
    }

    /// Sends everything that was collected.
    fn flush(&mut self) {
        if !self.is_collecting() {
            return;
        }
        self.flushed = Instant::now();
        let violations = ChunkKind::Violations { first: self.first, last: self.last };
        for (kind, bytes) in [(violations, &mut self.violations), (ChunkKind::Events, &mut self.events)] {
            if !bytes.is_empty() {
                // Fails if the last stream has ended.
                let _ = self.chunks.send(EncodedChunk { kind, bytes: std::mem::take(bytes).into() });
            }
        }
    }
}

/// Appends one server-sent event.
pub(crate) fn encode(bytes: &mut Vec<u8>, kind: &str, data: &impl Serialize) {
    let start = bytes.len();
    let _ = write!(bytes, "event: {kind}\ndata: ");
    match serde_json::to_writer(&mut *bytes, data) {
        Ok(()) => bytes.extend_from_slice(b"\n\n"),
        Err(_) => bytes.truncate(start),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gnomon_live::wire::{ViolationDetails, ViolationHead, ViolationRow};

    use super::*;

    fn violation(number: u64) -> Notification {
        let head = ViolationHead {
            number,
            property: "p".to_owned(),
            title: None,
            severity: None,
            critical: false,
            case: None,
            group: String::new(),
            noted_at: 0,
        };
        Notification::Violation(Arc::new(ViolationRow { head, details: ViolationDetails::default() }))
    }

    #[tokio::test]
    async fn streams_share_what_was_encoded_once() {
        let chunks = channel();
        let mut encoder = StreamEncoder::new(chunks.clone());
        encoder.add(&violation(1));
        let mut streams: Vec<_> = (0..250).map(|_| chunks.subscribe()).collect();
        for number in [2, 3, 2, 4] {
            encoder.add(&violation(number));
        }
        // With this many streams they are collected.
        assert!(encoder.is_collecting() && encoder.due() > Instant::now() + Duration::from_millis(50));
        // A gap begins another chunk.
        encoder.add(&violation(9));
        encoder.flush();
        let mut received = Vec::new();
        for stream in &mut streams {
            let (one, other) = (stream.recv().await.unwrap(), stream.recv().await.unwrap());
            assert_eq!(one.kind, ChunkKind::Violations { first: 2, last: 4 });
            assert_eq!(other.kind, ChunkKind::Violations { first: 9, last: 9 });
            received.push(one.bytes.as_ptr());
        }
        assert!(received.iter().all(|bytes| *bytes == received[0]));
    }

    #[tokio::test]
    async fn a_single_stream_gets_everything_immediately() {
        let chunks = channel();
        let mut encoder = StreamEncoder::new(chunks.clone());
        let mut stream = chunks.subscribe();
        tokio::time::sleep(Duration::from_millis(5)).await;
        encoder.add(&violation(7));
        let text = String::from_utf8(stream.try_recv().unwrap().bytes.to_vec()).unwrap();
        assert!(text.starts_with("id: 7\nevent: violation\ndata: {\"number\":7,") && text.ends_with("}\n\n"), "{text}");
        assert!(!encoder.is_collecting());
    }
}
