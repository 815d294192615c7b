// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of events, or a stream of XML, over TCP. What can be read at once is one batch; nothing more is read before it is on disk,
//! so that a sender who is too fast is held up by its own connection.

mod greeting;
mod pieces;

use std::time::Duration;

use bytes::Bytes;
use gnomon_live::{Batch, Numbering, Origin, Receipt, Refusal};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use self::greeting::Greeting;
use self::pieces::{Piece, Pieces};
use super::{problem, submit};
use crate::app::App;
use crate::problem::Problem;
use crate::tokens::Role;

/// How much is read before it is handed on.
const BATCH: usize = 256 << 10;
/// How often a batch is offered again while there is no room for it.
const OFFERS: u32 = 600;
/// How long between two offers.
const PAUSE: Duration = Duration::from_millis(20);

/// Serves one connection to its end.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(app: &App, mut stream: S) {
    let mut connection = Connection {
        app,
        pieces: Pieces::new(app.limits.line_bytes),
        greeting: Greeting::default(),
        done: 0,
        is_open: app.tokens.is_empty(),
    };
    if let Err(problem) = connection.run(&mut stream).await {
        app.metrics.connection_ended("tcp", problem.kind());
        let answer = json!({ "error": problem.document() }).to_string() + "\n";
        let _ = timeout(app.limits.head_time, write(&mut stream, answer.as_bytes())).await;
        // What the sender wrote meanwhile is read, or the answer is lost with the connection.
        let _ = timeout(Duration::from_secs(1), drain(&mut stream)).await;
    }
}

struct Connection<'a> {
    app: &'a App,
    pieces: Pieces,
    greeting: Greeting,
    /// How many events of this connection are on disk.
    done: u64,
    /// Whether it may send events.
    is_open: bool,
}

impl Connection<'_> {
    async fn run<S: AsyncRead + AsyncWrite + Unpin>(&mut self, stream: &mut S) -> Result<(), Problem> {
        let limits = &self.app.limits;
        let mut held = self.app.budget.hold();
        let mut counted = 0;
        loop {
            let read = self.fill(stream).await?;
            if self.pieces.len() > BATCH + counted {
                let more = self.pieces.len() - BATCH - counted;
                if !held.add(more) {
                    return Err(Problem::busy(1000, "too much is being read at present; connect again"));
                }
                counted += more;
            }
            let is_over = read == 0;
            while let Some(piece) = self.pieces.next(is_over) {
                match piece {
                    Piece::Greeting(line) => self.greet(&line)?,
                    Piece::Events(body, first_line) => self.events(stream, body, first_line).await?,
                }
            }
            if is_over {
                return Ok(());
            }
            if self.pieces.len() > limits.line_bytes {
                let limit = limits.line_bytes;
                return Err(Problem::too_large(format!("an event has more than {limit} bytes")));
            }
        }
    }

    /// Waits for bytes, then takes what is there, up to a batch. 0 is the end.
    async fn fill<S: AsyncRead + Unpin>(&mut self, stream: &mut S) -> Result<usize, Problem> {
        let idle = self.app.limits.idle_time;
        let buffer = self.pieces.buffer();
        let broken = |error: std::io::Error| Problem::bad(format!("the connection broke off: {error}"));
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
                // The next turn finds the end again.
                break;
            }
            all += more;
        }
        Ok(all)
    }

    fn greet(&mut self, line: &[u8]) -> Result<(), Problem> {
        self.greeting = Greeting::parse(line)?;
        let role = self.greeting.token.as_deref().and_then(|token| self.app.tokens.role(token));
        self.is_open |= role.is_some_and(|role| role >= Role::Write);
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
        let format = self.pieces.format();
        let numbering = self.greeting.numbering.clone();
        let numbering = numbering.map(|Numbering { producer, first }| Numbering { producer, first: first + self.done });
        let batch = Batch { body, format, numbering, origin: Origin::Tcp };
        let receipt = self.offer(batch).await.map_err(|refusal| problem(&moved(refusal, first_line)))?;
        self.done += receipt.accepted + receipt.duplicates;
        if self.greeting.acknowledge {
            let number = self
                .greeting
                .numbering
                .as_ref()
                .map_or(self.done, |numbering| (numbering.first + self.done).saturating_sub(1));
            let line = json!({ "acknowledged": number }).to_string() + "\n";
            let written = timeout(self.app.limits.idle_time, write(stream, line.as_bytes())).await;
            written
                .map_err(|_| Problem::too_slow("the acknowledgements are not read"))?
                .map_err(|error| Problem::bad(format!("the connection broke off: {error}")))?;
        }
        Ok(())
    }

    /// Offers a batch until there is room for it.
    async fn offer(&self, batch: Batch) -> Result<Receipt, Refusal> {
        let events = memchr::memchr_iter(b'\n', &batch.body).count().max(1);
        while let Err(pause) = self.app.rate.take(events) {
            tokio::time::sleep(pause.min(Duration::from_secs(1))).await;
        }
        for _ in 1..OFFERS {
            match submit(self.app, batch.clone()).await {
                Err(Refusal::Busy) => tokio::time::sleep(PAUSE).await,
                settled => return settled,
            }
        }
        submit(self.app, batch).await
    }
}

/// A refusal with the line of the connection instead of that of the batch.
fn moved(mut refusal: Refusal, first_line: u64) -> Refusal {
    if let Refusal::Bad(bad) = &mut refusal {
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
