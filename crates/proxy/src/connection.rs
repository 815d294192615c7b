// SPDX-License-Identifier: MIT OR Apache-2.0
//! One connection of a client: which version it speaks, and when it has been silent for too long.

use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::exchange;
use crate::relay::Line;

/// The least that hyper takes for the buffer of a head.
pub(crate) const LEAST_BUFFER: usize = 8_192;

/// How many exchanges one connection may have at one time.
const STREAMS: u32 = 128;

/// How HTTP/2 with prior knowledge begins; there is no such method in HTTP/1.
const PREFACE: &[u8] = b"PRI ";

/// Serves a connection until it ends, is silent for too long, or `stop` says so and its exchanges are over.
pub(crate) async fn serve(line: Arc<Line>, stream: TcpStream, peer: IpAddr, stop: watch::Receiver<bool>) {
    // Without delay, because a head that waits for an acknowledgement is a millisecond lost, and more.
    let _ = stream.set_nodelay(true);
    let settings = line.shared.settings;
    let Ok(Ok(is_http2)) = timeout(settings.client_head, begins_as_http2(&stream)).await else { return };
    let pulse = Arc::new(Pulse::new());
    let io = TokioIo::new(Watched { stream, pulse: Arc::clone(&pulse) });
    let beat = Arc::clone(&pulse);
    let service = service_fn(move |request: Request<Incoming>| {
        let (line, busy) = (Arc::clone(&line), Busy::new(&beat));
        async move { Ok::<_, Infallible>(exchange::answer(line, peer, request, busy).await) }
    });
    // A service that stalls is found out by whoever waits for it, who can say so; this is for clients that do not read.
    let idle = settings.idle.max(settings.response) + settings.response;
    let watcher = Watcher { pulse, stop, idle, unused: settings.client_head };
    if is_http2 {
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS)
            .max_header_list_size(u32::try_from(settings.head).unwrap_or(u32::MAX))
            .keep_alive_interval(settings.client_head)
            .keep_alive_timeout(settings.client_head)
            .serve_connection(io, service);
        watcher.watch(pin!(connection), http2::Connection::graceful_shutdown).await;
    } else {
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(settings.client_head)
            .max_headers(settings.headers)
            .max_header_size(settings.head)
            .max_buf_size(settings.head.max(LEAST_BUFFER))
            .serve_connection(io, service);
        watcher.watch(pin!(connection), http1::Connection::graceful_shutdown).await;
    }
}

async fn begins_as_http2(stream: &TcpStream) -> io::Result<bool> {
    let mut start = [0; PREFACE.len()];
    loop {
        let count = stream.peek(&mut start).await?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if count == PREFACE.len() || !PREFACE.starts_with(&start[..count]) {
            return Ok(start == PREFACE);
        }
        // What was looked at is still there, so there is nothing to be woken by.
        sleep(Duration::from_millis(5)).await;
    }
}

/// What goes on in a connection.
struct Pulse {
    origin: Instant,
    /// When bytes last moved, and when the last exchange ended, in milliseconds.
    moved: AtomicU64,
    ended: AtomicU64,
    exchanges: AtomicUsize,
}

impl Pulse {
    fn new() -> Pulse {
        let (moved, ended) = (AtomicU64::new(0), AtomicU64::new(0));
        Pulse { origin: Instant::now(), moved, ended, exchanges: AtomicUsize::new(0) }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn moves(&self) {
        self.moved.store(self.now(), Ordering::Relaxed);
    }
}

/// An exchange, as long as it lives.
struct Busy {
    pulse: Arc<Pulse>,
}

impl Busy {
    fn new(pulse: &Arc<Pulse>) -> Busy {
        pulse.exchanges.fetch_add(1, Ordering::Relaxed);
        Busy { pulse: Arc::clone(pulse) }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.pulse.ended.store(self.pulse.now(), Ordering::Relaxed);
        self.pulse.exchanges.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Watcher {
    pulse: Arc<Pulse>,
    stop: watch::Receiver<bool>,
    /// How long nothing may move during an exchange.
    idle: Duration,
    /// How long there may be no exchange. Bytes do not count: a head that comes byte by byte is no exchange.
    unused: Duration,
}

impl Watcher {
    async fn watch<C: Future>(mut self, mut connection: Pin<&mut C>, close: impl Fn(Pin<&mut C>)) {
        let mut is_closing = *self.stop.borrow();
        if is_closing {
            close(connection.as_mut());
        }
        loop {
            // What is due changes with the number of exchanges, which wakes nobody: so it is looked at now and then.
            let look = self.due().min(Instant::now() + self.unused.min(self.idle));
            tokio::select! {
                _ = connection.as_mut() => return,
                _ = self.stop.changed(), if !is_closing => {
                    is_closing = true;
                    close(connection.as_mut());
                }
                () = sleep_until(look) => {
                    if self.due() <= Instant::now() {
                        return;
                    }
                }
            }
        }
    }

    /// When the connection will have been silent for too long, if nothing happens.
    fn due(&self) -> Instant {
        let Pulse { origin, moved, ended, exchanges } = &*self.pulse;
        let (since, limit) = match exchanges.load(Ordering::Relaxed) {
            0 => (ended.load(Ordering::Relaxed), self.unused),
            _ => (moved.load(Ordering::Relaxed), self.idle),
        };
        // The clock of the pulse is a millisecond behind at most.
        *origin + Duration::from_millis(since + 1) + limit
    }
}

/// A stream that tells the pulse when bytes move.
struct Watched {
    stream: TcpStream,
    pulse: Arc<Pulse>,
}

impl Watched {
    fn noting<T>(&self, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.pulse.moves();
        }
        outcome
    }
}

impl AsyncRead for Watched {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_read(cx, into);
        self.noting(outcome)
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.noting(outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.noting(outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
