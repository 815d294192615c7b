// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events over TCP, as lines or as a stream of XML. Everything available at once is one batch; no more is read before
//! it is durable. So a fast sender is slowed down by TCP's flow control.

mod buffer;
mod greeting;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gnomon_live::{EventBatch, Numbering, Origin, Receipt, SubmitError};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use self::buffer::{ConnectionBuffer, ConnectionChunk};
use self::greeting::Greeting;
use super::{problem, submit};
use crate::app::App;
use crate::net::connections::ClientActivity;
use crate::problem::Problem;
use crate::tokens::AccessRole;

/// Maximum size of a batch.
const BATCH: usize = 256 << 10;

/// Serves a connection until it ends.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(app: &App, mut stream: S, activity: &Arc<ClientActivity>) {
    let mut connection = TcpConnection {
        app,
        buffer: ConnectionBuffer::new(app.limits.line_bytes),
        greeting: Greeting::default(),
        durable_count: 0,
        activity,
        is_open: app.tokens.is_empty(),
    };
    if let Err(problem) = connection.run(&mut stream).await {
        app.metrics.connection_ended("tcp", problem.kind);
        let answer = json!({ "error": problem.document() }).to_string() + "\n";
        let _ = timeout(app.limits.head_time, write(&mut stream, answer.as_bytes())).await;
        // Pending data of the sender is read, because otherwise the response would be lost when the connection
        // closes.
        let _ = timeout(Duration::from_secs(1), drain(&mut stream)).await;
    }
}

struct TcpConnection<'a> {
    app: &'a App,
    buffer: ConnectionBuffer,
    greeting: Greeting,
    /// Number of durable events of this connection.
    durable_count: u64,
    activity: &'a Arc<ClientActivity>,
    /// True if it may send events.
    is_open: bool,
}

impl TcpConnection<'_> {
    async fn run<S: AsyncRead + AsyncWrite + Unpin>(&mut self, stream: &mut S) -> Result<(), Problem> {
        let limits = &self.app.limits;
        let mut held = self.app.budget.hold();
        let mut counted = 0;
        loop {
            let read = self.fill(stream).await?;
            if self.buffer.len() > BATCH + counted {
                let more = self.buffer.len() - BATCH - counted;
                if !held.add(more) {
                    return Err(Problem::busy(1000, "too much data is being read at present; connect again"));
                }
                counted += more;
            }
            let is_over = read == 0;
            while let Some(piece) = self.buffer.next(is_over) {
                match piece {
                    ConnectionChunk::Greeting(line) => self.greet(&line)?,
                    ConnectionChunk::Events(body, first_line) => self.events(stream, body, first_line).await?,
                }
            }
            if is_over {
                return Ok(());
            }
            if self.buffer.len() > limits.line_bytes {
                let limit = limits.line_bytes;
                return Err(Problem::too_large(format!("an event has more than {limit} bytes")));
            }
        }
    }

    /// Waits for data, then reads everything available up to a batch. Returns 0 at the end.
    async fn fill<S: AsyncRead + Unpin>(&mut self, stream: &mut S) -> Result<usize, Problem> {
        let idle = self.app.limits.idle_time;
        let buffer = self.buffer.buffer();
        let broken = |error: std::io::Error| Problem::bad(format!("the connection ended early: {error}"));
        let waited = timeout(idle, stream.read_buf(buffer)).await;
        let mut all = match waited {
            Ok(read) => read.map_err(broken)?,
            Err(_) => return Err(Problem::too_slow(format!("nothing came for {} s", idle.as_secs_f64()))),
        };
        if all == 0 {
            return Ok(0);
        }
        while all < BATCH {
            let more = tokio::select! {
                biased;
                read = stream.read_buf(buffer) => read.map_err(broken)?,
                () = std::future::ready(()) => break,
            };
            if more == 0 {
                // The next call finds the end again.
                break;
            }
            all += more;
        }
        Ok(all)
    }

    fn greet(&mut self, line: &[u8]) -> Result<(), Problem> {
        self.greeting = Greeting::parse(line)?;
        let role = self.greeting.token.as_deref().and_then(|token| self.app.tokens.role(token));
        self.is_open |= role.is_some_and(|role| role >= AccessRole::Write);
        self.greeting.token = None;
        Ok(())
    }

    async fn events<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        body: Bytes,
        first_line: u64,
    ) -> Result<(), Problem> {
        if !self.is_open {
            return Err(Problem::unauthorised(
                r#"the first line must be {"gnomon": {"token": "…"}} with a token that may write"#,
            ));
        }
        let format = self.buffer.format();
        let numbering = self.greeting.numbering.clone();
        let numbering = numbering.map(|Numbering { producer, first }| Numbering {
            producer,
            first: first.saturating_add(self.durable_count),
        });
        let batch = EventBatch { body, format, numbering, origin: Origin::Tcp };
        let answering = self.activity.answering();
        let receipt = self
            .submit_within_rate(batch)
            .await
            .map_err(|refusal| problem(&with_connection_line(refusal, first_line)))?;
        drop(answering);
        self.durable_count += receipt.accepted + receipt.duplicates;
        if self.greeting.acknowledge {
            let number = self.greeting.numbering.as_ref().map_or(self.durable_count, |numbering| {
                numbering.first.saturating_add(self.durable_count).saturating_sub(1)
            });
            let line = json!({ "acknowledged": number }).to_string() + "\n";
            let written = timeout(self.app.limits.idle_time, write(stream, line.as_bytes())).await;
            written
                .map_err(|_| Problem::too_slow("the acknowledgements are not read"))?
                .map_err(|error| Problem::bad(format!("the connection ended early: {error}")))?;
        }
        Ok(())
    }

    /// Submits a batch once the rate limit permits.
    async fn submit_within_rate(&self, batch: EventBatch) -> Result<Receipt, SubmitError> {
        let events = memchr::memchr_iter(b'\n', &batch.body).count().max(1);
        while let Err(pause) = self.app.rate.take(events) {
            tokio::time::sleep(pause.min(Duration::from_secs(1))).await;
        }
        submit(self.app, batch).await
    }
}

/// Converts a line number of the batch to one of the connection.
fn with_connection_line(mut refusal: SubmitError, first_line: u64) -> SubmitError {
    if let SubmitError::Bad(bad) = &mut refusal {
        bad.line += first_line - 1;
    }
    refusal
}

async fn write<S: AsyncWrite + Unpin>(stream: &mut S, bytes: &[u8]) -> std::io::Result<()> {
    stream.write_all(bytes).await?;
    stream.flush().await
}

async fn drain<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S) -> std::io::Result<()> {
    stream.shutdown().await?;
    let mut sink = [0; 4096];
    while stream.read(&mut sink).await? > 0 {}
    Ok(())
}
